"""Supervised CBOW: a bag of vectors, and what is learnt from it."""

from __future__ import annotations

import numpy as np
import pytest

from cloze_gen.networks.adagrad import Adagrad, Floats, fresh_squares
from cloze_gen.networks.class_softmax import TABLES
from cloze_gen.networks.passages import PassageBlock
from cloze_gen.networks.supervised_cbow import SupervisedCbowNetwork, fresh_supervised_cbow
from cloze_gen.networks.word_vectors import VECTORS, fresh_weights
from cloze_gen.rng import derive_rng
from tests.networks.conftest import BOUNDS, check_slopes, shaken

IDS, LENGTHS = np.array([0, 3, 8, 1, 0, 5, 2, 7, 7, 0, 7, 7, 4]), np.array([4, 3, 6])


@pytest.fixture
def weights() -> dict[str, Floats]:
    rng = derive_rng(2, "test.supervised_cbow")
    return shaken(fresh_supervised_cbow(fresh_weights((9, 3), rng), BOUNDS, hidden=4, rng=rng))


def test_it_is_one_hidden_layer_over_the_mean(weights: dict[str, Floats]) -> None:
    """Of the vectors of the words before the target; ends of sentences are none."""
    state = np.tanh(np.append(weights["word_vectors"][[3, 8]].mean(axis=0).astype(np.float64), 1.0) @ weights["input"])
    classes, words = (np.exp(weights[name].astype(np.float64) @ np.append(state, 1.0)) for name in ("class_weights", "word_weights"))
    expected = np.log(classes[1] / classes.sum() * words[1] / words[1:4].sum())
    assert SupervisedCbowNetwork(weights, BOUNDS).log_probs(IDS, LENGTHS)[0] == pytest.approx(expected, abs=1e-5)


def test_probabilities_sum_to_one(weights: dict[str, Floats]) -> None:
    """Over all words, and the last word's is the one that is told alone."""
    network = SupervisedCbowNetwork(weights, BOUNDS)
    every = network.all_log_probs(IDS, LENGTHS)
    assert np.exp(every.astype(np.float64)).sum(axis=1) == pytest.approx(np.ones(3), abs=1e-6)
    assert every[np.arange(3), [1, 2, 4]] == pytest.approx(network.log_probs(IDS, LENGTHS), abs=1e-6)


def test_order_does_not_matter(weights: dict[str, Floats]) -> None:
    """A bag of words; only the last of a passage has a place."""
    first, other = SupervisedCbowNetwork(weights, BOUNDS).log_probs(np.array([3, 8, 5, 1, 5, 0, 3, 8, 1]), np.array([4, 5]))
    assert first == pytest.approx(other, abs=1e-6)


def test_gradients_are_those_of_the_loss(weights: dict[str, Floats]) -> None:
    """Of every weight but the vectors, which stay as they were given."""
    network, block = SupervisedCbowNetwork(weights, BOUNDS), PassageBlock(IDS, LENGTHS)
    check_slopes(lambda recorder: network.learn(block, recorder), weights, still=(VECTORS,))


def test_a_word_anywhere_tells_the_last() -> None:
    """Passages of noise with 5 in them end in 2, those with 6 in 3."""
    rng = derive_rng(1, "test.supervised_cbow.planted")
    passages = rng.choice([1, 4, 7, 8], (300, 8))
    signs = rng.integers(0, 2, 300)
    passages[np.arange(300), rng.integers(0, 7, 300)] = 5 + signs
    passages[:, 7] = 2 + signs
    weights = fresh_supervised_cbow(fresh_weights((9, 6), rng, spread=1.0), BOUNDS, hidden=8, rng=rng)
    network = SupervisedCbowNetwork(weights, BOUNDS)
    optimizer = Adagrad(weights, fresh_squares(weights, tables=(VECTORS, *TABLES)), rate=0.2)
    for i in range(200):
        part = passages[i * 10 % 250 :][:10]
        network.learn(PassageBlock(part.reshape(-1), np.full(len(part), 8)), optimizer)
    told = network.log_probs(passages[260:].reshape(-1), np.full(40, 8))
    assert np.exp(told).mean() > 0.8
