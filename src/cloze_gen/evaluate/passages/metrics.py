"""Accuracy, perplexity and rank of the target, as the paper's table has them (LAMBADA 4, Table 1).

*Read:* the measure of interest is accuracy, and a target outside the vocabulary is wrong. Perplexity and rank are over the targets inside
it, with their share, the coverage, beside; perplexity once more over all targets, an unknown one having the probability of `<unk>`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cloze_gen.errors import UsageError
from cloze_gen.evaluate.metrics import wilson_interval


@dataclass(frozen=True, slots=True, eq=False)
class TargetScores:
    """What one model says of every target.

    Attributes:
        log10_prob: float64, shape (n,): of the target, or of `<unk>` where the model does not know it.
        rank: float64, shape (n,): 1 for the model's first choice; equals share the mean of their ranks; NaN where the target is unknown,
            or nobody told its rank.
        known: bool, shape (n,): the target is in the model's vocabulary.
        right: bool, shape (n,): the target is the model's first choice; None where nobody told.
    """

    log10_prob: NDArray[np.float64]
    rank: NDArray[np.float64]
    known: NDArray[np.bool_]
    right: NDArray[np.bool_] | None

    @classmethod
    def by_rank(cls, log10_prob: NDArray[np.float64], rank: NDArray[np.float64], known: NDArray[np.bool_]) -> TargetScores:
        """Of a model that lists its vocabulary: right where the rank is 1, alone."""
        return cls(log10_prob, rank, known, known & (rank == 1))


@dataclass(frozen=True, slots=True)
class PassageMetrics:
    """One row of the table.

    Attributes:
        correct: targets that are the model's first choice alone; None, and the three after it NaN, where nobody told.
        accuracy: their share of 1 of all.
        low, high: Wilson's 95 % interval of it.
        perplexity: of the known targets; NaN without any.
        perplexity_with_unknown: of all targets.
        median_rank: of the known targets.
        coverage: share of the targets that are known.
    """

    n: int
    correct: int | None
    accuracy: float
    low: float
    high: float
    perplexity: float
    perplexity_with_unknown: float
    median_rank: float
    coverage: float


def measure(scores: TargetScores) -> PassageMetrics:
    """Measure one model on one set.

    Raises:
        UsageError: the arrays differ in length, or a probability is no number or above 1.

    >>> row = measure(TargetScores.by_rank(np.array([-1.0, -3.0, -6.0]), np.array([1.0, 9.0, np.nan]), np.array([True, True, False])))
    >>> row.accuracy, row.perplexity, row.median_rank, round(row.coverage, 2), round(row.perplexity_with_unknown)
    (0.3333333333333333, 100.0, 5.0, 0.67, 2154)
    """
    n, known = len(scores.known), scores.known
    if not len(scores.log10_prob) == len(scores.rank) == n:
        raise UsageError(f"{len(scores.log10_prob)} probabilities and {len(scores.rank)} ranks for {n} passages; expected as many of each")
    if np.isnan(scores.log10_prob).any() or (scores.log10_prob > 1e-6).any():
        raise UsageError("a target's log10 probability is no number, or above 0; expected one of 0 or less for every passage")
    correct = None if scores.right is None else int(scores.right.sum())
    low, high = (math.nan, math.nan) if correct is None else wilson_interval(correct, n)
    ranks = scores.rank[~np.isnan(scores.rank)]
    return PassageMetrics(
        n=n,
        correct=correct,
        accuracy=math.nan if correct is None or not n else correct / n,
        low=low,
        high=high,
        perplexity=_perplexity(scores.log10_prob[known]),
        perplexity_with_unknown=_perplexity(scores.log10_prob),
        median_rank=float(np.median(ranks)) if len(ranks) else math.nan,
        coverage=float(known.mean()) if n else math.nan,
    )


def ranks(log_probs: NDArray[np.floating], targets: NDArray[np.int64]) -> NDArray[np.float64]:
    """Rank of each target among all words, 1 for the likeliest; equals share the mean of their ranks.

    Args:
        log_probs: shape (n, V): of every word, to any base.
        targets: shape (n,): columns; -1 where a target is unknown.
    Returns:
        float64, shape (n,); NaN where it is unknown.

    >>> ranks(np.array([[-1.0, -2.0, -2.0], [-1.0, -2.0, -3.0]]), np.array([2, -1])).tolist()
    [2.5, nan]
    """
    own = np.take_along_axis(log_probs, np.maximum(targets, 0)[:, None], axis=1)
    better, equal = (log_probs > own).sum(axis=1), (log_probs == own).sum(axis=1)
    return np.where(targets >= 0, better + (equal + 1) / 2, np.nan)


def _perplexity(log10_prob: NDArray[np.float64]) -> float:
    return float(10.0 ** -log10_prob.mean()) if len(log10_prob) else math.nan
