"""Frequent neighbours: which they are, what stands beside them, and what chance would have."""

from __future__ import annotations

import numpy as np
import pytest

from cloze_gen.stats import frequent_neighbours as module
from cloze_gen.stats.counts import count_table
from cloze_gen.stats.frequent_neighbours import SIDES, BesideCounts, Side, count_beside, frequent_neighbours

WORDS = ["the", "The", "oar", ".", "rug"]
# The oar . | the oar the rug . | oar
CORPUS = np.array([2, 3, 4, 0, 1, 3, 1, 5, 4, 0, 3, 0], np.uint32)
ROWS = np.array([-1, -1, -1, 0, -1, 1])


def table(counts: BesideCounts) -> np.ndarray:
    """Counts of each side, neighbour and word, written out."""
    columns = len(counts.start) - 1
    found = np.zeros((columns, counts.places.shape[1]), np.int64)
    for column in range(columns):
        part = slice(counts.start[column], counts.start[column + 1])
        found[column, counts.row[part]] = counts.count[part]
    return found.reshape(2, columns // 2, -1)


def test_frequent_are_types_of_at_least_one_word_in_a_thousand() -> None:
    """Case-folded, the bound itself among them; a mark is held against the number of words."""
    found = frequent_neighbours(count_table({"the": 700, "The": 100, "oar": 2, "Rug": 1, "rug": 1, ",": 60, ";": 1, "x": 1196}, {}))
    assert found == ["x", "the", ",", "oar", "rug"]


def test_neighbours_are_counted_side_by_side_within_the_sentence() -> None:
    """Under their case-folded form; a sentence's edge is no neighbour."""
    counts = count_beside(CORPUS, words=WORDS, target_row=ROWS, neighbours=["the", "."])
    assert table(counts)[SIDES.index("before")].tolist() == [[2, 1], [0, 0]]
    assert table(counts)[SIDES.index("after")].tolist() == [[1, 0], [1, 1]]
    assert counts.places.tolist() == [[2, 1], [2, 1]]
    assert counts.share.tolist() == [[3 / 6, 0.0], [1 / 6, 2 / 6]]


@pytest.mark.parametrize("chunk_tokens", [1, 2, 3, 5])
def test_pieces_do_not_count(monkeypatch: pytest.MonkeyPatch, chunk_tokens: int) -> None:
    """Looking at the corpus in pieces gives the counts of the whole."""
    whole = count_beside(CORPUS, words=WORDS, target_row=ROWS, neighbours=["the", "."])
    monkeypatch.setattr(module, "_CHUNK_TOKENS", chunk_tokens)
    pieces = count_beside(CORPUS, words=WORDS, target_row=ROWS, neighbours=["the", "."])
    for name in ("start", "row", "count", "places", "share"):
        assert getattr(pieces, name).tolist() == getattr(whole, name).tolist(), name


@pytest.mark.parametrize("side", SIDES)
def test_what_stands_there_as_often_as_chance_would_have_it_is_zero(side: Side) -> None:
    """And the more is expected, the more its lack says."""
    beside = BesideCounts(np.array([0, 1, 2]), np.array([0, 0]), np.array([10, 10]), np.array([[20, 20, 2]] * 2), np.full((2, 1), 0.5))
    expected, missing, hardly = beside.over_chance(np.array([0, 1, 2]), 0, side=side).tolist()
    assert expected == 0.0
    assert missing < hardly < 0.0


def test_no_neighbour_is_frequent_in_an_empty_corpus() -> None:
    """Then there is nothing to ask of."""
    assert frequent_neighbours(count_table({}, {})) == []
