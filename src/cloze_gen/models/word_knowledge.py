"""Measures of words from a corpus, the built-in words, or both interpolated.

Weight n / (n + K), n the corpus's count (Jelinek & Mercer 1980; MacKay & Peto 1995).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from cloze_gen.models.context_space import ContextSpace
from cloze_gen.models.neighbour_counts import Blanks, Side, flatten


@dataclass(frozen=True, slots=True)
class EvenCounts:
    """K of the weight n / (n + K) per measure; chosen as in training/words/README.md.

    n counts the word in the corpus; for `similarity` the rarer word of the pair.
    """

    similarity: float = 300.0
    topicality: float = 300.0
    neighbour_fit: float = 1000.0
    adjacent: float = 100.0


@dataclass(frozen=True, slots=True)
class MixedKnowledge:
    """Corpus and built-in words interpolated; a word that only one knows is measured by it."""

    corpus: ContextSpace
    builtin: ContextSpace
    even: EvenCounts = EvenCounts()

    @property
    def window(self) -> int:
        """The larger of the two windows; each side uses at most its own."""
        return max(self.corpus.window, self.builtin.window)

    def similarity(self, words: Blanks, answers: Sequence[str]) -> np.ndarray:
        listed, blank = flatten(words)
        own, known = (
            np.minimum(side.evidence(listed), side.evidence(answers)[blank])
            for side in (self.corpus, self.builtin)
        )
        return _mean(
            own,
            known,
            self.even.similarity,
            *(side.similarity(words, answers) for side in (self.corpus, self.builtin)),
        )

    def topicality(self, words: Blanks, others: Sequence[Iterable[str]]) -> np.ndarray:
        tokens = [*map(list, others)]
        means = (side.topicality(words, tokens) for side in (self.corpus, self.builtin))
        return _mean(*self._evidence(flatten(words)[0]), self.even.topicality, *means)

    def frame_cues_of(self, words: Sequence[str]) -> np.ndarray:
        """Weighted mean of the shares of kinds, scaled to the larger of the two counts; int64."""
        own, known = (count[:, None, None] for count in self._evidence(words))
        shares = (
            side.frame_cues_of(words) / np.maximum(1, n)
            for side, n in ((self.corpus, own), (self.builtin, known))
        )
        return np.rint(
            np.maximum(own, known) * _mean(own, known, self.even.adjacent, *shares)
        ).astype(np.int64)

    def neighbour_fit(self, words: Blanks, before: Blanks, after: Blanks) -> np.ndarray:
        fits = (side.neighbour_fit(words, before, after) for side in (self.corpus, self.builtin))
        return _mean(*self._evidence(flatten(words)[0]), self.even.neighbour_fit, *fits)

    def neighbour_frequency(
        self, words: Blanks, neighbours: Sequence[str], *, side: Side
    ) -> np.ndarray:
        """Weighted mean of the logarithms; the only value where one side has NaN."""
        own, known = (
            space.neighbour_frequency(words, neighbours, side=side)
            for space in (self.corpus, self.builtin)
        )
        mixed = _mean(*self._evidence(flatten(words)[0]), self.even.adjacent, own, known)
        return np.where(np.isnan(own), known, np.where(np.isnan(known), own, mixed))

    def evidence(self, words: Sequence[str]) -> np.ndarray:
        """The larger count; not the sum, because the corpus may be among the built-in books."""
        return np.maximum(*self._evidence(words))

    def _evidence(self, words: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        return self.corpus.evidence(words), self.builtin.evidence(words)


WordKnowledge = ContextSpace | MixedKnowledge


def _mean(
    own: np.ndarray,
    known: np.ndarray,
    even_count: float,
    of_corpus: np.ndarray,
    of_builtin: np.ndarray,
) -> np.ndarray:
    """Weighted by the corpus's counts, `own`; `known`: counts in the built-in books."""
    weight = np.where(known > 0, own / (own + even_count), 1.0)
    return np.asarray(weight * of_corpus + (1.0 - weight) * of_builtin, np.float64)
