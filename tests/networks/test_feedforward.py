"""The feed-forward network."""

from __future__ import annotations

import numpy as np
import pytest

from cloze_gen.networks.adagrad import Floats
from cloze_gen.networks.feedforward import FeedForwardNetwork, fresh_feedforward
from cloze_gen.rng import derive_rng
from tests.networks.conftest import BOUNDS, shaken


@pytest.fixture
def weights() -> dict[str, Floats]:
    return shaken(fresh_feedforward(BOUNDS, history=2, vector=3, hidden=4, rng=derive_rng(2, "test.feedforward")))


def test_it_is_one_hidden_layer_over_the_last_words(weights: dict[str, Floats]) -> None:
    """Bengio et al. 2003 without direct connections: a tanh layer over two vectors, then a class and a word of it."""
    network = FeedForwardNetwork(weights, BOUNDS)
    inputs = np.concatenate([weights["word_vectors"][8], weights["word_vectors"][1], [1.0]]).astype(np.float64)
    state = np.append(np.tanh(inputs @ weights["input"]), 1.0)
    classes, words = (np.exp(weights[name].astype(np.float64) @ state) for name in ("class_weights", "word_weights"))
    expected = np.log(classes[2] / classes.sum() * words[5] / words[4:9].sum())
    assert network.log_probs(np.array([3, 8, 1, 5]), np.array([4]))[0] == pytest.approx(expected, abs=1e-5)


def test_words_further_back_do_not_matter(weights: dict[str, Floats]) -> None:
    """It sees two; and before a passage it sees ends of sentences, not the passage before."""
    network = FeedForwardNetwork(weights, BOUNDS)
    far = network.log_probs(np.array([3, 8, 1, 5, 6, 8, 1, 5]), np.array([4, 4]))
    assert far[0] == far[1]
    short = network.log_probs(np.array([3, 8, 1, 5, 0, 0, 1, 5]), np.array([2, 2, 4]))
    assert short[1] == pytest.approx(short[2], abs=1e-6)
