"""Screening: rejected where the right word scores best, not where it scores worst."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.recipes.msr.forward import KEPT, ForwardReason, answer_rank, screened


@pytest.mark.parametrize(
    ("answer", "alternates", "status"),
    [
        (-2.0, [-3.0, -2.5], ForwardReason.ANSWER_SCORES_BEST),
        (-2.0, [-3.0, -1.5], KEPT),
        (-2.0, [-2.0, -3.0], KEPT),
        (-9.0, [-3.0, -1.5], KEPT),
        (-9.0, [], ForwardReason.NO_ALTERNATES),
    ],
)
def test_best_is_rejected(answer, alternates, status):
    """A tie is not best; without alternates there is no question."""
    assert screened(answer, np.array(alternates)) == status


@given(st.floats(-9, 0), st.lists(st.floats(-9, 0), min_size=1, max_size=9))
def test_rank_one_is_best_or_tied(answer, alternates):
    """Who scores best has rank 1, and rank counts those that score better."""
    rank = answer_rank(answer, np.array(alternates))
    assert rank == 1 + sum(other > answer for other in alternates)
    assert screened(answer, np.array(alternates)) == KEPT or rank == 1
