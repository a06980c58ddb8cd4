"""What chance alone would give: exact expectations, exact tests of one rule, and one test of several rules together."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import stats


def chance_accuracy(option_counts: Sequence[int]) -> float:
    """Exact expectation of answering at random: the mean of 1/k over the items.

    >>> chance_accuracy([2, 4])
    0.375
    """
    return math.fsum(1 / count for count in option_counts) / len(option_counts) if option_counts else math.nan


def correct_count_distribution(option_counts: Sequence[int]) -> NDArray[np.float64]:
    """P(c items right at random) for c = 0 .. n, the items' option counts equal or not (binomial or Poisson-binomial).

    Returns:
        float64, shape (n + 1,); sums to 1. Every term of the convolution is positive, so nothing cancels.

    >>> correct_count_distribution([2, 2]).tolist()
    [0.25, 0.5, 0.25]
    """
    distribution = np.ones(1)
    for count in option_counts:
        distribution = np.convolve(distribution, (1 - 1 / count, 1 / count))
    return distribution


def two_sided_p(correct_count: int, option_counts: Sequence[int]) -> float:
    """Exact two-sided p of one rule's number of right answers: all counts no likelier than the one seen.

    >>> two_sided_p(1, [2, 2]), two_sided_p(0, [2, 2])
    (1.0, 0.5)
    """
    if not option_counts:
        return 1.0
    distribution = correct_count_distribution(option_counts)
    seen = distribution[correct_count] * (1 + 1e-9)  # equal probabilities may differ in the last bits
    return float(min(1.0, distribution[distribution <= seen].sum()))


def joint_p(correct: NDArray[np.bool_], choices: NDArray[np.int64], *, option_count: int) -> float:
    """p of several rules together being no better and no worse than chance, their dependence counted exactly.

    Under chance the answer of every item is uniform over its k places, independent of all the rules look at. A rule's centred count
    `sum(right - 1/k)` then has mean 0, and two rules a, b covary by the sum over items of ``[a and b choose alike]/k - 1/k^2``. The
    counts over n items are close to normal, so ``z' C^+ z`` is chi-square with rank(C) degrees of freedom. Rules that always agree, or
    positions that together exhaust the items, lower the rank and are not counted twice, which Fisher's sum of -2 ln p would do, since
    it takes the rules for independent.

    Args:
        correct: bool, shape (r rules, n items).
        choices: int, shape (r, n): the option each rule chose.
        option_count: k, the same for all items.
    """
    n_items = correct.shape[1]
    if correct.size == 0:
        return 1.0
    centred = correct.sum(axis=1) - n_items / option_count
    alike = (choices[:, None, :] == choices[None, :, :]).sum(axis=2)
    covariance = alike / option_count - n_items / option_count**2
    values, vectors = np.linalg.eigh(covariance)
    kept = values > 1e-9 * max(values.max(), 1.0)
    statistic = float((((vectors[:, kept].T @ centred) ** 2) / values[kept]).sum())
    return float(stats.chi2.sf(statistic, int(kept.sum()))) if kept.any() else 1.0


def fisher_p(p_values: Sequence[float]) -> float:
    """Fisher's combination of independent p values: ``-2 sum(ln p)`` is chi-square with twice their number of degrees of freedom.

    For rules on *different* items (other books, other halves); rules on the same items belong to `joint_p`.

    >>> round(fisher_p([0.04, 0.05]), 4)
    0.0144
    """
    statistic = -2 * math.fsum(math.log(max(p, 1e-300)) for p in p_values)
    return float(stats.chi2.sf(statistic, 2 * len(p_values)))
