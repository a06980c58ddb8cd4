"""Alternates: distinct, allowed, and drawn by the law of sampling without replacement."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.cloze.alternates import AllowedWords, sample_alternates
from cloze_gen.lm.forward_index import ForwardIndex
from cloze_gen.rng import derive_rng

LOG10 = st.lists(st.one_of(st.floats(-8, 0), st.just(float("-inf"))), max_size=40).map(lambda values: np.array(values, np.float32))


@given(LOG10, st.integers(0, 50), st.integers(0, 2**32))
def test_alternates_are_distinct_and_possible(log10: np.ndarray, k: int, seed: int) -> None:
    """k different words where there are so many, none that is forbidden (-inf), best first."""
    picked = sample_alternates(log10, k=k, rng=np.random.default_rng(seed))
    assert len(set(picked.tolist())) == len(picked) == min(k, int(np.isfinite(log10).sum()))
    assert np.isfinite(log10[picked]).all()
    assert (np.diff(log10[picked]) <= 0).all()


@given(st.integers(0, 2**32))
def test_the_item_decides_the_draw(seed: int) -> None:
    """The same item draws the same words."""
    log10 = np.log10(np.linspace(0.1, 1, 30, dtype=np.float32))
    draws = [sample_alternates(log10, k=10, rng=derive_rng(seed, "msr.alternates", "b:1:2")).tolist() for _ in range(2)]
    assert draws[0] == draws[1]


def test_the_law_is_sequential_sampling_without_replacement() -> None:
    """Sets of two among four words come as often as drawing one, then another from what is left."""
    probs = np.array([0.5, 0.3, 0.15, 0.05])
    rounds = 20_000
    rng = np.random.default_rng(11)
    found = Counter(frozenset(sample_alternates(np.log10(probs), k=2, rng=rng).tolist()) for _ in range(rounds))
    for pair in itertools.combinations(range(4), 2):
        expected = sum(probs[i] * probs[j] / (1 - probs[i]) for i, j in itertools.permutations(pair))
        deviation = (expected * (1 - expected) / rounds) ** 0.5
        assert found[frozenset(pair)] / rounds == pytest.approx(expected, abs=4 * deviation)


def test_scale_does_not_count() -> None:
    """Restricting to the allowed words needs no renormalizing: a constant factor changes no draw."""
    log10 = np.log10(np.array([0.5, 0.3, 0.15, 0.05], np.float32))
    for seed in range(50):
        draws = [sample_alternates(values, k=2, rng=np.random.default_rng(seed)).tolist() for values in (log10, log10 - np.float32(4))]
        assert draws[0] == draws[1]


@pytest.mark.parametrize("history", [("<s>", "a"), ("a", "b"), ("b", "a"), ("f", "f"), ("<s>", "<s>"), ("x", "y")])
def test_allowed_words_are_a_window_on_the_whole_distribution(index: ForwardIndex, history: tuple[str, str]) -> None:
    """The restricted scores are those of the full distribution at the allowed words."""
    words = np.array(sorted(index.ids(["b", "c", "f"])))
    allowed = AllowedWords(index, words)
    assert allowed.log10_probs(history).tolist() == pytest.approx(index.next_word_log10_probs(history)[words].tolist(), abs=1e-6)
    assert [int(allowed.place[word]) for word in words] == [0, 1, 2]
    assert (allowed.place >= 0).sum() == 3


def test_asking_changes_nothing(index: ForwardIndex) -> None:
    """The scores handed out are the caller's own to change."""
    allowed = AllowedWords(index, np.array(index.ids(["b", "c"])))
    allowed.log10_probs(("x", "y"))[:] = -np.inf
    assert np.isfinite(allowed.log10_probs(("x", "y"))).all()
