"""Tests of `cloze_gen.evaluation.question_models`."""

from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.adapters.kenlm_model import KenlmModel
from cloze_gen.adapters.lmplz import build_trie, train_arpa
from cloze_gen.corpus.arrays import SEPARATOR
from cloze_gen.corpus.training_text import TEXT, TOKENS
from cloze_gen.engine.local import InProcessEngine
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.errors import ToolError
from cloze_gen.evaluation.lsa import fit_word_vectors, fold_ids
from cloze_gen.evaluation.question_models import (
    WORDS,
    Scorer,
    judge,
    line_bounds,
    open_evaluation_lm,
    open_lsa,
    read_ids,
    read_words,
    write_evaluation_lm,
    write_evaluation_text,
    write_lsa,
)
from cloze_gen.evaluation.questions import QuestionSet, word_baselines
from cloze_gen.formats.printed_tokens import printed_lines, rendered_tokens
from cloze_gen.records.question import Question
from cloze_gen.store.artifacts import Store, open_artifact
from cloze_gen.store.fingerprint import StageKey
from tests.small_models import index_of
from tests.support.stage import made

# ---- text


LINES = ('" Come , " he said : " at once ! "', "-- --", "Was it the fog ?", "It was .")


def artifact(store, stage, files, **facts):
    key = StageKey(stage, 1)
    with store.writing(key) as writer:
        assert writer is not None
        for name, text in files.items():
            writer.path(name).write_text(text, encoding="utf-8")
        writer.facts |= facts
    return store.open(key)


@pytest.fixture
def rendered(tmp_path):
    store = Store(tmp_path)
    words = dict.fromkeys(" ".join(LINES).split(" "))
    rows = "".join(f"{word}\t1\t0\t1\t0.1\t1\n" for word in words if word != ".")
    header = "word\tcount\tinitial_count\tfolded_count\tfreq\tlower_share\n"
    counts = artifact(store, "counts", {"counts.tsv": header + rows}, word_tokens=9)
    text = artifact(store, "text", {TEXT: "".join(f"{line}\n" for line in LINES)})
    key = StageKey("eval-text", 1)
    with store.writing(key) as writer:
        assert writer is not None
        write_evaluation_text(
            writer, StageContext(store, InProcessEngine(), "eval-text"), text=text, counts=counts
        )
    return open_artifact(store.folder(key))


def test_lines_are_the_published_rendering(rendered):
    """Every sentence reads as `rendered_tokens` prints it; a sentence of marks alone is left out."""
    expected = [" ".join(tokens) for line in LINES if (tokens := rendered_tokens(line.split(" ")))]
    assert len(expected) == len(LINES) - 1
    assert rendered.path(TEXT).read_text(encoding="utf-8").split("\n")[:-1] == expected


MARKS = st.sampled_from(
    ["a", "fog", "It's", ",", ";", ":", ".", "?", "!", '"', "'", "--", "...", "(", ")"]
)


@given(st.lists(st.lists(MARKS, min_size=1, max_size=9), max_size=6))
def test_many_lines_are_printed_as_each_alone(sentences):
    expected = [" ".join(tokens) for row in sentences if (tokens := rendered_tokens(row))]
    assert printed_lines([" ".join(row) for row in sentences]).to_pylist() == expected


def test_numbers_spell_the_lines(rendered):
    words = ["\n", *read_words(rendered)]
    spelt = " ".join(words[i] for i in read_ids(rendered).tolist())
    assert [line.strip() for line in spelt.split("\n")] == rendered.path(TEXT).read_text(
        encoding="utf-8"
    ).split("\n")
    assert read_ids(rendered)[-1] == SEPARATOR
    assert read_ids(rendered).dtype == np.uint32


@given(st.lists(st.text("abé ", max_size=9), max_size=12), st.integers(1, 20))
def test_a_text_is_cut_between_lines(tmp_path_factory, lines, shard_bytes):
    """The runs of lines, joined, are the file, and each ends with a line end."""
    path = tmp_path_factory.mktemp("text") / "lines.txt"
    data = "".join(f"{line}\n" for line in lines).encode()
    path.write_bytes(data)
    bounds = list(line_bounds(path, shard_bytes=shard_bytes))
    assert bounds == sorted(set(bounds))
    pieces = [data[a:b] for a, b in pairwise(bounds)]
    assert b"".join(pieces) == data
    assert all(piece.endswith(b"\n") for piece in pieces)


# ---- models


NAMES = ("the", "a", "fog", "cab", "man", "saw", "left", "old", "grey", "lamp", ".", ",", "The")
WORDS_BY_ID = (*NAMES, "unseen")


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return Store(tmp_path_factory.mktemp("models"))


@pytest.fixture(scope="module")
def text(store):
    """Two hundred sentences of drawn words."""
    rng = np.random.default_rng(5)
    sentences = [rng.integers(1, len(NAMES) + 1, rng.integers(3, 9)) for _ in range(200)]
    key = StageKey("eval-text", 1)
    with store.writing(key) as writer:
        assert writer is not None
        np.save(
            writer.path(TOKENS),
            np.concatenate([np.append(row, 0) for row in sentences]).astype(np.uint32),
        )
        writer.path(WORDS).write_text(
            "".join(f"{word}\n" for word in WORDS_BY_ID), encoding="utf-8"
        )
        lines = (" ".join(NAMES[i - 1] for i in row) for row in sentences)
        writer.path(TEXT).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return store.open(key)


