"""The recurrent network against the formulas of its cell, written out."""

from __future__ import annotations

import math

import numpy as np
import pytest

from cloze_gen.networks.adagrad import Floats
from cloze_gen.networks.recurrent import RecurrentNetwork, fresh_recurrent
from cloze_gen.rng import derive_rng
from tests.networks.conftest import BOUNDS, Recorder, shaken


@pytest.fixture
def weights() -> dict[str, Floats]:
    return shaken(fresh_recurrent(BOUNDS, vector=3, hidden=4, rng=derive_rng(2, "test.recurrent")))


def written_out(weights: dict[str, Floats], words: list[int]) -> float:
    """ln P(last word | the others): a cell and a unit at a time."""
    cells, states = [0.0] * 4, [0.0] * 4
    for word in words[:-1]:
        inputs = [*weights["word_vectors"][word].tolist(), 1.0]
        gates = [
            sum(value * float(row[i]) for value, row in zip(inputs, weights["input"], strict=True))
            + sum(state * float(row[i]) for state, row in zip(states, weights["recurrent"], strict=True))
            for i in range(16)
        ]
        sigmoid = [1 / (1 + math.exp(-gate)) for gate in gates[:12]]
        cells = [sigmoid[4 + i] * cells[i] + sigmoid[i] * math.tanh(gates[12 + i]) for i in range(4)]
        states = [sigmoid[8 + i] * math.tanh(cells[i]) for i in range(4)]
    target = words[-1]
    own = int(np.searchsorted(BOUNDS, target, side="right")) - 1
    by_class = [math.exp(sum(s * float(w) for s, w in zip([*states, 1.0], row, strict=True))) for row in weights["class_weights"]]
    by_word = [
        math.exp(sum(s * float(w) for s, w in zip([*states, 1.0], weights["word_weights"][word], strict=True)))
        for word in range(BOUNDS[own], BOUNDS[own + 1])
    ]
    return math.log(by_class[own] / sum(by_class)) + math.log(by_word[target - int(BOUNDS[own])] / sum(by_word))


@pytest.mark.parametrize("words", [[0, 3], [0, 3, 8, 1, 0, 5], [0, 0, 0, 7], [4, 2, 0]])
def test_it_is_the_cell_of_the_paper(weights: dict[str, Floats], words: list[int]) -> None:
    """Hochreiter & Schmidhuber with a forget gate, a class and a word of it."""
    found = RecurrentNetwork(weights, BOUNDS).log_probs(np.array(words), np.array([len(words)]))
    assert found[0] == pytest.approx(written_out(weights, words), abs=1e-5)


def test_far_words_matter(weights: dict[str, Floats]) -> None:
    """The first of six words still changes what is thought of the last."""
    network = RecurrentNetwork(weights, BOUNDS)
    one, other = network.log_probs(np.array([3, 8, 1, 0, 5, 2, 6, 8, 1, 0, 5, 2]), np.array([6, 6]))
    assert one != pytest.approx(other, abs=1e-4)


def test_a_stream_goes_on_in_the_next_block(weights: dict[str, Floats]) -> None:
    """Two blocks of three words have, together, the loss of one of six; unless the streams begin anew."""
    network, recorder = RecurrentNetwork(weights, BOUNDS), Recorder(weights)
    text = np.array([[0, 3, 8, 1, 0, 5, 2]])
    whole = network.learn(text, recorder)
    network.forget()
    halves = [network.learn(text[:, :4], recorder), network.learn(text[:, 3:], recorder)]
    assert np.mean(halves) == pytest.approx(whole, abs=1e-6)
    network.forget()
    assert network.learn(text[:, 3:], recorder) != pytest.approx(halves[1], abs=1e-4)
