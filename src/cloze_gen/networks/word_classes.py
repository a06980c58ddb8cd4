"""A closed vocabulary, and its words cut into classes, so that a probability costs two short softmaxes instead of one over all words.

Numbers are those of the training text (`text.word_ids`): 0 stands between sentences and is predicted like a word; the words are numbered
from 1, the commonest first, so a closed vocabulary is a bound on the number.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.int64]


def close_ids(ids: NDArray[np.integer], size: int) -> Ids:
    """The numbers of the closed vocabulary: words beyond the `size` commonest become one, `size` + 1, the unknown word.

    Args:
        ids: any shape; 0 between sentences, words from 1.
    Returns:
        int64, the same shape.

    >>> close_ids(np.array([3, 0, 9]), 4)
    array([3, 0, 5])
    """
    return np.minimum(ids, size + 1).astype(np.int64)


def class_bounds(counts: NDArray[np.int64], n_classes: int) -> Ids:
    """Cut words into classes of consecutive numbers, each with a like share of the square roots of their counts.

    By plain counts the last class would hold most of the vocabulary; by roots it holds 500 of 60,000 words (the rule of Mikolov's
    rnnlm toolkit, `-class`, of the model that the paper took ready-made).

    Args:
        counts: shape (words,), the commonest first; a word that never occurs counts as once.
        n_classes: at most this many; a word that outweighs a class leaves its neighbours fewer.
    Returns:
        int64, shape (classes + 1,): where each class begins, and the number of words.

    >>> class_bounds(np.array([100, 4, 4, 1, 1, 1]), 3)
    array([0, 1, 6])
    """
    shares = np.cumsum(np.sqrt(np.maximum(counts, 1)))
    cuts = np.searchsorted(shares, shares[-1] * np.arange(1, n_classes) / n_classes, side="right")
    return np.unique(np.concatenate([[0], np.maximum(cuts, 1), [len(counts)]])).astype(np.int64)
