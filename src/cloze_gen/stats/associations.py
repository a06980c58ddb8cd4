"""Which words of a sentence go with which: first-order association, as mutual information within a window (Church & Hanks 1990).

*Tiller* is often said near *boat* and *oars*; that is association, not likeness (no one puts *tiller* where *boat* stands). Likeness is
`context_vectors`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cloze_gen.stats.context_vectors import positive_pmi

if TYPE_CHECKING:
    import scipy.sparse as sp

# Pairs met once tell association from chance no better than pairs never met, and are three quarters of all pairs.
_MIN_PAIR_COUNT = 2
_MAX_FEATURES = 1 << 16


@dataclass(frozen=True, slots=True)
class Associations:
    """Positive mutual information of word pairs, row by row; the arrays may be memory-mapped.

    Attributes:
        start: int64, shape (targets + 1,): where each target's pairs begin.
        feature: uint16, shape (pairs,): features of each target, ascending.
        pmi: float16, shape (pairs,): in nats.
    """

    start: np.ndarray
    feature: np.ndarray
    pmi: np.ndarray

    def mean_with(self, targets: Sequence[int], features: np.ndarray) -> np.ndarray:
        """Average association of each target with the given features; a pair that is not there counts as 0.

        Args:
            targets: rows; -1 is a word without any.
            features: int64, shape (k,): columns, repetitions allowed; with none the average is 0.
        Returns:
            float64, shape (targets,), in nats.

        >>> Associations(np.array([0, 2, 2]), np.array([0, 3], np.uint16), np.array([1.0, 2.0], np.float16)).mean_with(
        ...     [0, 1, -1], np.array([3, 0, 1, 1])
        ... )
        array([0.75, 0.  , 0.  ])
        """
        rows = [slice(int(self.start[target]), int(self.start[target + 1])) if target >= 0 else slice(0, 0) for target in targets]
        if not rows or not len(features):
            return np.zeros(len(rows))
        times = np.bincount(features, minlength=_MAX_FEATURES)
        listed = np.concatenate([self.feature[row] for row in rows])
        hit = np.flatnonzero(times.astype(bool)[listed])
        ends = np.cumsum([row.stop - row.start for row in rows])
        owner = ends.searchsorted(hit, side="right")
        at = hit + np.array([row.start - end for row, end in zip(rows, np.concatenate([[0], ends[:-1]]).tolist(), strict=True)])[owner]
        return np.bincount(owner, self.pmi[at].astype(np.float64) * times[listed[hit]], len(rows)) / len(features)


def associations(counts: sp.csr_matrix) -> Associations:
    """Associations from counts within a window (`context_vectors.context_counts`), shape (targets, features), at most 65,536 features."""
    frequent = counts.tocsr(copy=True)
    frequent.data[frequent.data < _MIN_PAIR_COUNT] = 0.0
    frequent.eliminate_zeros()
    pmi = positive_pmi(frequent)
    pmi.sort_indices()
    return Associations(pmi.indptr.astype(np.int64), pmi.indices.astype(np.uint16), pmi.data.astype(np.float16))
