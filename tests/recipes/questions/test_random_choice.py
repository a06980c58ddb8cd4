"""The sets of four impostors: distinct, drawn by weight, clear to a reader and not absurd."""

from collections import Counter

import numpy as np
import pytest

from cloze_gen.recipes.questions.impostor_draws import (
    matched_weights,
    offered_draws,
    weighted_draws,
)
from cloze_gen.recipes.questions.random_choice import (
    ChoiceSettings,
    Chosen,
    FitItem,
    ScoredItem,
    choose_randomly,
)
from tests.recipes.questions.conftest import plan_of

SETTINGS = ChoiceSettings(n_questions=40, draws=6, max_ambiguity=0.065, max_triviality=0.25)


def item(fits_as_well, plausible, *, key="b:1:2"):
    n = len(fits_as_well)
    fit = FitItem(key, key.rpartition(":")[0], "oar", tuple(f"w{i}" for i in range(n)))
    return ScoredItem(
        fit,
        np.zeros((1 + n, 6)),
        np.array(fits_as_well),
        np.array(plausible),
        np.full(1 + n, np.nan),
    )


def offered(one, **changed):
    """The fours that one item offers."""
    found = offered_draws([one], plan_of(SETTINGS.model_copy(update=changed)))
    return [list(four) for drawn in found.values() for four in drawn.tolist()]


def test_draws_are_distinct_and_follow_the_weights():
    """No candidate twice in a draw; one of twice the weight is drawn first about twice as often."""
    weights = np.array([2.0, 1.0, 1.0, 0.0])
    drawn = weighted_draws(weights, n_impostors=1, draws=20_000, rng=np.random.default_rng(1))[:, 0]
    share = np.bincount(drawn, minlength=4) / len(drawn)
    assert share == pytest.approx([0.5, 0.25, 0.25, 0.0], abs=0.02)
    fours = weighted_draws(np.ones(9), n_impostors=4, draws=500, rng=np.random.default_rng(1))
    assert (np.diff(fours, axis=1) > 0).all()
    assert (fours >= 0).all()
    assert (fours < 9).all()


def test_a_candidate_of_no_weight_fills_up():
    """Where the others do not suffice, it is taken, else never."""
    drawn = weighted_draws(
        np.array([1.0, 0.0, 1.0]), n_impostors=2, draws=50, rng=np.random.default_rng(1)
    )
    assert (drawn == [0, 2]).all()
    assert (
        weighted_draws(np.array([0.0, 0.0]), n_impostors=2, draws=5, rng=np.random.default_rng(1))
        == [0, 1]
    ).all()


def test_matched_draws_use_words_as_often_as_answers():
    answers = ["oar"] * 90 + ["rug"] * 10
    candidates = [["oar", "rug", "sea", "cup"]] * 100
    weight_of = matched_weights(answers, candidates)
    weights = np.array([weight_of[word] for word in candidates[0]])
    drawn = weighted_draws(weights, n_impostors=1, draws=20_000, rng=np.random.default_rng(2))[:, 0]
    counts = Counter(candidates[0][i] for i in drawn.tolist())
    assert counts["oar"] / counts["rug"] == pytest.approx(90.5 / 10.5, rel=0.15)


def test_a_four_is_offered_once():
    """Five candidates give five fours, four give one, however many draws are requested."""
    found = offered(item([0.0] * 5, [0.5] * 5), draws=24)
    assert sorted(found) == [[0, 1, 2, 3], [0, 1, 2, 4], [0, 1, 3, 4], [0, 2, 3, 4], [1, 2, 3, 4]]
    assert offered(item([0.0] * 4, [0.5] * 4), draws=24) == [[0, 1, 2, 3]]


def test_no_more_are_offered_than_asked_for():
    """The first that were drawn."""
    one = item([0.0] * 12, [0.5] * 12)
    assert len(offered(one)) == 6
    assert offered(one, draws=12)[:1] == offered(one, draws=24)[:1]


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
def test_a_four_is_clear_and_worth_a_thought(fits_as_well, plausible, some):
    """The chances are those of the four together."""
    assert bool(offered(item(fits_as_well, plausible))) == some


def test_bounds_of_one_are_off():
    """Whatever readers would say, short of certainty, a four is offered."""
    assert offered(item([0.5] * 4, [0.01] * 4), max_ambiguity=1, max_triviality=1) == [[0, 1, 2, 3]]


def test_fours_are_each_records_own():
    one, other = (item([0.0] * 12, [0.5] * 12, key=key) for key in ("b:1:2", "b:3:2"))
    found = offered_draws([one, other], plan_of(SETTINGS))
    assert found.keys() == {"b:1:2", "b:3:2"}
    assert found["b:1:2"].tolist() != found["b:3:2"].tolist()
    again = offered_draws([other, one], plan_of(SETTINGS))
    assert again["b:1:2"].tolist() == found["b:1:2"].tolist()
    other_seed = offered_draws([one, other], plan_of(SETTINGS, seed=2))
    assert other_seed["b:1:2"].tolist() != found["b:1:2"].tolist()


def test_an_item_that_offers_nothing_is_not_there():
    """Too few candidates, or none that will do; the others offer what they offer without it."""
    few, absurd = item([0.0] * 3, [0.5] * 3, key="b:1:2"), item([0.0] * 9, [0.0] * 9, key="b:2:2")
    rest = item([0.0] * 9, [0.5] * 9, key="b:3:2")
    assert offered_draws([few, absurd, rest], plan_of(SETTINGS)).keys() == {"b:3:2"}
    assert offered_draws([few, absurd], plan_of(SETTINGS)) == {}


def test_a_random_choice_is_each_records_own():
    """Taking items away changes no other item's impostors: only the cut to n looks at all."""
    items = [item([0.0] * 8, [0.5] * 8, key=f"b:{n // 2}:{n}").item for n in range(80)]
    plan = plan_of(SETTINGS.model_copy(update={"n_questions": 1000}))
    whole = {one.id: one for one in choose_randomly(items, plan) if isinstance(one, Chosen)}
    part = {one.id: one for one in choose_randomly(items[:40], plan) if isinstance(one, Chosen)}
    assert len(whole) == 40
    assert len(part) == 20
    assert all(whole[item_id] == verdict for item_id, verdict in part.items())
