"""The same words: a candidate belongs where its own words stand already.

Source: Kong et al. 2020, 3.3, have *word match* as one kind of blank, and no such baseline; the weights are Salton & Buckley's (1988).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from cloze_gen.english.names import content_words
from cloze_gen.evaluate.blanks.asked import AskedBlanks, Direction
from cloze_gen.evaluate.blanks.sides import nothing_as_nan, sentences_beside
from cloze_gen.evaluate.blanks.terms import cosines, count_terms, words_of


class OverlapScorer:
    """How many words of content a candidate shares with the context, each counted once, for how many the two have.

    |A & B| / sqrt(|A| |B|): the cosine of the two sets, so that neither long candidates nor long contexts are at an advantage.
    """

    def scores(self, asked: AskedBlanks) -> Mapping[Direction, NDArray[np.float64]]:
        """As `asked.BlankScorer.scores`, from 0 to 1."""
        _, counts = count_terms([content_words(tokens) for tokens in (*asked.sentences, *asked.candidates)])
        held = np.minimum(counts, 1)
        return {
            direction: nothing_as_nan(cosines(np.minimum(beside @ held[: len(asked.sentences)], 1), held[len(asked.sentences) :]), beside)
            for direction, beside in sentences_beside(asked.passage).items()
        }


class TfIdfScorer:
    """Cosine of the word counts of candidate and context, a word weighing as `rarity` says; all sentences of a side are one.

    Args:
        sentence_counts: word in small letters -> how many sentences of a training text have it.
        sentences: how many it has.
    """

    def __init__(self, sentence_counts: Mapping[str, int], *, sentences: int) -> None:
        self._sentence_counts, self._sentences = sentence_counts, sentences

    def scores(self, asked: AskedBlanks) -> Mapping[Direction, NDArray[np.float64]]:
        """As `asked.BlankScorer.scores`, from 0 to 1."""
        words, counts = count_terms([words_of(tokens) for tokens in (*asked.sentences, *asked.candidates)])
        known = np.array([self._sentence_counts.get(word, 0) for word in words], np.int64)
        weighted = counts * rarity(known, sentences=self._sentences)
        return {
            direction: nothing_as_nan(cosines(beside @ weighted[: len(asked.sentences)], weighted[len(asked.sentences) :]), beside)
            for direction, beside in sentences_beside(asked.passage).items()
        }


def rarity(sentence_counts: NDArray[np.integer], *, sentences: int) -> NDArray[np.float64]:
    """Inverse document frequency, a sentence being a document: ln((n + 1) / (sentences with the word + 1)), float64, shape (words,).

    >>> rarity(np.array([0, 9, 4]), sentences=9).round(2).tolist()
    [2.3, 0.0, 0.69]
    """
    return np.log((sentences + 1) / (np.asarray(sentence_counts, np.float64) + 1))
