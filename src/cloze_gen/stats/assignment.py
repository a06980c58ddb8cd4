"""Candidates assigned to blanks, none to two, by the scores of all pairs (SCDE 4.6: INC and EXH)."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

_TRACE = 1e-9  # of the span of the scores; sums that differ by less are told apart exactly, by `math.fsum`


def decode_greedily(scores: NDArray[np.float64]) -> NDArray[np.int64]:
    """INC: blank after blank, each takes the best candidate that is left; equals go to the lowest.

    Args:
        scores: shape (blanks, candidates), finite, at least as many candidates as blanks; higher is better.
    Returns:
        int64, shape (blanks,): a candidate each.

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
    """EXH: the candidates whose scores have the highest sum, exactly, by the assignment algorithm (no permutation is listed).

    Of equal sums the one whose first blank, then second and so on, takes the lowest candidate. It is found by a second assignment, in which
    low candidates are worth a trace more, and taken only where its sum is as high.

    Args:
        scores: shape (blanks, candidates), finite, at least as many candidates as blanks; higher is better.
    Returns:
        int64, shape (blanks,): a candidate each.

    >>> decode_jointly(np.array([[0.9, 0.8, 0.0], [0.9, 0.1, 0.1]])).tolist()
    [1, 0]
    >>> decode_jointly(np.array([[0.0, 0.0, 2.0], [0.0, 2.0, 4.0]])).tolist()
    [0, 2]
    """
    blanks, best = linear_sum_assignment(scores, maximize=True)
    trace = _TRACE * (np.ptp(scores) or 1.0)
    lowest = linear_sum_assignment(scores - trace * _preference(*scores.shape), maximize=True)[1]
    if best.tolist() != lowest.tolist() and math.fsum(scores[blanks, lowest]) >= math.fsum(scores[blanks, best]):
        best = lowest
    return best.astype(np.int64)


@cache
def _preference(blanks: int, candidates: int) -> NDArray[np.float64]:
    """What a candidate costs, shape (blanks, candidates): all that later blanks can save is less than one step of an earlier blank."""
    return np.arange(candidates) * float(candidates) ** -np.arange(1, blanks + 1)[:, None]
