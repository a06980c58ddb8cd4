"""Tests of `cloze_gen.evaluation.items`: planted faults and the figures' definitions."""

from dataclasses import replace

import numpy as np
import pytest

from cloze_gen.evaluation.items import (
    ItemSet,
    analyse,
    item_rest_correlations,
    suspects,
    suspicions,
)
from cloze_gen.evaluation.metrics import clustered_margin

N, OPTIONS = 300, ("ash", "birch", "cedar", "elm", "fir")


def item_set(keys):
    return ItemSet(tuple(f"b:{i}" for i in range(N)), (OPTIONS,) * N, keys, "questions")


def simulated(n_models):
    """Choices of models from weak to strong; option 0 is right, a miss is any other."""
    rng = np.random.default_rng(7)
    ability, difficulty = np.linspace(-1, 3, n_models), rng.normal(0, 1, N)
    right = rng.random((N, n_models)) < 1 / (1 + np.exp(-(ability - difficulty[:, None])))
    return np.where(right, 0, rng.integers(1, 5, (N, n_models)))


@pytest.fixture
def faulty():
    """Item 0: the strong half chooses 3; item 1: the strong half is wrong, the weak half right."""
    choices = simulated(14)
    choices[0] = [1, 2, 0, 4, 3, 0, 2] + [3] * 7
    choices[1] = [0] * 7 + [1, 2, 3, 4, 1, 2, 3]
    return choices


def test_a_planted_wrong_key_is_the_first_suspect(faulty):
    found = analyse(item_set(np.zeros(N, np.int64)), faulty)
    listed = suspects(found)
    assert listed[0].id == "b:0"
    assert len(listed) < 12
    assert listed[0].reason == "8 of 14 models choose elm, 2 the key ash"
    assert (listed[0].rival, listed[0].rival_models) == ("elm", 8)
    assert found[1].item_rest is not None
    assert found[1].item_rest < -0.8
    assert all(one.reason == "" for one in found if not one.is_suspect)


def test_votes_of_strong_models_count_more():
    """Of two items with the same votes, the one whose rival the strong models choose is suspect."""
    choices = simulated(14)
    choices[0] = [0] * 7 + [1] * 7
    choices[1] = [1] * 7 + [0] * 7
    strong, weak = analyse(item_set(np.zeros(N, np.int64)), choices)[:2]
    assert strong.is_suspect
    assert not weak.is_suspect


def test_an_even_vote_leaves_the_prior():
    """Two pairs of models of equal accuracy contradict each other: 2 % stay for the other option."""
    choices = np.zeros((10, 4), np.int64)
    choices[0] = [0, 0, 1, 1]
    choices[1] = [1, 1, 0, 0]
    items = ItemSet(tuple("abcdefghij"), (("x", "y"),) * 10, np.zeros(10, np.int64), "questions")
    assert suspicions(choices, items)[:2] == pytest.approx([0.02, 0.02])


def test_figures_are_those_of_numpy(faulty):
    found = analyse(item_set(np.zeros(N, np.int64)), faulty)
    right = faulty == 0
    for i in (2, 5, 77):
        rest = np.delete(right, i, axis=0).mean(axis=0)
        expected = np.corrcoef(right[i], rest)[0, 1]
        assert found[i].item_rest == pytest.approx(expected, abs=1e-4)
        assert found[i].difficulty == right[i].mean()


def test_the_order_of_models_and_options_changes_nothing(faulty):
    keys = np.zeros(N, np.int64)
    one = analyse(item_set(keys), faulty)
    turned = replace(item_set(keys + 4), options=(tuple(reversed(OPTIONS)),) * N)
    other = analyse(turned, 4 - np.roll(faulty, 3, axis=1))
    assert [item.suspicion for item in one] == pytest.approx(
        [item.suspicion for item in other], abs=1e-4
    )


def test_items_may_differ_in_the_number_of_options():
    choices = np.minimum(simulated(14), 1)
    options = (("ash", "birch"), ("ash", "birch", "cedar")) * (N // 2)
    choices[1] = 2
    [suspect, *_] = suspects(
        analyse(replace(item_set(np.zeros(N, np.int64)), options=options), choices)
    )
    assert (suspect.id, suspect.rival) == ("b:1", "cedar")


def test_items_without_options_have_no_suspicion(faulty):
    found = analyse(
        replace(item_set(np.zeros(N, np.int64)), options=((),) * N), np.minimum(faulty, 1)
    )
    assert {(one.suspicion, one.rival, one.reason) for one in found} == {(None, "", "")}
    assert found[1].item_rest is not None
    assert found[1].item_rest < -0.8


def test_no_correlation_without_variance():
    right = np.array([[1, 1, 1], [0, 0, 1], [0, 1, 1]], bool)
    first, *others = item_rest_correlations(right)
    assert np.isnan(first)
    assert np.isfinite(others).all()


# ---- Errors by book


def test_items_of_their_own_have_the_plain_error():
    """If each item is its own book, the margin is that of Student's t for a mean."""
    values = np.random.default_rng(1).random(40)
    from scipy.stats import sem, t

    expected = t.ppf(0.975, 39) * sem(values)
    margin = clustered_margin(values, [str(i) for i in range(40)])
    assert margin == pytest.approx(expected)


def test_copies_of_a_book_add_nothing():
    """Items that repeat within their book give the margin of one item a book."""
    values = [1.0, 0.0, 0.0, 1.0, 1.0]
    once = clustered_margin(values, list("abcde"))
    assert clustered_margin(np.repeat(values, 9), np.repeat(list("abcde"), 9).tolist()) == once
    assert clustered_margin(values, ["a"] * 5) is None
