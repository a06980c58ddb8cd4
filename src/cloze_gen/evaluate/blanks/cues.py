"""Blanks answered by surface cues alone: quotation marks that must close, echoed words, names, pronouns, tense (`stats.cues`).

A baseline of its own, not of the paper's: what it solves, nobody has to understand. It judges from both sides at once, so it has no figures
of single directions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from cloze_gen.english.cohesion import surface_ties
from cloze_gen.evaluate.blanks.asked import AskedBlanks, Direction
from cloze_gen.stats.cues import cue_scores, tie


class CueScorer:
    """How well the surface of a candidate fits the surface of the sentences around a blank.

    Args:
        rarity: of a stem, by `stats.cues.rarity_of`.
    """

    def __init__(self, rarity: Callable[[str], float]) -> None:
        self._rarity = rarity

    def scores(self, asked: AskedBlanks) -> Mapping[Direction, NDArray[np.float64]]:
        """As `asked.BlankScorer.scores`, of both sides at once; a blanked sentence is read by none of the cues."""
        sentences, candidates = ([surface_ties(tokens) for tokens in some] for some in (asked.sentences, asked.candidates))
        passage = tie(sentences, candidates, self._rarity)
        return {Direction.BOTH: cue_scores(passage, np.array([asked.passage.blanks], np.int64))[0]}
