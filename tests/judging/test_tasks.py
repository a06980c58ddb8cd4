"""What judges may say of the items of each task."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.errors import FormatError
from cloze_gen.judging.order import shown_order
from cloze_gen.judging.tasks import as_seen, n_ordered, seen, taken
from cloze_gen.records.judgement import Task

SHOWN: dict[Task, dict[str, Any]] = {
    Task.GROOM: {"before": "A", "answer": "cat", "after": "sat.", "candidates": [f"word{n}" for n in range(30)]},
    Task.GUESS: {"passage": "A cat sat. The _____.", "sentence": "The _____.", "guesses": {"passage": 1, "sentence": 3}},
    Task.READ: {"before": "A", "after": "sat.", "options": ["cat", "owl", "map", "cup", "sea"]},
    Task.FILL: {"parts": ["A.", {"blank": 1}, {"blank": 2}], "candidates": ["B.", "C.", "D."]},
}
WHOLE = {"answer": 1, "fits_as_well": [], "ungrammatical": [], "broken": False, "trivial": False}


def take(task: Task, said: Any) -> dict[str, Any]:
    return taken(task, said, SHOWN[task], order=range(n_ordered(task, SHOWN[task])), condition="sentence" if task is Task.GUESS else "")


@pytest.mark.parametrize(
    ("task", "said", "says"),
    [
        (Task.GROOM, {"picked": [0, 1, 2, 3], "rejected": "other"}, "expected four picked candidates, or rejected"),
        (Task.GROOM, {"picked": [0, 1, 2, 3], "note": "odd"}, "expected four picked candidates, or rejected"),
        (Task.GROOM, {"picked": [0, 1, 2]}, "expected 4 candidates, found 3"),
        (Task.GROOM, {"picked": [0, 1, 2, 2]}, "different whole numbers from 0 to 29"),
        (Task.GROOM, {"picked": [0, 1, 2, 30]}, "different whole numbers from 0 to 29"),
        (Task.GROOM, {"picked": [0, 1, 2, True]}, "different whole numbers from 0 to 29"),
        (Task.GROOM, {"rejected": "dull"}, "rejected as one of"),
        (Task.GROOM, {"rejected": ["other"]}, "rejected as one of"),
        (Task.GROOM, {"rejected": "other", "note": "x" * 201}, "at most 200 characters"),
        (Task.GROOM, {}, "expected four picked candidates, or rejected"),
        (Task.GUESS, {"guesses": ["a", "b", "c", "d"]}, "at most 3 texts"),
        (Task.GUESS, {"guesses": "cat"}, "at most 3 texts"),
        (Task.GUESS, {"guesses": ["x" * 101]}, "at most 100 characters"),
        (Task.GUESS, {"guesses": ["cat", "black\u00a0cat"]}, "expected one word, found 'black cat'"),
        (Task.READ, {**WHOLE, "answer": None}, "unless the question is broken"),
        (Task.READ, {**WHOLE, "answer": 5}, "answer: expected different whole numbers from 0 to 4"),
        (Task.READ, {**WHOLE, "fits_as_well": [1]}, "the answer itself"),
        (Task.READ, {**WHOLE, "ungrammatical": [1]}, "the answer itself"),
        (Task.READ, {**WHOLE, "fits_as_well": [2], "trivial": True}, "is not absurd"),
        (Task.READ, {**WHOLE, "broken": 1}, "true or false"),
        (Task.FILL, {"fills": [0]}, "each of the 2 blanks"),
        (Task.FILL, {"fills": [1, 1]}, "different whole numbers"),
        (Task.FILL, {"fills": [1, 3]}, "from 0 to 2"),
        *((task, {"other": 1}, "expected a verdict with") for task in Task),
        *((task, 3, "expected a verdict with") for task in Task),
    ],
)
def test_what_can_not_be_said_is_refused(task: Task, said: Any, says: str) -> None:
    """The message names the field and what it may hold."""
    with pytest.raises(FormatError, match=says):
        take(task, said)


@pytest.mark.parametrize(
    ("task", "said", "words"),
    [
        (Task.GROOM, {"picked": [3, 0, 2, 1]}, {"picked": ["word0", "word1", "word2", "word3"]}),
        (Task.GROOM, {"rejected": "other", "note": " a\u202e \ud800b\n"}, {"rejected": "other", "note": "a b"}),
        (Task.GUESS, {"guesses": ["-", " ", "Cafe\u0301 "]}, {"guesses": ["Caf\u00e9"]}),
        (Task.READ, {"answer": None, "broken": True}, {**WHOLE, "answer": None, "broken": True}),
        (Task.READ, {"answer": 1, "ungrammatical": [4, 2]}, {**WHOLE, "ungrammatical": [2, 4]}),
    ],
)
def test_what_is_said_is_tidied(task: Task, said: Any, words: dict[str, Any]) -> None:
    """In the item's own order, composed, in one line, without marks that no one sees; fields left out are there."""
    assert take(task, said) == words


@given(st.integers(0, 99), st.sets(st.integers(0, 29), min_size=4, max_size=4))
def test_places_are_the_judges_own(seed: int, places: set[int]) -> None:
    """What is picked by places in the order that a judge sees are the words that stand there, and is shown again so."""
    item = SHOWN[Task.GROOM]
    order = shown_order(seed, "ann", "b:7", 30)
    listed = seen(Task.GROOM, item, order=order, condition="")["candidates"]
    words = taken(Task.GROOM, {"picked": [*places]}, item, order=order, condition="")
    assert set(words["picked"]) == {listed[place] for place in places}
    assert as_seen(Task.GROOM, words, item, order) == {"picked": sorted(places)}


def test_every_judge_has_an_order() -> None:
    """Of the same item another for another judge, and for another item another for the same judge."""
    orders = [shown_order(1, judge, item, 30) for judge in ("ann", "bob") for item in ("b:7", "b:8")]
    assert len({tuple(order) for order in orders}) == 4
