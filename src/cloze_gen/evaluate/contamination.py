"""Does a model like the published order of exchangeable lines better than others? An exact test, shard by shard.

Source: Oren, Meister, Chatterji, Ladhak & Hashimoto 2023, section 3 (arXiv 2310.17623). Theirs are the exact permutation test of one file
and the sharded t test, which is asymptotic. Ours, beside them, is the exact test of all shards together, by the sum of ranks.

Why it is exact. The published order was drawn uniformly, and the shuffled ones uniformly from the other orders. A model that knows nothing
of it gives R + 1 log-likelihoods that are exchangeable: the rank of the published one is uniform on 0..R, and independent from shard to
shard. The sum of ranks then has the law of a sum of fair dice of R + 1 sides, which is known without approximation. Ties count against the
published order, so that with them p can only be too large.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

# Of the published order's size: what sums of the same terms in another order differ by is rounding, and no preference of a model.
SAME = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderTest:
    """What the log-likelihoods of published and shuffled orders come to.

    Attributes:
        shards: M.
        permutations: R, shuffled orders of each shard.
        ranks: of each shard, how many of its shuffled orders the model likes less than the published one; 0..R.
        tied_count: shards in which a shuffled order has the published one's log-likelihood, but for rounding.
        exact_p: P(sum of ranks >= the one observed) where the order was not seen; > 0.
        whole_p: the permutation test of the file as one, shards added up: (1 + shuffled sums at least as likely) / (R + 1).
        gain: log-likelihood of the published order less the mean of the shuffled ones, mean over shards; in the log's unit.
        t: the paper's statistic: mean gain of a shard over its standard error. None with one shard, or without spread.
        t_p: one-sided, by Student's law with M - 1 degrees of freedom; asymptotic. None as `t`.
    """

    shards: int
    permutations: int
    ranks: tuple[int, ...]
    tied_count: int
    exact_p: Fraction
    whole_p: Fraction
    gain: float
    t: float | None
    t_p: float | None


def order_test(log_likelihoods: NDArray[np.float64]) -> OrderTest:
    """Test whether the published order is better liked than shuffled ones.

    Args:
        log_likelihoods: shape (M, R + 1), finite; a row a shard, the published order in column 0. Of any base: all that is told but
            `gain` is the same.
    """
    published, shuffled = log_likelihoods[:, :1], log_likelihoods[:, 1:]
    shards, permutations = shuffled.shape
    same = SAME * np.abs(published)
    ranks = (shuffled < published - same).sum(axis=1)
    gains = published[:, 0] - shuffled.mean(axis=1)
    t = _t_statistic(gains, float(same.mean()))
    return OrderTest(
        shards=shards,
        permutations=permutations,
        ranks=tuple(int(rank) for rank in ranks),
        tied_count=int((np.abs(shuffled - published) <= same).any(axis=1).sum()),
        exact_p=rank_sum_p(int(ranks.sum()), shards=shards, permutations=permutations),
        whole_p=_whole_p(log_likelihoods),
        gain=float(gains.mean()),
        t=t,
        t_p=None if t is None else float(stdtr(shards - 1, -t)),
    )


def rank_sum_p(rank_sum: int, *, shards: int, permutations: int) -> Fraction:
    """P(sum of `shards` independent ranks, each uniform on 0..permutations, >= rank_sum), exactly.

    By symmetry it is P(sum <= shortfall) with shortfall = shards * permutations - rank_sum, and these ways are counted by de Moivre's
    formula for dice: without the upper bound there are C(shortfall + shards, shards), and inclusion and exclusion take out what exceeds it.
    In integers, for the terms are far larger than their sum.

    >>> rank_sum_p(0, shards=3, permutations=9), rank_sum_p(27, shards=3, permutations=9)
    (Fraction(1, 1), Fraction(1, 1000))
    >>> rank_sum_p(10, shards=2, permutations=5)  # two dice show twelve
    Fraction(1, 36)
    """
    sides = permutations + 1
    shortfall = shards * permutations - rank_sum
    ways = sum(
        (-1) ** over * math.comb(shards, over) * math.comb(shortfall - over * sides + shards, shards)
        for over in range(min(shards, shortfall // sides) + 1)
    )
    return Fraction(ways, sides**shards)


def shown_p(p: Fraction) -> str:
    """A p as a person reads it, also where it is smaller than any float.

    >>> shown_p(Fraction(1, 8)), shown_p(Fraction(1, 3 * 10**6)), shown_p(Fraction(1, 10**400)), shown_p(Fraction(1))
    ('0.125', '3.3e-07', '1e-400', '1.000')
    """
    if p >= Fraction(1, 1000):
        return f"{float(p):.3f}"
    if float(p) > 1e-300:
        return f"{float(p):.1e}"
    return f"1e{math.floor(math.log10(p.numerator) - math.log10(p.denominator))}"


def _t_statistic(gains: NDArray[np.float64], same: float) -> float | None:
    if len(gains) < 2:
        return None
    error: Any = gains.std(ddof=1) / math.sqrt(len(gains))
    return float(gains.mean() / error) if error > same else None


def _whole_p(log_likelihoods: NDArray[np.float64]) -> Fraction:
    """One test of the whole file: order r of the file is order r of each of its shards."""
    gains = (log_likelihoods[:, 1:] - log_likelihoods[:, :1]).sum(axis=0)
    same = SAME * np.abs(log_likelihoods[:, 0]).sum()
    return Fraction(1 + int((gains >= -same).sum()), log_likelihoods.shape[1])
