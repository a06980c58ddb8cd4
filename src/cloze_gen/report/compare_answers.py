"""Two runs whose blanked passages are the same: by how much each baseline answers the one better than the other, passage by passage."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from cloze_gen.evaluate.blanks.metrics import AnswerCounts, bootstrap_draws, paired_difference


@dataclass(frozen=True, slots=True)
class AnsweredPassage:
    """How a baseline answered one passage: its blanks, those that are right, and those that were given a distractor."""

    blanks: int
    right: int
    distractors: int


Answered = Mapping[str, Mapping[str, AnsweredPassage]]  # baseline with its context -> id of the passage -> how it was answered


def paired_lines(one: Answered, other: Answered, *, seed: int) -> Iterator[str]:
    """A line a baseline that answered the same passages in both: BA of each and their difference in points, with its 95 % interval.

    Passages are the same by id: their blanks and candidates may still differ. The bootstrap is by passage and paired, so that what makes a
    passage easy or hard in both counts for neither.

    Args:
        seed: of the bootstrap.
    """
    for name in one:
        shared = [passage for passage in one[name] if passage in other.get(name, {})]
        if shared:
            left, right = (_counts([of[name][passage] for passage in shared]) for of in (one, other))
            gained, low, high = paired_difference(left, right, bootstrap_draws(len(shared), seed=seed))
            shares = " -> ".join(f"{100 * float((side.right / side.blanks).mean()):.1f} %" for side in (left, right))
            yield f"{name:<28}{shares}, {100 * gained:+.1f} ({100 * low:+.1f} to {100 * high:+.1f}) over {len(shared):,} passages"


def _counts(passages: list[AnsweredPassage]) -> AnswerCounts:
    table = np.array([(one.blanks, one.right, one.distractors) for one in passages], np.int64)
    return AnswerCounts(table[:, 0], table[:, 1], table[:, 2])
