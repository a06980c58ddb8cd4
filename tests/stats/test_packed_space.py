"""A packed space: smaller, and nearly the same."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from cloze_gen.stats.associations import Associations
from cloze_gen.stats.context_space import ContextSpace
from cloze_gen.stats.frequent_neighbours import BesideCounts
from cloze_gen.stats.packed_space import pack_space, unpack_space

WORDS = [f"word{i}" for i in range(40)]
TOPICS = [f"topic{i}" for i in range(600)]


@pytest.fixture(scope="module")
def space() -> ContextSpace:
    """Some space: 40 words, 600 topic words, 15 associations a word but the last, which has none."""
    rng = np.random.Generator(np.random.PCG64(5))
    vectors = rng.normal(size=(40, 10))
    vectors[7] = 0.0
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    pairs = np.sort(np.array([rng.choice(600, 15, replace=False) for _ in range(39)]), axis=1)
    beside = rng.integers(0, 3000, (4, 40)) * (rng.random((4, 40)) < 0.4)
    column, row = np.nonzero(beside)
    return ContextSpace(
        row_of={word: i for i, word in enumerate(WORDS)},
        column_of={word: i for i, word in enumerate(TOPICS)},
        feature_of={"a": 0, "of": 1, ".": 2},
        neighbour_of={"the": 0, ",": 1},
        window=2,
        vectors=np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 0).astype(np.float32),
        norms=norms[:, 0].astype(np.float32),
        features=np.concatenate([rng.normal(size=(2, 10)), np.zeros((1, 10))]).astype(np.float32),
        associations=Associations(
            np.append(np.arange(40) * 15, 585), pairs.ravel().astype(np.uint16), rng.uniform(0.1, 8.0, 585).astype(np.float16)
        ),
        frame_cues=rng.integers(0, 9, (40, 8, 5)).astype(np.uint32),
        beside=BesideCounts(
            np.searchsorted(column, np.arange(5)),
            row.astype(np.uint32),
            beside[column, row].astype(np.uint32),
            rng.integers(3000, 4000, (2, 40)).astype(np.uint32),
            rng.random((2, 2)),
        ),
        counts=np.sort(rng.integers(20, 4000, 40))[::-1].astype(np.uint32),
    )


def packed(space: ContextSpace, most: int = 100) -> ContextSpace:
    """Packed and unpacked; every topic word as frequent as another."""
    return unpack_space(pack_space(space, topic_freq=np.full(600, 1e-4), most_associations=most))


def test_every_measure_is_nearly_the_same(space: ContextSpace) -> None:
    """Of every word; what is zero or cannot be told stays so."""
    small = packed(space)
    for answer in (WORDS[0], WORDS[7], "attic"):
        assert small.similarity([*WORDS, "attic"], answer) == pytest.approx(space.similarity([*WORDS, "attic"], answer), abs=0.02)
    assert small.topicality(WORDS, TOPICS[:200]) == pytest.approx(space.topicality(WORDS, TOPICS[:200]), abs=0.01)
    assert small.neighbour_fit(WORDS, ["a"], ["of", "."]) == pytest.approx(space.neighbour_fit(WORDS, ["a"], ["of", "."]), abs=0.05)
    for neighbour, side in (("the", "before"), (",", "after"), ("upon", "after")):
        wanted = space.beside_frequent(WORDS, neighbour, side=side)  # type: ignore[arg-type]
        assert small.beside_frequent(WORDS, neighbour, side=side) == pytest.approx(wanted, abs=0.02, nan_ok=True)  # type: ignore[arg-type]
    assert small.evidence(WORDS).tolist() == space.evidence(WORDS).tolist()
    assert (small.row_of, small.window) == (space.row_of, space.window)


def test_small_counts_are_kept_exactly(space: ContextSpace) -> None:
    """A form seen five times and one seen four are told apart."""
    small = packed(space)
    assert small.frame_cues_of(list(WORDS)).tolist() == space.frame_cues_of(list(WORDS)).tolist()


def test_associations_are_those_that_sentences_ask_for(space: ContextSpace) -> None:
    """Of each word the most, weighed by their square and by how frequent the topic word is; ascending, as a lookup wants them."""
    frequent = np.where(np.arange(600) < 300, 1e-3, 1e-9)
    small = unpack_space(pack_space(space, topic_freq=frequent, most_associations=4)).associations
    assert np.diff(small.start).max() == 4
    for word in range(39):
        kept = small.feature[small.start[word] : small.start[word + 1]].tolist()
        whole = slice(15 * word, 15 * word + 15)
        feature, pmi = space.associations.feature[whole], space.associations.pmi[whole].astype(float)
        best = np.argsort(-(pmi**2) * frequent[feature], kind="stable")[:4]
        assert kept == sorted(feature[best].tolist())


def test_the_same_space_packs_the_same(space: ContextSpace) -> None:
    """Byte by byte; another does not."""
    one, two, other = (
        pack_space(given, topic_freq=np.full(600, 1e-4), most_associations=10)
        for given in (space, space, replace(space, norms=space.norms * 2))
    )
    assert {name: array.tobytes() for name, array in one.items()} == {name: array.tobytes() for name, array in two.items()}
    assert one["norms"].tobytes() != other["norms"].tobytes()
