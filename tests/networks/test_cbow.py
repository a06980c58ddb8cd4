"""Vectors of words: what is told from what, and what cosines become."""

from __future__ import annotations

import numpy as np
import pytest

from cloze_gen.networks.adagrad import Adagrad, Floats, fresh_squares
from cloze_gen.networks.cbow import START, WINDOW, CbowNetwork, fresh_cbow, neighbours
from cloze_gen.networks.class_softmax import TABLES
from cloze_gen.networks.word_vectors import VECTORS
from cloze_gen.rng import derive_rng
from tests.networks.conftest import BOUNDS, Recorder, check_slopes, shaken

# Of two streams of three words that are told: 1, an end, 5 (alone in its sentence); 2, 7, 4.
BLOCK = np.array([[4, 4, 4, 0, 3, 1, 0, 5, 0, 8, 8, 8, 8], [0, 0, 3, 8, 1, 2, 7, 4, 0, 6, 6, 6, 6]])
TOLD = {1: [3], 2: [3, 8, 1, 7, 4], 7: [3, 8, 1, 2, 4], 4: [3, 8, 1, 2, 7]}


@pytest.fixture
def weights() -> dict[str, Floats]:
    return shaken(fresh_cbow(BOUNDS, vector=3, rng=derive_rng(2, "test.cbow")))


def test_a_window_ends_where_the_sentence_does() -> None:
    """Five words on each side at most, none beyond an end; an end has no neighbours."""
    windows = np.lib.stride_tricks.sliding_window_view(BLOCK, 2 * WINDOW + 1, axis=1).reshape(-1, 2 * WINDOW + 1)
    found = {int(window[WINDOW]): window[around].tolist() for window, around in zip(windows, neighbours(windows), strict=True)}
    assert found == {**TOLD, 0: [], 5: []}


def test_the_loss_is_the_mean_over_the_words_that_are_told(weights: dict[str, Floats]) -> None:
    """Each told from the mean of its neighbours' vectors, by a class and a word of it."""
    expected = []
    for word, around in TOLD.items():
        state = np.append(weights["word_vectors"][around].mean(axis=0), 1.0)
        classes, words = (np.exp(weights[name].astype(np.float64) @ state) for name in ("class_weights", "word_weights"))
        own = int(np.searchsorted(BOUNDS, word, side="right")) - 1
        expected.append(-np.log(classes[own] / classes.sum() * words[word] / words[BOUNDS[own] : BOUNDS[own + 1]].sum()))
    assert CbowNetwork(weights, BOUNDS).learn(BLOCK, Recorder(weights)) == pytest.approx(np.mean(expected), abs=1e-5)


def test_gradients_are_those_of_the_loss(weights: dict[str, Floats]) -> None:
    """Of every weight."""
    network = CbowNetwork(weights, BOUNDS)
    check_slopes(lambda recorder: network.learn(BLOCK, recorder), weights)


def test_a_block_of_ends_teaches_nothing(weights: dict[str, Floats]) -> None:
    """Nor does one of sentences of one word."""
    recorder = Recorder(weights)
    assert CbowNetwork(weights, BOUNDS).learn(np.array([[0, 3] * 8]), recorder) == 0
    assert not any(gradient.any() for gradient in recorder.gradients.values())


def test_probabilities_are_a_softmax_of_cosines(weights: dict[str, Floats]) -> None:
    """Between the sum of the vectors of a passage's words, ends of sentences apart, and each word's; so they are all alike."""
    network, ids, lengths = CbowNetwork(weights, BOUNDS), np.array([3, 0, 8, 1, 4, 2, 2, 5]), np.array([5, 3])
    vectors = weights["word_vectors"].astype(np.float64)
    every = network.all_log_probs(ids, lengths)
    for row, before in zip(every, ([3, 8, 1], [2, 2]), strict=True):
        total = vectors[before].sum(axis=0)
        cosines = vectors @ total / np.linalg.norm(vectors, axis=1) / np.linalg.norm(total)
        assert row == pytest.approx(cosines - np.log(np.exp(cosines).sum()), abs=1e-5)
        assert np.ptp(row) <= 2
    assert network.log_probs(ids, lengths) == pytest.approx(every[[0, 1], [4, 5]], abs=1e-6)


def test_a_passage_of_no_word_prefers_nothing(weights: dict[str, Floats]) -> None:
    """An end of a sentence, and the target: every word is as likely."""
    assert CbowNetwork(weights, BOUNDS).all_log_probs(np.array([0, 3]), np.array([2]))[0] == pytest.approx(np.full(9, -np.log(9)))


def test_words_in_like_places_have_like_vectors() -> None:
    """Words 2 and 3 stand between 1 and 4, words 6 and 7 between 5 and 8: each is nearer to its twin than to the others."""
    rng = derive_rng(1, "test.cbow.planted")
    parts = [[1, int(rng.choice([2, 3])), 4, 0] if rng.random() < 0.5 else [5, int(rng.choice([6, 7])), 8, 0] for _ in range(800)]
    text = np.concatenate(parts).reshape(8, -1)
    weights = fresh_cbow(BOUNDS, vector=8, rng=rng)
    network = CbowNetwork(weights, BOUNDS)
    optimizer = Adagrad(weights, fresh_squares(weights, tables=(VECTORS, *TABLES), start=START), rate=0.1)
    for _ in range(6):
        for start in range(0, text.shape[1] - 42, 32):
            network.learn(text[:, start : start + 42], optimizer)
    vectors = weights["word_vectors"] / np.linalg.norm(weights["word_vectors"], axis=1, keepdims=True)
    near, far = min(vectors[2] @ vectors[3], vectors[6] @ vectors[7]), max(vectors[2] @ vectors[6], vectors[3] @ vectors[7])
    assert near > far + 0.3
