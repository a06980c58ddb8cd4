"""Scores of somebody's own model."""

from __future__ import annotations

import json
from typing import Any

import pytest

from cloze_gen.errors import FormatError
from cloze_gen.evaluate.blanks.user_scores import parse_blank_scores
from cloze_gen.records.blanked_passage import BlankedPassage

PASSAGES = [
    BlankedPassage("7", ("A.", "B."), (0, 1), ("A.", "B.", "C."), (0, 1)),
    BlankedPassage("b:1", ("A.",), (0,), ("A.", "D."), (0,)),
]
FIRST: dict[str, Any] = {"id": 7, "scores": [[1, 0, 0], [0, 1.5, -2]]}
SECOND: dict[str, Any] = {"id": "b:1", "scores": [[0.25, 0]], "model": "mine"}


def lines(*records: Any) -> str:
    return "\n".join(one if isinstance(one, str) else json.dumps(one) for one in records)


def test_lines_may_come_in_any_order() -> None:
    """By their ids, a number too; other passages, other fields and empty lines are passed over."""
    first, second = parse_blank_scores(lines(SECOND, {"id": "other", "scores": []}, "", FIRST), PASSAGES)
    assert (first.tolist(), second.tolist()) == ([[1.0, 0.0, 0.0], [0.0, 1.5, -2.0]], [[0.25, 0.0]])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (lines(FIRST), "no scores for 1 of 2 passages, the first is b:1"),
        (lines(FIRST, SECOND, FIRST), "line 3: the passage 7 has scores on an earlier line"),
        (lines(FIRST, "{"), "line 2: not JSON"),
        (lines([1]), 'line 1: expected {"id": ..., "scores": [[...], ...]}, found'),
        (lines({"id": True, "scores": []}), "line 1: expected"),
        (lines({"id": "7"}), "line 1: expected"),
        (lines({"id": 7, "scores": [[1, 0, 0]]}), "1 rows of scores for the 2 blanks of 7"),
        (lines({"id": 7, "scores": [[1, 0, 0], [0, 1]]}), "2 scores for the 3 candidates of blank 2 of 7"),
        (lines({"id": 7, "scores": [[1, 0, 0], 4]}), "4 for the 3 candidates of blank 2 of 7"),
        (lines({"id": 7, "scores": [[1, 0, 0], [0, "1", 0]]}), "'1', of blank 2 of 7, is not a finite number"),
        (lines('{"id": 7, "scores": [[1, 0, 0], [0, NaN, 0]]}'), "line 1: not JSON (NaN is no number of JSON)"),
        (lines('{"id": 7, "scores": [[1, 0, 0], [0, 1e999, 0]]}'), "inf, of blank 2 of 7, is not a finite number"),
        (lines('{"id": 7, "scores": [[1, 0, 0], [0, 1, 0]], "id": 8}'), "line 1: not JSON (the key 'id' is there twice)"),
        (lines({"id": 7, "scores": [[1, 0, 0], [0, True, 0]]}), "True, of blank 2 of 7, is not a finite number"),
        (lines({"id": 7, "scores": [[1, 0, 0], [0, None, 0]]}), "None, of blank 2 of 7, is not a finite number"),
    ],
)
def test_mistakes_are_one_message(text: str, said: str) -> None:
    """What is wrong, on which line, of which passage and blank."""
    with pytest.raises(FormatError) as caught:
        parse_blank_scores(text, PASSAGES, name="mine.jsonl")
    assert said in str(caught.value)
    assert str(caught.value).startswith("mine.jsonl")


def sample(item_id: str, choices: list[str], gold: int, *ln_probs: float) -> dict[str, Any]:
    """As lm-evaluation-harness keeps what a model said of one blank."""
    return {"doc": {"id": item_id, "choices": choices, "gold": gold}, "resps": [[[str(one), "False"]] for one in ln_probs]}


LOG = [
    sample("7:2", ["A.", "B.", "C."], 1, -1, -2, -3),
    sample("b:1:1", ["A.", "D."], 0, -0.5, -4),
    sample("7:1", ["A.", "B.", "C."], 0, -5, -6, -7),
    sample("other:1", ["A."], 0, -1),
]


def test_a_log_has_a_line_a_blank() -> None:
    """Rows stand in the order of the blanks' numbers, whatever the order of the lines; an id may hold colons itself."""
    first, second = parse_blank_scores(lines(*LOG), PASSAGES)
    assert (first.tolist(), second.tolist()) == ([[-5, -6, -7], [-1, -2, -3]], [[-0.5, -4]])


@pytest.mark.parametrize(
    ("log", "said"),
    [
        (LOG[1:], "mine.jsonl: no scores for 1 of 3 blanks, the first is 7:2. A log holds one split"),
        (LOG[3:], "mine.jsonl: no scores for 3 of 3 blanks, the first is 7:1. Give the log of NAME_blanks"),
        ([*LOG[:2], sample("7:1", ["B.", "A.", "C."], 1, -1, -2, -3)], "mine.jsonl, line 3: the options of 7:1 are others here"),
        ([*LOG[:2], sample("7:1", ["A.", "B.", "C."], 2, -1, -2, -3)], "mine.jsonl, line 3: the options of 7:1 are others here"),
        ([*LOG[:2], sample("7:1", ["A.", "B."], 0, -1, -2)], "mine.jsonl, line 3: 2 answers for the 3 options of 7:1"),
    ],
)
def test_a_log_of_other_blanks_is_named(log: list[dict[str, Any]], said: str) -> None:
    """A blank without scores, candidates in another order, another answer."""
    with pytest.raises(FormatError) as caught:
        parse_blank_scores(lines(*log), PASSAGES, name="mine.jsonl")
    assert said in str(caught.value)
