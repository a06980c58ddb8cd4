from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from cloze_gen.english.word_lists import After, Before
from cloze_gen.models.context_space import ContextSpace, pack_space, unpack_space
from cloze_gen.models.context_vectors import Associations
from cloze_gen.models.neighbour_counts import NeighbourCounts

CUES = np.zeros((2, len(Before), len(After)), np.uint32)
CUES[1, Before.ARTICLE, After.CLOSED] = 7
SPACE = ContextSpace(
    row_of={"oar": 0, "rug": 1},
    column_of={"ferry": 0, "floor": 1},
    feature_of={"an": 0, "a": 1, "broke": 2},
    neighbour_of={"the": 0},
    window=2,
    vectors=np.array([[1.0, 0.0], [0.6, 0.8]], np.float32),
    norms=np.array([2.0, 1.0], np.float32),
    features=np.array([[1.5, 0.0], [0.0, 1.0], [0.5, -1.0]], np.float32),
    associations=Associations(
        np.array([0, 1, 2]), np.array([0, 1], np.uint16), np.array([2.0, 1.0], np.float16)
    ),
    frame_cues=CUES,
    adjacent=NeighbourCounts(
        np.array([0, 1, 1]),
        np.array([1]),
        np.array([24]),
        np.array([[30, 30], [29, 29]]),
        np.array([[0.15], [0.05]]),
    ),
    counts=np.array([30, 31], np.uint32),
)


def test_similarity_is_the_cosine():
    assert SPACE.similarity([["oar", "rug", "attic"]], ["oar"]) == pytest.approx([1.0, 0.6, 0.0])
    assert SPACE.similarity([["oar", "rug"]], ["attic"]).tolist() == [0.0, 0.0]


def test_topicality_is_a_mean_over_the_words_that_tell_a_topic():
    assert SPACE.topicality(
        [["oar", "rug", "attic"]], [["the", "ferry", "ferry", "floor", "."]]
    ).tolist() == pytest.approx([4 / 3, 1 / 3, 0.0])
    assert SPACE.topicality([["oar"]], [["the", "."]]).tolist() == [0.0]


def test_frame_cues_of_a_word_that_is_no_option_are_none():
    cues = SPACE.frame_cues_of(["rug", "attic"])
    assert (cues.shape, cues.dtype) == ((2, len(Before), len(After)), np.int64)
    assert cues[0, Before.ARTICLE, After.CLOSED] == 7
    assert cues[1].sum() == 0


def test_neighbour_fit_is_a_mean_over_the_neighbours_that_are_features():
    """Uses the word's vector with its length, not the unit vector."""
    fit = SPACE.neighbour_fit([["oar", "rug", "attic"]], [["He", "an"]], [["broke", "in"]])
    assert fit.tolist() == pytest.approx([(3.0 + 1.0) / 2, (0.9 + 0.3 - 0.8) / 2, 0.0])
    assert SPACE.neighbour_fit([["oar"]], [["He"]], [[]]).tolist() == [0.0]


def test_neighbours_beyond_the_window_do_not_count():
    far = SPACE.neighbour_fit([["oar", "rug"]], [["an", "He", "a"]], [[".", ".", "broke"]])
    assert far.tolist() == SPACE.neighbour_fit([["oar", "rug"]], [["a"]], [[]]).tolist()


def test_beside_a_frequent_neighbour():
    assert SPACE.neighbour_frequency(
        [["oar", "rug", "attic"]], ["The"], side="before"
    ) == pytest.approx([-1.0, np.log10(24.5 / 5), 0.0])
    assert SPACE.neighbour_frequency([["rug"]], ["the"], side="after") == pytest.approx(
        [np.log10(0.5 / 1.95)]
    )


def test_beside_a_rarer_neighbour_nothing_is_told():
    assert np.isnan(SPACE.neighbour_frequency([["oar", "rug"]], ["ferry"], side="before")).all()


def test_evidence_is_the_count():
    assert SPACE.evidence(["rug", "attic"]).tolist() == [31.0, 0.0]


WORDS = [f"word{i}" for i in range(40)]
TOPICS = [f"topic{i}" for i in range(600)]


