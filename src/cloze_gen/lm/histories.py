"""What an n-gram model of sentences sees of a passage: the last words before the one to be guessed, back to their sentence's beginning."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.int64]


def histories_of_last(ids: Ids, lengths: NDArray[np.integer], *, order: int, start: int) -> tuple[Ids, Ids]:
    """The last word of each passage with its history, for `ForwardIndex.log10_probs`.

    Args:
        ids: the passages' words one after the other, `start` (the number of `<s>`) before each sentence, shape (the sum of the lengths,).
        lengths: shape (n,), each at least 2: a sentence's start and a word.
        order: of the model.
    Returns:
        int64, shape (n, order - 1): histories, oldest first, -1 at the left where the sentence has no more words; int64, shape (n,): words.

    >>> histories_of_last(np.array([0, 7, 8, 0, 5, 6]), np.array([6]), order=4, start=0)
    (array([[-1,  0,  5]]), array([6]))
    """
    lasts = np.cumsum(lengths) - 1
    back = np.arange(order - 1, 0, -1)
    histories = np.where(back < np.asarray(lengths)[:, None], ids[np.maximum(lasts[:, None] - back, 0)], -1)
    starts_right = np.cumsum((histories == start)[:, ::-1], axis=1)[:, ::-1] - (histories == start)  # starts to the right of each place
    histories[starts_right > 0] = -1
    return histories.astype(np.int64), ids[lasts].astype(np.int64)
