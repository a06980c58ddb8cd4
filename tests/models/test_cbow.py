from __future__ import annotations

import numpy as np
import pytest

from cloze_gen.models.cbow import (
    START,
    WINDOW,
    CbowNetwork,
    SupervisedCbowNetwork,
    fresh_cbow,
    fresh_supervised_cbow,
    neighbours,
)
from cloze_gen.models.network_layers import (
    TABLES,
    VECTORS,
    Adagrad,
    Floats,
    fresh_squares,
    fresh_weights,
)
from cloze_gen.models.network_training import PassageBlock
from cloze_gen.rng import derive_rng
from tests.models.conftest import BOUNDS, Recorder, check_slopes, shaken

# Of two streams of three words that are told: 1, an end, 5 (alone in its sentence); 2, 7, 4.
BLOCK = np.array([[4, 4, 4, 0, 3, 1, 0, 5, 0, 8, 8, 8, 8], [0, 0, 3, 8, 1, 2, 7, 4, 0, 6, 6, 6, 6]])
TOLD = {1: [3], 2: [3, 8, 1, 7, 4], 7: [3, 8, 1, 2, 4], 4: [3, 8, 1, 2, 7]}


@pytest.fixture
def weights() -> dict[str, Floats]:
    return shaken(fresh_cbow(BOUNDS, vector=3, rng=derive_rng(2, "test.cbow")))


def test_a_window_ends_where_the_sentence_does() -> None:
    windows = np.lib.stride_tricks.sliding_window_view(BLOCK, 2 * WINDOW + 1, axis=1).reshape(
        -1, 2 * WINDOW + 1
    )
    found = {
        int(window[WINDOW]): window[around].tolist()
        for window, around in zip(windows, neighbours(windows), strict=True)
    }
    assert found == {**TOLD, 0: [], 5: []}


def test_the_loss_is_the_mean_over_the_words_that_are_told(weights: dict[str, Floats]) -> None:
    expected = []
    for word, around in TOLD.items():
        state = np.append(weights["word_vectors"][around].mean(axis=0), 1.0)
        classes, words = (
            np.exp(weights[name].astype(np.float64) @ state)
            for name in ("class_weights", "word_weights")
        )
        own = int(np.searchsorted(BOUNDS, word, side="right")) - 1
        expected.append(
            -np.log(
                classes[own]
                / classes.sum()
                * words[word]
                / words[BOUNDS[own] : BOUNDS[own + 1]].sum()
            )
        )
    assert CbowNetwork(weights, BOUNDS).learn(BLOCK, Recorder(weights)) == pytest.approx(
        np.mean(expected), abs=1e-5
    )


def test_gradients_are_those_of_the_loss(weights: dict[str, Floats]) -> None:
    network = CbowNetwork(weights, BOUNDS)
    check_slopes(lambda recorder: network.learn(BLOCK, recorder), weights)


def test_a_block_of_ends_teaches_nothing(weights: dict[str, Floats]) -> None:
    recorder = Recorder(weights)
    assert CbowNetwork(weights, BOUNDS).learn(np.array([[0, 3] * 8]), recorder) == 0
    assert not any(gradient.any() for gradient in recorder.gradients.values())


def test_probabilities_are_a_softmax_of_cosines(weights: dict[str, Floats]) -> None:
    network, ids, lengths = (
        CbowNetwork(weights, BOUNDS),
        np.array([3, 0, 8, 1, 4, 2, 2, 5]),
        np.array([5, 3]),
    )
    vectors = weights["word_vectors"].astype(np.float64)
    every = network.all_log_probs(ids, lengths)
    for row, before in zip(every, ([3, 8, 1], [2, 2]), strict=True):
        total = vectors[before].sum(axis=0)
        cosines = vectors @ total / np.linalg.norm(vectors, axis=1) / np.linalg.norm(total)
        assert row == pytest.approx(cosines - np.log(np.exp(cosines).sum()), abs=1e-5)
        assert np.ptp(row) <= 2
    assert network.log_probs(ids, lengths) == pytest.approx(every[[0, 1], [4, 5]], abs=1e-6)


def test_a_passage_of_no_word_prefers_nothing(weights: dict[str, Floats]) -> None:
    assert CbowNetwork(weights, BOUNDS).all_log_probs(np.array([0, 3]), np.array([2]))[
        0
    ] == pytest.approx(np.full(9, -np.log(9)))


