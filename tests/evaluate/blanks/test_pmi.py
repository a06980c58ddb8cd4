"""PMI of consecutive sentences."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest

from cloze_gen.evaluate.blanks import pmi
from cloze_gen.evaluate.blanks.asked import Direction
from cloze_gen.evaluate.blanks.pmi import PmiScorer, ngrams
from tests.evaluate.blanks.conftest import Ask

TRAINING = (("the sea rose", "the ship sank", "we swam"), ("the sea", "we swam"))
PASSAGES = [[sentence.split() for sentence in passage] for passage in TRAINING]


def plain_pmi(firsts: Sequence[str], seconds: Sequence[str], passages: Sequence[Sequence[Sequence[str]]], most: int) -> np.ndarray:
    """The paper's fraction, counted pair by pair."""
    pairs = [(set(ngrams(first, most)), set(ngrams(second, most))) for passage in passages for first, second in pairwise(passage)]
    result = np.zeros((len(firsts), len(seconds)))
    for i, w_s in enumerate(firsts):
        for j, w_c in enumerate(seconds):
            joint = sum(w_s in first and w_c in second for first, second in pairs)
            result[i, j] = joint and joint / (sum(w_s in first for first, _ in pairs) * sum(w_c in second for _, second in pairs))
    return result


def test_the_example_by_hand() -> None:
    """`the` opens three pairs, two of which `we` closes, which it does twice: 2 / (3 * 2). `sea` is in two, one of which `ship` closes."""
    scorer = PmiScorer(PASSAGES, most=1)
    found = scorer.pmi(["the", "sea", "swam"], ["we", "ship", "whale"])
    np.testing.assert_allclose(found, [[2 / 6, 1 / 3, 0], [1 / 4, 1 / 2, 0], [0, 0, 0]])


def test_a_sentence_has_the_mean_over_all_pairs(ask: Ask) -> None:
    """Unknown words count among the pairs: of `the whale`, `we swam` only `the` is known, which has 1/3 with both."""
    asked = ask("the whale / we swam / so", (1,), "the ship")
    found = PmiScorer(PASSAGES, most=1).scores(asked)
    # the-the 1/(3*1), the-ship 1/(3*1), of four pairs
    np.testing.assert_allclose(found[Direction.P], [[(1 / 3 + 1 / 3) / 4, (1 / 3 + 1 / 3) / 4]])
    np.testing.assert_allclose(found[Direction.N], [[0, 0]])


def test_before_a_blank_the_context_is_first(ask: Ask) -> None:
    """It is asymmetric: what was only met as second has nothing with what was only met before it."""
    found = PmiScorer(PASSAGES, most=1).scores(ask("rose / we / sank", (1,), "ship"))
    np.testing.assert_allclose(found[Direction.P], [[0, 1]])  # rose, ship: one pair, one each
    np.testing.assert_allclose(found[Direction.N], [[0, 0]])
    found = PmiScorer(PASSAGES, most=1).scores(ask("ship / we / ship", (1,), "rose"))
    np.testing.assert_allclose(found[Direction.P], [[1 / 2, 0]])
    np.testing.assert_allclose(found[Direction.N], [[0, 1]])


def test_all_before_is_one_long_sentence(ask: Ask) -> None:
    """A word that two sentences have counts once."""
    found = PmiScorer(PASSAGES, most=1).scores(ask("the sea / the rose / ship / so", (2,)))
    np.testing.assert_allclose(found[Direction.AP], [[(1 / 3 + 1 / 2 + 1) / 3]])
    np.testing.assert_allclose(found[Direction.P], [[(1 / 3 + 1) / 2]])


@pytest.mark.parametrize("most", [1, 2])
@pytest.mark.parametrize("commonest", [0, 7, 4000])
def test_it_is_the_fraction_of_the_paper(most: int, commonest: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever n-grams have their counts made beforehand: the same as counting pair by pair."""
    monkeypatch.setattr(pmi, "_COMMONEST", commonest)
    rng = np.random.default_rng(3)
    passages = [[[f"w{i}" for i in rng.integers(9, size=4)] for _ in range(5)] for _ in range(6)]
    firsts = ngrams([f"w{i}" for i in rng.integers(10, size=8)], most)
    seconds = ngrams([f"w{i}" for i in rng.integers(10, size=8)], most)
    np.testing.assert_allclose(PmiScorer(passages, most=most).pmi(firsts, seconds), plain_pmi(firsts, seconds, passages, most))


def test_pairs_do_not_cross_passages() -> None:
    """The last sentence of one passage and the first of the next are no pair."""
    assert PmiScorer([[["a"], ["b"]], [["c"], ["d"]]], most=1).pmi(["b"], ["c"]).tolist() == [[0]]