@pytest.fixture(scope="module")
def space():
    """40 words, 600 topic words, 15 associations a word except the last, which has none."""
    rng = np.random.Generator(np.random.PCG64(5))
    vectors = rng.normal(size=(40, 10))
    vectors[7] = 0.0
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    pairs = np.sort(np.array([rng.choice(600, 15, replace=False) for _ in range(39)]), axis=1)
    adjacent = rng.integers(0, 3000, (4, 40)) * (rng.random((4, 40)) < 0.4)
    column, row = np.nonzero(adjacent)
    return ContextSpace(
        row_of={word: i for i, word in enumerate(WORDS)},
        column_of={word: i for i, word in enumerate(TOPICS)},
        feature_of={"a": 0, "of": 1, ".": 2},
        neighbour_of={"the": 0, ",": 1},
        window=2,
        vectors=np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 0).astype(
            np.float32
        ),
        norms=norms[:, 0].astype(np.float32),
        features=np.concatenate([rng.normal(size=(2, 10)), np.zeros((1, 10))]).astype(np.float32),
        associations=Associations(
            np.append(np.arange(40) * 15, 585),
            pairs.ravel().astype(np.uint16),
            rng.uniform(0.1, 8.0, 585).astype(np.float16),
        ),
        frame_cues=rng.integers(0, 9, (40, 8, 5)).astype(np.uint32),
        adjacent=NeighbourCounts(
            np.searchsorted(column, np.arange(5)),
            row.astype(np.uint32),
            adjacent[column, row].astype(np.uint32),
            rng.integers(3000, 4000, (2, 40)).astype(np.uint32),
            rng.random((2, 2)),
        ),
        counts=np.sort(rng.integers(20, 4000, 40))[::-1].astype(np.uint32),
    )


def packed(space, most=100):
    """Packed and unpacked, with equally frequent topic words."""
    return unpack_space(pack_space(space, topic_freq=np.full(600, 1e-4), most_associations=most))


def test_every_measure_is_nearly_the_same(space):
    small = packed(space)
    for answer in (WORDS[0], WORDS[7], "attic"):
        assert small.similarity([[*WORDS, "attic"]], [answer]) == pytest.approx(
            space.similarity([[*WORDS, "attic"]], [answer]), abs=0.02
        )
    assert small.topicality([WORDS], [TOPICS[:200]]) == pytest.approx(
        space.topicality([WORDS], [TOPICS[:200]]), abs=0.01
    )
    assert small.neighbour_fit([WORDS], [["a"]], [["of", "."]]) == pytest.approx(
        space.neighbour_fit([WORDS], [["a"]], [["of", "."]]), abs=0.05
    )
    for neighbour, side in (("the", "before"), (",", "after"), ("upon", "after")):
        wanted = space.neighbour_frequency([WORDS], [neighbour], side=side)
        assert small.neighbour_frequency([WORDS], [neighbour], side=side) == pytest.approx(
            wanted, abs=0.02, nan_ok=True
        )
    assert small.evidence(WORDS).tolist() == space.evidence(WORDS).tolist()
    assert (small.row_of, small.window) == (space.row_of, space.window)


def test_small_counts_are_kept_exactly(space):
    small = packed(space)
    assert small.frame_cues_of(list(WORDS)).tolist() == space.frame_cues_of(list(WORDS)).tolist()


def test_associations_are_those_that_sentences_ask_for(space):
    frequent = np.where(np.arange(600) < 300, 1e-3, 1e-9)
    small = unpack_space(pack_space(space, topic_freq=frequent, most_associations=4)).associations
    assert np.diff(small.start).max() == 4
    for word in range(39):
        kept = small.feature[small.start[word] : small.start[word + 1]].tolist()
        whole = slice(15 * word, 15 * word + 15)
        feature, pmi = (
            space.associations.feature[whole],
            space.associations.pmi[whole].astype(float),
        )
        best = np.argsort(-(pmi**2) * frequent[feature], kind="stable")[:4]
        assert kept == sorted(feature[best].tolist())


def test_the_same_space_packs_the_same(space):
    one, two, other = (
        pack_space(given, topic_freq=np.full(600, 1e-4), most_associations=10)
        for given in (space, space, replace(space, norms=space.norms * 2))
    )
    assert {name: array.tobytes() for name, array in one.items()} == {
        name: array.tobytes() for name, array in two.items()
    }
    assert one["norms"].tobytes() != other["norms"].tobytes()
