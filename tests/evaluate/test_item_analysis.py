"""Tests of `cloze_gen.evaluation.item_analysis`: planted faults, oracles, and what is not known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from cloze_gen.errors import UsageError
from cloze_gen.evaluation.item_analysis import (
    MISSING,
    NO_OPTION,
    ItemSet,
    ModelChoices,
    analyse,
    compare_blind,
    item_rest_correlations,
)
from cloze_gen.evaluation.metrics import clustered_margin

N, OPTIONS = 300, ("ash", "birch", "cedar", "elm", "fir")
WRONG_KEY, TWO_RIGHT, FLIPPED = 0, 1, 2


def item_set(keys: NDArray[np.int64], *, open_ended: bool = False) -> ItemSet:
    options = ("target", "other") if open_ended else OPTIONS
    ids = tuple(f"b:{i}" for i in range(len(keys)))
    return ItemSet(ids, (options,) * len(ids), keys, ("b",) * len(ids), "questions", open_ended)


def models_of(choices: NDArray[np.int64]) -> list[ModelChoices]:
    unknown = np.full(len(choices), np.nan)
    return [ModelChoices(f"m{j}", column, unknown) for j, column in enumerate(choices.T)]


def simulated(n_models: int, *, slope: float = 1.0) -> NDArray[np.int64]:
    """Choices of models from weak to strong; option 0 is right, a miss is any other."""
    rng = np.random.default_rng(7)
    ability, difficulty = np.linspace(-1, 3, n_models), rng.normal(0, 1, N)
    right = rng.random((N, n_models)) < 1 / (1 + np.exp(-slope * (ability - difficulty[:, None])))
    return np.where(right, 0, rng.integers(1, 5, (N, n_models)))


@pytest.fixture
def faulty() -> NDArray[np.int64]:
    """Item 0: the strong half chooses 3; item 1: it divides between 0 and 2; item 2: it is wrong."""
    choices = simulated(14)
    choices[WRONG_KEY] = [1, 2, 0, 4, 3, 0, 2] + [3] * 7
    choices[TWO_RIGHT] = [1, 3, 4, 0, 2, 3, 1, 0, 2, 2, 0, 2, 0, 2]
    choices[FLIPPED] = [0] * 7 + [1, 2, 3, 4, 1, 2, 3]
    return choices


def test_planted_faults_are_the_first_suspects(faulty: NDArray[np.int64]) -> None:
    found = analyse(item_set(np.zeros(N, np.int64)), models_of(faulty))
    assert {one.id for one in found.suspects[:3]} == {"b:0", "b:1", "b:2"}
    assert len(found.suspects) < 12
    wrong_key, two_right, flipped = found.items[:3]
    assert wrong_key.reason == "most strong models choose elm (7 of 7; the key: 0)"
    assert (wrong_key.rival, wrong_key.rival_models) == ("elm", 8)
    assert two_right.reason.startswith("two options share the votes of the strong models: ash 3, c")
    assert flipped.reason == "weak models are right more often than strong ones (strong: 0 of 7)"
    assert flipped.item_rest is not None
    assert flipped.item_rest < -0.8
    assert all(one.reason == "" for one in found.items if not one.is_suspect)


def test_the_figures_are_those_of_the_definitions(faulty: NDArray[np.int64]) -> None:
    """Difficulty and item-rest correlation as NumPy gives them; better models have more ability."""
    found = analyse(item_set(np.zeros(N, np.int64)), models_of(faulty))
    right = faulty == 0
    for i in (2, 5, 77):
        rest = np.delete(right, i, axis=0).mean(axis=0)
        expected = np.corrcoef(right[i], rest)[0, 1]
        assert found.items[i].item_rest == pytest.approx(expected, abs=1e-4)
        assert found.items[i].difficulty == right[i].mean()
    by_ability = sorted(found.models, key=lambda one: one.ability)
    assert [one.right for one in by_ability] == sorted(one.right for one in found.models)


def test_the_order_of_models_and_options_changes_nothing(faulty: NDArray[np.int64]) -> None:
    keys = np.zeros(N, np.int64)
    one = analyse(item_set(keys), models_of(faulty))
    moved = np.roll(faulty, 3, axis=1)
    other = analyse(
        replace(item_set(keys + 4), options=(tuple(reversed(OPTIONS)),) * N), models_of(4 - moved)
    )
    assert [item.log_odds for item in one.items] == pytest.approx(
        [item.log_odds for item in other.items], abs=1e-2
    )


def test_discrimination_needs_ten_models() -> None:
    """Steep items have the larger slope; below ten models there is none."""
    keys = np.zeros(N, np.int64)
    choices = simulated(16)
    choices[0] = [1, 2] * 4 + [0] * 8  # a step
    choices[1] = [0, 1] * 8  # flat
    found = analyse(item_set(keys), models_of(choices))
    step, flat = (one.discrimination for one in found.items[:2])
    assert step is not None
    assert flat is not None
    assert step > 1.3 > 0.7 > flat
    few = analyse(item_set(keys), models_of(choices[:, :9]))
    assert {(one.discrimination, one.location) for one in few.items} == {(None, None)}
    with pytest.raises(UsageError, match=r"2 models; item analysis needs at least 3"):
        analyse(item_set(keys), models_of(choices[:, :2]))


def test_what_was_not_asked_is_not_wrong(faulty: NDArray[np.int64]) -> None:
    """A missing answer does not count; an answer that is no option is wrong, and votes for none."""
    faulty[5] = [0] * 7 + [MISSING] * 6 + [NO_OPTION]
    faulty[6] = MISSING
    found = analyse(item_set(np.zeros(N, np.int64)), models_of(faulty))
    some, nothing = found.items[5:7]
    assert (some.n_models, some.difficulty, some.rival) == (8, 7 / 8, "")
    assert (nothing.n_models, nothing.difficulty, nothing.item_rest) == (0, None, None)
    assert not nothing.is_suspect
    assert found.models[7].n == N - 2


def test_open_ended_items_are_suspect_if_weak_models_know_them() -> None:
    choices = np.minimum(simulated(14), 1)
    choices[0] = [0] * 7 + [1] * 7
    choices[1] = [1] * 7 + [0] * 7
    choices[2] = 1  # hard for all
    found = analyse(item_set(np.zeros(N, np.int64), open_ended=True), models_of(choices))
    assert found.suspects[0].id == "b:0"
    assert not found.items[1].is_suspect
    assert not found.items[2].is_suspect


def test_the_probability_of_the_key_is_above_chance() -> None:
    choices = simulated(3)
    models = [
        replace(one, key_prob=np.full(N, prob))
        for one, prob in zip(models_of(choices), (0.6, 1.0, np.nan), strict=True)
    ]
    found = analyse(item_set(np.zeros(N, np.int64)), models)
    assert found.items[0].key_probability == pytest.approx((0.8 - 0.2) / 0.8)


def test_no_correlation_without_variance() -> None:
    right = np.array([[1, 1, 1], [0, 0, 1], [0, 1, 1]], bool)
    first, *others = item_rest_correlations(right, np.ones_like(right))
    assert np.isnan(first)
    assert np.isfinite(others).all()


# ---- Blind controls


def test_blind_controls_are_compared_on_common_items() -> None:
    keys = np.zeros(4, np.int64)
    main, blind = np.array([0, 0, 1, MISSING]), np.array([0, 1, 1, 2])
    rows = compare_blind(item_set(keys), *_main_and_blind(main, blind))
    assert [one.n for one in rows] == [3, 3]
    assert [one.accuracy for one in rows] == [pytest.approx(2 / 3), pytest.approx(1 / 3)]
    assert rows[1].above_chance == pytest.approx(1 / 3 - 0.2)
    assert rows[1].above_low == pytest.approx(rows[1].low - 0.2)
    assert rows[0].unchanged is None
    assert rows[1].unchanged == pytest.approx(2 / 3)
    nothing = np.full(4, MISSING)
    with pytest.raises(UsageError, match="no item is answered in all logs"):
        compare_blind(item_set(keys), *_main_and_blind(main, nothing))


def _main_and_blind(
    main: NDArray[np.int64], blind: NDArray[np.int64]
) -> tuple[ModelChoices, list[ModelChoices]]:
    first, second = models_of(np.stack([main, blind], axis=1))
    return first, [second]


# ---- Errors by book


def test_items_of_their_own_have_the_plain_error() -> None:
    """If each item is its own book, the margin is that of Student's t for a mean."""
    values = np.random.default_rng(1).random(40)
    from scipy.stats import sem, t

    expected = t.ppf(0.975, 39) * sem(values)
    margin = clustered_margin(values, [str(i) for i in range(40)])
    assert margin == pytest.approx(expected)


def test_copies_of_a_book_add_nothing() -> None:
    """Items that repeat within their book give the margin of one item a book."""
    values = [1.0, 0.0, 0.0, 1.0, 1.0]
    once = clustered_margin(values, list("abcde"))
    assert clustered_margin(np.repeat(values, 9), np.repeat(list("abcde"), 9).tolist()) == once
    assert clustered_margin(values, ["a"] * 5) is None
