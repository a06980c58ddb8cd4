"""Distractors: sentences that answer no blank and look as if they did. The paper's are written by teachers; these are ours.

SCDE 5.7 defers "automatically generating distractors to future work since non-trivial distractor generation is a hard problem in itself".
Hard distractors are drawn from the rivals of the answers (`steps/rivals`), those that come nearest to fitting before others. That
candidates tell nothing by themselves is seen to twice. Their length: which of the places by length fall to the distractors is dealt
evenly, each passage its own. All else that a sentence shows alone: rivals are drawn with odds that make distractors as a whole like
answers as a whole (`steps/propensity`).

The paper's two ablations (5.6, Table 7) are `random` (RandomDt: sentences of other passages) and `none` (RemoveDt).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from cloze_gen.settings import SettingsGroup


class DistractorsSettings(SettingsGroup):
    """Settings of the distractors."""

    count: int = Field(2, ge=1, le=20, description="distractors a passage; Table 1: two")
    kind: Literal["hard", "random", "none"] = Field(
        "hard", description="ours; or sentences of other passages (the paper's RandomDt); or none (RemoveDt)"
    )
    strength: float = Field(8.0, ge=0, le=100, description="how much the rivals nearest to fitting are preferred; 0 draws evenly")
    rounds: int = Field(7, ge=0, le=100, description="how often it is asked what still tells distractors from answers")


def places_by_length(lengths: Sequence[int], distractors: Sequence[int]) -> tuple[int, ...]:
    """Which places fall to the distractors where all candidates stand by length, the shortest first; equals in their order.

    >>> places_by_length([30, 10, 20], [5, 25])
    (0, 3)
    """
    order = sorted((length, i) for i, length in enumerate((*lengths, *distractors)))
    return tuple(place for place, (_, i) in enumerate(order) if i >= len(lengths))


def draw_distractors(
    lengths: NDArray[np.int64],
    answer_lengths: Sequence[int],
    log_odds: NDArray[np.float64],
    *,
    count: int,
    rng: np.random.Generator,
) -> tuple[int, ...] | None:
    """Draw distractors: the places by length are dealt first, then each place takes one of the candidates of that length, by their odds.

    A place without a candidate takes one of the nearest place that has.

    Args:
        lengths: shape (candidates,): characters.
        log_odds: shape (candidates,): natural logarithm of the odds with which each is drawn (the Gumbel trick: the highest sum of log odds
            and Gumbel noise is a draw by those odds).
    Returns:
        Indices of candidates, None where there are too few.

    >>> draw_distractors(np.array([5, 50, 500]), [10, 100], np.zeros(3), count=2, rng=np.random.default_rng(2))
    (1, 2)
    """
    if len(lengths) < count:
        return None
    places = len(answer_lengths) + count
    dealt = list(combinations(range(places), count))
    of_distractors = dealt[rng.integers(len(dealt))]
    between = np.searchsorted(np.sort(answer_lengths), lengths)
    appeal = log_odds + rng.gumbel(size=len(lengths))
    taken: list[int] = []
    for before, place in enumerate(of_distractors):
        left = [candidate for candidate in range(len(lengths)) if candidate not in taken]
        nearest = min(abs(int(between[candidate]) - (place - before)) for candidate in left)
        fitting = [candidate for candidate in left if abs(int(between[candidate]) - (place - before)) == nearest]
        taken.append(max(fitting, key=lambda candidate: appeal[candidate]))
    return tuple(sorted(taken))
