"""What a corpus knows of words that may be options: their likeness, what they go with, what stands beside them, on how much it rests."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from cloze_gen.stats.associations import Associations
from cloze_gen.stats.frequent_neighbours import BesideCounts, Side


@dataclass(frozen=True, slots=True)
class ContextSpace:
    """A vector space of words, with associations and counts of what stands beside them; the arrays may be memory-mapped.

    Attributes:
        row_of: row of each option word.
        column_of: association column of each word that tells a topic.
        feature_of: row of each neighbour that the vectors were made from.
        neighbour_of: column of each frequent neighbour, case-folded.
        window: tokens on each side that are neighbours to the vectors.
        vectors: float32, shape (words, dimensions), unit rows.
        norms: float32, shape (words,): the vectors' lengths before.
        features: float32, shape (features, dimensions): vectors of the neighbours.
        associations: of option words (rows) with words that tell a topic (columns), in nats.
        frame_cues: uint32, shape (words, kinds before, kinds after): counts.
        beside: how often frequent neighbours stand right beside each word.
        counts: uint32, shape (words,): tokens of each word.
    """

    row_of: dict[str, int]
    column_of: dict[str, int]
    feature_of: dict[str, int]
    neighbour_of: dict[str, int]
    window: int
    vectors: np.ndarray
    norms: np.ndarray
    features: np.ndarray
    associations: Associations
    frame_cues: np.ndarray
    beside: BesideCounts
    counts: np.ndarray

    def similarity(self, words: Sequence[str], answer: str) -> np.ndarray:
        """Cosines of each word's vector with the answer's; float, shape (words,), -1 to 1, 0 where either has none."""
        rows, own = self._rows(words), self.row_of.get(answer, -1)
        return np.where((rows >= 0) & (own >= 0), self.vectors[rows] @ self.vectors[own], 0.0)

    def topicality(self, words: Sequence[str], others: Iterable[str]) -> np.ndarray:
        """Mean association of each word with those of the other tokens that tell a topic; float64, shape (words,), in nats."""
        columns = np.array([self.column_of[token] for token in others if token in self.column_of], np.int64)
        return self.associations.mean_with([self.row_of.get(word, -1) for word in words], columns)

    def frame_cues_of(self, words: Sequence[str]) -> np.ndarray:
        """Each word's frame cues; int64, shape (words, kinds before, kinds after), zeros for a word that may be no option."""
        rows = self._rows(words)
        return np.where(rows[:, None, None] >= 0, self.frame_cues[rows], 0).astype(np.int64)

    def neighbour_fit(self, words: Sequence[str], before: Sequence[str], after: Sequence[str]) -> np.ndarray:
        """How well each word goes with its neighbours: the mean of its smoothed PMI with each of them.

        The product of two vectors of a truncated SVD gives the PMI back without what is particular to one pair (Levy & Goldberg 2014), so
        a pair never met gets the PMI of pairs like it. It is the PMI of standing within `window` tokens, whichever place.

        Args:
            before: printed tokens before the blank, the nearest last; the last `window` count.
            after: those after it, the nearest first; the first `window` count.
        Returns:
            float64, shape (words,), in nats; 0 for a word that is no option, and where no neighbour is a feature.
        """
        beside = (*before[-self.window :], *after[: self.window])
        columns = [self.feature_of[token] for token in beside if token in self.feature_of]
        if not columns:
            return np.zeros(len(words))
        rows = self._rows(words)
        direction = np.asarray(self.features[columns], np.float64).mean(axis=0)
        return np.where(rows >= 0, self.norms[rows] * (self.vectors[rows] @ direction), 0.0)

    def beside_frequent(self, words: Sequence[str], neighbour: str, *, side: Side) -> np.ndarray:
        """How much oftener each word stands right beside a frequent neighbour than chance would have it.

        Args:
            neighbour: a word or a mark, case-folded before it is looked up.
            side: "before" where the neighbour stands before the word.
        Returns:
            float64, shape (words,), log10 of a ratio; 0 where there is little to tell by, NaN where the neighbour is not frequent.
        """
        column = self.neighbour_of.get(neighbour.casefold(), -1)
        return self.beside.over_chance(self._rows(words), column, side=side) if column >= 0 else np.full(len(words), np.nan)

    def evidence(self, words: Sequence[str]) -> np.ndarray:
        """Tokens of each word in the training books, on which all else rests; float64, shape (words,), 0 for one that is no option."""
        rows = self._rows(words)
        return np.where(rows >= 0, self.counts[rows], 0).astype(np.float64)

    def _rows(self, words: Sequence[str]) -> np.ndarray:
        return np.fromiter(map(self.row_of.get, words, itertools.repeat(-1)), np.int64, len(words))
