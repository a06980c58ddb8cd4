"""Questions as JSON Lines."""

from __future__ import annotations

import json

import pytest

from cloze_gen.errors import FormatError
from cloze_gen.formats import jsonl
from cloze_gen.records.question import Question

ITEM = Question("b:0:1", "b", ("We", "hide", "é", "."), 1, ("eat", "hide"), 1)


def test_a_record_comes_back_and_keeps_more_fields_out_of_the_question() -> None:
    """Fields beyond the question's own are written and ignored on reading."""
    record = jsonl.question_record(ITEM, scores={"history": [1.0, 2.0]})
    assert list(record)[-1] == "scores"
    assert list(jsonl.parse_questions([json.dumps(record), "\n"])) == [ITEM]


@pytest.mark.parametrize("field", jsonl.REQUIRED_FIELDS)
def test_a_missing_field_is_named(field: str) -> None:
    """Every required field is asked for by name, with the line."""
    record = jsonl.question_record(ITEM)
    del record[field]
    with pytest.raises(FormatError, match=f"q.jsonl, line 1: lacks {field}"):
        list(jsonl.parse_questions([json.dumps(record)], name="q.jsonl"))


@pytest.mark.parametrize(
    "change",
    [{"position": 0}, {"position": 9}, {"position": True}, {"answer_index": -1}, {"tokens": "We hide"}, {"options": ["hide"]}, {"id": ""}],
)
def test_contradictions_are_refused(change: dict[str, object]) -> None:
    """A record that does not hold together is no question."""
    with pytest.raises(FormatError):
        jsonl.question_from_record(jsonl.question_record(ITEM) | change)


def test_an_id_twice_is_refused() -> None:
    """Ids are unique in a file; both lines are named."""
    line = json.dumps(jsonl.question_record(ITEM))
    with pytest.raises(FormatError, match=r"line 2: the id b:0:1 was there before, on line 1"):
        list(jsonl.parse_questions([line, line]))


@pytest.mark.parametrize(("answer", "fits"), [("climb", True), ("write", False), ("", False), (None, True), (1, True)])
def test_a_contradicting_answer_is_refused(answer: object, fits: bool) -> None:
    """`answer` says again what `answer_index` says; a word that is another is a mistake, a value that is no word is another maker's."""
    record = {"id": "b", "book_id": "b", "tokens": ["I", "climb", "."], "position": 1, "options": ["write", "climb"], "answer_index": 1}
    if fits:
        assert jsonl.question_from_record(record | {"answer": answer}).answer == "climb"
    else:
        with pytest.raises(FormatError, match=r"`answer_index` 1 is 'climb'"):
            jsonl.question_from_record(record | {"answer": answer})
