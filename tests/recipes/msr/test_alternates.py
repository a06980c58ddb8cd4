"""Alternates: distinct, allowed, and drawn by the law of sampling without replacement."""

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.recipes.msr.alternates import AllowedWords, gumbel_top, sample_alternates
from cloze_gen.rng import derive_rng

LOG10 = st.lists(st.one_of(st.floats(-8, 0), st.just(float("-inf"))), min_size=1, max_size=40).map(
    lambda values: np.array(values, np.float32)
)
WORDS = ["a", "b", "c", "d", "e", "f"]
HISTORIES = [("<s>", "a"), ("a", "b"), ("b", "a"), ("f", "f"), ("<s>", "<s>"), ("x", "y")]


@pytest.fixture(scope="module")
def allowed(index):
    return AllowedWords(index, WORDS)


@given(LOG10, st.integers(0, 50), st.integers(0, 2**32))
def test_drawn_words_are_distinct_and_possible(log10, k, seed):
    """k different words where there are so many, none that is forbidden (-inf)."""
    picked = gumbel_top(log10, k=k, rng=np.random.default_rng(seed))
    assert len(set(picked.tolist())) == len(picked) == min(k, int(np.isfinite(log10).sum()))
    assert np.isfinite(log10[picked]).all()


@given(st.sampled_from(HISTORIES), st.integers(1, 8), st.integers(0, 5), st.integers(0, 2**32))
def test_alternates_are_distinct_without_the_answer_and_best_first(
    allowed, history, k, excluded, seed
):
    distribution = allowed.distribution(history)
    places, log10 = sample_alternates(
        distribution, k=k, rng=np.random.default_rng(seed), excluded=excluded
    )
    assert len(set(places.tolist())) == len(places) == min(k, len(WORDS) - 1)
    assert excluded not in places
    assert log10.tolist() == distribution.log10_probs()[places].tolist()
    assert (np.diff(log10) <= 0).all()


@given(st.integers(0, 2**32))
def test_the_item_decides_the_draw(allowed, seed):
    distribution = allowed.distribution(("a", "b"))

    def drawn(item):
        rng = derive_rng(seed, "msr.alternates", item)
        return sample_alternates(distribution, k=3, rng=rng, excluded=0)[0].tolist()

    first = drawn("b:1:2")
    others = {tuple(drawn(f"b:1:{place}")) for place in range(3, 40)}
    assert drawn("b:1:2") == first
    assert others - {tuple(first)}


def _check_law(probs, pairs, rounds):
    """Sets of two come as often as drawing one word, then another from what is left."""
    found = Counter(frozenset(pair) for pair in itertools.islice(pairs, rounds))
    for pair in itertools.combinations(np.flatnonzero(probs).tolist(), 2):
        expected = sum(
            probs[i] * probs[j] / (1 - probs[i]) for i, j in itertools.permutations(pair)
        )
        deviation = (expected * (1 - expected) / rounds) ** 0.5
        assert found[frozenset(pair)] / rounds == pytest.approx(expected, abs=4.5 * deviation)


def test_the_law_is_sequential_sampling_without_replacement():
    probs = np.array([0.5, 0.3, 0.15, 0.05])
    rng = np.random.default_rng(11)
    _check_law(
        probs,
        (gumbel_top(np.log10(probs), k=2, rng=rng).tolist() for _ in itertools.count()),
        20_000,
    )


@pytest.mark.parametrize("excluded", [0, 1])
@pytest.mark.parametrize(
    "history",
    [HISTORIES[0], *(pytest.param(history, marks=pytest.mark.slow) for history in HISTORIES[1:])],
)
def test_drawing_from_the_levels_is_the_same_law(allowed, history, excluded):
    """Also where one word takes nearly all the mass."""
    distribution = allowed.distribution(history)
    probs = 10.0 ** distribution.log10_probs().astype(np.float64)
    probs[excluded] = 0.0
    rng = np.random.default_rng(12)
    draws = (
        sample_alternates(distribution, k=2, rng=rng, excluded=excluded)[0].tolist()
        for _ in itertools.count()
    )
    _check_law(probs / probs.sum(), draws, 20_000)


@pytest.mark.parametrize("history", HISTORIES)
def test_allowed_words_are_a_window_on_the_whole_distribution(index, history):
    """The restricted scores are those of the full distribution at the allowed words."""
    allowed = AllowedWords(index, ["c", "b", "unknown", "f"])
    words = np.array(sorted(index.ids(["b", "c", "f"])))
    log10_probs = allowed.distribution(history).log10_probs()
    assert log10_probs.tolist() == pytest.approx(
        index.next_word_log10_probs(history)[words].tolist(), abs=1e-6
    )
    assert [int(allowed.place[word]) for word in words] == [0, 1, 2]
    assert (allowed.place >= 0).sum() == 3
