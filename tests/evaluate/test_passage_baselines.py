"""Tests of `cloze_gen.evaluation.passage_baselines`."""

import numpy as np
import pytest
from scipy.stats import rankdata

from cloze_gen.errors import UsageError
from cloze_gen.evaluation import passage_baselines
from cloze_gen.evaluation.passage_baselines import (
    NETWORK_KINDS,
    PASSAGE_BASELINES,
    CachedPassages,
    NgramPassages,
    pick,
    random_result,
    rule_result,
    score_targets,
    scored_result,
)
from cloze_gen.evaluation.passages import PassageExample, TargetScores, number_passages
from cloze_gen.models.unigram_cache import shares_before_last, with_cache
from tests.small_models import index_of

# ---- baselines


def names(*only):
    return [row.name for row in pick(only)]


def test_networks_are_trained_only_when_asked_for():
    """By default all others are computed; a name or the kind asks for them."""
    assert not set(names()) & set(NETWORK_KINDS)
    assert len(names()) + len(NETWORK_KINDS) == len(PASSAGE_BASELINES)
    assert set(NETWORK_KINDS) < set(names("model"))
    assert names("recurrent", "random word") == ["random word", "recurrent"]


@pytest.mark.parametrize("only", ["n-grams", "baseline"])
def test_an_unknown_name_is_refused_with_the_known_ones(only):
    with pytest.raises(UsageError, match=r"(?s)n-gram \+ cache.*random, rule,\smodel") as caught:
        pick([only])
    assert only in str(caught.value)


# ---- models


# A bigram model over three words and the rare one; <unk>, which lmplz adds, has what is left over.
ARPA = b"""\\data\\
ngram 1=7
ngram 2=4

\\1-grams:
-3.0\t<unk>\t0
0\t<s>\t-0.3
-1.0\t</s>\t0
-0.4\tthe\t-0.2
-0.7\tsea\t-0.1
-0.9\tlamp\t-0.1
-1.1\t<rare>\t-0.1

\\2-grams:
-0.2\t<s> the
-0.3\tthe sea
-0.6\tthe lamp
-0.5\tsea </s>

\\end\\
"""
WORDS = ["the", "sea", "lamp"]
ASKED = [
    PassageExample("a:1", "passages", (("the", "sea"), ("the",)), "sea"),
    PassageExample("a:2", "passages", (("lamp", "lamp", "whatsit"), ()), "lamp"),
    PassageExample("a:3", "passages", (("the",), ("the", "gull")), "whatsit"),
]


@pytest.fixture(scope="module")
def index():
    return index_of(ARPA)


def test_the_n_gram_model_sees_the_targets_sentence(index):
    found = NgramPassages(index, WORDS, unknown="<rare>").all_log_probs(
        *number_passages(ASKED, WORDS)
    )
    for row, history in zip(found, (["<s>", "the"], ["<s>"], ["the", "<rare>"]), strict=True):
        expected = index.next_word_log10_probs(history[-1:])
        assert row / np.log(10) == pytest.approx(
            [expected[index.id_of[word]] for word in ("</s>", *WORDS, "<rare>")], abs=1e-6
        )


def test_a_cache_moves_every_word_as_it_moves_the_target(index):
    """Of the target it is what `with_cache` says, and the rows still sum to what they summed to."""
    ids, lengths = number_passages(ASKED, WORDS)
    model = NgramPassages(index, WORDS, unknown="<rare>")
    plain, cached = (
        model.all_log_probs(ids, lengths),
        CachedPassages(model, weight=0.2).all_log_probs(ids, lengths),
    )
    targets = ids[np.cumsum(lengths) - 1]
    own = plain[np.arange(3), targets] / np.log(10)
    expected = with_cache(own, shares_before_last(ids, lengths, separator=0), weight=0.2)
    assert cached[np.arange(3), targets] / np.log(10) == pytest.approx(expected, abs=1e-6)
    assert np.exp(cached).sum(axis=1) == pytest.approx(
        0.8 * np.exp(plain).sum(axis=1) + 0.2, abs=1e-6
    )


