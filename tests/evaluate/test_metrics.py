"""Choices, accuracies, intervals and ranks."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from cloze_gen.evaluation import metrics


def test_ties_do_not_favour_a_position():
    """Over many items with all options equal, every position is chosen about equally often."""
    ids = [f"b:{i}:0" for i in range(5000)]
    counts = np.bincount(metrics.best_options(np.zeros((5000, 5)), ids, seed=1), minlength=5)
    assert stats.chisquare(counts).pvalue > 0.001


def test_an_items_tie_does_not_depend_on_the_other_items():
    """Dropping items leaves the others' choices as they were."""
    ids = [f"b:{i}:0" for i in range(40)]
    whole = metrics.best_options(np.zeros((40, 5)), ids, seed=1)
    assert (metrics.best_options(np.zeros((20, 5)), ids[::2], seed=1) == whole[::2]).all()
    assert (metrics.best_options(np.zeros((40, 5)), ids, seed=2) != whole).any()


def test_missing_options_are_never_chosen():
    """NaN marks a place beyond an item's options."""
    scores = np.array([[-5.0, -4.0, np.nan]])
    assert metrics.best_options(scores, ["a"], seed=1).tolist() == [1]


@given(st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_interval_holds_the_shares_that_a_score_test_would_not_refuse(
    pair,
):
    """The share lies 1.96 standard errors of either end's own share away, Wilson's definition."""
    correct, n = pair
    low, high = metrics.wilson_interval(correct, n)
    assert 0 <= low <= correct / n <= high <= 1
    for end in {low, high} - {0.0, 1.0}:
        assert abs(correct / n - end) == pytest.approx(
            1.959964 * np.sqrt(end * (1 - end) / n), rel=1e-5
        )


@given(
    st.lists(
        st.lists(st.integers(-3, 3) | st.none(), min_size=4, max_size=4), min_size=1, max_size=9
    )
)
def test_a_rank_counts_the_options_above(rows):
    """Higher options and half of the equal ones; missing options count for nothing."""
    ranks = metrics.within_item_ranks(
        np.array([[np.nan if score is None else score for score in row] for row in rows], float)
    )
    for row, found in zip(rows, ranks, strict=True):
        there = [score for score in row if score is not None]
        expected = [
            np.nan if s is None else sum(t > s for t in there) + (there.count(s) - 1) / 2
            for s in row
        ]
        np.testing.assert_array_equal(found, expected)
