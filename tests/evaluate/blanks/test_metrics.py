"""Measures of answers."""

from __future__ import annotations

import numpy as np
import pytest

from cloze_gen.evaluate.blanks.metrics import DRAWS, AnswerCounts, bootstrap_draws, count_answers, measure, paired_difference
from cloze_gen.records.blanked_passage import BlankedPassage


def counts(right: list[int], *, blanks: int = 5) -> AnswerCounts:
    return AnswerCounts(np.full(len(right), blanks), np.array(right), blanks - np.array(right))


def test_answers_are_compared_blank_by_blank(passage: BlankedPassage) -> None:
    """An answer in another blank is wrong and no distractor; a distractor is counted as one."""
    found = count_answers([passage] * 3, [passage.answers, (4, 6, 1, 0, 2), (3, 6, 0, 5, 2)])
    assert found.right.tolist() == [5, 3, 3]
    assert found.distractors.tolist() == [0, 0, 2]


def test_the_papers_average_is_over_passages() -> None:
    """A passage of two blanks counts as much as one of ten; over blanks the large one counts more."""
    found = measure(AnswerCounts(np.array([2, 10]), np.array([2, 2]), np.array([0, 3])), bootstrap_draws(2, seed=1))
    assert (found.ba, found.ba_micro, found.pa, found.de) == (pytest.approx(0.6), pytest.approx(4 / 12), 0.5, 1.5)
    assert (found.n, found.blanks) == (2, 12)


def test_intervals_hold_what_they_should() -> None:
    """Of many sets of 100 passages, about 95 % of the intervals hold the share that the passages were drawn with."""
    rng = np.random.default_rng(3)
    draws = bootstrap_draws(100, seed=1)
    held = 0
    for _ in range(200):
        row = measure(counts(list(rng.binomial(5, 0.4, size=100))), draws)
        held += row.ba_low <= 0.4 <= row.ba_high
    assert 180 <= held <= 198


def test_a_sample_draws_as_many_passages_as_there_are() -> None:
    """Each of the samples holds n passages; the seed alone says which."""
    draws = bootstrap_draws(7, seed=1)
    assert draws.shape == (DRAWS, 7)
    assert set(draws.sum(axis=1)) == {7.0}
    assert np.array_equal(draws, bootstrap_draws(7, seed=1))
    assert not np.array_equal(draws, bootstrap_draws(7, seed=2))


def test_a_difference_is_paired() -> None:
    """Two answer lists that share their luck differ surely, although their own intervals overlap."""
    luck = [0, 1, 2, 3, 4] * 3
    draws = bootstrap_draws(15, seed=1)
    one, other = counts(luck), counts([right + 1 for right in luck])
    assert measure(one, draws).ba_high > measure(other, draws).ba_low
    assert paired_difference(one, other, draws) == pytest.approx((0.2, 0.2, 0.2))
    gained, low, high = paired_difference(one, counts(luck[::-1]), draws)
    assert gained == pytest.approx(0.0)
    assert low < 0 < high
