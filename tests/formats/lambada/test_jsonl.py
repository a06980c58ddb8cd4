"""Passages as JSON lines."""

from __future__ import annotations

import json

import pytest

from cloze_gen.errors import FormatError
from cloze_gen.formats.lambada.jsonl import REQUIRED_FIELDS, parse_passages, passage_from_record, passage_record, split_record
from cloze_gen.records.passage import Part, Passage, SetPassage, Split

ITEM = Passage("b:7", "b", Part.TEST, (("Who", "hid", "?"), ('"', "Not", "Ann", ".", '"')), ("Who hid?", '"Not Ann."'), 2, 5, 23)


def test_a_passage_comes_back() -> None:
    """With its split and genre; further fields are written and ignored on reading."""
    line = json.dumps(passage_record(ITEM, split="test", domain="crime", verdict="kept"))
    assert list(parse_passages([line, "\n"])) == [SetPassage(ITEM, Split.TEST, "crime")]
    assert json.loads(line)["text"] == "who hid ? `` not ann"
    assert json.loads(line)["cased"] == json.loads(line)["context"] + json.loads(line)["target"] == 'Who hid? "Not Ann'


@pytest.mark.parametrize("field", REQUIRED_FIELDS)
def test_a_missing_field_is_named(field: str) -> None:
    """Every required field is asked for by name, with the line."""
    record = passage_record(ITEM, split="test")
    del record[field]
    with pytest.raises(FormatError, match=f"p.jsonl, line 1: lacks {field}"):
        list(parse_passages([json.dumps(record)], name="p.jsonl"))


@pytest.mark.parametrize(
    "change",
    [
        {"id": ""}, {"part": "dev"}, {"part": []}, {"sentences": []}, {"sentences": [["Who"], []]}, {"sentences": "Who"},
        {"texts": ["Who hid?"]}, {"texts": ["Who hid?", '"Not Bob."']}, {"target_at": 5}, {"target_at": True}, {"start": -1}, {"end": "9"},
        {"target": "Bob"}, {"texts": ["Who  hid?", '"Not Bob."']}, {"texts": [" Who hid?", '"Not Bob."']},
    ],
)  # fmt: skip
def test_contradictions_are_refused(change: dict[str, object]) -> None:
    """A record that does not hold together is no passage."""
    with pytest.raises(FormatError):
        passage_from_record(passage_record(ITEM) | change)


def test_an_id_twice_is_refused() -> None:
    """Ids are unique in a split, for the control set may hold what another does; both lines are named."""
    lines = [json.dumps(passage_record(ITEM, split=split)) for split in ("test", "control", "test")]
    assert [one.split for one in parse_passages(lines[:2])] == [Split.TEST, Split.CONTROL]
    with pytest.raises(FormatError, match=r"line 3: the id b:7 was there before in this split, on line 1"):
        list(parse_passages(lines))


@pytest.mark.parametrize("more", [{}, {"split": "train"}, {"split": 3}, {"split": "test", "domain": 3}])
def test_a_split_is_one_of_three(more: dict[str, object]) -> None:
    """Without one, or with another, no passage of a set; a genre is a text."""
    with pytest.raises(FormatError, match=r"line 1: `(split|domain)`"):
        list(parse_passages([json.dumps(passage_record(ITEM, **more))]))


def test_a_table_of_a_split_holds_text_alone() -> None:
    """Every row has the same columns, as `datasets` wants them; what stands before the target and the target are `cased`."""
    row = split_record(SetPassage(ITEM, Split.CONTROL, ""))
    assert list(row) == ["text", "domain", "id", "book_id", "context", "target", "cased"]
    assert all(isinstance(value, str) for value in row.values())
    assert row["context"] + row["target"] == row["cased"]


def test_added_fields_are_not_the_passages_own() -> None:
    """A field cannot be given twice."""
    with pytest.raises(FormatError, match="context"):
        passage_record(ITEM, context="")
