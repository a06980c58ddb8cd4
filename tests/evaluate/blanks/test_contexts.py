"""Directions joined to contexts."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from cloze_gen.evaluate.blanks.asked import Direction
from cloze_gen.evaluate.blanks.contexts import CONTEXTS, context_scores
from cloze_gen.evaluate.blanks.sides import sentences_beside
from cloze_gen.records.blanked_passage import BlankedPassage

Tell = Callable[..., dict[Direction, np.ndarray]]


def test_two_sides_are_their_mean(tell: Tell) -> None:
    """Of a blank with both sides the average of the two scores; P+N and AP+AN each of their own two."""
    told = tell((1, 2), P={(0, 0): 1.0}, N={(0, 0): 0.5, (0, 1): 2.0}, AP={(0, 1): 8.0}, AN={})
    assert {context: found.tolist() for context in CONTEXTS if (found := context_scores(told, context)) is not None} == {
        "P": [[1.0, 0.0]],
        "N": [[0.5, 2.0]],
        "AP": [[0.0, 8.0]],
        "AN": [[0.0, 0.0]],
        "P+N": [[0.75, 1.0]],
        "AP+AN": [[0.0, 4.0]],
    }


def test_a_blank_is_answered_from_the_side_that_it_has(tell: Tell) -> None:
    """Nothing before the first blank: its score is the other side's, undivided; one that has neither side likes all candidates alike."""
    told = tell((2, 2), {"P": (0, 1), "N": (1,)}, P={}, N={(0, 1): 3.0})
    found = context_scores(told, "P+N")
    assert found is not None
    assert found.tolist() == [[0.0, 3.0], [0.0, 0.0]]


def test_a_context_needs_all_its_directions(tell: Tell) -> None:
    """A scorer that looks back alone has no row of both sides."""
    told = tell((1, 2), AP={(0, 0): 1.0})
    assert [context for context in CONTEXTS if context_scores(told, context) is not None] == ["AP"]


@pytest.mark.parametrize("odd", [np.inf, -np.inf, np.nan])
def test_a_score_that_is_none_is_an_error(odd: float, tell: Tell) -> None:
    """A row that lacks one candidate, or knows an infinite score, is a mistake of the scorer's, not an answer."""
    told = tell((1, 2), P={(0, 0): odd})
    with pytest.raises(ValueError, match="the scores from P"):
        context_scores(told, "P")


def test_no_side_of_a_blank_holds_a_blank(passage: BlankedPassage) -> None:
    """The passage opens with a blank: nothing stands before it, the last sentence least of all; neighbours are the next to be read."""
    beside = sentences_beside(passage)
    read = {
        str(direction): [[passage.sentences[i] for i in np.flatnonzero(row)] for row in np.atleast_2d(rows)]
        for direction, rows in beside.items()
    }
    assert read == {
        "P": [[], [], ["Tea."], ["Milk."], ["Milk."]],
        "N": [["Tea."], ["Tea."], ["Milk."], ["Rum."], ["Rum."]],
        "AP": [[], [], ["Tea."], ["Tea.", "Milk."], ["Tea.", "Milk."]],
        "AN": [["Tea.", "Milk.", "Rum."], ["Tea.", "Milk.", "Rum."], ["Milk.", "Rum."], ["Rum."], ["Rum."]],
    }
