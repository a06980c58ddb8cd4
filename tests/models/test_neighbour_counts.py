from __future__ import annotations

import numpy as np
import pytest

from cloze_gen.corpus.counts import count_table
from cloze_gen.english.word_lists import After, Before
from cloze_gen.models import neighbour_counts as module
from cloze_gen.models.neighbour_counts import (
    SIDES,
    NeighbourCounts,
    count_frame_cues,
    count_neighbours,
    frequent_neighbours,
)

WORDS = ["the", "The", "oar", ".", "rug"]
# The oar . | the oar the rug . | oar
CORPUS = np.array([2, 3, 4, 0, 1, 3, 1, 5, 4, 0, 3, 0], np.uint32)
ROWS = np.array([-1, -1, -1, 0, -1, 1])


def table(counts):
    """Counts of (side, neighbour, word) by brute force."""
    columns = len(counts.start) - 1
    found = np.zeros((columns, counts.places.shape[1]), np.int64)
    for column in range(columns):
        part = slice(counts.start[column], counts.start[column + 1])
        found[column, counts.row[part]] = counts.count[part]
    return found.reshape(2, columns // 2, -1)


def test_frequent_are_types_of_at_least_one_word_in_a_thousand():
    found = frequent_neighbours(
        count_table(
            {"the": 700, "The": 100, "oar": 2, "Rug": 1, "rug": 1, ",": 60, ";": 1, "x": 1196}, {}
        )
    )
    assert found == ["x", "the", ",", "oar", "rug"]


def test_neighbours_are_counted_side_by_side_within_the_sentence():
    counts = count_neighbours(CORPUS, words=WORDS, target_row=ROWS, neighbours=["the", "."])
    assert table(counts)[SIDES.index("before")].tolist() == [[2, 1], [0, 0]]
    assert table(counts)[SIDES.index("after")].tolist() == [[1, 0], [1, 1]]
    assert counts.places.tolist() == [[2, 1], [2, 1]]
    assert counts.share.tolist() == [[3 / 6, 0.0], [1 / 6, 2 / 6]]


@pytest.mark.parametrize("chunk_tokens", [1, 2, 3, 5])
def test_pieces_do_not_count(monkeypatch, chunk_tokens):
    whole = count_neighbours(CORPUS, words=WORDS, target_row=ROWS, neighbours=["the", "."])
    frames = corpus("she took the oar .", "took", "the oar of the oar")
    cues = count_frame_cues(frames, words=FRAME_WORDS, target_row=FRAME_ROWS)
    monkeypatch.setattr(module, "_CHUNK_TOKENS", chunk_tokens)
    pieces = count_neighbours(CORPUS, words=WORDS, target_row=ROWS, neighbours=["the", "."])
    for name in ("start", "row", "count", "places", "share"):
        assert getattr(pieces, name).tolist() == getattr(whole, name).tolist(), name
    assert (count_frame_cues(frames, words=FRAME_WORDS, target_row=FRAME_ROWS) == cues).all()


@pytest.mark.parametrize("side", SIDES)
def test_what_stands_there_as_often_as_chance_would_have_it_is_zero(side):
    adjacent = NeighbourCounts(
        np.array([0, 1, 2]),
        np.array([0, 0]),
        np.array([10, 10]),
        np.array([[20, 20, 2]] * 2),
        np.full((2, 1), 0.5),
    )
    expected, missing, hardly = adjacent.over_chance(
        np.array([0, 1, 2]), np.zeros(3, np.int64), side=side
    ).tolist()
    assert expected == 0.0
    assert missing < hardly < 0.0


def test_no_neighbour_is_frequent_in_an_empty_corpus():
    assert frequent_neighbours(count_table({}, {})) == []


FRAME_WORDS = ["she", "took", "the", "oar", ".", "of"]
FRAME_IDS = {word: i + 1 for i, word in enumerate(FRAME_WORDS)}
FRAME_ROWS = np.array([-1, -1, 0, -1, 1, -1, -1])  # of took and oar


def corpus(*sentences):
    return np.array(
        [i for line in sentences for i in [*(FRAME_IDS[word] for word in line.split()), 0]],
        np.uint32,
    )


def test_a_form_is_counted_between_its_neighbours():
    counts = count_frame_cues(
        corpus("she took the oar .", "oar of took"), words=FRAME_WORDS, target_row=FRAME_ROWS
    )
    assert counts.sum() == 4
    assert counts[0, Before.SUBJECT, After.OBJECT] == 1
    assert counts[0, Before.BARE, After.CLOSED] == 1
    assert counts[1, Before.DETERMINER, After.CLOSED] == 1
    assert counts[1, Before.OTHER, After.CLOSED] == 1
