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
from cloze_gen.evaluate.blanks.overlap import TfIdfScorer
from cloze_gen.evaluate.blanks.sides import nothing_as_nan, sentences_beside
from cloze_gen.evaluate.blanks.terms import cosines, count_terms, words_of


class LsaScorer:
    """Mean cosine of a candidate's vector with those of the sentences of a side.

    Args:
        vectors: float32, shape (rows, dimensions), of `evaluate.words.lsa.fit_word_vectors`; may be memory-mapped.
        row_of: word in small letters -> row; a word without one is not looked at.
        weighing: what knows the words' weights.
    """

    def __init__(self, vectors: NDArray[np.float32], row_of: Mapping[str, int], weighing: TfIdfScorer) -> None:
        self._vectors, self._row_of, self._weighing = vectors, row_of, weighing

    def scores(self, asked: AskedBlanks) -> Mapping[Direction, NDArray[np.float64]]:
        """As `asked.BlankScorer.scores`, from -1 to 1."""
        vectors = self.sentence_vectors([*asked.sentences, *asked.candidates])
        near = cosines(vectors[: len(asked.sentences)], vectors[len(asked.sentences) :])
        return {
            direction: nothing_as_nan(beside @ near / np.maximum(beside.sum(axis=1, keepdims=True), 1), beside)
            for direction, beside in sentences_beside(asked.passage).items()
        }

    def sentence_vectors(self, sentences: Sequence[Sequence[str]]) -> NDArray[np.float64]:
        """The weighted sum of the words' unit vectors: float64, shape (sentences, dimensions); 0 of a sentence without any known word."""
        words, counts = count_terms([words_of(tokens) for tokens in sentences])
        known = [i for i, word in enumerate(words) if word in self._row_of]
        vectors = np.asarray(self._vectors[[self._row_of[words[i]] for i in known]], np.float64)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        unit = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
        return counts[:, known] @ (unit * self._weighing.weights([words[i] for i in known])[:, None])
