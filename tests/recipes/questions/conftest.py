"""Items and plans for the choice of a set of questions."""

import numpy as np

from cloze_gen.recipes.questions.random_choice import (
    ChoicePlan,
    ScoredItem,
)

SCORE_NAMES = ("history", "forward", "sentence", "freq", "length")


def plan_of(settings, *, seed=1):
    return ChoicePlan(settings, "msr", SCORE_NAMES, seed)


def clear(item, scores):
    """A scored item of which every four is clear to a reader and worth a thought."""
    n = len(item.candidates)
    return ScoredItem(item, scores, np.zeros(n), np.ones(n), np.full(1 + n, np.nan))
