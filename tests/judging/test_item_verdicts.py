"""The lines of a file of verdicts on finished items."""

from __future__ import annotations

from typing import Any

import pytest

from cloze_gen.errors import FormatError
from cloze_gen.judging.item_verdicts import item_digest, parse_verdict_row, verdict_row
from cloze_gen.records.judgement import StudyItem, Task

READ = {"answer": 1, "fits_as_well": [], "ungrammatical": [0], "broken": False, "trivial": False}
ITEMS = {
    Task.READ: StudyItem("b:7:3", (), {"before": "We ", "after": ".", "options": ["ran", "rode"]}, {"answer": 1}, "mine"),
    Task.FILL: StudyItem("b:7", (), {"parts": ["A.", {"blank": 1}], "candidates": ["B.", "C."]}, {"answers": [0]}, "mine"),
}
SAID: dict[Task, dict[str, Any]] = {Task.READ: READ, Task.FILL: {"fills": [1]}}


@pytest.mark.parametrize("task", list(ITEMS))
def test_a_line_comes_back(task: Task) -> None:
    """Judges by their numbers, the set, what the adjudicator decided; and nothing of the key."""
    row = verdict_row(ITEMS[task], {2: SAID[task], 1: SAID[task]}, SAID[task])
    assert list(row) == ["id", "set", "item", "answers", "adjudicated"]
    assert [one["judge"] for one in row["answers"]] == [1, 2]
    found = parse_verdict_row(row, task)
    assert (found.id, found.of_set, found.adjudicated) == (ITEMS[task].id, "mine", SAID[task])
    assert found.said == {"1": SAID[task], "2": SAID[task]}


def test_an_item_is_known_by_what_was_seen_and_its_key() -> None:
    """Another order of the options, another answer or another sentence is another item; the order of the fields is not."""
    item = ITEMS[Task.READ]
    others = [
        item_digest({**item.shown, "options": ["rode", "ran"]}, item.key), item_digest(item.shown, {"answer": 0}),
        item_digest({**item.shown, "before": "They "}, item.key),
    ]  # fmt: skip
    digest = item_digest(item.shown, item.key)
    assert digest not in others
    assert digest == item_digest(dict(reversed(item.shown.items())), item.key)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"set": 3}, "`id`, `set` and `item`"),
        ({"answers": []}, "an object a judge"),
        ({"answers": "none"}, "an object a judge"),
        ({"answers": [READ]}, "a number of its own"),
        ({"answers": [READ | {"judge": "ann"}]}, "a number of its own"),
        ({"answers": [READ | {"judge": 1}, READ | {"judge": 1}]}, "a number of its own"),
        ({"answers": [{"judge": 1, "fills": [0]}]}, "expected a verdict with answer"),
        ({"answers": [READ | {"judge": 1, "answer": None}]}, "unless the question is broken"),
        ({"adjudicated": "ann"}, "expected a verdict with answer"),
    ],
)
def test_another_line_is_refused(change: dict[str, Any], said: str) -> None:
    """Whatever a hand may have made of the file; the item is named."""
    row = verdict_row(ITEMS[Task.READ], {1: READ}, None) | change
    with pytest.raises(FormatError, match=r"item 'b:7:3': ") as told:
        parse_verdict_row(row, Task.READ)
    assert said in str(told.value)


@pytest.mark.parametrize("fills", [None, "ab", [0, 0], [-1], [True], [0.5]])
def test_fills_are_asked_for(fills: Any) -> None:
    """Different whole numbers, a list of them."""
    row = verdict_row(ITEMS[Task.FILL], {1: {"fills": fills}}, None)
    with pytest.raises(FormatError, match="fills"):
        parse_verdict_row(row, Task.FILL)
