"""The sentences on each side of a blank as a matrix that scores of sentences are multiplied by, and how a scorer says that there are none."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from cloze_gen.evaluate.blanks.asked import Direction
from cloze_gen.evaluate.blanks.contexts import context_places
from cloze_gen.records.blanked_passage import BlankedPassage

_DECIMALS = 12


def sentences_beside(passage: BlankedPassage) -> Mapping[Direction, NDArray[np.float64]]:
    """1 where a sentence is of a blank's context (`contexts.context_places`), else 0: float64, shape (blanks, sentences), of each direction.

    >>> passage = BlankedPassage("b:1", ("Rain.", "Sun.", "Snow.", "Hail."), (0, 2), ("Snow.", "Rain."), (1, 0))
    >>> beside = sentences_beside(passage)
    >>> beside[Direction.P].tolist(), beside[Direction.AN].tolist()
    ([[0.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]], [[0.0, 1.0, 0.0, 1.0], [0.0, 0.0, 0.0, 1.0]])
    """
    found = {direction: np.zeros((len(passage.blanks), len(passage.sentences))) for direction in Direction}
    for direction, beside in found.items():
        for blank, row in enumerate(beside):
            row[list(context_places(passage, blank, direction))] = 1.0
    return found


def nothing_as_nan(scores: NDArray[np.float64], beside: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scores of one direction, a blank's row NaN where it has no sentence on that side: float64, shape (blanks, candidates).

    They are rounded, so that candidates which fit equally well tie, in whatever order their sums were made.

    Args:
        scores: shape (blanks, candidates).
        beside: of `sentences_beside`.
    """
    return np.where(beside.any(axis=1, keepdims=True), np.round(scores, _DECIMALS), np.nan)
