"""What a verdict adds to the counts of its judge."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from cloze_gen.judging.attention import attention_items
from cloze_gen.judging.ratings import Asked, Said
from cloze_gen.judging.tallies import is_as_instructed, repeat_tally, tally
from cloze_gen.records.judgement import Kind, StudyItem, Task
from tests.judging.conftest import read_verdict

KEPT, REJECTED = {"picked": ["a", "b", "c", "d"]}, {"rejected": "offensive", "note": "?"}
TALLIES: list[tuple[Task, Mapping[str, Any], Mapping[str, Any], Mapping[str, tuple[int, int]]]] = [
    (Task.GROOM, {}, KEPT, {"rejected": (0, 1)}),
    (Task.GROOM, {}, REJECTED, {"rejected": (1, 1)}),
    (Task.READ, {"answer": 1}, read_verdict(None, broken=True), {"broken": (1, 1)}),
    (
        Task.READ,
        {"answer": 1},
        read_verdict(1, fits_as_well=[0, 2]),
        {"broken": (0, 1), "right": (1, 1), "fits as well": (1, 1), "ungrammatical": (0, 1), "trivial": (0, 1)},
    ),
    (
        Task.READ,
        {},
        read_verdict(3, ungrammatical=[0], trivial=True),
        {"broken": (0, 1), "fits as well": (0, 1), "ungrammatical": (1, 1), "trivial": (1, 1)},
    ),
    (Task.FILL, {"answers": [2, 0]}, {"fills": [2, 0]}, {"blanks right": (2, 2), "passages right": (1, 1)}),
    (Task.FILL, {}, {"fills": [2, 0]}, {}),
    (Task.GUESS, {"target": "lamp"}, {"guesses": ["oil", "lamp"]}, {"sentence, right": (1, 1)}),
    (Task.GUESS, {"target": "lamp"}, {"guesses": []}, {"sentence, right": (0, 1)}),
]
REPEATS: list[tuple[Task, Mapping[str, Any], Mapping[str, Any], Mapping[str, tuple[int, int]]]] = [
    (Task.GROOM, KEPT, REJECTED, {"verdict": (0, 1)}),
    (Task.GROOM, REJECTED, {"rejected": "other", "note": ""}, {"verdict": (1, 1)}),
    (Task.READ, read_verdict(1, fits_as_well=[0]), read_verdict(1), {"answer": (1, 1), "marks": (0, 1)}),
    (Task.READ, read_verdict(None, broken=True), read_verdict(1), {"answer": (0, 1)}),
    (Task.FILL, {"fills": [2, 0, 1]}, {"fills": [2, 1, 0]}, {"blanks": (1, 3)}),
    (Task.GUESS, {"guesses": ["Lamp"]}, {"guesses": ["lamp", "oil"]}, {"first guess": (1, 1)}),
    (Task.GUESS, {"guesses": []}, {"guesses": ["lamp"]}, {"first guess": (0, 1)}),
]


@pytest.mark.parametrize(("task", "key", "said", "counts"), TALLIES)
def test_what_is_counted(task: Task, key: Mapping[str, Any], said: Mapping[str, Any], counts: Mapping[str, tuple[int, int]]) -> None:
    """What the key cannot tell is not counted, nor what a judge was not asked."""
    asked = Asked(task, {"i": StudyItem("i", (), {}, key, "run")}, str.__eq__)
    assert tally(asked, Said("i", "ann", Kind.FIRST, "sentence", said, 1.0)) == counts


@pytest.mark.parametrize(("task", "first", "again", "counts"), REPEATS)
def test_how_far_a_repeat_is_alike(
    task: Task, first: Mapping[str, Any], again: Mapping[str, Any], counts: Mapping[str, tuple[int, int]]
) -> None:
    """Each part of a verdict by itself, and only where both times it was given."""
    assert repeat_tally(task, first, again) == counts


@pytest.mark.parametrize("task", list(Task))
def test_an_attention_item_is_passed_by_what_it_asks_for(task: Task) -> None:
    """Whoever says what its key expects passes; whoever says what another such item expects does not."""
    first, second = (item.key["expected"] for item in attention_items(task, 2, seed=1, guesses={"passage": 1}))
    assert is_as_instructed(task, first, first)
    assert not is_as_instructed(task, first, second)


def test_marks_beside_the_instruction_fail() -> None:
    """Told to mark nothing, a reader who marks has not read."""
    assert not is_as_instructed(Task.READ, read_verdict(2), read_verdict(2, ungrammatical=[0]))


def test_rejecting_an_attention_item_fails() -> None:
    """Told to pick four, a groomer who rejects has not read."""
    assert not is_as_instructed(Task.GROOM, KEPT, REJECTED)


def test_a_note_is_no_part_of_an_instruction() -> None:
    """Told to reject with a reason, a judge may write whatever note."""
    assert is_as_instructed(Task.GROOM, {"rejected": "offensive", "note": ""}, REJECTED)
