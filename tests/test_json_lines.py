"""JSON Lines into records: what is refused, and in which words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import pytest

from cloze_gen.errors import FormatError
from cloze_gen.json_lines import (
    Index,
    ItemId,
    Text,
    Whole,
    Words,
    read_records,
    require_index,
)


@dataclass(frozen=True, slots=True)
class Item:
    """As a file has it."""

    id: Text
    words: Words
    count: Whole = 0


def _read(*lines, **more):
    return [record for _, record in read_records(lines, Item, name="f", **more)]


def test_fields_beyond_the_records_own_are_ignored():
    """Lists become tuples; empty lines are skipped; a mark at the start is no part of the text."""
    line = '{"id": "a", "words": ["x"], "more": [1]}'
    assert _read("\ufeff" + line, "", " \n") == [Item("a", ("x",))]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "not JSON (Expecting property name enclosed in double quotes at line 1, column 2); expected one JSON object a line"),
        ("[" * 100_000, "not JSON (nested too deep); expected one JSON object a line"),
        ('{"id": NaN}', "not JSON (NaN is no number of JSON); expected one JSON object a line"),
        ('{"id": "a", "id": "b"}', "not JSON (the key 'id' is there twice); expected one JSON object a line"),
        ('{"id": "\\ud800"}', "not JSON (half a character (a lone surrogate such as \\ud800)); expected one JSON object a line"),
        ("[]", "expected one JSON object a line, found []"),
        ("{}", "lacks id, words"),
        ('{"id": "", "words": []}', "`id` must be a string that is not empty"),
        ('{"id": 3, "words": []}', "`id` must be a string that is not empty"),
        ('{"id": "a", "words": "x"}', "`words` must be a list of strings that are not empty"),
        ('{"id": "a", "words": ["x", "\\u001c "]}', "`words` must be a list of strings that are not empty"),
        ('{"id": "a", "words": {"x": 1}}', "`words` must be a list of strings that are not empty"),
        ('{"id": "a", "words": [], "count": true}', "`count` must be a whole number from 0"),
        ('{"id": "a", "words": [], "count": -1}', "`count` must be a whole number from 0"),
        ('{"id": "a", "words": [], "count": 1.0}', "`count` must be a whole number from 0"),
        ('{"id": "a", "words": [], "count": "1"}', "`count` must be a whole number from 0"),
    ],
)  # fmt: skip
def test_a_fault_is_told_with_file_and_line(line, message):
    """Pydantic's own words are never printed."""
    with pytest.raises(FormatError) as caught:
        _read("", line)
    assert str(caught.value) == f"f, line 2: {message}"


def test_a_key_twice_names_both_lines():
    """Without a key nothing is compared; of two attributes both must be the same."""
    lines = ('{"id": "a", "words": []}', "", '{"id": "a", "words": ["x"]}')
    message = "^f, line 3: the id 'a' is already in f, line 1; keep one of them$"
    with pytest.raises(FormatError, match=message):
        _read(*lines)
    assert len(_read(*lines, key=())) == len(_read(*lines, key=("words", "id"))) == 2


@dataclass(frozen=True)
class Scored:
    """A line whose form a message shows."""

    id: ItemId
    scores: list[Any]


@pytest.mark.parametrize(
    "line", ["3", "{}", '{"id": true, "scores": []}', '{"id": 1, "scores": 2}']
)
def test_a_form_is_shown_where_a_line_has_another(line):
    """Whatever pydantic says of it."""
    form = '{"id": ..., "scores": [...]}'
    with pytest.raises(
        FormatError, match=rf"^f, line 1: (lacks|expected {re.escape(form)}, found) "
    ):
        list(read_records([line], Scored, name="f", form=form))
    assert list(read_records(['{"id": 1, "scores": []}'], Scored, name="f", form=form))


@pytest.mark.parametrize("place", [-1, 1, True, "0", None])
def test_an_index_points_into_its_list(place):
    """And the message says how far."""

    @dataclass
    class One:
        words: tuple[str, ...]
        place: Index

    require_index(One(("x",), 0), "place", "words")
    with pytest.raises(
        ValueError, match=r"`place` must be a whole number from 0 to 0, the last of `words`"
    ):
        require_index(One(("x",), place), "place", "words")
