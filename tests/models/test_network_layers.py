from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.models.network_layers import (
    LONGEST,
    Adagrad,
    FeedForwardNetwork,
    RecurrentNetwork,
    class_bounds,
    close_ids,
    fresh_feedforward,
    fresh_output,
    fresh_recurrent,
)
from cloze_gen.rng import derive_rng
from tests.models.conftest import BOUNDS, Recorder, check_slopes, shaken


@pytest.fixture
def weights():
    return shaken(
        fresh_feedforward(
            BOUNDS, history=2, vector=3, hidden=4, rng=derive_rng(2, "test.feedforward")
        )
    )


def test_it_is_one_hidden_layer_over_the_last_words(weights):
    network = FeedForwardNetwork(weights, BOUNDS)
    inputs = np.concatenate([weights["word_vectors"][8], weights["word_vectors"][1], [1.0]]).astype(
        np.float64
    )
    state = np.append(np.tanh(inputs @ weights["input"]), 1.0)
    classes, words = (
        np.exp(weights[name].astype(np.float64) @ state)
        for name in ("class_weights", "word_weights")
    )
    expected = np.log(classes[2] / classes.sum() * words[5] / words[4:9].sum())
    assert network.log_probs(np.array([3, 8, 1, 5]), np.array([4]))[0] == pytest.approx(
        expected, abs=1e-5
    )


def test_words_further_back_do_not_matter(weights):
    network = FeedForwardNetwork(weights, BOUNDS)
    far = network.log_probs(np.array([3, 8, 1, 5, 6, 8, 1, 5]), np.array([4, 4]))
    assert far[0] == far[1]
    short = network.log_probs(np.array([3, 8, 1, 5, 0, 0, 1, 5]), np.array([2, 2, 4]))
    assert short[1] == pytest.approx(short[2], abs=1e-6)


# ----


def moved(weights):
    return Adagrad(weights, rate=0.1)


def test_steps_shrink_as_a_weight_moves():
    weights = {"w": np.zeros(2, np.float32)}
    optimizer = moved(weights)
    optimizer.move("w", np.array([0.1, -0.01], np.float32))
    assert weights["w"] == pytest.approx([-0.1, 0.1], rel=0.01)
    optimizer.move("w", np.array([0.1, -0.01], np.float32))
    assert weights["w"] == pytest.approx([-0.1 - 0.1 / 2**0.5, 0.1 + 0.1 / 2**0.5], rel=0.01)


def test_a_row_shares_one_step():
    name = "word_vectors"
    weights = {name: np.zeros((3, 2), np.float32)}
    moved(weights).move_rows(name, np.array([2]), np.array([[0.3, 0.1]], np.float32))
    assert weights[name][2] == pytest.approx(
        [-0.1 * 0.3 / 0.05**0.5, -0.1 * 0.1 / 0.05**0.5], rel=0.01
    )
    assert not weights[name][:2].any()


def test_a_gradient_that_is_too_long_is_cut():
    weights = {"w": np.zeros(1, np.float32)}
    optimizer = moved(weights)
    optimizer.move("w", np.array([1000 * LONGEST], np.float32))
    assert weights["w"][0] == pytest.approx(-0.1, rel=0.01)
    optimizer.move("w", np.array([0.5 * LONGEST], np.float32))
    assert weights["w"][0] == pytest.approx(-0.1 - 0.1 * 0.5 / 1.25**0.5, rel=0.01)


def test_words_beyond_the_bound_are_one():
    assert close_ids(np.array([0, 1, 5, 6, 7, 100], np.uint32), 5).tolist() == [0, 1, 5, 6, 6, 6]


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=200), st.integers(1, 20))
def test_every_word_has_one_class(counts, n_classes):
    bounds = class_bounds(np.sort(np.array(counts))[::-1], n_classes)
    assert bounds[0] == 0
    assert bounds[-1] == len(counts)
    assert (np.diff(bounds) > 0).all()
    assert len(bounds) - 1 <= n_classes


