"""Which sentences a blank has on each side: the context that every scorer of ours judges a candidate by, and how one says that there is none."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from cloze_gen.evaluate.blanks.asked import Direction
from cloze_gen.records.blanked_passage import BlankedPassage


def sentences_beside(passage: BlankedPassage) -> Mapping[Direction, NDArray[np.bool_]]:
    """The sentences of each blank in each direction: bool, shape (blanks, sentences).

    *Read:* another blank is a part of no context, for who reads the passage does not see it (Kong et al. 2020, 4.1, says nothing of it).

    >>> passage = BlankedPassage("b:1", ("Rain.", "Sun.", "Snow.", "Hail."), (0, 2), ("Snow.", "Rain."), (1, 0))
    >>> {direction.value: beside.astype(int).tolist() for direction, beside in sentences_beside(passage).items()}
    {'P': [[0, 0, 0, 0], [0, 1, 0, 0]], 'N': [[0, 1, 0, 0], [0, 0, 0, 1]], 'AP': [[0, 0, 0, 0], [0, 1, 0, 0]], 'AN': [[0, 1, 0, 1], [0, 0, 0, 1]]}
    """
    places, blanks = np.arange(len(passage.sentences)), np.array(passage.blanks, np.int64)[:, None]
    seen = ~np.isin(places, blanks)
    before, after = seen & (places < blanks), seen & (places > blanks)
    nearest_before = before & (places == np.where(before, places, -1).max(axis=1, keepdims=True, initial=-1))
    nearest_after = after & (places == np.where(after, places, len(places)).min(axis=1, keepdims=True, initial=len(places)))
    return {Direction.P: nearest_before, Direction.N: nearest_after, Direction.AP: before, Direction.AN: after}


def nothing_as_nan(scores: NDArray[np.float64], beside: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Scores of one direction, a blank's row NaN where it has no sentence on that side: float64, shape (blanks, candidates).

    Args:
        scores: shape (blanks, candidates).
        beside: of `sentences_beside`.
    """
    return np.where(beside.any(axis=1)[:, None], scores, np.nan)
