from __future__ import annotations

import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.errors import ModelError
from cloze_gen.models.ngram_index import ForwardIndex, Level, histories_of_last, windows
from tests.small_models import index_of

TOLERANCE_LOG10 = 1e-5
HISTORIES = 3000

TINY = """\\data\\
ngram 1=7
ngram 2=4
ngram 3=2

\\1-grams:
-2.0\t<unk>\t0
0\t<s>\t-0.5
-0.6\t</s>\t0
-0.7\t"\t-0.25
-0.8\tNA\t-0.125
-0.9\tnull\t0
-1.1\tend\t0

\\2-grams:
-0.2\t<s> "\t-0.3
-0.4\t" NA\t-0.0625
-0.3\tNA null\t0
-0.1\tnull </s>\t0

\\3-grams:
-0.05\t<s> " NA
-0.15\t" NA null

\\end\\
"""


@pytest.fixture
def tiny():
    return index_of(TINY.encode())


@pytest.mark.parametrize(
    ("history", "word", "expected_log10"),
    [
        (["<s>", '"'], "NA", -0.05),
        (['"', "NA"], "null", -0.15),
        (["<s>", '"'], '"', -0.3 - 0.25 - 0.7),  # twice backed off
        (["NA"], "null", -0.3),
        (["x", "NA"], "null", -0.3),  # an unknown word before it ends the context
        (["null", "NA"], "null", -0.3),  # the bigram context is not attested: no backoff weight
        (["NA", "NA"], "</s>", -0.125 - 0.6),
        ([], "end", -1.1),
        (["NA", "x"], "end", -1.1),  # <unk> has no backoff weight here
        (["<s>"], "unheard-of", -0.5 - 2.0),
    ],
)
def test_reckoned_by_hand(tiny, history, word, expected_log10):
    by_distribution = tiny.next_word_log10_probs(history)[tiny.ids([word])[0]]
    assert by_distribution == pytest.approx(expected_log10, abs=1e-6)
    assert one_by_one(tiny, history, word) == pytest.approx(expected_log10, abs=1e-6)


def one_by_one(index, history, word):
    ids = index.ids(history[-(index.order - 1) :])
    padded = [-1] * (index.order - 1 - len(ids)) + ids
    return float(index.log10_probs(np.array([padded]), np.array(index.ids([word])))[0])


def test_attested_ngrams(tiny):
    pairs = np.array(
        [
            tiny.ids(pair)
            for pair in [('"', "NA"), ("NA", '"'), ("NA", "null"), ("x", "y"), ("null", "x")]
        ]
    )
    assert tiny.attested(pairs).tolist() == [True, False, True, False, False]


def test_continuations_are_one_slice(tiny):
    (row,) = tiny.context_rows(tiny.ids(["<s>"]))
    words, log10_prob = tiny.continuations(1, row)
    assert [tiny.words[i] for i in words] == ['"']
    assert log10_prob.tolist() == pytest.approx([-0.2])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("<s>", "<t>"), "no '<s>'"),
        (('-0.4\t" NA\t-0.0625\n', ""), "first 2 words are no 2-gram"),
    ],
)
def test_broken_models_are_told(change, said):
    with pytest.raises(ModelError, match=said):
        index_of(TINY.replace(*change).encode())


def test_model_order_is_its_highest_section():
    lines = TINY[: TINY.index("\\2-grams:")].replace("ngram 2=4\nngram 3=2\n", "").split("\n")
    index = index_of(
        ("\n".join("\t".join(line.split("\t")[:2]) for line in lines) + "\\end\\\n").encode()
    )
    assert index.order == 1
    assert index.log10_probs(
        np.zeros((1, 0), np.int64), np.array(index.ids(["end"]))
    ).tolist() == pytest.approx([-1.1])


def histories(trained):
    """Seen, unseen, sentence-initial and OOV histories with seen, unseen and OOV words."""
    draw = random.Random(20)
    words = [word for word in trained.index.words if word not in {"<s>", "<unk>"}]
    plain = [word for word in words if word != "</s>"]
    for turn in range(HISTORIES):
        sentence = ["<s>", *draw.choice(trained.sentences), "</s>"]
        at = draw.randrange(1, len(sentence))
        history = sentence[max(0, at - 4) : at]
        kind = turn % 6
        if kind == 1:
            history = [draw.choice(plain) for _ in range(draw.randrange(4))]
        elif kind == 2:
            history = [*history[-2:], "qzx"]
        elif kind == 3:
            history = [word if word == "<s>" else draw.choice([word, "qzx"]) for word in history]
        elif kind == 4:
            history = ["<s>"]
        yield (
            history,
            sentence[at] if kind in {0, 3} else draw.choice([*draw.choices(words, k=3), "qzx"]),
        )


