"""Context vectors: positive pointwise mutual information of a word with its neighbours, reduced by a truncated SVD.

Two words with nearly the same vectors stand in the same contexts of the training corpus, so one can stand for the other: the measure
behind the grooming predicate *substitutable* (MSR guideline 2). Church & Hanks 1990 (PMI); Bullinaria & Levy 2007 (positive PMI, small
windows and cosine are best for likeness of meaning).
"""

from __future__ import annotations

import functools
import operator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cloze_gen.stats.token_ids import TokenIds

if TYPE_CHECKING:
    import scipy.sparse as sp

_CHUNK_TOKENS = 2_000_000  # tokens looked at together: their pairs within twelve tokens are 300 MB


def context_counts(corpus: TokenIds, *, target_row: np.ndarray, feature_column: np.ndarray, window: int) -> sp.csr_matrix:
    """How often each feature stands within `window` tokens of each target, in the same sentence.

    Args:
        corpus: word ids, 0 between sentences.
        target_row: int64, shape (V,): row of each word that is a target, else -1.
        feature_column: int64, shape (V,): column of each word that is a feature, else -1.
        window: tokens looked at on each side.
    Returns:
        float32, sparse, shape (targets, features): counts.
    """
    import scipy.sparse as sp  # here, for who only reads the vectors needs no SciPy

    shape = (int(target_row.max()) + 1, int(feature_column.max()) + 1)
    target_row, feature_column = target_row.astype(np.int32), feature_column.astype(np.int32)
    totals: list[sp.csr_matrix] = []
    for first in range(0, len(corpus), _CHUNK_TOKENS):
        start = max(0, first - window)
        ids = np.asarray(corpus[start : first + _CHUNK_TOKENS + window])
        row_of, features = target_row[ids], np.pad(feature_column[ids], window, constant_values=-1)
        row_of[: first - start] = row_of[first - start + _CHUNK_TOKENS :] = -1  # targets of the chunks before and after
        places = np.flatnonzero(row_of >= 0)
        own = row_of[places]
        before, after = _room_in_sentence(ids, places, at_most=window)
        rows, columns = [], []
        for shift in (*range(-window, 0), *range(1, window + 1)):
            column = features[places + (window + shift)]
            counted = column >= 0
            counted &= before >= -shift if shift < 0 else after >= shift
            rows.append(own[counted])
            columns.append(column[counted])
        row, column = np.concatenate(rows), np.concatenate(columns)
        totals.append(sp.csr_matrix((np.ones(len(row), np.float32), (row, column)), shape=shape))
        while len(totals) > 1 and totals[-2].nnz < 2 * totals[-1].nnz:  # of like size: each pair is added up a few times, not once a chunk
            totals[-2:] = [totals[-2] + totals[-1]]
    return functools.reduce(operator.add, reversed(totals)) if totals else sp.csr_matrix(np.zeros(shape, np.float32))


def _room_in_sentence(ids: np.ndarray, places: np.ndarray, *, at_most: int) -> tuple[np.ndarray, np.ndarray]:
    """How many tokens of its own sentence stand before and after each place, none counted beyond `at_most`; int8.

    >>> [room.tolist() for room in _room_in_sentence(np.array([4, 5, 0, 6, 7, 8]), np.array([1, 3]), at_most=2)]
    [[1, 0], [0, 2]]
    """
    edges = np.concatenate([[-1], np.flatnonzero(ids == 0), [len(ids)]])
    following = edges.searchsorted(places)
    rooms = places - edges[following - 1] - 1, edges[following] - places - 1
    before, after = (np.minimum(room, at_most).astype(np.int8) for room in rooms)
    return before, after


def positive_pmi(counts: sp.csr_matrix) -> sp.csr_matrix:
    """max(0, ln P(target, feature) / (P(target) P(feature))) of every counted pair; float32, sparse, shape of the counts, in nats.

    Feature probabilities are smoothed by the exponent 0.75, which tames the bias of PMI towards rare features (Levy et al. 2015).
    """
    import scipy.sparse as sp

    pairs = counts.tocoo()
    if counts.nnz == 0:
        return counts.tocsr()
    total = pairs.sum()
    target_prob = np.bincount(pairs.row, pairs.data, pairs.shape[0]) / total
    feature_prob = np.bincount(pairs.col, pairs.data, pairs.shape[1]) ** 0.75
    feature_prob /= feature_prob.sum()
    value = np.log(pairs.data / total / (target_prob[pairs.row] * feature_prob[pairs.col]))
    keep = value > 0
    return sp.csr_matrix((value[keep].astype(np.float32), (pairs.row[keep], pairs.col[keep])), shape=pairs.shape)


@dataclass(frozen=True, slots=True)
class ContextVectors:
    """A truncated singular value decomposition of the positive PMI of targets (rows) and features (columns).

    Attributes:
        units: float32, shape (targets, dimensions): unit vectors of the targets; zeros for one without contexts.
        norms: float32, shape (targets,): their lengths before.
        features: float32, shape (features, dimensions): `norms * (units @ features.T)` is the PMI, smoothed, in nats.
    """

    units: np.ndarray
    norms: np.ndarray
    features: np.ndarray


def context_vectors(counts: sp.csr_matrix, *, dimensions: int, seed: int) -> ContextVectors:
    """Vectors of the targets and of the features, of at most `dimensions` dimensions.

    Both bear the square root of the singular values: that weighs dimensions evenly enough to keep fine distinctions between targets, and
    makes the product of a target and a feature their PMI, as word2vec's two sets of vectors do (Levy & Goldberg 2014; Levy et al. 2015).

    Args:
        counts: sparse, shape (targets, features) (`context_counts`).
        seed: of the randomized SVD.
    """
    from sklearn.utils.extmath import randomized_svd  # here, for it takes 0.7 s to load, as long as all else that a worker needs

    pmi = positive_pmi(counts)
    targets, features = counts.shape
    if pmi.nnz == 0:  # no pair is more frequent than chance: nothing to tell words apart by
        return ContextVectors(np.zeros((targets, 1), np.float32), np.zeros(targets, np.float32), np.zeros((features, 1), np.float32))
    dimensions = max(1, min(dimensions, min(counts.shape) - 1))
    left, singular, right = randomized_svd(pmi, n_components=dimensions, n_iter=1, n_oversamples=8, random_state=seed)
    vectors = left * np.sqrt(singular)
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    units = np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 0)
    return ContextVectors(units.astype(np.float32), norms[:, 0].astype(np.float32), (right.T * np.sqrt(singular)).astype(np.float32))
