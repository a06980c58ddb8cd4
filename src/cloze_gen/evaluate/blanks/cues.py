"""Blanks answered by surface cues alone: quotation marks that must close, echoed words, names, pronouns, tense (`stats.cues`).

A baseline of its own, not of the paper's: what it solves, nobody has to understand. Its weights are those of blanks at random;
`learnt_cues` learns them of passages of the set itself, so that a set whose blanks were chosen against the one is also tried by the other.
They judge from both sides at once, so they have no figures of single directions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from cloze_gen.english.cohesion import surface_ties
from cloze_gen.evaluate.blanks.asked import AskedBlanks, Direction
from cloze_gen.stats.cues import WEIGHTS, cue_features, fit_weights, tie


class CueScorer:
    """How well the surface of a candidate fits the surface of the sentences around a blank.

    Args:
        rarity: of a stem, by `stats.cues.rarity_of`.
        weights: of `stats.cues.CUES`.
    """

    def __init__(self, rarity: Callable[[str], float], weights: NDArray[np.float64] = WEIGHTS) -> None:
        self._rarity, self._weights = rarity, weights

    def scores(self, asked: AskedBlanks) -> Mapping[Direction, NDArray[np.float64]]:
        """As `asked.BlankScorer.scores`, of both sides at once; a blanked sentence is read by none of the cues."""
        return {Direction.BOTH: _features(asked, self._rarity) @ self._weights}


def learnt_cues(training: Sequence[AskedBlanks], rarity: Callable[[str], float]) -> CueScorer:
    """A solver whose weights are those that answer the blanks of some passages best."""
    features = [_features(one, rarity) for one in training]
    return CueScorer(rarity, fit_weights(features, [one.passage.answers for one in training]))


def _features(asked: AskedBlanks, rarity: Callable[[str], float]) -> NDArray[np.float64]:
    """Shape (blanks, candidates, cues)."""
    sentences, candidates = ([surface_ties(tokens) for tokens in some] for some in (asked.sentences, asked.candidates))
    return cue_features(tie(sentences, candidates, rarity), np.array([asked.passage.blanks], np.int64))[0]
