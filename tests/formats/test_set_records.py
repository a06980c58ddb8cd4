"""Records of a set as JSON lines, of each kind: what is refused, and where."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.errors import FormatError
from cloze_gen.formats import lambada, questions, scde
from cloze_gen.records.blanked_passage import BlankedPassage, SentenceSource, SetBlankedPassage
from cloze_gen.records.passage import Part, Passage
from cloze_gen.records.question import Question
from tests.support.errors import refused


@dataclass(frozen=True)
class Kind:
    """One kind of record: a right one, how it is read, and the fields that it needs."""

    record: Mapping[str, Any]
    read: Callable[..., Iterable[object]]
    required: tuple[str, ...]


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
        questions.question_record(QUESTION),
        questions.parse_questions,
        ("id", "book_id", "tokens", "position", "options", "answer_index"),
    ),
    "passage": Kind(
        lambada.passage_record(PASSAGE, split="test"),
        lambada.parse_passages,
        ("id", "book_id", "part", "sentences", "texts", "target_position", "start", "end"),
    ),
    "blanked": Kind(
        scde.passage_record(BLANKED),
        scde.parse_passages,
        (
            "id",
            "part",
            "passage",
            "blanks",
            "candidates",
            "answers",
            "sources",
            "candidate_sources",
        ),
    ),
}
SOURCE = {"book_id": "b", "index": 5, "start": 50, "end": 59}
# Contradictions between fields; `test_any_other_value_is_read_or_refused` covers wrong types.
WRONG = {
    "question": [
        {"position": 9}, {"answer_index": -1}, {"options": ["hide"]}, {"options": ["hide", "hide"]}, {"id": ""}, {"answer": "write"},
    ],
    "passage": [
        {"sentences": [["Who"], []]}, {"texts": ["Who hid?"]}, {"texts": ["Who hid?", '"Not Bob."']}, {"texts": ["Who  hid?", '"Not Bob."']},
        {"target_position": 5}, {"start": -1}, {"target": "Bob"}, {"split": "train"},
    ],
    "blanked": [
        {"passage": ["We left.", "It rained."]}, {"passage": ["We left.", " "]}, {"passage": [None, None]}, {"candidates": []},
        {"blanks": [0]}, {"blanks": [2]}, {"blanks": [1, 1]}, {"answers": []}, {"answers": [2]}, {"answers": [0]}, {"distractors": [1]},
        {"sources": [SOURCE, SOURCE]}, {"sources": [SOURCE | {"paragraph": 1}, SOURCE | {"paragraph": 1, "start": -1}]},
        {"sources": [SOURCE | {"paragraph": 1, "book_id": "c"}, SOURCE | {"paragraph": 1}]},
        {"candidate_sources": [SOURCE]}, {"candidate_sources": [SOURCE, SOURCE | {"index": 6}]},
    ],
}  # fmt: skip
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 9) | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=5,
)  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "field"), [(name, field) for name, kind in KINDS.items() for field in kind.required]
)
def test_a_missing_field_is_named(kind, field):
    one = KINDS[kind]
    record = {name: value for name, value in one.record.items() if name != field}
    with pytest.raises(FormatError, match=f"^f, line 2: lacks {field}$"):
        list(one.read(["", json.dumps(record)], name="f"))


@pytest.mark.parametrize(
    ("kind", "change"), [(kind, change) for kind, changes in WRONG.items() for change in changes]
)
def test_contradictions_are_refused(kind, change):
    """The line is named."""
    record = KINDS[kind].record | change
    refused(
        lambda: list(KINDS[kind].read([json.dumps(record)], name="f")),
        FormatError,
        names="f, line 1: ",
    )


@given(kind=st.sampled_from(sorted(KINDS)), data=st.data())
def test_any_other_value_is_read_or_refused(kind, data):
    """A value of any shape is no unexpected error; the line is named."""
    record = dict(KINDS[kind].record)
    record[data.draw(st.sampled_from(sorted(record)))] = data.draw(VALUES)
    message = ""
    try:
        list(KINDS[kind].read([json.dumps(record)], name="f"))
    except FormatError as error:
        message = str(error)
    assert not message or message.startswith("f, line 1")


@pytest.mark.parametrize("kind", KINDS)
def test_an_id_twice_names_both_lines(kind):
    """Of one split; the control set may hold what another does."""
    one, line = KINDS[kind], json.dumps(KINDS[kind].record)
    message = f"^f, line 3: the id {one.record['id']!r} is already in f, line 1; keep one of them$"
    with pytest.raises(FormatError, match=message):
        list(one.read([line, "", line], name="f"))


@pytest.mark.parametrize("answer", ["climb", None, 1])
def test_a_value_that_is_no_word_is_another_makers(answer):
    """Only a word in `answer` can contradict `answer_index`."""
    options = ("write", "climb")
    record = questions.question_record(Question("b", "b", ("I", "climb", "."), 1, options, 1))
    [found] = questions.parse_questions([json.dumps(record | {"answer": answer})])
    assert found.answer == "climb"
