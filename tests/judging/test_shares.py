"""Shares and their intervals."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.evaluate.metrics import wilson_interval
from cloze_gen.judging.shares import Share


@given(st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_interval_is_wilsons(pair: tuple[int, int]) -> None:
    """The same that stands beside accuracies, and it holds the share."""
    share = Share(*pair)
    low, high = share.interval() or (2.0, 2.0)
    assert (low, high) == pytest.approx(wilson_interval(*pair))
    assert low <= pair[0] / pair[1] <= high


def test_nothing_of_nothing_has_no_share() -> None:
    """Neither a value nor an interval, where an interval from 0 to 1 would look like one."""
    assert (Share(0, 0).value, Share(0, 0).interval()) == (None, None)
