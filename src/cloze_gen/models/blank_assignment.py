"""Assignment of candidates to blanks from the scores of all pairs (SCDE 4.6: INC and EXH)."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from numpy.typing import NDArray

# of the span of the scores; closer sums are compared exactly by `math.fsum`
_TRACE = 1e-9


def decode_greedily(scores: NDArray[np.float64]) -> NDArray[np.int64]:
    """INC: each blank in turn takes the best remaining candidate.

    >>> decode_greedily(np.array([[0.9, 0.8, 0.0], [0.9, 0.1, 0.1]])).tolist()
    [0, 1]
    """
    left = scores.astype(np.float64)
    answers = np.zeros(len(scores), np.int64)
    for blank, row in enumerate(left):
        answers[blank] = row.argmax()
        left[:, answers[blank]] = -np.inf
    return answers


def decode_jointly(scores: NDArray[np.float64]) -> NDArray[np.int64]:
    """EXH: the candidate of each blank, int64, that gives the highest sum of scores; exact.

    `scores`: shape (blanks, candidates), finite, no more blanks than candidates; higher is better.
    Ties go to the lowest candidate of the first blank, then of the second.

    >>> decode_jointly(np.array([[0.9, 0.8, 0.0], [0.9, 0.1, 0.1]])).tolist()
    [1, 0]
    >>> decode_jointly(np.array([[0.0, 0.0, 2.0], [0.0, 2.0, 4.0]])).tolist()
    [0, 2]
    """
    from scipy.optimize import linear_sum_assignment  # slow to import

    blanks, best = linear_sum_assignment(scores, maximize=True)
    trace = _TRACE * (np.ptp(scores) or 1.0)
    lowest = linear_sum_assignment(scores - trace * _preference(*scores.shape), maximize=True)[1]
    if best.tolist() != lowest.tolist() and math.fsum(scores[blanks, lowest]) >= math.fsum(
        scores[blanks, best]
    ):
        best = lowest
    return best.astype(np.int64)


@cache
def _preference(blanks: int, candidates: int) -> NDArray[np.float64]:
    """Costs of candidates; later blanks together never outweigh a step of an earlier one."""
    return np.arange(candidates) * float(candidates) ** -np.arange(1, blanks + 1)[:, None]
