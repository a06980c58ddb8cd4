"""The context of a sentence: the least number of whole sentences before it that hold enough tokens (LAMBADA 3.1)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def least_context(sentence_tokens: NDArray[np.int64], min_tokens: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each sentence the least number of sentences right before it that hold enough tokens.

    Args:
        sentence_tokens: shape (sentences,), each at least 1.
    Returns:
        The first of these sentences, -1 where all before it are not enough; and their tokens, 0 there. Both of shape (sentences,).

    >>> first, tokens = least_context(np.array([30, 30, 10, 40]), 50)
    >>> first.tolist(), tokens.tolist()
    ([-1, -1, 0, 0], [0, 0, 60, 70])
    """
    edges = np.concatenate((np.zeros(1, np.int64), np.cumsum(sentence_tokens, dtype=np.int64)))
    first = np.searchsorted(edges, edges[:-1] - min_tokens, side="right") - 1
    return first, np.where(first >= 0, edges[:-1] - edges[first], 0)
