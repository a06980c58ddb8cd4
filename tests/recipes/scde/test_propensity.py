"""What a sentence alone shows of whether it is an answer."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.english.cohesion import surface_ties
from cloze_gen.recipes.scde.propensity import (
    Expectation,
    Propensity,
    learn,
    learn_expectation,
    separability,
    traits,
)

TRAITS = st.frozensets(st.sampled_from("abcd"))
WEIGHTS = st.dictionaries(st.sampled_from("abcd"), st.floats(-2, 2))


def shown(line):
    tokens = line.split()
    return traits(tokens, surface_ties(tokens))


def sentences(count, seed, **share):
    """Sentences that show each trait independently, in so many of all; five others in half of them."""
    rng = np.random.default_rng(seed)
    every = dict.fromkeys("vwxyz", 0.5) | share
    return [
        frozenset(name for name, often in every.items() if rng.random() < often)
        for _ in range(count)
    ]


def test_traits_are_told_by_name():
    assert shown('" But she saw Pip , and Joe ? "') == {
        "word but", "word she", "word saw", "word pip", "word and", "word joe", "person she",
        "words 7", "content words 3", "past 1", "present 0", "names 2", "persons 1", "commas 1", "marks 5",
        "mean half letters 6", "tense 1", "opener conjunction", "first but", 'ends "',
    }  # fmt: skip


def test_near_numbers_are_one_trait():
    """Many words are counted in steps, and four of a kind are many."""

    def words(count):
        return next(one for one in shown("a " * count) if one.startswith("words "))

    assert [words(count) for count in (1, 4, 5, 6, 45, 46, 90)] == [
        f"words {step}" for step in (1, 5, 5, 7, 45, 46, 46)
    ]
    assert "commas 4" in shown("a , a , a , a , a , a .")
    assert "words 0" in shown("? !")


@given(WEIGHTS, WEIGHTS, st.lists(TRAITS, max_size=4))
def test_rounds_add_up(one, other, candidates):
    """Log odds of two rounds are the sum of each trait's, and never beyond 3 either way."""
    found = (Propensity(one) + Propensity(other)).log_odds(candidates)
    wanted = [
        sum(one.get(trait, 0) + other.get(trait, 0) for trait in candidate)
        for candidate in candidates
    ]
    assert found == pytest.approx(np.clip(wanted, -3, 3))


def test_a_trait_of_answers_is_learnt():
    model = learn(
        sentences(400, 1, planted=0.6, avoided=0.1), sentences(400, 2, planted=0.2, avoided=0.5)
    )
    assert model.weights["planted"] > 0.3
    assert model.weights["avoided"] < -0.3
    assert all(abs(model.weights[name]) < 0.15 for name in "vwxyz")
    assert (
        separability(model, sentences(400, 3, planted=0.6), sentences(400, 4, planted=0.2)) > 0.65
    )


def test_nothing_is_learnt_from_noise():
    model = learn(sentences(400, 1, planted=0.4), sentences(400, 2, planted=0.4))
    assert all(abs(weight) < 0.15 for weight in model.weights.values())
    assert separability(
        model, sentences(2000, 3, planted=0.4), sentences(2000, 4, planted=0.4)
    ) == pytest.approx(0.5, abs=0.03)


def test_a_rare_trait_counts_for_nothing():
    """Though every answer and no distractor showed it: thirty sentences must."""
    rare = frozenset({"rare"})
    often = [one | rare for one in sentences(30, 1)], sentences(300, 2)
    assert learn([one | rare for one in sentences(29, 1)], often[1]).weights.keys() == set("vwxyz")
    assert learn(*often).weights["rare"] > 0.1


def test_what_tells_answers_is_what_tells_distractors_turned_round():
    """Both sides weigh the same, however many more there are of one."""
    answers, distractors = sentences(300, 1, planted=0.6), sentences(300, 2, planted=0.3)
    forth, back = learn(answers, distractors), learn(distractors, answers)
    assert {name: -weight for name, weight in back.weights.items()} == pytest.approx(
        forth.weights, abs=1e-3
    )
    assert learn(answers * 9, distractors).weights == pytest.approx(
        learn(answers, distractors * 9).weights, abs=1e-3
    )


def test_without_a_side_nothing_is_learnt():
    """Nor where no trait is common enough."""
    some = sentences(100, 1)
    assert learn([], some) == learn(some, []) == learn(some[:5], some[5:10]) == Propensity()


@given(st.lists(TRAITS, min_size=1, max_size=5), st.lists(TRAITS, min_size=1, max_size=5))
def test_the_area_is_the_share_of_pairs_in_order(answers, distractors):
    """Of an answer and a distractor each, equals counting half."""
    model = Propensity({"a": 1.0, "b": -0.5})
    scores = [model.log_odds(side).tolist() for side in (answers, distractors)]
    won = [1.0 if one > other else 0.5 if one == other else 0.0 for one, other in product(*scores)]
    assert separability(model, answers, distractors) == pytest.approx(np.mean(won))


# ---- what traits tell of a measure


def test_what_is_left_of_a_measure_tells_of_no_trait():
    shares = {"planted": 0.4, "other": 0.3}
    learnt, unseen = (sentences(2000, seed, **shares) for seed in (1, 2))
    noise = np.random.default_rng(3).normal(size=(2, 2000))

    def measure(some, own):
        return np.array([2.0 * ("planted" in one) - ("other" in one) for one in some]) + own

    found = learn_expectation(learnt, measure(learnt, noise[0]).tolist())
    for some, own in ((learnt, noise[0]), (unseen, noise[1])):
        values = measure(some, own)
        left = values - found.of(some)
        assert np.corrcoef(left, own)[0, 1] > 0.98
        for name in ("planted", "other", *"vwxyz"):
            shows = np.array([name in one for one in some])
            assert abs(left[shows].mean() - left[~shows].mean()) < 0.15


def test_a_trait_that_few_show_tells_of_no_measure():
    """Thirty sentences must, or what is expected is the mean; of nobody nothing is."""
    values = [5.0] * 29 + [0.0] * 29
    rare = learn_expectation([["rare"]] * 29 + [[]] * 29, values)
    assert rare == Expectation({}, 2.5)
    assert (
        learn_expectation([["rare"]] * 30 + [[]] * 30, [5.0] * 30 + [0.0] * 30).weights["rare"] > 1
    )
    assert learn_expectation([], []) == Expectation({}, 0.0)


def test_a_trait_shown_twice_counts_twice():
    """Where two sentences' traits are asked for together."""
    found = learn_expectation([["a"], ["a", "a"], []] * 200, [1.0, 2.0, 0.0] * 200)
    assert found.of([["a", "a"], ["a"], []]) == pytest.approx([2, 1, 0], abs=0.1)