class Told:
    """Says what it was given, passage by passage, in order."""

    def __init__(self, table):
        self.table, self.asked = table, 0

    def all_log_probs(self, ids, lengths):
        assert len(ids) == lengths.sum()
        self.asked += len(lengths)
        return self.table[self.asked - len(lengths) : self.asked]


def test_ranks_are_among_the_words_alone(monkeypatch):
    monkeypatch.setattr(passage_baselines, "_BATCH_PASSAGES", 2)
    rng, words = np.random.default_rng(3), [*WORDS, ","]
    table = np.log(rng.dirichlet(np.ones(6), size=3)).astype(np.float32)
    table[:, [0, 4, 5]] = -0.01  # the likeliest by far, and no words
    found = score_targets(Told(table.copy()), *number_passages(ASKED, words), words=words)
    assert found.known.tolist() == [True, True, False]
    assert found.rank[:2].tolist() == [rankdata(-table[0, 1:4])[1], rankdata(-table[1, 1:4])[2]]
    assert np.isnan(found.rank[2])
    assert found.log10_prob == pytest.approx(table[[0, 1, 2], [2, 3, 5]] / np.log(10))
    assert found.right is not None
    assert found.right.tolist() == [found.rank[0] == 1, found.rank[1] == 1, False]


# ---- passages


ROWS = {row.name: row for row in PASSAGE_BASELINES}
CASED = [
    PassageExample(
        "a:1",
        "passages",
        (("i", "saw", "joe", "."), ("then", "came")),
        "joe",
        ("I", "saw", "Joe", ".", "Then", "came", "Joe"),
    ),
    PassageExample(
        "a:2", "passages", (("the", "sea", "rose"),), "sea", ("The", "sea", "rose", "sea")
    ),
]
SMALL = [PassageExample(one.id, one.set, one.sentences, one.target) for one in CASED]


def test_rules_of_case_look_at_the_book():
    found = rule_result(ROWS["last name"], "passages", CASED)
    assert found.right is not None
    assert found.right.tolist() == [True, False]
    assert (found.row.kind, found.row.set, found.row.correct, found.row.accuracy) == (
        "rule",
        "passages",
        1,
        0.5,
    )
    for row in ("last name", "random capitalised word"):
        measure = (
            rule_result if row == "last name" else lambda *given: random_result(*given, words=())
        )
        untold = measure(ROWS[row], "passages", SMALL)
        assert (untold.row.accuracy, untold.row.n) == (None, 2)
        assert "no capital letters" in untold.row.note
        assert untold.row.model_fields_set == found.row.model_fields_set
        assert list(untold.predictions()) == []


def test_random_words_are_expectations():
    assert random_result(
        ROWS["random capitalised word"], "passages", CASED, words=()
    ).row.accuracy == pytest.approx(1 / 6)
    row = random_result(
        ROWS["random vocabulary word"], "passages", CASED, words=["joe", "the", "lamp", "."]
    ).row
    assert (row.perplexity, row.median_rank, row.coverage, row.accuracy) == (
        4.0,
        2.5,
        0.5,
        0.125,
    )


def test_predictions_tell_what_is_known_of_each_passage():
    known = np.array([True, True])
    scores = TargetScores.by_rank(np.array([-1.0, -2.0]), np.array([1.0, 7.0]), known)
    rows = list(scored_result(("n-gram", "model", ""), "passages", CASED, scores).predictions())
    told = {
        "baseline": "n-gram",
        "id": "a:1",
        "set": "passages",
        "log10_prob": -1.0,
        "rank": 1.0,
        "right": True,
    }
    assert rows == [told, told | {"id": "a:2", "log10_prob": -2.0, "rank": 7.0, "right": False}]
    untold = TargetScores(np.array([-1.0, -2.0]), np.full(2, np.nan), known, None)
    assert [
        (row["rank"], row["right"])
        for row in scored_result(("x", "user", ""), "passages", CASED, untold).predictions()
    ] == [(None, None)] * 2
