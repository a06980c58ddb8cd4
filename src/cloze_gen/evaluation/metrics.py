"""Accuracy from option scores of shape (items, options); higher is better, NaN pads short rows."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cloze_gen.rng import derive_rng


def score_matrix(rows: Iterable[Sequence[float]]) -> NDArray[np.float64]:
    """Rows of option scores as one matrix, shape (n, k); short rows are filled with NaN.

    >>> score_matrix([[1.0, 2.0], [3.0]]).tolist()
    [[1.0, 2.0], [3.0, nan]]
    """
    listed = [list(row) for row in rows]
    matrix = np.full((len(listed), max((len(row) for row in listed), default=0)), np.nan)
    for item, row in enumerate(listed):
        matrix[item, : len(row)] = row
    return matrix


def best_options(
    scores: NDArray[np.float64], item_ids: Sequence[str], *, seed: int
) -> NDArray[np.int64]:
    """The highest-scoring option of every item; ties are broken by `seed` and the item's id.

    >>> best_options(np.array([[0.0, 2.0, 1.0]]), ["msr:1"], seed=1).tolist()
    [1]
    """
    choices = np.empty(len(scores), dtype=np.int64)
    for item, (row, item_id) in enumerate(zip(scores, item_ids, strict=True)):
        best = np.flatnonzero(row == np.nanmax(row))
        choices[item] = (
            best[0]
            if len(best) == 1
            else best[derive_rng(seed, "evaluate.ties", item_id).integers(len(best))]
        )
    return choices


Z95 = NormalDist().inv_cdf(0.975)  # normal 95 % intervals: mean +- this many standard errors


def wilson_interval(correct: float, n: float, *, tried: int = 1) -> tuple[float, float]:
    """Wilson's 95 % score interval of a proportion (1927), Bonferroni-corrected for `tried` results.

    The numbers may be effective ones, which are not whole.

    >>> low, high = wilson_interval(189, 520)
    >>> round(low, 4), round(high, 4)
    (0.3233, 0.4057)
    >>> wilson_interval(0, 0)
    (0.0, 1.0)
    """
    if n == 0:
        return 0.0, 1.0
    share, z = correct / n, NormalDist().inv_cdf(1 - 0.025 / tried)
    middle = share + z**2 / (2 * n)
    half = z * math.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    scale = 1 + z**2 / n
    # Rounding must not put a share of 0 or 1 outside its interval.
    return max(0.0, min(share, (middle - half) / scale)), min(
        1.0, max(share, (middle + half) / scale)
    )


def clustered_margin(values: Sequence[float] | NDArray[Any], books: Sequence[str]) -> float | None:
    """Half-width of the 95 % interval of a mean if the items of one book depend on each other.

    Cluster-robust standard error (Miller 2024, arXiv 2411.00640) with the factor G / (G - 1) of
    finite samples, times Student's t with G - 1 degrees of freedom for G books. None for fewer than
    two books.

    >>> round(clustered_margin([1, 1, 0, 0, 1, 0], ["a", "a", "b", "b", "c", "c"]), 3)
    1.242
    >>> clustered_margin([1, 0], ["a", "a"]) is None
    True
    """
    names, book_of = np.unique(np.asarray(books, dtype=np.str_), return_inverse=True)
    groups = len(names)
    if groups < 2:
        return None
    from scipy.stats import t  # slow to import

    found = np.asarray(values, dtype=np.float64)
    sums = np.bincount(book_of, weights=found - found.mean())
    error = math.sqrt(groups / (groups - 1) * float((sums**2).sum())) / len(found)
    return float(t.ppf(0.975, groups - 1)) * error


def within_item_ranks(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ranks of the options within their item, 0 = highest score; ties share the mean, NaN stays.

    >>> within_item_ranks(np.array([[0.1, 0.7, 0.1]])).tolist()
    [[1.5, 0.0, 1.5]]
    """
    from scipy.stats import rankdata  # slow to import

    return np.asarray(rankdata(-scores, axis=1, nan_policy="omit") - 1)
