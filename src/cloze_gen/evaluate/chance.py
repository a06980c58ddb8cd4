"""What chance alone would give: exact expectations, exact tests of one rule, and one test of several rules together."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def chance_accuracy(option_counts: Sequence[int]) -> float:
    """Exact expectation of answering at random, a share of 1: the mean of 1/k over the items; NaN without items.

    >>> chance_accuracy([2, 4])
    0.375
    """
    return math.fsum(1 / count for count in option_counts) / len(option_counts) if option_counts else math.nan


def correct_count_distribution(option_counts: Sequence[int]) -> NDArray[np.float64]:
    """P(c items right at random) for c = 0 .. n, the items' option counts equal or not (binomial or Poisson-binomial).

    Returns:
        float64, shape (n + 1,); sums to 1. Every term of the convolution is positive, so nothing cancels.

    Items of one size have a binomial distribution, so one convolution for each size is enough. `scipy.stats.poisson_binom` takes
    n (n + 1) numbers for the same.

    >>> correct_count_distribution([2, 2]).round(12).tolist()
    [0.25, 0.5, 0.25]
    """
    from scipy.stats import binom  # here, for scipy's statistics take most of a second to load

    distribution, first = np.ones(1), 0
    for size, n in sorted(Counter(option_counts).items()):
        shares = binom.pmf(np.arange(n + 1), n, 1 / size)
        positive = np.flatnonzero(shares)  # far from the mean a share is too small for a float
        distribution, first = np.convolve(distribution, shares[positive[0] : positive[-1] + 1]), first + int(positive[0])
    return np.pad(distribution, (first, len(option_counts) + 1 - first - len(distribution)))


def two_sided_p(correct_count: int, option_counts: Sequence[int]) -> float:
    """Exact two-sided p of one rule's number of right answers: all counts no likelier than the one seen.

    scipy has this test for items of one size only (`binomtest`, which gives the same p there). For items of different sizes it has the
    distribution, in later versions, and no test.

    >>> two_sided_p(1, [2, 2]), two_sided_p(0, [2, 2])
    (1.0, 0.5)
    """
    if not option_counts:
        return 1.0
    distribution = correct_count_distribution(option_counts)
    seen = distribution[correct_count] * (1 + 1e-9)  # equal probabilities may differ in the last bits
    as_rare = distribution <= seen
    return 1.0 if as_rare.all() else float(min(1.0, distribution[as_rare].sum()))


def positions_dealt(answers: NDArray[np.int64], *, option_count: int) -> bool:
    """Whether every position holds as many answers as any other, give or take one, as it does where positions are dealt and never drawn.

    `answers`: int64, shape (n,), none of them unknown.

    >>> positions_dealt(np.array([2, 0, 1, 0]), option_count=3), positions_dealt(np.array([2, 0, 0, 0]), option_count=3)
    (True, False)
    """
    counts = np.bincount(answers, minlength=option_count)
    return bool(counts.max() - counts.min() <= 1)


def joint_p(choices: NDArray[np.int64], answers: NDArray[np.int64], *, option_count: int) -> float:
    """p of several rules together being no better and no worse than chance, their dependence counted exactly.

    The null is how the answers' places came about, independent of all that the rules look at:

    - found: every answer is uniform over its k places. A rule's right answers have mean n/k, and two rules a, b covary by the sum over
      items of ``[a and b choose alike]/k - 1/k^2``.
    - dealt (`positions_dealt`): the answers are a shuffle of an even deck. A rule's right answers are then the sum of one entry a row of
      a matrix under a random permutation: with n_t answers at place t and m_t choices of it the mean is ``sum n_t m_t / n``, and two rules
      covary by ``sum_i sum_t n_t A_it B_it / (n - 1)``, A and B being their choices' indicators less the means of row and column
      (Hoeffding 1951). A rule that always takes one place has no variance here: what was dealt by construction is no evidence.

    The counts over n items are close to normal, so ``z' C^+ z`` is chi-square with rank(C) degrees of freedom. Rules that always agree, or
    positions that together exhaust the items, lower the rank and are not counted twice, which Fisher's sum of -2 ln p would do, since
    it takes the rules for independent.

    Args:
        choices: int, shape (r rules, n items): the option each rule chose.
        answers: int, shape (n,): the right option.
        option_count: k, the same for all items.
    Returns:
        a probability; 1 without rules, without items, and where no rule can vary.
    """
    n_rules, n_items = choices.shape
    if choices.size == 0:
        return 1.0
    right = (choices == answers).sum(axis=1)
    if n_items > 1 and positions_dealt(answers, option_count=option_count):
        deck = np.bincount(answers, minlength=option_count)
        chosen = choices[:, :, None] == np.arange(option_count)  # (rules, items, places)
        taken = chosen.sum(axis=1)
        mean = taken @ deck / n_items
        entries = chosen - (deck[choices] / n_items)[:, :, None] - (taken / n_items)[:, None, :] + (mean / n_items)[:, None, None]
        weighted = (entries * np.sqrt(deck)).reshape(n_rules, -1)
        covariance = weighted @ weighted.T / (n_items - 1)
    else:
        mean = np.full(n_rules, n_items / option_count)
        alike = (choices[:, None, :] == choices[None, :, :]).sum(axis=2)
        covariance = alike / option_count - n_items / option_count**2
    centred = right - mean
    values, vectors = np.linalg.eigh(covariance)
    kept = values > 1e-9 * max(values.max(), 1.0)
    statistic = float((((vectors[:, kept].T @ centred) ** 2) / values[kept]).sum())
    from scipy.stats import chi2  # here, for scipy's statistics take most of a second to load

    return float(chi2.sf(statistic, int(kept.sum()))) if kept.any() else 1.0
