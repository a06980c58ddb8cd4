"""Screening: rejected where the right word scores best, not where it scores worst."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.recipes.msr.screening import answer_rank, answer_scores_best


@pytest.mark.parametrize(
    ("answer", "alternates", "rejected"),
    [
        (-2.0, [-3.0, -2.5], True),
        (-2.0, [-3.0, -1.5], False),
        (-2.0, [-2.0, -3.0], False),
        (-9.0, [-3.0, -1.5], False),
        (-9.0, [], True),
    ],
)
def test_best_is_rejected(answer, alternates, rejected):
    """A tie is not best; without alternates there is no question."""
    assert answer_scores_best(answer, np.array(alternates)) == rejected


@given(st.floats(-9, 0), st.lists(st.floats(-9, 0), min_size=1, max_size=9))
def test_rank_one_is_best_or_tied(answer, alternates):
    """Who scores best has rank 1, and rank counts those that score better."""
    rank = answer_rank(answer, np.array(alternates))
    assert rank == 1 + sum(other > answer for other in alternates)
    assert not answer_scores_best(answer, np.array(alternates)) or rank == 1
