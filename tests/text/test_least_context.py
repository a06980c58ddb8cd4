"""The context of a sentence."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.text.least_context import least_context


@given(st.lists(st.integers(1, 30), max_size=30), st.integers(1, 60))
def test_context_is_the_least_that_is_enough(tokens: list[int], least: int) -> None:
    """It holds enough, one sentence fewer would not, and where there is none all sentences before are too few."""
    first, found = least_context(np.array(tokens, dtype=np.int64), least)
    for i, begin in enumerate(first.tolist()):
        if begin < 0:
            assert sum(tokens[:i]) < least
            assert found[i] == 0
        else:
            assert sum(tokens[begin:i]) == found[i] >= least
            assert sum(tokens[begin + 1 : i]) < least
