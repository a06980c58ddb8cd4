"""Draws of four impostors: distinct, by weight, within the limits; the random choice."""

from collections import Counter

import numpy as np
import pytest

from cloze_gen.recipes.msr.choice.draws import (
    choose_randomly,
    draws_of,
    matched_weights,
    offer_draws,
    offer_randomly,
    weighted_draws,
)
from cloze_gen.recipes.msr.choice.settings import ChoiceSettings
from tests.recipes.msr.choice.small_pools import pool_of

SETTINGS = ChoiceSettings(n_questions=40, draws=6, max_ambiguity=0.065, max_triviality=0.25)


def pool(fits_as_well, plausible, *, ids=("b:1:2",)):
    """Items of the same candidates."""
    words = [f"w{i}" for i in range(len(fits_as_well))]
    return pool_of(
        *((item_id, "noun", "oar", words) for item_id in ids),
        fits_as_well=np.array([np.nan, *fits_as_well] * len(ids)),
        plausible=np.array([np.nan, *plausible] * len(ids)),
    )


def offered(fits_as_well, plausible, **changed):
    settings = SETTINGS.model_copy(update=changed)
    return offer_draws(pool(fits_as_well, plausible), settings, seed=1)[0].tolist()


def test_draws_are_distinct_and_follow_the_weights():
    """A candidate of three times the weight is left out less often, one without weight always is."""
    weights = np.array([3.0, 1.0, 1.0, 1.0, 1.0, 0.0])
    drawn = weighted_draws(weights, draws=20_000, rng=np.random.default_rng(1))
    assert (np.diff(drawn, axis=1) > 0).all()
    left_out = 1 - np.bincount(drawn.ravel(), minlength=6) / len(drawn)
    # by the exponential arrivals: the rate 3 is the last of rates 3, 1, 1, 1, 1
    assert left_out[0] == pytest.approx(4 / 7 * 3 / 6 * 2 / 5 * 1 / 4, abs=0.005)
    assert left_out[1:5] == pytest.approx(np.full(4, (1 - left_out[0]) / 4), abs=0.01)
    assert left_out[5] == 1
    few = weighted_draws(weights[2:], draws=5, rng=np.random.default_rng(1))
    assert (few == [0, 1, 2, 3]).all()


def test_words_are_drawn_as_often_as_they_are_answers():
    weight_of = matched_weights(["oar"] * 90 + ["rug"] * 10, ["oar", "rug", "sea"] * 100)
    assert weight_of["oar"] / weight_of["rug"] == pytest.approx(90.15 / 10.15)
    assert weight_of["sea"] > 0


def test_a_draw_is_offered_once():
    """Five candidates give five draws, four give one, however many are requested."""
    drawn = offered([0.0] * 5, [0.5] * 5, draws=24)
    assert sorted(drawn) == [[0, 1, 2, 3], [0, 1, 2, 4], [0, 1, 3, 4], [0, 2, 3, 4], [1, 2, 3, 4]]
    assert offered([0.0] * 4, [0.5] * 4, draws=24) == [[0, 1, 2, 3]]
    many = [0.0] * 12, [0.5] * 12
    assert len(offered(*many)) == 6
    assert offered(*many, draws=12)[:1] == offered(*many, draws=24)[:1]


@pytest.mark.parametrize(
    ("fits_as_well", "plausible", "some"),
    [
        ([0.01, 0.01, 0.01, 0.01], [0.3, 0.3, 0.3, 0.3], True),
        ([0.02, 0.02, 0.02, 0.02], [0.3, 0.3, 0.3, 0.3], False),
        ([0.06, 0.0, 0.0, 0.0], [0.8, 0.0, 0.0, 0.0], True),
        ([0.07, 0.0, 0.0, 0.0], [0.8, 0.0, 0.0, 0.0], False),
        ([0.0, 0.0, 0.0, 0.0], [0.7, 0.0, 0.0, 0.0], False),
        ([0.0, 0.0, 0.0, 0.0], [0.25, 0.25, 0.25, 0.25], False),
    ],
)
def test_a_draw_is_neither_ambiguous_nor_trivial(fits_as_well, plausible, some):
    """The chances are those of the four together; limits of 1 are off."""
    assert bool(offered(fits_as_well, plausible)) == some
    assert offered(fits_as_well, plausible, max_ambiguity=1, max_triviality=1)


def test_draws_depend_on_the_item_alone():
    """Another item beside it changes nothing, another seed or id does."""
    ids = ("b:1:2", "b:3:2")
    both = pool([0.0] * 12, [0.5] * 12, ids=ids)
    for offer in (lambda *args, **more: offer_draws(args[0], SETTINGS, **more), offer_randomly):
        one, other = (drawn.tolist() for drawn in offer(both, seed=1))
        assert one != other
        assert offer(both, seed=2)[0].tolist() != one
        assert offer(pool([0.0] * 12, [0.5] * 12, ids=ids[1:]), seed=1)[0].tolist() == other


def test_rows_of_draws_are_the_answer_and_its_candidates():
    both = pool([0.0] * 5, [0.5] * 5, ids=("b:1:2", "b:3:2"))
    draws = draws_of(both, [np.array([[0, 1, 2, 3], [1, 2, 3, 4]]), np.array([[0, 1, 2, 4]])])
    assert both.item[draws[:, 0]].tolist() == [0, 0, 1]
    assert both.word[draws[2]].tolist() == ["oar", "w0", "w1", "w2", "w4"]
    assert draws[2].tolist() == [6, 7, 8, 9, 11]


def test_the_random_choice_takes_one_item_a_sentence():
    many = pool([0.0] * 4, [0.5] * 4, ids=[f"b:{n // 2:02}:{n}" for n in range(200)])
    chosen = choose_randomly(many, n=40, seed=1)
    assert len(set(many.sentence[chosen])) == len(chosen) == 40
    assert (np.diff(chosen) > 0).all()
    assert 8 < Counter((chosen % 2).tolist())[0] < 32
    assert set(chosen) < set(choose_randomly(many, n=60, seed=1))
