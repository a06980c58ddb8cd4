"""Records of a set as JSON lines, of each kind: what is refused, and where."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from cloze_gen.errors import FormatError
from cloze_gen.formats import lambada, questions, scde
from cloze_gen.records.blanked_passage import BlankedPassage, SentenceSource, SetBlankedPassage
from cloze_gen.records.passage import Part, Passage
from cloze_gen.records.question import Question


@dataclass(frozen=True)
class Kind:
    """One kind of record: a right one, how it is read, and the fields that it needs."""

    record: Mapping[str, Any]
    read: Callable[..., Iterable[object]]
    required: tuple[str, ...]
    twice: str = "the id {} was there before, on line 1"


QUESTION = Question("b:0:1", "b", ("We", "hide", "é", "."), 1, ("eat", "hide"), 1)
WHO, ANN = ("Who", "hid", "?"), ('"', "Not", "Ann", ".", '"')
PASSAGE = Passage("b:7", "b", Part.TEST, (WHO, ANN), ("Who hid?", '"Not Ann."'), 2, 5, 23)
LEFT, RAINED, SANG = (SentenceSource("b", index, 10 * index, 10 * index + 9) for index in (4, 5, 9))
BLANKED = SetBlankedPassage(
    BlankedPassage("b:4", ("We left.", "It rained."), (1,), ("Jane sang.", "It rained."), (1,)),
    Part.DEVELOPMENT, "war", (2, 3), (LEFT, RAINED), (SANG, RAINED),
)  # fmt: skip
KINDS = {
    "question": Kind(
        questions.question_record(QUESTION), questions.parse_questions, questions.REQUIRED_FIELDS
    ),
    "passage": Kind(
        lambada.passage_record(PASSAGE, split="test"),
        lambada.parse_passages,
        lambada.REQUIRED_FIELDS,
        "the id {} already occurs in this split, on line 1",
    ),
    "blanked": Kind(
        scde.passage_record(BLANKED),
        scde.parse_passages,
        scde.REQUIRED_FIELDS,
        "the id {} already occurs on line 1",
    ),
}
SOURCE = {"book_id": "b", "index": 5, "start": 50, "end": 59}
WRONG: dict[str, list[dict[str, Any]]] = {
    "question": [
        {"position": 0}, {"position": 9}, {"position": True}, {"answer_index": -1},
        {"tokens": "We hide"}, {"options": ["hide"]}, {"options": ["hide", "hide"]}, {"id": ""},
        {"answer": "write"}, {"answer": ""},
    ],
    "passage": [
        {"id": ""}, {"part": "dev"}, {"part": []}, {"sentences": []}, {"sentences": [["Who"], []]}, {"sentences": "Who"},
        {"texts": ["Who hid?"]}, {"texts": ["Who hid?", '"Not Bob."']}, {"target_position": 5}, {"target_position": True},
        {"start": -1}, {"end": "9"}, {"target": "Bob"}, {"texts": ["Who  hid?", '"Not Bob."']},
        {"texts": [" Who hid?", '"Not Bob."']}, {"split": "train"}, {"split": 3}, {"domain": 3},
    ],
    "blanked": [
        {"id": ""}, {"id": 4}, {"part": "dev"}, {"part": []}, {"domain": 3},
        {"passage": "We left."}, {"passage": []}, {"passage": ["We left.", "It rained."]}, {"passage": ["We left.", " "]},
        {"passage": [None, None]},
        {"candidates": []}, {"candidates": ["Jane sang.", None]}, {"candidates": ["Jane sang.", ""]}, {"candidates": {"0": "Jane sang."}},
        {"blanks": []}, {"blanks": [0]}, {"blanks": [2]}, {"blanks": [-1]}, {"blanks": [True]}, {"blanks": [1, 1]}, {"blanks": 1},
        {"answers": []}, {"answers": [2]}, {"answers": [0, 1]}, {"answers": ["1"]}, {"answers": [0]},
        {"distractors": [1]}, {"distractors": "none"},
        {"sources": []}, {"sources": [SOURCE, SOURCE]}, {"sources": ["b", "b"]}, {"sources": None},
        {"sources": [SOURCE | {"paragraph": 1}, SOURCE | {"paragraph": 1, "start": -1}]},
        {"sources": [SOURCE | {"paragraph": 1, "book_id": "c"}, SOURCE | {"paragraph": 1}]},
        {"candidate_sources": [SOURCE]}, {"candidate_sources": [SOURCE, SOURCE | {"index": 6}]},
        {"candidate_sources": [SOURCE, {"book_id": "b"}]}, {"candidate_sources": [SOURCE | {"book_id": ""}, SOURCE]},
    ],
}  # fmt: skip
# Contradictions that a message tells without the name of the changed field.
_OF_SEVERAL = r"blank|option|the tokens do not|the token at|`answer_index`|`texts`"


@pytest.mark.parametrize(
    ("kind", "field"), [(name, field) for name, kind in KINDS.items() for field in kind.required]
)
def test_a_missing_field_is_named(kind: str, field: str) -> None:
    """With the line, and with all that is needed."""
    one = KINDS[kind]
    record = {name: value for name, value in one.record.items() if name != field}
    needed = ", ".join(one.required)
    with pytest.raises(
        FormatError, match=rf"^f, line 2: lacks {field}; a (question|passage) needs {needed}$"
    ):
        list(one.read(["", json.dumps(record)], name="f"))


@pytest.mark.parametrize(
    ("kind", "change"), [(kind, change) for kind, changes in WRONG.items() for change in changes]
)
def test_contradictions_are_refused(kind: str, change: dict[str, Any]) -> None:
    """The line is named, and the field or what contradicts it."""
    [field] = change
    record = KINDS[kind].record | change
    with pytest.raises(FormatError, match=rf"^f, line 1: (.*`{field}`|.*({_OF_SEVERAL}))"):
        list(KINDS[kind].read([json.dumps(record)], name="f"))


@pytest.mark.parametrize("kind", KINDS)
def test_an_id_twice_names_both_lines(kind: str) -> None:
    """Of one split; the control set may hold what another does."""
    one, line = KINDS[kind], json.dumps(KINDS[kind].record)
    quoted = repr(one.record["id"]) if kind == "blanked" else one.record["id"]
    with pytest.raises(FormatError, match=f"^f, line 3: {one.twice.format(quoted)}$"):
        list(one.read([line, "", line], name="f"))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("line", ["{", "[]", "3", "[" * 5000, '{"id": "\\ud800"}'])
def test_other_lines_are_refused(kind: str, line: str) -> None:
    """What is no JSON object is refused with its line."""
    with pytest.raises(FormatError, match=r"^f, line 2: "):
        list(KINDS[kind].read([json.dumps(KINDS[kind].record), line], name="f"))


@pytest.mark.parametrize("answer", ["climb", None, 1])
def test_a_value_that_is_no_word_is_another_makers(answer: object) -> None:
    """Only a word in `answer` can contradict `answer_index`."""
    options = ("write", "climb")
    record = questions.question_record(Question("b", "b", ("I", "climb", "."), 1, options, 1))
    [found] = questions.parse_questions([json.dumps(record | {"answer": answer})])
    assert found.answer == "climb"
