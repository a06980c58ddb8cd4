"""The exact test beside enumeration, beside simulation, and its laws."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import ttest_1samp

from cloze_gen.evaluate.contamination import order_test, rank_sum_p, shown_p

VALUES = arrays(
    np.float64, st.tuples(st.integers(1, 5), st.integers(2, 6)), elements=st.integers(-40, -1).map(lambda value: value / 4)
)  # quarters: sums of them are exact, and ties come often


@pytest.mark.parametrize(("shards", "permutations"), [(1, 1), (1, 6), (2, 5), (3, 3), (4, 4), (6, 2)])
def test_rank_sums_are_counted_as_by_enumeration(shards: int, permutations: int) -> None:
    """P(sum >= s) is the share of all tuples of ranks whose sum is s or more, for every s."""
    sums = [sum(ranks) for ranks in product(range(permutations + 1), repeat=shards)]
    for observed in range(shards * permutations + 1):
        share = Fraction(sum(one >= observed for one in sums), len(sums))
        assert rank_sum_p(observed, shards=shards, permutations=permutations) == share


def test_many_shards_lose_no_digit() -> None:
    """Two hundred shards of a thousand orders: the tails are exact where a sum of floats would have none, and the halves mirror."""
    assert rank_sum_p(200 * 999, shards=200, permutations=999) == Fraction(1, 1000**200)
    assert rank_sum_p(200 * 999 - 1, shards=200, permutations=999) == Fraction(201, 1000**200)
    half = rank_sum_p(100 * 999 + 1, shards=200, permutations=999)
    assert half + rank_sum_p(100 * 999, shards=200, permutations=999) == 1


def test_one_shard_is_the_permutation_test() -> None:
    """With one shard both exact p are (1 + shuffles at least as likely) / (R + 1), and there is no t."""
    test = order_test(np.array([[-10.0, -11.0, -10.0, -9.0, -12.0]]))
    assert test.exact_p == test.whole_p == Fraction(3, 5)
    assert test.tied_count == 1
    assert test.t is None


def test_the_paper_s_t() -> None:
    """The t statistic and its one-sided p are those of scipy's test on the gains of the shards."""
    values = np.random.default_rng(5).normal(-100, 3, (7, 20))
    test = order_test(values)
    theirs = ttest_1samp(values[:, 0] - values[:, 1:].mean(axis=1), 0, alternative="greater")
    assert test.t == pytest.approx(theirs.statistic)
    assert test.t_p == pytest.approx(theirs.pvalue)


@pytest.mark.parametrize(("shards", "permutations"), [(1, 19), (5, 19), (8, 4)])
def test_no_more_false_alarms_than_promised(shards: int, permutations: int) -> None:
    """Where the published order is like any other, p <= a comes in no more than a of all cases, and in nearly as many."""
    rng = np.random.default_rng(11)
    found = [order_test(rng.normal(-50, 2, (shards, permutations + 1))) for _ in range(4000)]
    for level in (0.05, 0.1, 0.5):
        for ps in ([float(test.exact_p) for test in found], [float(test.whole_p) for test in found]):
            share = float(np.mean(np.array(ps) <= level))
            assert share <= level + 4 * (level * (1 - level) / len(ps)) ** 0.5
    assert float(np.mean([float(test.exact_p) <= 0.5 for test in found])) > 0.4


@pytest.mark.parametrize("kinds", [1, 2, 3])
def test_ties_raise_no_false_alarm(kinds: int) -> None:
    """A model that gives only a few different values still keeps to the promise."""
    rng = np.random.default_rng(13)
    ps = np.array([float(order_test(-1.0 - rng.integers(0, kinds, (4, 10))).exact_p) for _ in range(2000)])
    for level in (0.05, 0.1, 0.5):
        assert np.mean(ps <= level) <= level + 4 * (level * (1 - level) / len(ps)) ** 0.5


@given(VALUES)
def test_p_is_a_probability(values: np.ndarray) -> None:
    """Both exact p lie in (0, 1]; they are at least what the number of orders allows."""
    test = order_test(values)
    shards, orders = values.shape
    assert Fraction(1, orders**shards) <= test.exact_p <= 1
    assert Fraction(1, orders) <= test.whole_p <= 1


@given(VALUES, st.integers(0, 4), st.integers(1, 80))
def test_a_likelier_published_order_never_raises_p(values: np.ndarray, shard: int, quarters: int) -> None:
    """Where a shard's published order gets likelier, neither exact p gets larger."""
    raised = values.copy()
    raised[shard % len(values), 0] += quarters / 4
    before, after = order_test(values), order_test(raised)
    assert after.exact_p <= before.exact_p
    assert after.whole_p <= before.whole_p


@given(VALUES, st.randoms(use_true_random=False), st.integers(0, 100))
def test_what_does_not_matter(values: np.ndarray, random: object, constant: int) -> None:
    """A constant on each shard, the base of the logarithm, the order of shards and that of the shuffles change nothing of the ranks."""
    test = order_test(values)
    shifted = values - constant * np.arange(1, len(values) + 1)[:, None]
    assert order_test(shifted).ranks == test.ranks
    assert order_test(shifted).whole_p == test.whole_p
    assert order_test(values * 4).exact_p == order_test(values / 4).exact_p == test.exact_p
    assert order_test(values[::-1]).exact_p == test.exact_p
    assert order_test(np.hstack([values[:, :1], values[:, :0:-1]])).ranks == test.ranks


def test_rounding_is_no_preference() -> None:
    """Sums of the same terms in another order differ in their last digits: ties, and a model that knows nothing has p = 1 and no t."""
    values = -1000.1 + 1e-12 * np.random.default_rng(3).normal(size=(4, 20))
    values[:, 0] = values.max(axis=1) + 1e-13
    test = order_test(values)
    assert (test.exact_p, test.whole_p, test.t, test.tied_count) == (1, 1, None, 4)


def test_a_seen_order_is_found() -> None:
    """Above all its nine shuffles in each of six shards: one in a million."""
    values = np.tile(np.array([-10.0] + [-11.0 - n for n in range(9)]), (6, 1))
    assert shown_p(order_test(values).exact_p) == "1.0e-06"
