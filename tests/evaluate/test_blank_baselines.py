"""Tests of `cloze_gen.evaluation.blank_baselines`."""

from itertools import pairwise

import numpy as np
import pytest

from cloze_gen.errors import UsageError
from cloze_gen.evaluation.blank_baselines import (
    BLANK_BASELINES,
    LanguageModelScorer,
    LsaScorer,
    OverlapScorer,
    PmiScorer,
    adjacent_sentences,
    nan_where_empty,
    ngrams,
    pick,
)
from cloze_gen.evaluation.blanks import Direction
from cloze_gen.models.ngram_index import ForwardIndex, Level
from cloze_gen.records.blanked_passage import BlankedPassage

# ---- baselines


def test_names_and_kinds_pick():
    """By name, by kind, in the order of the table; without any, all."""
    assert pick([]) == list(BLANK_BASELINES)
    assert [row.name for row in pick(["lsa", "pmi-2", "random"])] == ["random", "pmi-2", "lsa"]
    assert {row.kind for row in pick(["surface"])} == {"surface"}
    assert pick(["user"]) == []


@pytest.mark.parametrize("name", ["bert", "PMI-1"])
def test_an_unknown_name_is_refused_with_the_known_ones(name):
    with pytest.raises(UsageError, match="pmi-2") as caught:
        pick([name])
    assert name in str(caught.value)


# ---- sides


def test_no_blank_is_part_of_a_context(passage):
    places = {
        direction: [np.flatnonzero(row).tolist() for row in rows]
        for direction, rows in adjacent_sentences(passage).items()
    }
    assert places[Direction.P] == [[], [], [2], [4], [4]]
    assert places[Direction.N] == [[2], [2], [4], [7], [7]]
    assert places[Direction.AP] == [[], [], [2], [2, 4], [2, 4]]
    assert places[Direction.AN] == [[2, 4, 7], [2, 4, 7], [4, 7], [7], [7]]


def test_a_passage_of_blanks_alone_has_no_context():
    """Every row is empty, and every score becomes NaN."""
    passage = BlankedPassage("b:0", ("A.", "B."), (0, 1), ("A.", "B."), (0, 1))
    for beside in adjacent_sentences(passage).values():
        assert not beside.any()
        assert np.isnan(nan_where_empty(np.ones((2, 2)), beside)).all()


def test_sums_made_in_another_order_tie():
    """What differs in the last bits alone is the same score."""
    found = nan_where_empty(np.array([[0.1 + 0.2, 0.3]]), np.ones((1, 1)))
    assert found[0, 0] == found[0, 1]


# ---- overlap


def test_shared_words_of_content_for_how_many_there_are(ask):
    """One of two and one shared: 1 / sqrt(2 * 1); NaN without a context."""
    found = OverlapScorer().scores(
        ask(
            "Harbour walls fell . / The ship reached Harbour ! / Ships",
            (1,),
            "the harbour / the and",
        )
    )
    np.testing.assert_allclose(found[Direction.P], [[1 / np.sqrt(3 * 3), 1 / np.sqrt(3 * 1), 0]])
    assert np.isnan(OverlapScorer().scores(ask("Tea . / Rum .", (0,)))[Direction.P]).all()


def test_all_before_has_each_word_once(ask):
    """`lamp` three times before the blank is one word that is shared."""
    found = OverlapScorer().scores(ask("lamp lamp / lamp oil / lamp / end", (2,)))
    np.testing.assert_allclose(found[Direction.AP], [[1 / np.sqrt(2)]])


# ---- lsa


VECTORS = np.array([[2, 0], [0, 1], [0, 0]], np.float32)
SCORER = LsaScorer(VECTORS, {"sea": 0, "fire": 1, "void": 2})


def test_cosines_of_summed_vectors(ask):
    """`Sea fire` is (2, 1), `sea` (2, 0): 2 / sqrt(5); unknown and zero words do not count."""
    found = SCORER.scores(ask("Sea fire ! / sea void whale / end", (1,), "void / fire"))
    np.testing.assert_allclose(found[Direction.P], [[2 / np.sqrt(5), 0, 1 / np.sqrt(5)]])


def test_several_sentences_have_the_mean_of_their_cosines(ask):
    """Not the cosine with their sum, in which the longer would count for more."""
    found = SCORER.scores(ask("sea sea sea / fire / sea / end", (2,)))
    np.testing.assert_allclose(found[Direction.AP], [[1 / 2]])


# ---- pmi


TRAINING = (("the sea rose", "the ship sank", "we swam"), ("the sea", "we swam"))
PASSAGES = [[sentence.split() for sentence in passage] for passage in TRAINING]


def plain_pmi(
    firsts,
    seconds,
    passages,
    most,
):
    """The paper's fraction, counted pair by pair."""
    pairs = [
        (set(ngrams(first, most)), set(ngrams(second, most)))
        for passage in passages
        for first, second in pairwise(passage)
    ]
    result = np.zeros((len(firsts), len(seconds)))
    for i, w_s in enumerate(firsts):
        for j, w_c in enumerate(seconds):
            joint = sum(w_s in first and w_c in second for first, second in pairs)
            result[i, j] = joint and joint / (
                sum(w_s in first for first, _ in pairs) * sum(w_c in second for _, second in pairs)
            )
    return result


