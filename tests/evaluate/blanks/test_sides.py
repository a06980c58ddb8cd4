"""What stands on each side of a blank."""

from __future__ import annotations

import numpy as np

from cloze_gen.evaluate.blanks.asked import Direction
from cloze_gen.evaluate.blanks.sides import nothing_as_nan, sentences_beside
from cloze_gen.records.blanked_passage import BlankedPassage


def test_no_blank_is_part_of_a_context(passage: BlankedPassage) -> None:
    """Whatever the order of the blanks, their sentences are in no context; the nearest sentence is the nearest that is shown."""
    places = {direction: [np.flatnonzero(row).tolist() for row in rows] for direction, rows in sentences_beside(passage).items()}
    assert places[Direction.P] == [[], [], [2], [4], [4]]
    assert places[Direction.N] == [[2], [2], [4], [7], [7]]
    assert places[Direction.AP] == [[], [], [2], [2, 4], [2, 4]]
    assert places[Direction.AN] == [[2, 4, 7], [2, 4, 7], [4, 7], [7], [7]]


def test_a_passage_of_blanks_alone_has_no_context() -> None:
    """Every row is empty, and every score becomes NaN."""
    passage = BlankedPassage("b:0", ("A.", "B."), (0, 1), ("A.", "B."), (0, 1))
    for beside in sentences_beside(passage).values():
        assert not beside.any()
        assert np.isnan(nothing_as_nan(np.ones((2, 2)), beside)).all()


def test_sums_made_in_another_order_tie() -> None:
    """What differs in the last bits alone is the same score."""
    found = nothing_as_nan(np.array([[0.1 + 0.2, 0.3]]), np.ones((1, 1)))
    assert found[0, 0] == found[0, 1]