def test_only_frequent_words_are_in_the_smoothed_model(store, text):
    """A word that the text does not hold five times is `<unk>`; the others are known."""
    model = open_evaluation_lm(made(store, "eval-lm", write_evaluation_lm, text=text, order=4))
    unknown = model.log10_prob((), "zzz")
    assert all(model.log10_prob((), word) != unknown for word in NAMES)
    assert model.log10_prob((), "unseen") == unknown


def test_trie_and_index_score_as_the_arpa_file(text, tmp_path):
    arpa, binary = tmp_path / "m.arpa", tmp_path / "m.binary"
    train_arpa(
        text=text.path(TEXT),
        arpa=arpa,
        order=3,
        memory="100M",
        temp_dir=tmp_path,
        discount_fallback=True,
        on_line=lambda _: None,
    )
    build_trie(arpa=arpa, binary=binary, memory="100M", temp_dir=tmp_path)
    index = index_of(arpa.read_bytes())
    oracle, trie = KenlmModel(arpa), KenlmModel(binary)
    for line in text.path(TEXT).read_text(encoding="utf-8").split("\n")[:20]:
        tokens = [*line.split(" "), "zzz"]
        for model in (trie, index):
            assert model.score_sentence(tokens) == pytest.approx(
                oracle.score_sentence(tokens), abs=1e-4
            )
            assert model.log10_prob(("<s>", tokens[0]), "fog") == pytest.approx(
                oracle.log10_prob(("<s>", tokens[0]), "fog"), abs=1e-5
            )


def test_a_broken_arpa_file_is_one_message(tmp_path):
    """build_binary's failure comes out as one error with what it said."""
    (tmp_path / "m.arpa").write_text("nothing\n")
    with pytest.raises(ToolError, match="build_binary failed"):
        build_trie(
            arpa=tmp_path / "m.arpa", binary=tmp_path / "m.binary", memory="100M", temp_dir=tmp_path
        )


def test_word_vectors_keep_only_words_that_have_one(store, text):
    vectors, rows = open_lsa(made(store, "lsa", write_lsa, text=text, dimensions=4))
    mapping, folded = fold_ids({word: i for i, word in enumerate(WORDS_BY_ID, 1)})
    expected = fit_word_vectors(
        mapping[np.load(text.path(TOKENS))], len(folded) + 1, dimensions=4, seed=0
    )
    assert sorted(rows) == sorted({name.casefold() for name in NAMES} - {".", ","})
    assert not vectors[:2].any()
    assert all(
        np.allclose(vectors[row], expected[folded[word]], atol=1e-6) for word, row in rows.items()
    )


# ---- the scores of the table's rows

RULES = {row.name: row for row in word_baselines(3)}
SCORES = ("freq", "history_log10_prob", "forward_log10_prob", "sentence_log10_prob")


def asked(question, rows):
    """One question whose record tells the four scores of every option."""
    told = [
        {"word": word} | dict(zip(SCORES, row, strict=True))
        for word, row in zip(question.options, rows, strict=True)
    ]
    return QuestionSet((question,), ({"option_scores": told},))


ITEM = Question(
    "b:1:2", "b", ("It", "was", "an", "odd", "one", "."), 3, ("odd", "lengthy", "go"), 0
)
SET = asked(ITEM, [(0.1, -3.0, -1.0, -20.0), (0.3, -2.0, -3.0, -30.0), (0.2, -1.0, -2.0, -10.0)])


@pytest.mark.parametrize(
    ("rule", "word"),
    [
        ("most-frequent", "lengthy"), ("least-frequent", "odd"), ("longest", "lengthy"), ("shortest", "go"), ("position-a", "odd"),
        ("position-c", "go"), ("a-an-agreement", "odd"), ("history-highest", "go"), ("history-lowest", "odd"), ("forward-highest", "odd"),
        ("forward-lowest", "lengthy"), ("focus-model-highest", "go"), ("focus-model-lowest", "lengthy"),
    ],
)  # fmt: skip
def test_a_rule_chooses_what_its_name_says(rule, word):
    """The option named by the rule, of scores that differ throughout."""
    found = judge(RULES[rule], Scorer(SET, {}), SET, seed=1)
    assert ITEM.options[int(found.choices[0])] == word


def test_rules_of_tags_read_each_option_in_its_sentence(monkeypatch):
    """The odd one has a tag of its own where it stands; the majority has not."""
    seen = []

    def tag(sentences):
        for tokens in sentences:
            seen.append(tuple(tokens))
            yield ["VB" if token == "go" else "JJ" for token in tokens]

    monkeypatch.setattr(
        "cloze_gen.adapters.spacy_tagger.load_tagger", lambda: SimpleNamespace(tag=tag)
    )
    scorer = Scorer(SET, {})
    assert ITEM.options[int(judge(RULES["odd-tag-out"], scorer, SET, seed=1).choices[0])] == "go"
    assert ITEM.options[int(judge(RULES["majority-tag"], scorer, SET, seed=1).choices[0])] in (
        "odd",
        "lengthy",
    )
    assert seen == [ITEM.blank.filled(option) for option in ITEM.options]
