"""The context space: what it says of words it holds, and that it says nothing of others."""

from __future__ import annotations

import numpy as np
import pytest

from cloze_gen.english.closed_classes import After, Before
from cloze_gen.stats.associations import Associations
from cloze_gen.stats.context_space import ContextSpace
from cloze_gen.stats.frequent_neighbours import BesideCounts

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
    associations=Associations(np.array([0, 1, 2]), np.array([0, 1], np.uint16), np.array([2.0, 1.0], np.float16)),
    frame_cues=CUES,
    beside=BesideCounts(np.array([0, 1, 1]), np.array([1]), np.array([24]), np.array([[30, 30], [29, 29]]), np.array([[0.15], [0.05]])),
    counts=np.array([30, 31], np.uint32),
)


def test_similarity_is_the_cosine() -> None:
    """Of a word with itself 1; of one that is no option, on either side, 0."""
    assert SPACE.similarity(["oar", "rug", "attic"], "oar") == pytest.approx([1.0, 0.6, 0.0])
    assert SPACE.similarity(["oar", "rug"], "attic").tolist() == [0.0, 0.0]


def test_topicality_is_a_mean_over_the_words_that_tell_a_topic() -> None:
    """Others do not count, repetitions do; a word that is no option has none."""
    assert SPACE.topicality(["oar", "rug", "attic"], ["the", "ferry", "ferry", "floor", "."]).tolist() == pytest.approx([4 / 3, 1 / 3, 0.0])
    assert SPACE.topicality(["oar"], ["the", "."]).tolist() == [0.0]


def test_frame_cues_of_a_word_that_is_no_option_are_none() -> None:
    """Then nothing can be told of its use; signed numbers come back, for shares are taken of them."""
    cues = SPACE.frame_cues_of(["rug", "attic"])
    assert (cues.shape, cues.dtype) == ((2, len(Before), len(After)), np.int64)
    assert cues[0, Before.ARTICLE, After.CLOSED] == 7
    assert cues[1].sum() == 0


def test_neighbour_fit_is_a_mean_over_the_neighbours_that_are_features() -> None:
    """The product of the word's own vector, not of its unit, with each of theirs; a neighbour that is no feature does not count."""
    fit = SPACE.neighbour_fit(["oar", "rug", "attic"], ["He", "an"], ["broke", "in"])
    assert fit.tolist() == pytest.approx([(3.0 + 1.0) / 2, (0.9 + 0.3 - 0.8) / 2, 0.0])
    assert SPACE.neighbour_fit(["oar"], ["He"], []).tolist() == [0.0]


def test_neighbours_beyond_the_window_do_not_count() -> None:
    """The nearest stand last before the blank and first after it."""
    far = SPACE.neighbour_fit(["oar", "rug"], ["an", "He", "a"], [".", ".", "broke"])
    assert far.tolist() == SPACE.neighbour_fit(["oar", "rug"], ["a"], []).tolist()


def test_beside_a_frequent_neighbour() -> None:
    """Over chance above 0, under it below; 0 for a word of which nothing is known; its case does not count, its side does."""
    assert SPACE.beside_frequent(["oar", "rug", "attic"], "The", side="before") == pytest.approx([-1.0, np.log10(24.5 / 5), 0.0])
    assert SPACE.beside_frequent(["rug"], "the", side="after") == pytest.approx([np.log10(0.5 / 1.95)])


def test_beside_a_rarer_neighbour_nothing_is_told() -> None:
    """Of a pair with a neighbour that is not frequent too little is seen."""
    assert np.isnan(SPACE.beside_frequent(["oar", "rug"], "ferry", side="before")).all()


def test_evidence_is_the_count() -> None:
    """None for a word that is no option."""
    assert SPACE.evidence(["rug", "attic"]).tolist() == [31.0, 0.0]
