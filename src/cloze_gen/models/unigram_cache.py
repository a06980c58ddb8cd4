"""A unigram cache without decay, interpolated with an n-gram model (Kuhn & De Mori 1990).

P(word | passage) = (1 - w) P(word | history) + w C(word), where C(word) is the word's share of the
passage's tokens so far: of surface forms, also outside the n-gram vocabulary.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def shares_before_last(
    codes: NDArray[np.integer], lengths: NDArray[np.integer], *, separator: int
) -> NDArray[np.float64]:
    """The last token's share of the tokens before it, per passage; 0 where nothing precedes.

    `codes`: a number per surface form, the passages concatenated; `separator` is no token.

    >>> shares_before_last(np.array([7, 0, 5, 7, 0, 7, 8]), np.array([6, 1]), separator=0).tolist()
    [0.6666666666666666, 0.0]
    """
    if not len(lengths):
        return np.zeros(0)
    starts = np.cumsum(lengths) - lengths
    same = codes == np.repeat(codes[starts + lengths - 1], lengths)
    seen = np.add.reduceat(same.astype(np.int64), starts) - 1
    tokens = np.add.reduceat((codes != separator).astype(np.int64), starts) - 1
    return seen / np.maximum(tokens, 1)


def cache_shares(
    codes: NDArray[np.integer], lengths: NDArray[np.integer], *, separator: int, size: int
) -> NDArray[np.float32]:
    """Every word's share of the tokens before the last; float32, shape (n, size).

    Arguments as `shares_before_last`; `size` exceeds all codes. Rows sum to 1, or to 0.

    >>> cache_shares(np.array([0, 2, 1, 0, 2, 2, 3]), np.array([7]), separator=0, size=4).tolist()
    [[0.0, 0.25, 0.75, 0.0]]
    """
    rows = np.repeat(np.arange(len(lengths)), lengths)
    seen = codes != separator
    seen[np.cumsum(lengths) - 1] = False
    shares = np.zeros((len(lengths), size), np.float32)
    np.add.at(shares, (rows[seen], codes[seen]), np.float32(1))
    shares /= np.maximum(np.bincount(rows[seen], minlength=len(lengths)), 1).astype(np.float32)[
        :, None
    ]
    return shares


def with_cache(
    log10_probs: NDArray[np.floating], shares: NDArray[np.floating], *, weight: float
) -> NDArray[np.float64]:
    """log10 P(word | passage) of a model with a cache of a weight between 0 and 1, shape (n,).

    >>> np.round(10 ** with_cache(np.log10([0.01, 0.01]), np.array([0.5, 0.0]), weight=0.1), 6).tolist()
    [0.059, 0.009]
    """
    return np.log10((1 - weight) * 10.0 ** np.asarray(log10_probs, np.float64) + weight * shares)