def test_classes_of_a_natural_text_grow_with_rarity():
    """Zipfian counts of 10,000 words give classes of 2 to 200 words."""
    sizes = np.diff(class_bounds(10**9 // np.arange(1, 10_001), 100))
    assert sizes[0] == 2
    assert abs(sizes[-1] - 200) <= 2
    assert abs(sizes[49] - 100) <= 2


IDS, LENGTHS = np.array([0, 3, 8, 1, 0, 5, 2, 0, 7, 7, 7, 7, 4]), np.array([4, 3, 6])
BLOCK = np.array([[6, 1, 3, 0, 3, 8, 1, 0, 5], [1, 0, 6, 2, 0, 7, 7, 4, 4]])


def with_lead(lead):
    """A block of two streams with five words to predict each."""
    return BLOCK[:, -5 - lead :]


def test_probabilities_sum_to_one(make_network):
    network, _ = make_network()
    every = network.all_log_probs(IDS, LENGTHS)
    assert np.exp(every.astype(np.float64)).sum(axis=1) == pytest.approx(np.ones(3), abs=1e-6)
    assert every[np.arange(3), [1, 2, 4]] == pytest.approx(
        network.log_probs(IDS, LENGTHS), abs=1e-6
    )


def test_a_passage_alone_has_the_probability_it_has_in_company(
    make_network,
):
    network, _ = make_network()
    together = network.log_probs(IDS, LENGTHS)
    alone = [
        network.log_probs(part, np.array([len(part)]))[0]
        for part in np.split(IDS, np.cumsum(LENGTHS)[:-1])
    ]
    assert together == pytest.approx(alone, abs=1e-6)


def test_no_passage_no_probability(make_network):
    network, _ = make_network()
    assert network.log_probs(np.zeros(0, np.int64), np.zeros(0, np.int64)).shape == (0,)


def test_gradients_are_those_of_the_loss(make_network):
    network, weights = make_network()
    block = with_lead(network.lead)

    def learn(recorder):
        network.forget()
        return network.learn(block, recorder)

    check_slopes(learn, weights)


def test_the_loss_is_the_mean_over_the_block(make_network):
    network, weights = make_network()
    block = with_lead(network.lead)
    loss = network.learn(block, Recorder(weights))
    prefixes = [row[: end + 1] for row in block for end in range(network.lead, block.shape[1])]
    told = network.log_probs(
        np.concatenate(prefixes), np.array([len(prefix) for prefix in prefixes])
    )
    assert loss == pytest.approx(-told.mean(), abs=1e-5)


def test_what_always_follows_is_learnt(make_network):
    network, weights = make_network()
    text = np.tile([0, 3, 8, 1, 5, 2], 40)
    optimizer = Adagrad(weights, rate=0.3)
    for _ in range(150):
        network.forget()
        network.learn(text[None, :30], optimizer)
    assert np.exp(network.log_probs(text[:6], np.array([6])))[0] > 0.9
    assert np.exp(network.log_probs(np.append(text[:5], 7), np.array([6])))[0] < 0.05


def test_an_output_that_knows_nothing_prefers_nothing():
    weights = fresh_output(BOUNDS, 2)
    assert not any(weight.any() for weight in weights.values())
    assert {name: weight.shape for name, weight in weights.items()} == {
        "class_weights": (3, 3),
        "word_weights": (9, 3),
    }


# ----


@pytest.fixture
def weights_recurrent():
    return shaken(fresh_recurrent(BOUNDS, vector=3, hidden=4, rng=derive_rng(2, "test.recurrent")))


def written_out(weights, words):
    """ln P(last word | the others), a cell and a unit at a time."""
    cells, states = [0.0] * 4, [0.0] * 4
    for word in words[:-1]:
        inputs = [*weights["word_vectors"][word].tolist(), 1.0]
        gates = [
            sum(value * float(row[i]) for value, row in zip(inputs, weights["input"], strict=True))
            + sum(
                state * float(row[i])
                for state, row in zip(states, weights["recurrent"], strict=True)
            )
            for i in range(16)
        ]
        sigmoid = [1 / (1 + math.exp(-gate)) for gate in gates[:12]]
        cells = [
            sigmoid[4 + i] * cells[i] + sigmoid[i] * math.tanh(gates[12 + i]) for i in range(4)
        ]
        states = [sigmoid[8 + i] * math.tanh(cells[i]) for i in range(4)]
    target = words[-1]
    own = int(np.searchsorted(BOUNDS, target, side="right")) - 1
    by_class = [
        math.exp(sum(s * float(w) for s, w in zip([*states, 1.0], row, strict=True)))
        for row in weights["class_weights"]
    ]
    by_word = [
        math.exp(
            sum(
                s * float(w)
                for s, w in zip([*states, 1.0], weights["word_weights"][word], strict=True)
            )
        )
        for word in range(BOUNDS[own], BOUNDS[own + 1])
    ]
    return math.log(by_class[own] / sum(by_class)) + math.log(
        by_word[target - int(BOUNDS[own])] / sum(by_word)
    )


@pytest.mark.parametrize("words", [[0, 3], [0, 3, 8, 1, 0, 5], [0, 0, 0, 7], [4, 2, 0]])
def test_it_is_the_cell_of_the_paper(weights_recurrent, words):
    found = RecurrentNetwork(weights_recurrent, BOUNDS).log_probs(
        np.array(words), np.array([len(words)])
    )
    assert found[0] == pytest.approx(written_out(weights_recurrent, words), abs=1e-5)


def test_far_words_matter(weights_recurrent):
    network = RecurrentNetwork(weights_recurrent, BOUNDS)
    one, other = network.log_probs(np.array([3, 8, 1, 0, 5, 2, 6, 8, 1, 0, 5, 2]), np.array([6, 6]))
    assert one != pytest.approx(other, abs=1e-4)


def test_a_stream_goes_on_in_the_next_block(weights_recurrent):
    network, recorder = RecurrentNetwork(weights_recurrent, BOUNDS), Recorder(weights_recurrent)
    text = np.array([[0, 3, 8, 1, 0, 5, 2]])
    whole = network.learn(text, recorder)
    network.forget()
    halves = [network.learn(text[:, :4], recorder), network.learn(text[:, 3:], recorder)]
    assert np.mean(halves) == pytest.approx(whole, abs=1e-6)
    network.forget()
    assert network.learn(text[:, 3:], recorder) != pytest.approx(halves[1], abs=1e-4)