def test_scores_are_kenlms_own(trained):
    """Within 1e-5 in log10, over thousands of random histories."""
    asked = list(histories(trained))
    expected = np.array([trained.kenlm.log10_prob(history, word) for history, word in asked])
    found = np.array([one_by_one(trained.index, history, word) for history, word in asked])
    assert len(asked) == HISTORIES
    assert np.abs(found - expected).max() < TOLERANCE_LOG10


def test_batches_are_single_questions(trained):
    index, reach = trained.index, trained.index.order - 1
    asked = list(histories(trained))[:500]
    rows = [index.ids(history[-reach:]) for history, _ in asked]
    padded = np.array([[-1] * (reach - len(row)) + row for row in rows])
    together = index.log10_probs(padded, np.array(index.ids([word for _, word in asked])))
    assert together.tolist() == [
        pytest.approx(one_by_one(index, history, word), abs=1e-6) for history, word in asked
    ]


def test_distributions_are_whole(trained):
    index = trained.index
    for history, word in list(histories(trained))[:60]:
        log10 = index.next_word_log10_probs(history)
        assert log10.dtype == np.float32
        assert np.power(10.0, log10.astype(np.float64)).sum() == pytest.approx(1.0, abs=1e-4)
        assert log10[index.start] == -math.inf
        assert log10[index.ids([word])[0]] == pytest.approx(
            one_by_one(index, history, word), abs=1e-6
        )


def test_sentence_scores_are_kenlms_own(trained):
    for sentence in [*trained.sentences[:200:7], ["qzx", "the", "qzx", "."], []]:
        assert trained.index.score_sentence(sentence) == pytest.approx(
            trained.kenlm.score_sentence(sentence), abs=1e-4
        )


def test_levels_are_sorted(trained):
    assert trained.index.order == len(trained.index.levels)
    for level in trained.index.levels:
        assert (np.diff(level.key.astype(np.int64)) > 0).all()


def test_windows_pad_at_the_left():
    histories, words = windows([5, 6, 7], 4)
    assert histories.tolist() == [[-1, -1, 5], [-1, 5, 6]]
    assert words.tolist() == [6, 7]


def test_ids_fit_large_models():
    """3,000,000 contexts times 2,000 words exceed 32 bits."""
    size, rows = 2000, 3_000_000
    unigrams = Level(
        np.arange(size, dtype=np.uint64), np.zeros(size, np.float32), np.zeros(size, np.float32)
    )
    bigrams = Level(
        np.arange(rows, dtype=np.uint64), np.zeros(rows, np.float32), np.zeros(rows, np.float32)
    )
    key = np.array([(rows - 1) * size + 1999], np.uint64)
    words = ["<unk>", "<s>", "</s>", *map(str, range(size - 3))]
    index = ForwardIndex(
        words,
        [unigrams, bigrams, Level(key, np.array([-7.0], np.float32), np.zeros(1, np.float32))],
    )
    context = [(rows - 1) // size, (rows - 1) % size]
    assert index.log10_probs(np.array([context]), np.array([1999])).tolist() == [-7.0]
    assert index.next_word_log10_probs([words[i] for i in context])[1999] == -7.0


SENTENCES = st.lists(st.lists(st.integers(1, 9), min_size=1, max_size=5), min_size=1, max_size=3)


@given(st.lists(SENTENCES, min_size=1, max_size=5), st.integers(2, 5))
def test_histories_end_at_the_sentence(passages, order):
    flat = [[token for sentence in passage for token in (0, *sentence)] for passage in passages]
    histories, words = histories_of_last(
        np.concatenate(flat), np.array([len(one) for one in flat]), order=order, start=0
    )
    assert words.tolist() == [passage[-1][-1] for passage in passages]
    for row, passage in zip(histories.tolist(), passages, strict=True):
        seen = [0, *passage[-1][:-1]][-(order - 1) :]
        assert row == [-1] * (order - 1 - len(seen)) + seen


def test_scores_are_those_of_kenlm(trained):
    index, sentences = (
        trained.index,
        [sentence for sentence in trained.sentences if len(sentence) > 1][:300],
    )
    passages = [sentences[i : i + 3] for i in range(len(sentences) - 2)]
    flat = [
        [one for sentence in passage for one in (index.start, *index.ids(sentence))]
        for passage in passages
    ]
    histories, words = histories_of_last(
        np.concatenate(flat),
        np.array([len(one) for one in flat]),
        order=index.order,
        start=index.start,
    )
    found = index.log10_probs(histories, words)
    expected = [
        trained.kenlm.log10_prob(["<s>", *passage[-1][:-1]], passage[-1][-1])
        for passage in passages
    ]
    assert found == pytest.approx(expected, abs=1e-4)
