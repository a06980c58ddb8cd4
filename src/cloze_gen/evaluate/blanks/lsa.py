"""Coherence by latent semantic analysis: a candidate belongs among sentences whose vectors point where its own does.

Source: Foltz, Kintsch & Landauer 1998: a text's coherence is the mean cosine of its neighbouring sentences, a sentence's vector being the
sum of its words'. *Read:* words are weighted by their inverse sentence frequency and have vectors of length one (rows of U, which
`evaluate.words.lsa` says why); of several sentences on a side it is the mean of their cosines with the candidate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from cloze_gen.evaluate.blanks.asked import AskedBlanks, Direction
from cloze_gen.evaluate.blanks.sides import nothing_as_nan, sentences_beside
from cloze_gen.evaluate.blanks.terms import cosines, count_terms, words_of


class LsaScorer:
    """Mean cosine of a candidate's vector with those of the sentences of a side.

    Args:
        vectors: float32, shape (rows, dimensions), of `weighted`; may be memory-mapped.
        row_of: word in small letters -> row; a word without one is not looked at.
    """

    def __init__(self, vectors: NDArray[np.float32], row_of: Mapping[str, int]) -> None:
        self._vectors, self._row_of = vectors, row_of

    def scores(self, asked: AskedBlanks) -> Mapping[Direction, NDArray[np.float64]]:
        """As `asked.BlankScorer.scores`, from -1 to 1."""
        vectors = self.sentence_vectors([*asked.sentences, *asked.candidates])
        near = cosines(vectors[: len(asked.sentences)], vectors[len(asked.sentences) :])
        return {
            direction: nothing_as_nan(beside @ near / np.maximum(beside.sum(axis=1, keepdims=True), 1), beside)
            for direction, beside in sentences_beside(asked.passage).items()
        }

    def sentence_vectors(self, sentences: Sequence[Sequence[str]]) -> NDArray[np.float64]:
        """The sum of the words' vectors: float64, shape (sentences, dimensions); 0 of a sentence without any known word."""
        words, counts = count_terms([words_of(tokens) for tokens in sentences])
        known = [i for i, word in enumerate(words) if word in self._row_of]
        return counts[:, known] @ self._vectors[[self._row_of[words[i]] for i in known]].astype(np.float64)


def weighted(vectors: NDArray[np.float32], weights: NDArray[np.float64]) -> NDArray[np.float32]:
    """Vectors of the length of their words' weights, zero ones apart: float32, shape (words, dimensions).

    Args:
        vectors: shape (words, dimensions), of `evaluate.words.lsa.fit_word_vectors`.
        weights: shape (words,), of `overlap.rarity`.

    >>> weighted(np.array([[3.0, 4.0], [0.0, 0.0]], np.float32), np.array([2.0, 5.0])).round(2).tolist()
    [[1.2000000476837158, 1.600000023841858], [0.0, 0.0]]
    """
    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1)
    scale = np.divide(weights, lengths, out=np.zeros(len(lengths)), where=lengths > 0)
    return (vectors * scale[:, None]).astype(np.float32)
