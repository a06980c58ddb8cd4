"""Random answers, exactly."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from cloze_gen.evaluate.blanks.chance import chance_metrics, expected_distractors, right_probability
from cloze_gen.records.blanked_passage import BlankedPassage

SIZES = [(1, 1), (1, 4), (2, 2), (3, 5), (4, 4), (5, 7)]


def sized(blanks: int, candidates: int) -> BlankedPassage:
    texts = tuple(f"{i}." for i in range(candidates))
    return BlankedPassage(f"{blanks}:{candidates}", texts[:blanks], tuple(range(blanks)), texts, tuple(range(blanks)))


@pytest.mark.parametrize(("blanks", "candidates"), SIZES)
def test_the_formulas_are_the_enumeration(blanks: int, candidates: int) -> None:
    """Over all lists of different candidates: how many have so many right, and how many distractors they hold on average."""
    lists = list(itertools.permutations(range(candidates), blanks))
    right = np.bincount([sum(i == one for i, one in enumerate(answers)) for answers in lists], minlength=blanks + 1)
    assert [right_probability(k, blanks, candidates) for k in range(blanks + 1)] == pytest.approx((right / len(lists)).tolist())
    distractors = [sum(one >= blanks for one in answers) for answers in lists]
    assert expected_distractors(blanks, candidates, candidates - blanks) == pytest.approx(np.mean(distractors))


def test_the_papers_numbers() -> None:
    """48.2 % of the answer lists have none right, one in 2,520 all, and 1.429 of five answers are distractors; BA is one in seven."""
    row = chance_metrics([sized(5, 7)] * 10)
    assert f"{100 * right_probability(0, 5, 7):.1f}" == "48.2"
    assert 1 / row.pa == pytest.approx(2520)
    assert f"{row.de:.3f}" == "1.429"
    assert [row.ba, row.ba_micro] == pytest.approx([1 / 7] * 2)


def test_passages_of_different_sizes_are_averaged() -> None:
    """BA over passages, the micro share over blanks, both from each passage's own number of candidates."""
    row = chance_metrics([sized(2, 2), sized(4, 8), sized(4, 8)])
    assert row.ba == pytest.approx((1 / 2 + 1 / 8 + 1 / 8) / 3)
    assert row.ba_micro == pytest.approx((1 + 0.5 + 0.5) / 10)
    assert row.pa == pytest.approx((1 / 2 + 2 / math.perm(8, 4)) / 3)
    assert row.de == pytest.approx((0 + 2 + 2) / 3)


def test_the_bounds_hold_what_guessing_scores() -> None:
    """Guessing 2,000 times on 60 passages falls within the bounds in about 95 % of the tries."""
    rng = np.random.default_rng(1)
    row = chance_metrics([sized(5, 7)] * 60)
    guesses = rng.permuted(np.tile(np.arange(7), (2000, 60, 1)), axis=2)[..., :5]
    means = (guesses == np.arange(5)).mean(axis=(1, 2))
    assert 0.93 <= ((row.ba_low <= means) & (means <= row.ba_high)).mean() <= 0.97
    chosen = (guesses >= 5).sum(axis=2).mean(axis=1)
    assert 0.93 <= ((row.de_low <= chosen) & (chosen <= row.de_high)).mean() <= 0.97


def test_blanks_that_share_an_answer_are_never_all_right() -> None:
    """A file of somebody else's may say so; the candidates that answer none are then more."""
    shared = BlankedPassage("x", ("A.", "A."), (0, 1), ("A.", "B."), (0, 0))
    row = chance_metrics([shared])
    assert (row.pa, row.ba, row.de) == (0.0, 0.5, 1.0)
