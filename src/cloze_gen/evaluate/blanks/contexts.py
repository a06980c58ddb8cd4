"""How much of the passage a blank is answered from: one side of it or both, its neighbour or all (Kong et al. 2020, 4.1 and 4.6).

*Read:* other blanks are no part of any context, neither as marks nor with their answers (`sides`), so the previous sentence of a blank
behind a blank is the one before both. A blank with nothing on a side is answered from the other alone: where the paper takes the average of
two directions, we take the average of those that there are; where there is none, all candidates are equal. The published code takes the
last sentence of the passage for what stands before a blank that opens it, and leaves the other blanks' marks in the text.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from cloze_gen.evaluate.blanks.asked import Direction

FULL = str(Direction.BOTH)
# Context -> its directions of one side each, in the order of the paper's Table 6.
CONTEXTS: Mapping[str, tuple[Direction, ...]] = {
    **{str(side): (side,) for side in (Direction.P, Direction.N, Direction.AP, Direction.AN)},
    "P+N": (Direction.P, Direction.N),
    FULL: (Direction.AP, Direction.AN),
}


def context_scores(scores: Mapping[Direction, NDArray[np.float64]], context: str) -> NDArray[np.float64] | None:
    """The scores from a context: the mean of the directions that a blank has, 0 throughout for a blank that has none.

    Args:
        context: of `CONTEXTS`.
        scores: of a `BlankScorer`: each of shape (blanks, candidates), rows of NaN where a blank has nothing on that side. Of AP+AN the
            scores from both sides at once, where it has them.
    Returns:
        float64, shape (blanks, candidates), finite; None where the scorer does not judge from a direction of the context.
    Raises:
        ValueError: a score is infinite, or some of a row are none: no decoder could use them.

    >>> both = {Direction.P: np.array([[np.nan, np.nan], [1.0, 0.0]]), Direction.N: np.array([[3.0, 1.0], [2.0, 1.0]])}
    >>> context_scores(both, "P+N").tolist(), context_scores(both, "P").tolist(), context_scores(both, "AP")
    ([[3.0, 1.0], [1.5, 0.5]], [[0.0, 0.0], [1.0, 0.0]], None)
    """
    directions = (Direction.BOTH,) if context == FULL and Direction.BOTH in scores else CONTEXTS[context]
    if not all(direction in scores for direction in directions):
        return None
    sides = np.stack([scores[direction] for direction in directions])
    there = ~np.isnan(sides)
    if np.isinf(sides).any() or (there.any(axis=2) != there.all(axis=2)).any():
        raise ValueError(f"the scores from {context} hold an infinite one, or a row that lacks some candidates")
    return np.asarray(np.where(there, sides, 0.0).sum(axis=0) / np.maximum(there.sum(axis=0), 1))
