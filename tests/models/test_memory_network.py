from __future__ import annotations

import math

import numpy as np
import pytest

from cloze_gen.models.memory_network import VALUES, MemoryNetwork, band, banded, fresh_memory
from cloze_gen.models.network_layers import TABLES, VECTORS, Adagrad, Floats, fresh_squares
from cloze_gen.rng import derive_rng
from tests.models.conftest import BOUNDS, shaken

MEMORIES, HOPS = 4, 2


@pytest.fixture
def weights() -> dict[str, Floats]:
    return shaken(
        fresh_memory(
            BOUNDS,
            memories=MEMORIES,
            query=2,
            hops=HOPS,
            vector=3,
            rng=derive_rng(2, "test.memory"),
        )
    )


def written_out(weights: dict[str, Floats], words: list[int]) -> float:
    """ln P(last word | the others), one memory at a time."""
    double = {name: weight.astype(np.float64) for name, weight in weights.items()}
    memories, target = words[:-1][-MEMORIES:], words[-1]
    last_two = [0, 0, *memories][-2:]
    query = np.tanh(
        np.concatenate(
            [double["word_vectors"][last_two[0]], double["word_vectors"][last_two[1]], [1.0]]
        )
        @ double["input"]
    )
    for hop in range(HOPS):
        places = range(MEMORIES - len(memories), MEMORIES)
        shares = [
            math.exp(query @ (double["word_vectors"][word] + double["places"][at]))
            for word, at in zip(memories, places, strict=True)
        ]
        found = sum(
            share / sum(shares) * (double["told_vectors"][word] + double["told_places"][at])
            for share, word, at in zip(shares, memories, places, strict=True)
        )
        query = np.tanh(query @ double["hops"][3 * hop : 3 * hop + 3] + found)
    state = np.append(query, 1.0)
    own = int(np.searchsorted(BOUNDS, target, side="right")) - 1
    classes = np.exp(double["class_weights"] @ state)
    of_class = np.exp(double["word_weights"][BOUNDS[own] : BOUNDS[own + 1]] @ state)
    return math.log(classes[own] / classes.sum() * of_class[target - BOUNDS[own]] / of_class.sum())


@pytest.mark.parametrize("words", [[3, 8, 1, 0, 5, 2], [3, 8, 1, 0, 5], [0, 3], [8, 7, 6]])
def test_it_is_the_network_of_the_paper(weights: dict[str, Floats], words: list[int]) -> None:
    found = MemoryNetwork(weights, BOUNDS).log_probs(np.array(words), np.array([len(words)]))
    assert found[0] == pytest.approx(written_out(weights, words), abs=1e-5)


def test_words_beyond_the_memory_do_not_matter(weights: dict[str, Floats]) -> None:
    network, lengths = MemoryNetwork(weights, BOUNDS), np.array([6, 6])
    far = network.log_probs(np.array([3, 8, 1, 2, 5, 2, 6, 8, 1, 2, 5, 2]), lengths)
    assert far[0] == far[1]
    near = network.log_probs(np.array([3, 8, 1, 2, 5, 2, 3, 7, 1, 2, 5, 2]), lengths)
    assert abs(near[0] - near[1]) > 1e-4


def test_a_band_and_back() -> None:
    narrow = np.arange(1, 13, dtype=np.float32).reshape(2, 3, 2)
    wide = banded(narrow)
    assert wide[0].tolist() == [[1, 2, 0, 0], [0, 3, 4, 0], [0, 0, 5, 6]]
    assert np.array_equal(band(wide, 2), narrow)


@pytest.mark.slow
def test_it_finds_a_word_that_its_query_does_not_see() -> None:
    """After `1 7` the query of two words lacks the answer; chance is one in five."""
    rng = derive_rng(1, "test.memory.planted")
    firsts = rng.integers(2, 7, 600)
    text = np.stack(
        [
            firsts,
            np.full(600, 8),
            np.full(600, 8),
            np.ones(600, int),
            np.full(600, 7),
            firsts,
            np.zeros(600, int),
        ],
        axis=1,
    )
    weights = fresh_memory(BOUNDS, memories=6, query=2, hops=2, vector=12, rng=rng)
    network = MemoryNetwork(weights, BOUNDS)
    optimizer = Adagrad(
        weights, fresh_squares(weights, tables=(VECTORS, VALUES, *TABLES)), rate=0.1
    )  # at 0.2 one start in four stays where it tells nothing
    blocks = text[:560].reshape(8, -1)
    for start in [*range(0, 480, 7)] * 15:
        network.learn(blocks[:, start : start + 6 + 7], optimizer)
    held = np.concatenate([np.zeros((40, 1), int), text[560:, :6]], axis=1)
    told = network.log_probs(held.reshape(-1), np.full(40, 7))
    assert np.exp(told).mean() > 0.8
