"""What chance alone would give."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from cloze_gen.evaluate import chance
from cloze_gen.recipes.questions.assemble import deal_positions


@settings(deadline=None)
@given(st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_two_sided_p_is_scipys(pair: tuple[int, int]) -> None:
    """With equal option counts the test is the exact binomial test."""
    correct, n = pair
    assert chance.two_sided_p(correct, [5] * n) == pytest.approx(stats.binomtest(correct, n, 0.2).pvalue, rel=1e-6)


@pytest.mark.parametrize("option_counts", [[], [1], [5] * 7, [2, 5, 2, 4, 1, 5], [3] * 40 + [4] * 25])
def test_the_distribution_is_that_of_independent_guesses(option_counts: list[int]) -> None:
    """One guess after the other, whatever the sizes of the items and their order."""
    expected = np.ones(1)
    for count in option_counts:
        expected = np.convolve(expected, (1 - 1 / count, 1 / count))
    assert chance.correct_count_distribution(option_counts) == pytest.approx(expected, rel=1e-12)


def test_large_sets_take_no_time_of_their_square() -> None:
    """200,000 items of two sizes in well under the minutes that a convolution an item takes, and the tail keeps its figures."""
    counts = [4, 5] * 100_000
    clock = time.process_time()
    distribution = chance.correct_count_distribution(counts)
    assert time.process_time() - clock < 2
    mean = 100_000 * (1 / 4 + 1 / 5)
    assert distribution.sum() == pytest.approx(1)
    assert (distribution @ np.arange(200_001)) == pytest.approx(mean)
    assert 0 < distribution[int(mean) + 4_000] < 1e-40


def drawn_answers(n: int, rng: np.random.Generator) -> np.ndarray:
    """Places as one finds them: each answer's drawn for itself."""
    return rng.integers(5, size=n)


def dealt_answers(n: int, rng: np.random.Generator) -> np.ndarray:
    """Places as the project deals them."""
    dealt = deal_positions([f"q{i:05}" for i in range(n)], n_options=5, seed=int(rng.integers(2**31)))
    return np.array(list(dealt.values()))


def rules_of_a_set(n: int, rng: np.random.Generator) -> np.ndarray:
    """Dependent choices: all five positions, a rule twice, one that ties with it on half of the items, one that favours the first place."""
    fixed = np.repeat(np.arange(5)[:, None], n, axis=1)
    rule, other = rng.integers(5, size=(2, n))
    favours = np.where(rng.random(n) < 0.5, 0, rng.integers(5, size=n))
    return np.stack([*fixed, rule, rule, np.where(rng.random(n) < 0.5, rule, other), favours])


@pytest.mark.parametrize("answers_of", [drawn_answers, dealt_answers])
@pytest.mark.parametrize("n", [400, 403])
def test_joint_p_is_uniform_under_chance(answers_of: Callable[[int, np.random.Generator], np.ndarray], n: int) -> None:
    """Under the null that the project makes, and under that of a set found elsewhere, p has no excess at either end."""
    rng = np.random.default_rng(0)
    choices = rules_of_a_set(n, rng)
    p_values = [chance.joint_p(choices, answers_of(n, rng), option_count=5) for _ in range(600)]
    assert stats.kstest(p_values, "uniform").pvalue > 0.001
    assert np.mean(np.array(p_values) < 0.05) == pytest.approx(0.05, abs=0.027)  # three standard errors of 600 draws


def test_positions_dealt_take_no_power() -> None:
    """A leak among rules at chance is found as often with the rules of position as without them, where positions were dealt."""
    rng = np.random.default_rng(0)
    found = {True: 0, False: 0}
    for _ in range(200):
        answers = dealt_answers(1000, rng)
        leak = np.where(rng.random(1000) < 0.04, answers, rng.integers(5, size=1000))
        fixed = np.repeat(np.arange(5)[:, None], 1000, axis=1)
        for with_positions in found:
            choices = np.stack([leak, *(fixed if with_positions else ())])
            found[with_positions] += chance.joint_p(choices, answers, option_count=5) < 0.05
    assert found[True] == found[False] > 100


def test_a_position_of_a_found_set_is_tested() -> None:
    """Where nobody dealt them, answers that stand at the first place too often are seen."""
    answers = np.concatenate([np.zeros(130, np.int64), drawn_answers(270, np.random.default_rng(0))])
    fixed = np.repeat(np.arange(5)[:, None], 400, axis=1)
    assert chance.joint_p(fixed, answers, option_count=5) < 0.001


def test_joint_p_sees_a_leaking_rule() -> None:
    """A rule right in 30 % of 1,040 items is found among rules at chance."""
    rng = np.random.default_rng(0)
    answers = rng.integers(5, size=1040)
    choices = rng.integers(5, size=(4, 1040))
    choices[0, :130] = answers[:130]
    assert chance.joint_p(choices, answers, option_count=5) < 0.001
