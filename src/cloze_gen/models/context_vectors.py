"""Mutual information of words (Church & Hanks 1990): context vectors, associations.

Positive PMI, small windows and cosine (Bullinaria & Levy 2007) show words that may replace each
other (MSR guideline 2); *tiller* and *boat* are merely associated.
"""

from __future__ import annotations

import functools
import operator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cloze_gen.corpus.counts import TokenIds
from cloze_gen.models.ngram_index import find_sorted

if TYPE_CHECKING:
    import scipy.sparse as sp

_CHUNK_TOKENS = 2_000_000  # per chunk: pairs within twelve tokens take 300 MB


def context_counts(
    corpus: TokenIds, *, target_row: np.ndarray, feature_column: np.ndarray, window: int
) -> sp.csr_matrix:
    """How often each feature is within `window` tokens of each target in a sentence.

    `corpus`: word ids, 0 between sentences; `target_row`, `feature_column`: shape (V,), -1 for
    other words. Returns float32, sparse, shape (targets, features).
    """
    import scipy.sparse as sp  # here, because readers of the vectors do not need SciPy

    shape = (int(target_row.max()) + 1, int(feature_column.max()) + 1)
    target_row, feature_column = target_row.astype(np.int32), feature_column.astype(np.int32)
    totals: list[sp.csr_matrix] = []
    for first in range(0, len(corpus), _CHUNK_TOKENS):
        start = max(0, first - window)
        ids = np.asarray(corpus[start : first + _CHUNK_TOKENS + window])
        row_of, features = target_row[ids], np.pad(feature_column[ids], window, constant_values=-1)
        # targets of the chunks before and after
        row_of[: first - start] = row_of[first - start + _CHUNK_TOKENS :] = -1
        places = np.flatnonzero(row_of >= 0)
        own = row_of[places]
        before, after = _tokens_left_in_sentence(ids, places, at_most=window)
        rows, columns = [], []
        for shift in (*range(-window, 0), *range(1, window + 1)):
            column = features[places + (window + shift)]
            counted = column >= 0
            counted &= before >= -shift if shift < 0 else after >= shift
            rows.append(own[counted])
            columns.append(column[counted])
        row, column = np.concatenate(rows), np.concatenate(columns)
        totals.append(sp.csr_matrix((np.ones(len(row), np.float32), (row, column)), shape=shape))
        # merge like sizes: each pair is added a few times, not once per chunk
        while len(totals) > 1 and totals[-2].nnz < 2 * totals[-1].nnz:
            totals[-2:] = [totals[-2] + totals[-1]]
    return (
        functools.reduce(operator.add, reversed(totals))
        if totals
        else sp.csr_matrix(np.zeros(shape, np.float32))
    )


def _tokens_left_in_sentence(
    ids: np.ndarray, places: np.ndarray, *, at_most: int
) -> tuple[np.ndarray, np.ndarray]:
    """Tokens of the sentence before and after each place, at most `at_most`; int8.

    >>> [side.tolist() for side in _tokens_left_in_sentence(np.array([4, 5, 0, 6, 7, 8]), np.array([1, 3]), at_most=2)]
    [[1, 0], [0, 2]]
    """
    edges = np.concatenate([[-1], np.flatnonzero(ids == 0), [len(ids)]])
    following = edges.searchsorted(places)
    sides = places - edges[following - 1] - 1, edges[following] - places - 1
    before, after = (np.minimum(side, at_most).astype(np.int8) for side in sides)
    return before, after


def positive_pmi(counts: sp.csr_matrix) -> sp.csr_matrix:
    """max(0, ln P(t, f) / (P(t) P(f))) in nats, P(f) to the power 0.75 (Levy et al. 2015)."""
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
    return sp.csr_matrix(
        (value[keep].astype(np.float32), (pairs.row[keep], pairs.col[keep])), shape=pairs.shape
    )


@dataclass(frozen=True, slots=True)
class ContextVectors:
    """A truncated SVD of the positive PMI of targets (rows) and features (columns).

    Attributes:
        units: shape (targets, dimensions): unit vectors; zeros for a target without contexts.
        norms: shape (targets,): lengths before normalisation.
        features: `norms * (units @ features.T)` is the smoothed PMI, in nats.
    """

    units: np.ndarray
    norms: np.ndarray
    features: np.ndarray


def context_vectors(counts: sp.csr_matrix, *, dimensions: int, seed: int) -> ContextVectors:
    """From `context_counts`, scaled by the roots of the singular values (Levy et al. 2015)."""
    # here, because it takes 0.7 s to load and few workers need it
    from sklearn.utils.extmath import randomized_svd

    pmi = positive_pmi(counts)
    targets, features = counts.shape
    if pmi.nnz == 0:  # no pair is more frequent than chance
        return ContextVectors(
            np.zeros((targets, 1), np.float32),
            np.zeros(targets, np.float32),
            np.zeros((features, 1), np.float32),
        )
    dimensions = max(1, min(dimensions, min(counts.shape) - 1))
    left, singular, right = randomized_svd(
        pmi, n_components=dimensions, n_iter=1, n_oversamples=8, random_state=seed
    )
    vectors = left * np.sqrt(singular)
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    units = np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 0)
    return ContextVectors(
        units.astype(np.float32),
        norms[:, 0].astype(np.float32),
        (right.T * np.sqrt(singular)).astype(np.float32),
    )


# Pairs seen once are no better evidence than unseen ones, and are three quarters of all pairs.
_MIN_PAIR_COUNT = 2
_MAX_FEATURES = 1 << 16


@dataclass(frozen=True)
class Associations:
    """Positive PMI of word pairs as sparse rows; the arrays may be memory-mapped.

    Attributes:
        start: int64, shape (targets + 1,): where each target's pairs begin.
        feature: uint16, shape (pairs,): features of each target, ascending.
        pmi: float16, shape (pairs,), in nats.
    """

    start: np.ndarray
    feature: np.ndarray
    pmi: np.ndarray

    @functools.cached_property
    def _keys(self) -> np.ndarray:
        """Each pair as one number, ascending."""
        targets = np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))
        return targets * _MAX_FEATURES + self.feature

    def pmi_of(self, targets: np.ndarray, features: np.ndarray) -> np.ndarray:
        """PMI of each target row with the feature column beside it, in nats; 0 if unknown.

        >>> Associations(np.array([0, 2, 2]), np.array([0, 3], np.uint16), np.array([1.0, 2.0], np.float16)).pmi_of(
        ...     np.array([0, 0, 1, -1]), np.array([3, 1, 0, 0])
        ... )
        array([2., 0., 0., 0.])
        """
        place = find_sorted(self._keys, targets * _MAX_FEATURES + features)
        found = np.zeros(len(place))
        found[place >= 0] = self.pmi[place[place >= 0]]
        return found


def associations(counts: sp.csr_matrix) -> Associations:
    """Associations from `context_counts`, with at most 65,536 features."""
    frequent = counts.tocsr(copy=True)
    frequent.data[frequent.data < _MIN_PAIR_COUNT] = 0.0
    frequent.eliminate_zeros()
    pmi = positive_pmi(frequent)
    pmi.sort_indices()
    return Associations(
        pmi.indptr.astype(np.int64), pmi.indices.astype(np.uint16), pmi.data.astype(np.float16)
    )
