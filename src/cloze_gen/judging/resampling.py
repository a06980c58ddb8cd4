"""The bootstrap by group: statistics that are functions of sums over groups, so that all resamples are one matrix product.

Efron & Tibshirani 1993, chapter 13 (percentile interval); what is drawn with replacement are whole groups, because units of one group are
not independent of each other (Davison & Hinkley 1997, 3.8).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from cloze_gen.rng import derive_rng

DRAWS = 1_000
MOST_UNDEFINED = 0.05  # share of the resamples without a value; above it, the ends of the middle 95 % are not told
_MIDDLE = (2.5, 97.5)  # percentiles
_MOST_CELLS = 8_000_000  # numbers held at once, of 8 bytes


def resampled_sums(
    contributions: NDArray[np.float64] | sparse.csr_array, *, seed: int, purpose: str, record_id: str = "", draws: int = DRAWS
) -> NDArray[np.float64]:
    """Sums of the contributions over as many groups as there are, drawn with replacement.

    Args:
        contributions: shape (groups, values), dense or sparse; at least one group.
    Returns:
        float64, shape (draws, values). The same seed, purpose, id and number of groups draw the same groups.

    >>> resampled_sums(np.ones((4, 2)), seed=1, purpose="doctest", draws=3).tolist()
    [[4.0, 4.0], [4.0, 4.0], [4.0, 4.0]]
    """
    n = contributions.shape[0]
    rng = derive_rng(seed, purpose, record_id)
    at_once = max(1, min(draws, _MOST_CELLS // n))
    sums = []
    for first in range(0, draws, at_once):
        some = min(at_once, draws - first)
        drawn = rng.integers(n, size=(some, n)) + np.arange(some)[:, None] * n
        times = np.bincount(drawn.ravel(), minlength=some * n).reshape(some, n).astype(np.float64)
        sums.append(np.asarray(times @ contributions))
    return np.concatenate(sums)


def middle(values: NDArray[np.float64]) -> tuple[float, float] | None:
    """Bounds of the middle 95 % of what the resamples came to; None where more than `MOST_UNDEFINED` of them are NaN.

    >>> middle(np.linspace(0, 1, 1001))
    (0.025, 0.975)
    >>> middle(np.array([1.0, np.nan])) is None
    True
    """
    defined = values[~np.isnan(values)]
    if len(defined) < (1 - MOST_UNDEFINED) * len(values) or len(defined) == 0:
        return None
    low, high = np.percentile(defined, _MIDDLE)
    return float(low), float(high)
