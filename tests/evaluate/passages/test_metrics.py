"""Accuracy, perplexity and rank."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from cloze_gen.errors import UsageError
from cloze_gen.evaluate.passages.metrics import TargetScores, measure, ranks


@given(st.lists(st.lists(st.sampled_from([-1.0, -2.0, -3.0]), min_size=4, max_size=4), min_size=1, max_size=6), st.integers(-1, 3))
def test_ranks_are_scipys(rows: list[list[float]], target: int) -> None:
    """Equals share the mean of their ranks; an unknown target has none."""
    table = np.array(rows)
    found = ranks(table, np.full(len(rows), target))
    if target < 0:
        assert np.isnan(found).all()
    else:
        assert found.tolist() == [rankdata(-row)[target] for row in table]


def test_a_uniform_model_is_a_random_vocabulary_word() -> None:
    """Over V words perplexity is V and the rank (V + 1) / 2, as the paper's first row has them."""
    size = 60
    table = np.full((7, size), -math.log10(size))
    row = measure(TargetScores.by_rank(table[:, 0], ranks(table, np.zeros(7, np.int64)), np.ones(7, np.bool_)))
    assert (row.perplexity, row.median_rank, row.correct, row.coverage) == (pytest.approx(size), (size + 1) / 2, 0, 1.0)


def test_unknown_targets_are_wrong_and_counted_apart() -> None:
    """Accuracy is over all, perplexity and rank over the known, and the second perplexity over all again."""
    known = np.array([True, False])
    row = measure(TargetScores.by_rank(np.array([-2.0, -4.0]), np.array([1.0, np.nan]), known))
    assert (row.n, row.correct, row.accuracy, row.coverage) == (2, 1, 0.5, 0.5)
    assert (row.perplexity, row.perplexity_with_unknown, row.median_rank) == (pytest.approx(100), pytest.approx(1000), 1.0)
    assert row.low < row.accuracy < row.high


def test_a_tie_for_the_first_place_is_not_right() -> None:
    """Where two words are as likely the model has no first choice."""
    table = np.log10(np.array([[0.4, 0.4, 0.2]]))
    assert measure(TargetScores.by_rank(table[:, 0], ranks(table, np.array([0])), np.array([True]))).correct == 0


def test_where_nobody_tells_there_is_no_accuracy() -> None:
    """Probabilities alone give perplexities and nothing more; a first choice that is told counts without any rank."""
    untold, every = np.full(2, np.nan), np.ones(2, np.bool_)
    row = measure(TargetScores(np.array([-1.0, -3.0]), untold, every, None))
    assert (row.correct, row.perplexity) == (None, pytest.approx(100))
    assert all(math.isnan(value) for value in (row.accuracy, row.low, row.high, row.median_rank))
    told = measure(TargetScores(np.array([-1.0, -3.0]), untold, every, np.array([True, False])))
    assert (told.correct, told.accuracy) == (1, 0.5)
    assert math.isnan(told.median_rank)


def test_no_passages_have_no_measures() -> None:
    """Of nothing there is no mean."""
    row = measure(TargetScores.by_rank(np.zeros(0), np.zeros(0), np.zeros(0, np.bool_)))
    assert row.n == row.correct == 0
    assert all(math.isnan(value) for value in (row.accuracy, row.perplexity, row.perplexity_with_unknown, row.median_rank, row.coverage))


@pytest.mark.parametrize(
    ("log10_prob", "rank"), [([0.5, -1.0], [1.0, 2.0]), ([np.nan, -1.0], [1.0, 2.0]), ([-1.0], [1.0, 2.0]), ([-1.0, -1.0], [1.0])]
)
def test_what_is_no_probability_is_told(log10_prob: list[float], rank: list[float]) -> None:
    """A probability above 1, no number, or arrays of different lengths."""
    with pytest.raises(UsageError):
        measure(TargetScores.by_rank(np.array(log10_prob), np.array(rank), np.array([True, True])))
