"""Both networks: probabilities, gradients against differences, and what they can learn."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from cloze_gen.networks.adagrad import Adagrad, Floats, fresh_squares
from cloze_gen.networks.class_softmax import TABLES, fresh_output
from cloze_gen.networks.word_vectors import VECTORS
from tests.networks.conftest import BOUNDS, Made, Recorder

IDS, LENGTHS = np.array([0, 3, 8, 1, 0, 5, 2, 0, 7, 7, 7, 7, 4]), np.array([4, 3, 6])
BLOCK = np.array([[0, 3, 8, 1, 0, 5], [2, 0, 7, 7, 4, 4]])


def test_probabilities_sum_to_one(make_network: Callable[[], Made]) -> None:
    """Over all words, after every passage; and the last word's is the one that is told alone."""
    network, _ = make_network()
    every = network.all_log_probs(IDS, LENGTHS)
    assert np.exp(every.astype(np.float64)).sum(axis=1) == pytest.approx(np.ones(3), abs=1e-6)
    assert every[np.arange(3), [1, 2, 4]] == pytest.approx(network.log_probs(IDS, LENGTHS), abs=1e-6)


def test_a_passage_alone_has_the_probability_it_has_in_company(make_network: Callable[[], Made]) -> None:
    """Longer and shorter ones beside it change nothing; nor does the order."""
    network, _ = make_network()
    together = network.log_probs(IDS, LENGTHS)
    alone = [network.log_probs(part, np.array([len(part)]))[0] for part in np.split(IDS, np.cumsum(LENGTHS)[:-1])]
    assert together == pytest.approx(alone, abs=1e-6)


def test_no_passage_no_probability(make_network: Callable[[], Made]) -> None:
    """An empty part is scored as an empty part."""
    network, _ = make_network()
    assert network.log_probs(np.zeros(0, np.int64), np.zeros(0, np.int64)).shape == (0,)


def test_gradients_are_those_of_the_loss(make_network: Callable[[], Made]) -> None:
    """Of every weight: what `learn` would move it by is the slope of the loss, measured by moving the weight a little both ways."""
    network, weights = make_network()
    block = BLOCK if network.lead == 1 else np.concatenate([[[6], [1]], BLOCK], axis=1)
    recorder = Recorder(weights)
    network.learn(block, recorder)
    gradients = {name: gradient.copy() for name, gradient in recorder.gradients.items()}
    for name, weight in weights.items():
        for place in np.ndindex(*weight.shape):
            losses = []
            for change in (0.02, -0.02):
                before = weight[place]
                weight[place] = before + change
                network.forget()
                losses.append(network.learn(block, Recorder(weights)))
                weight[place] = before
            slope = (losses[0] - losses[1]) / 0.04
            assert gradients[name][place] == pytest.approx(slope, abs=2e-4), (name, place)


def test_the_loss_is_the_mean_over_the_block(make_network: Callable[[], Made]) -> None:
    """As scoring its words one by one gives it."""
    network, weights = make_network()
    block = BLOCK if network.lead == 1 else np.concatenate([[[0], [0]], BLOCK], axis=1)
    loss = network.learn(block, Recorder(weights))
    prefixes = [row[: end + 1] for row in BLOCK for end in range(1, 6)]
    told = network.log_probs(np.concatenate(prefixes), np.array([len(prefix) for prefix in prefixes]))
    assert loss == pytest.approx(-told.mean(), abs=1e-5)


def test_what_always_follows_is_learnt(make_network: Callable[[], Made]) -> None:
    """A text of one sentence, over and over: after some blocks every next word is nearly certain."""
    network, weights = make_network()
    text = np.tile([0, 3, 8, 1, 5, 2], 40)
    optimizer = Adagrad(weights, fresh_squares(weights, tables=(VECTORS, *TABLES)), rate=0.3)
    for _ in range(150):
        network.forget()
        network.learn(text[None, :30], optimizer)
    assert np.exp(network.log_probs(text[:6], np.array([6])))[0] > 0.9
    assert np.exp(network.log_probs(np.append(text[:5], 7), np.array([6])))[0] < 0.05


def test_an_output_that_knows_nothing_prefers_nothing() -> None:
    """Every class is as likely, and every word of a class."""
    weights: dict[str, Floats] = fresh_output(BOUNDS, 2)
    assert not any(weight.any() for weight in weights.values())
    assert {name: weight.shape for name, weight in weights.items()} == {"class_weights": (3, 3), "word_weights": (9, 3)}
