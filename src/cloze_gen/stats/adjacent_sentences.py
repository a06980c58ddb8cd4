"""Which sentences follow one another: directions in which the words of a sentence and those of the next go together.

Canonical correlations (Hotelling 1936) of two sets of words, those of a sentence and those of the one behind it, as Dhillon, Foster & Ungar
(2011, Multi-view learning of word embeddings via CCA) take them of words and their contexts: covariances are divided by each word's own
deviation, and the leading singular directions of what is left are kept. So `before` and `behind` of a word differ, and *question* may stand
near *answered* without being near itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

_SMOOTHING = 20.0  # sentences' worth of doubt about a word's deviation, so that rare words do not make directions of their own
_EXTRA = 20  # directions computed beyond those kept, for the accuracy of the last ones (Halko, Martinsson & Tropp 2011, 4.2)
_POWER_STEPS = 2


@dataclass(frozen=True, slots=True)
class AdjacentSentences:
    """The model: two vectors a word.

    Attributes:
        before: float32, shape (words, dimensions): of a word in the sentence before.
        behind: float32, shape (words, dimensions): of a word in the sentence behind.
    """

    words: Mapping[str, int]
    before: NDArray[np.float32]
    behind: NDArray[np.float32]

    def rows(self, sentences: Sequence[Sequence[str]]) -> csr_array:
        """Each sentence as the words that are known, in small letters; shape (sentences, words)."""
        known = [[self.words[word] for token in tokens if (word := token.casefold()) in self.words] for tokens in sentences]
        return sentence_rows(known, len(self.words))

    def follows(self, sentences: Sequence[Sequence[str]], candidates: Sequence[Sequence[str]]) -> tuple[NDArray[np.float64], ...]:
        """How well each candidate stands behind each sentence, and how well before it.

        Returns:
            Two arrays of shape (sentences, candidates): cosines; 0 where either has no known word.

        >>> words = {"who": 0, "jane": 1}
        >>> model = AdjacentSentences(words, np.array([[1, 0], [0, 1]], "f4"), np.array([[0, 1], [1, 0]], "f4"))
        >>> behind, before = model.follows([["Who", "?"]], [["Jane", "."], ["who"]])
        >>> behind.tolist(), before.tolist()
        ([[1.0, 0.0]], [[1.0, 0.0]])
        """
        own, others = self.rows(sentences), self.rows(candidates)
        behind = _unit(own @ self.before) @ _unit(others @ self.behind).T
        before = _unit(own @ self.behind) @ _unit(others @ self.before).T
        return behind, before


def sentence_rows(sentences: Sequence[Sequence[int]], words: int) -> csr_array:
    """Sentences as rows of square roots of counts, so that a word said again says less; shape (sentences, words)."""
    bounds = np.concatenate(([0], np.cumsum([len(one) for one in sentences]))).astype(np.int64)
    columns = np.fromiter((word for one in sentences for word in one), np.int64, count=int(bounds[-1]))
    rows = csr_array((np.ones(len(columns), np.float32), columns, bounds), shape=(len(sentences), words))
    rows.sum_duplicates()
    rows.data = np.sqrt(rows.data)
    return rows


def fit_adjacent_sentences(
    before: csr_array, behind: csr_array, dimensions: int, rng: np.random.Generator
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float64]]:
    """The leading directions of pairs of adjacent sentences.

    Args:
        before, behind: shape (pairs, words), a row of each a pair (`sentence_rows`).
        dimensions: at most the number of words.
        rng: of the first guess at the directions (randomised subspace iteration, Halko, Martinsson & Tropp 2011).
    Returns:
        `before` and `behind` of `AdjacentSentences`, each direction as long as the root of its strength; and the strengths, the singular
        values, falling. They are no correlations, for a sentence has many words and each is scaled by itself: they may be above 1.
    """
    scaled_before, scaled_behind = _scaled(before), _scaled(behind)
    pairs, words = before.shape
    means = [np.asarray(one.mean(axis=0)).ravel() for one, _ in (scaled_before, scaled_behind)]

    def forth(directions: NDArray[np.float64]) -> NDArray[np.float64]:
        found = scaled_before[0].T @ (scaled_behind[0] @ directions)
        return np.asarray(found - pairs * np.outer(means[0], means[1] @ directions))

    def back(directions: NDArray[np.float64]) -> NDArray[np.float64]:
        found = scaled_behind[0].T @ (scaled_before[0] @ directions)
        return np.asarray(found - pairs * np.outer(means[1], means[0] @ directions))

    width = min(dimensions + _EXTRA, words)
    right = np.linalg.qr(back(rng.standard_normal((words, width))))[0]
    for _ in range(_POWER_STEPS):
        left = np.linalg.qr(forth(right))[0]
        right = np.linalg.qr(back(left))[0]
    left, strengths, turn = np.linalg.svd(forth(right), full_matrices=False)
    kept = slice(0, min(dimensions, width))
    length = np.sqrt(strengths[kept])
    of_before = scaled_before[1][:, None] * left[:, kept] * length
    of_behind = scaled_behind[1][:, None] * (right @ turn.T)[:, kept] * length
    return of_before.astype(np.float32), of_behind.astype(np.float32), strengths[kept]


def _scaled(rows: csr_array) -> tuple[csr_array, NDArray[np.float64]]:
    """Every word divided by its own deviation, and what it was divided by, inverted; shape (words,)."""
    squares = np.bincount(rows.indices, weights=rows.data.astype(np.float64) ** 2, minlength=rows.shape[1])
    inverse = 1 / np.sqrt(squares + _SMOOTHING)
    scaled = rows.copy()
    scaled.data = (scaled.data * inverse[scaled.indices]).astype(np.float32)
    return scaled, inverse


def _unit(vectors: NDArray[np.float32]) -> NDArray[np.float64]:
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(length > 0, length, 1.0), np.float64)
