"""The sentences on each side of a blank, as a matrix that scores of sentences are multiplied by.

*Read:* another blank is a part of no context, for who reads the passage does not see it; the nearest sentence is the nearest that is shown.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from cloze_gen.evaluate.blanks.asked import Direction
from cloze_gen.records.blanked_passage import BlankedPassage

_DECIMALS = 12


def sentences_beside(passage: BlankedPassage) -> Mapping[Direction, NDArray[np.float64]]:
    """Of each direction 1 where a sentence is of a blank's context, else 0: float64, shape (blanks, sentences).

    >>> passage = BlankedPassage("b:1", ("Rain.", "Sun.", "Snow.", "Hail."), (0, 2), ("Snow.", "Rain."), (1, 0))
    >>> beside = sentences_beside(passage)
    >>> beside[Direction.P].tolist(), beside[Direction.AN].tolist()
    ([[0.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]], [[0.0, 1.0, 0.0, 1.0], [0.0, 0.0, 0.0, 1.0]])
    """
    n = len(passage.sentences)
    places, blanks = np.arange(n), np.array(passage.blanks, np.int64)[:, None]
    shown = ~np.isin(places, blanks)
    before, after = shown & (places < blanks), shown & (places > blanks)
    found = {
        Direction.P: before & (places == np.where(before, places, -1).max(axis=1, keepdims=True, initial=-1)),
        Direction.N: after & (places == np.where(after, places, n).min(axis=1, keepdims=True, initial=n)),
        Direction.AP: before,
        Direction.AN: after,
    }
    return {direction: beside.astype(np.float64) for direction, beside in found.items()}


def nothing_as_nan(scores: NDArray[np.float64], beside: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scores of one direction, a blank's row NaN where it has no sentence on that side: float64, shape (blanks, candidates).

    They are rounded, so that candidates which fit equally well tie, in whatever order their sums were made.

    Args:
        scores: shape (blanks, candidates).
        beside: of `sentences_beside`.
    """
    return np.where(beside.any(axis=1, keepdims=True), np.round(scores, _DECIMALS), np.nan)
