"""What is known of words, whoever knows it: a corpus, the built-in words, or both, each trusted by how much the corpus has of a word.

A corpus knows the words of its own kind of books, and those that it has often; forty novels have most words too seldom. Mixing is linear
interpolation with a weight that grows with the count (Jelinek & Mercer 1980; with the weight n / (n + K), MacKay & Peto 1995).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from cloze_gen.stats.frequent_neighbours import Side


@dataclass(frozen=True, slots=True)
class EvenCounts:
    """Tokens of a word in the corpus at which it and the built-in words are trusted alike. How they were chosen: training/words/README.md.

    Attributes:
        similarity: of a pair of words, the rarer's.
        topicality: of the word tried.
        neighbour_fit: the same; more, for what one corpus has of a word's neighbours tells of its few sentences.
        beside: of frame cues and frequent neighbours; fewer, for those are few, and a hundred tokens tell them.
    """

    similarity: float = 300.0
    topicality: float = 300.0
    neighbour_fit: float = 1000.0
    beside: float = 100.0


class WordKnowledge(Protocol):
    """The measures of grooming on words and their places; shapes and units are those of `stats.context_space.ContextSpace`."""

    @property
    def window(self) -> int:
        """Tokens on each side that `neighbour_fit` asks of, at most."""
        ...

    def similarity(self, words: Sequence[str], answer: str) -> np.ndarray:
        """Likeness of use of each word with the answer; shape (words,)."""
        ...

    def topicality(self, words: Sequence[str], others: Iterable[str]) -> np.ndarray:
        """Mean association of each word with the other tokens; shape (words,)."""
        ...

    def frame_cues_of(self, words: Sequence[str]) -> np.ndarray:
        """What stands right beside each word, by kinds; shape (words, kinds before, kinds after)."""
        ...

    def neighbour_fit(self, words: Sequence[str], before: Sequence[str], after: Sequence[str]) -> np.ndarray:
        """How well each word goes with its neighbours; shape (words,)."""
        ...

    def beside_frequent(self, words: Sequence[str], neighbour: str, *, side: Side) -> np.ndarray:
        """How much oftener each word stands beside a frequent neighbour than chance would have it; shape (words,)."""
        ...

    def evidence(self, words: Sequence[str]) -> np.ndarray:
        """Tokens of each word on which the rest rests; shape (words,)."""
        ...


@dataclass(frozen=True, slots=True)
class MixedKnowledge:
    """What a corpus and the built-in words know together; every measure has the shape and the unit of the two.

    The corpus has the weight n / (n + K), K one of `EvenCounts`, n its tokens of the word, of two words those of the rarer. A word that one
    of the two does not know is told by the other alone.
    """

    corpus: WordKnowledge
    builtin: WordKnowledge
    even: EvenCounts = EvenCounts()

    @property
    def window(self) -> int:
        """Tokens on each side that are neighbours to either; each looks no farther than its own."""
        return max(self.corpus.window, self.builtin.window)

    def similarity(self, words: Sequence[str], answer: str) -> np.ndarray:
        """Weighted mean of the cosines; float64, shape (words,)."""
        own, known = (np.minimum(side.evidence(words), side.evidence([answer])) for side in (self.corpus, self.builtin))
        return _mean(own, known, self.even.similarity, *(side.similarity(words, answer) for side in (self.corpus, self.builtin)))

    def topicality(self, words: Sequence[str], others: Iterable[str]) -> np.ndarray:
        """Weighted mean of the mean associations; float64, shape (words,), in nats."""
        tokens = list(others)
        means = (side.topicality(words, tokens) for side in (self.corpus, self.builtin))
        return _mean(*self._evidence(words), self.even.topicality, *means)

    def frame_cues_of(self, words: Sequence[str]) -> np.ndarray:
        """Weighted mean of the shares of the kinds, as counts of as many tokens as the side has that knows more; int64, as of a corpus."""
        own, known = (count[:, None, None] for count in self._evidence(words))
        shares = (side.frame_cues_of(words) / np.maximum(1, n) for side, n in ((self.corpus, own), (self.builtin, known)))
        return np.rint(np.maximum(own, known) * _mean(own, known, self.even.beside, *shares)).astype(np.int64)

    def neighbour_fit(self, words: Sequence[str], before: Sequence[str], after: Sequence[str]) -> np.ndarray:
        """Weighted mean of the smoothed PMI; float64, shape (words,), in nats."""
        fits = (side.neighbour_fit(words, before, after) for side in (self.corpus, self.builtin))
        return _mean(*self._evidence(words), self.even.neighbour_fit, *fits)

    def beside_frequent(self, words: Sequence[str], neighbour: str, *, side: Side) -> np.ndarray:
        """Weighted mean of the logarithms; float64, shape (words,); of a neighbour frequent in one alone that one's, NaN in neither."""
        own, known = (space.beside_frequent(words, neighbour, side=side) for space in (self.corpus, self.builtin))
        mixed = _mean(*self._evidence(words), self.even.beside, own, known)
        return np.where(np.isnan(own), known, np.where(np.isnan(known), own, mixed))

    def evidence(self, words: Sequence[str]) -> np.ndarray:
        """Tokens of each word where more of it is known; float64, shape (words,). No sum: the corpus may be among the built-in books."""
        return np.maximum(*self._evidence(words))

    def _evidence(self, words: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        return self.corpus.evidence(words), self.builtin.evidence(words)


def _mean(own: np.ndarray, known: np.ndarray, even_count: float, of_corpus: np.ndarray, of_builtin: np.ndarray) -> np.ndarray:
    """The two weighted by the corpus's tokens, `own`; `known`: those of the built-in books."""
    weight = np.where(known > 0, own / (own + even_count), 1.0)
    return np.asarray(weight * of_corpus + (1.0 - weight) * of_builtin, np.float64)
