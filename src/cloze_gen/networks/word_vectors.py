"""The input of a network: a vector a word."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from cloze_gen.networks.adagrad import Adagrad, Floats
from cloze_gen.networks.word_classes import Ids
from cloze_gen.text.word_ids import SEPARATOR

VECTORS = "word_vectors"


def fresh_weights(shape: tuple[int, int], rng: np.random.Generator, *, spread: float | None = None) -> Floats:
    """Small weights drawn evenly around zero, float32; `spread` is their largest, by default that of Glorot & Bengio 2010."""
    spread = float(np.sqrt(6 / sum(shape))) if spread is None else spread
    return rng.uniform(-spread, spread, shape).astype(np.float32)


def learn_vectors(words: Ids, gradient: Floats, optimizer: Adagrad, *, table: str = VECTORS) -> None:
    """Move the vectors of the words that came.

    Args:
        words: shape (n,); one may come more than once, its gradients add up.
        gradient: shape (n, width), by the vector of each.
        table: the name of the weights that hold the vectors.
    """
    rows, place = np.unique(words, return_inverse=True)
    optimizer.move_rows(table, rows, summed(place, gradient, len(rows)))


def summed(place: NDArray[np.int64], values: Floats, n: int) -> Floats:
    """Sums of the rows that share a place, shape (n, width); as a sparse product, an order faster than `np.add.at`.

    >>> summed(np.array([1, 0, 1]), np.array([[1], [2], [4]], np.float32), 2).tolist()
    [[2.0], [5.0]]
    """
    ones = np.ones(len(place), np.float32)
    return np.asarray(sparse.csr_array((ones, (place, np.arange(len(place)))), shape=(n, len(place))) @ values)


def passage_vectors(vectors: Floats, ids: Ids, lengths: Ids) -> Floats:
    """The mean of the vectors of the words before each passage's last, shape (n, width); ends of sentences are no words.

    A sum as long as a passage would tell a network of its length first of all; its direction is that of the mean.

    Args:
        vectors: shape (words, width).
        ids: the passages' words one after the other, shape (the sum of the lengths,).
        lengths: shape (n,), each at least 2.

    >>> vectors = np.array([[9, 9], [1, 0], [3, 4], [9, 9]], np.float32)
    >>> passage_vectors(vectors, np.array([1, 0, 2, 3]), np.array([4])).tolist()
    [[2.0, 2.0]]
    """
    passage = np.repeat(np.arange(len(lengths)), lengths)
    counts = ids != SEPARATOR
    counts[np.cumsum(lengths) - 1] = False
    words, passage = ids[counts], passage[counts]
    share = (1 / np.maximum(np.bincount(passage, minlength=len(lengths)), 1)).astype(np.float32)
    rows, place = np.unique(words, return_inverse=True)
    matrix = sparse.csr_array((share[passage], (passage, place)), shape=(len(lengths), len(rows)))
    return np.asarray(matrix @ vectors[rows])