def test_words_in_like_places_have_like_vectors() -> None:
    """Words 2 and 3 occur between 1 and 4, words 6 and 7 between 5 and 8."""
    rng = derive_rng(1, "test.cbow.planted")
    parts = [
        [1, int(rng.choice([2, 3])), 4, 0]
        if rng.random() < 0.5
        else [5, int(rng.choice([6, 7])), 8, 0]
        for _ in range(800)
    ]
    text = np.concatenate(parts).reshape(8, -1)
    weights = fresh_cbow(BOUNDS, vector=8, rng=rng)
    network = CbowNetwork(weights, BOUNDS)
    optimizer = Adagrad(
        weights, fresh_squares(weights, tables=(VECTORS, *TABLES), start=START), rate=0.1
    )
    for _ in range(6):
        for start in range(0, text.shape[1] - 42, 32):
            network.learn(text[:, start : start + 42], optimizer)
    vectors = weights["word_vectors"] / np.linalg.norm(
        weights["word_vectors"], axis=1, keepdims=True
    )
    near, far = (
        min(vectors[2] @ vectors[3], vectors[6] @ vectors[7]),
        max(vectors[2] @ vectors[6], vectors[3] @ vectors[7]),
    )
    assert near > far + 0.3


IDS, LENGTHS = np.array([0, 3, 8, 1, 0, 5, 2, 7, 7, 0, 7, 7, 4]), np.array([4, 3, 6])


@pytest.fixture
def bag_weights() -> dict[str, Floats]:
    rng = derive_rng(2, "test.supervised_cbow")
    return shaken(fresh_supervised_cbow(fresh_weights((9, 3), rng), BOUNDS, hidden=4, rng=rng))


def test_it_is_one_hidden_layer_over_the_mean(bag_weights: dict[str, Floats]) -> None:
    state = np.tanh(
        np.append(bag_weights["word_vectors"][[3, 8]].mean(axis=0).astype(np.float64), 1.0)
        @ bag_weights["input"]
    )
    classes, words = (
        np.exp(bag_weights[name].astype(np.float64) @ np.append(state, 1.0))
        for name in ("class_weights", "word_weights")
    )
    expected = np.log(classes[1] / classes.sum() * words[1] / words[1:4].sum())
    assert SupervisedCbowNetwork(bag_weights, BOUNDS).log_probs(IDS, LENGTHS)[0] == pytest.approx(
        expected, abs=1e-5
    )


def test_probabilities_sum_to_one(bag_weights: dict[str, Floats]) -> None:
    network = SupervisedCbowNetwork(bag_weights, BOUNDS)
    every = network.all_log_probs(IDS, LENGTHS)
    assert np.exp(every.astype(np.float64)).sum(axis=1) == pytest.approx(np.ones(3), abs=1e-6)
    assert every[np.arange(3), [1, 2, 4]] == pytest.approx(
        network.log_probs(IDS, LENGTHS), abs=1e-6
    )


def test_order_does_not_matter(bag_weights: dict[str, Floats]) -> None:
    first, other = SupervisedCbowNetwork(bag_weights, BOUNDS).log_probs(
        np.array([3, 8, 5, 1, 5, 0, 3, 8, 1]), np.array([4, 5])
    )
    assert first == pytest.approx(other, abs=1e-6)


def test_gradients_of_a_bag_are_those_of_the_loss(bag_weights: dict[str, Floats]) -> None:
    network, block = SupervisedCbowNetwork(bag_weights, BOUNDS), PassageBlock(IDS, LENGTHS)
    check_slopes(lambda recorder: network.learn(block, recorder), bag_weights, still=(VECTORS,))


def test_a_word_anywhere_tells_the_last() -> None:
    """Noise with a 5 in it ends in 2, with a 6 in 3."""
    rng = derive_rng(1, "test.supervised_cbow.planted")
    passages = rng.choice([1, 4, 7, 8], (300, 8))
    signs = rng.integers(0, 2, 300)
    passages[np.arange(300), rng.integers(0, 7, 300)] = 5 + signs
    passages[:, 7] = 2 + signs
    weights = fresh_supervised_cbow(
        fresh_weights((9, 6), rng, spread=1.0), BOUNDS, hidden=8, rng=rng
    )
    network = SupervisedCbowNetwork(weights, BOUNDS)
    optimizer = Adagrad(weights, fresh_squares(weights, tables=(VECTORS, *TABLES)), rate=0.2)
    for i in range(200):
        part = passages[i * 10 % 250 :][:10]
        network.learn(PassageBlock(part.reshape(-1), np.full(len(part), 8)), optimizer)
    told = network.log_probs(passages[260:].reshape(-1), np.full(40, 8))
    assert np.exp(told).mean() > 0.8
