"""Drawing distractors: lengths that tell nothing, odds that are kept."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.recipes.scde.steps.distractors import draw_distractors

ANSWERS = [30, 10, 50, 20, 40]


def drawn(lengths: list[int], log_odds: list[float], seed: int, count: int = 2) -> tuple[int, ...] | None:
    return draw_distractors(np.array(lengths), ANSWERS, np.array(log_odds), count=count, rng=np.random.default_rng(seed))


@given(st.lists(st.integers(1, 80), max_size=9), st.integers(1, 4), st.integers(0, 2**32))
def test_distractors_are_so_many_candidates(lengths: list[int], count: int, seed: int) -> None:
    """Different ones, in rising order; none at all where there are too few."""
    found = drawn(lengths, [0.0] * len(lengths), seed, count)
    if len(lengths) < count:
        assert found is None
    else:
        assert found is not None
        assert len(set(found)) == count
        assert list(found) == sorted(found)
        assert set(found) <= set(range(len(lengths)))


def test_each_place_by_length_falls_to_distractors_as_often() -> None:
    """Of seven candidates the shortest is a distractor in two passages of seven, and so is each other place: length tells nothing."""
    lengths = [5, 6, 7, 14, 15, 16, 24, 25, 26, 34, 35, 36, 44, 45, 46, 54, 55, 56]
    passages = 2100
    places: Counter[int] = Counter()
    pairs: Counter[tuple[int, ...]] = Counter()
    for seed in range(passages):
        taken = drawn(lengths, [0.0] * len(lengths), seed)
        assert taken is not None
        whole = sorted([*ANSWERS, *(lengths[i] for i in taken)])
        own = tuple(sorted(whole.index(lengths[i]) for i in taken))
        places.update(own)
        pairs[own] += 1
    assert set(places) == set(range(7))
    error = (passages * 2 / 7 * 5 / 7) ** 0.5
    assert all(abs(count - passages * 2 / 7) < 3.5 * error for count in places.values())
    assert len(pairs) == 21
    assert all(abs(count - 100) < 4.5 * 10 for count in pairs.values())


def test_candidates_of_a_length_are_drawn_by_their_odds() -> None:
    """One with three times another's odds is drawn three times as often, and hardly one that is ruled out."""
    taken = Counter(drawn([25, 25, 25], [0.0, float(np.log(3)), -30.0], seed, 1) for seed in range(2000))
    assert taken[(1,)] / 2000 == pytest.approx(0.75, abs=3.5 * (0.75 * 0.25 / 2000) ** 0.5)
    assert taken[(2,)] == 0


def test_odds_choose_among_one_length_alone() -> None:
    """However good a candidate of another place's length is, the place that was dealt is filled by its own."""
    lengths = [5, 15, 25, 35, 45, 55]
    taken = Counter(drawn(lengths, [50.0, 0, 0, 0, 0, 0], seed, 1) for seed in range(600))
    assert {place for found in taken if found for place in found} == set(range(6))
    assert taken[(0,)] == pytest.approx(100, abs=4 * (600 / 6 * 5 / 6) ** 0.5)


def test_a_place_without_a_candidate_takes_one_of_the_nearest() -> None:
    """All short places go to the short one, all long ones to the long."""
    taken = Counter(drawn([5, 55], [0.0, 0.0], seed, 1) for seed in range(600))
    assert taken[(0,)] == pytest.approx(300, abs=4 * 150**0.5)