def test_the_example_by_hand():
    """`the` opens three pairs, two closed by `we`, which closes two: 2 / (3 * 2)."""
    scorer = PmiScorer(PASSAGES, most=1)
    found = scorer.pmi(["the", "sea", "swam"], ["we", "ship", "whale"])
    np.testing.assert_allclose(found, [[2 / 6, 1 / 3, 0], [1 / 4, 1 / 2, 0], [0, 0, 0]])


def test_a_sentence_has_the_mean_over_all_pairs(ask):
    """Unknown words count among the pairs: in `the whale`, `we swam` only `the` is known."""
    asked = ask("the whale / we swam / so", (1,), "the ship")
    found = PmiScorer(PASSAGES, most=1).scores(asked)
    # the-the 1/(3*1), the-ship 1/(3*1), of four pairs
    np.testing.assert_allclose(found[Direction.P], [[(1 / 3 + 1 / 3) / 4, (1 / 3 + 1 / 3) / 4]])
    np.testing.assert_allclose(found[Direction.N], [[0, 0]])


def test_before_a_blank_the_context_is_first(ask):
    """It is asymmetric: what was only met as second has nothing with what was only met before it."""
    found = PmiScorer(PASSAGES, most=1).scores(ask("rose / we / sank", (1,), "ship"))
    np.testing.assert_allclose(found[Direction.P], [[0, 1]])  # rose, ship: one pair, one each
    np.testing.assert_allclose(found[Direction.N], [[0, 0]])
    found = PmiScorer(PASSAGES, most=1).scores(ask("ship / we / ship", (1,), "rose"))
    np.testing.assert_allclose(found[Direction.P], [[1 / 2, 0]])
    np.testing.assert_allclose(found[Direction.N], [[0, 1]])


def test_all_before_is_one_long_sentence(ask):
    """A word that two sentences have counts once."""
    found = PmiScorer(PASSAGES, most=1).scores(ask("the sea / the rose / ship / so", (2,)))
    np.testing.assert_allclose(found[Direction.AP], [[(1 / 3 + 1 / 2 + 1) / 3]])
    np.testing.assert_allclose(found[Direction.P], [[(1 / 3 + 1) / 2]])


@pytest.mark.parametrize("most", [1, 2])
def test_it_is_the_fraction_of_the_paper(most):
    """The same as counting pair by pair."""
    rng = np.random.default_rng(3)
    passages = [[[f"w{i}" for i in rng.integers(9, size=4)] for _ in range(5)] for _ in range(6)]
    firsts = ngrams([f"w{i}" for i in rng.integers(10, size=8)], most)
    seconds = ngrams([f"w{i}" for i in rng.integers(10, size=8)], most)
    np.testing.assert_allclose(
        PmiScorer(passages, most=most).pmi(firsts, seconds),
        plain_pmi(firsts, seconds, passages, most),
    )


def test_pairs_do_not_cross_passages():
    """The last sentence of one passage and the first of the next are no pair."""
    assert PmiScorer([[["a"], ["b"]], [["c"], ["d"]]], most=1).pmi(["b"], ["c"]).tolist() == [[0]]


# ---- language model


WORDS = ["<unk>", "<s>", "</s>", "<rare>", "sea", "ship"]
PROBS = {"<rare>": 0.1, "sea": 0.25, "ship": 0.05}


@pytest.fixture
def scorer():
    """A model of independent words, four out of vocabulary, with a cache of weight 1/2."""
    log10_probs = np.log10([PROBS.get(word, 0.2) for word in WORDS]).astype(np.float32)
    unigrams = Level(
        np.arange(len(WORDS), dtype=np.uint64), log10_probs, np.zeros(len(WORDS), np.float32)
    )
    none = Level(np.array([7], np.uint64), np.array([-1.0], np.float32), np.zeros(1, np.float32))
    return LanguageModelScorer(
        ForwardIndex(WORDS, [unigrams, none]), unknown="<rare>", unknown_types=4, weight=0.5
    )


def gain(share, prob):
    return float(np.log((0.5 * prob + 0.5 * share) / prob))


def test_before_a_blank_the_candidate_is_read(ask, scorer):
    """Mean log ratio of cached and plain probability; shares are of the context's tokens."""
    found = scorer.scores(ask("Sea sea ship . / the ship / end", (1,), "Sea"))
    np.testing.assert_allclose(
        found[Direction.P],
        [[(gain(0, 0.1 / 4) + gain(1 / 4, 0.05)) / 2, gain(1 / 2, 0.25)]],
        rtol=1e-6,
    )


def test_behind_a_blank_the_context_is_read(ask, scorer):
    """The candidate is the cache; of several sentences it is the mean over all their tokens."""
    found = scorer.scores(ask("end / sea ship / sea / ship ship", (1,)))
    np.testing.assert_allclose(found[Direction.N], [[gain(1 / 2, 0.25)]], rtol=1e-6)
    np.testing.assert_allclose(
        found[Direction.AN], [[(gain(1 / 2, 0.25) + 2 * gain(1 / 2, 0.05)) / 3]], rtol=1e-6
    )


def test_a_word_that_no_model_knows_returns(ask, scorer):
    found = scorer.scores(ask("kraken / kraken / end", (1,), "zyx"))
    np.testing.assert_allclose(
        found[Direction.P], [[gain(1, 0.1 / 4), gain(0, 0.1 / 4)]], rtol=1e-6
    )


def test_pmi_of_frequent_words_does_not_overflow():
    """The product of two counts exceeds 32 bits."""
    passages = [[("the",), ("the",)]] * 50_000
    assert PmiScorer(passages, most=1).pmi(["the"], ["the"]).tolist() == [[1 / 50_000]]
