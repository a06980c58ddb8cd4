"""Blanked passages as JSON lines."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.errors import FormatError
from cloze_gen.formats.scde.jsonl import REQUIRED_FIELDS, parse_passages, passage_from_record, passage_record, split_record
from cloze_gen.records.blanked_passage import BlankedPassage, SentenceSource, SetBlankedPassage
from cloze_gen.records.passage import Part

TEXT = st.text(min_size=1, max_size=8).filter(str.strip)
NUMBER = st.integers(0, 2**31)


@st.composite
def set_passages(draw: st.DrawFn) -> SetBlankedPassage:
    """Any passage of a set: sentences of any text, also one that reads as a blank; distractors of any book."""
    sentences = draw(st.lists(TEXT, min_size=1, max_size=6))
    book = draw(TEXT)
    sources = [SentenceSource(book, *draw(st.tuples(NUMBER, NUMBER, NUMBER))) for _ in sentences]
    blanks = draw(st.permutations(range(len(sentences))))[: draw(st.integers(1, len(sentences)))]
    own = [(sentences[blank], sources[blank]) for blank in blanks]
    others = draw(st.lists(st.tuples(TEXT, st.builds(SentenceSource, TEXT, NUMBER, NUMBER, NUMBER)), max_size=3))
    order = draw(st.permutations(range(len(own) + len(others))))
    candidates, candidate_sources = zip(*([*own, *others][i] for i in order), strict=True)
    answers = tuple(order.index(i) for i in range(len(own)))
    passage = BlankedPassage(draw(TEXT), tuple(sentences), tuple(blanks), candidates, answers)
    paragraphs = tuple(draw(NUMBER) for _ in sentences)
    domain = draw(st.text(max_size=5))
    return SetBlankedPassage(passage, draw(st.sampled_from(Part)), domain, paragraphs, tuple(sources), candidate_sources)


@given(st.lists(set_passages(), max_size=3, unique_by=lambda one: one.id))
def test_a_passage_comes_back(passages: list[SetBlankedPassage]) -> None:
    """With its part, genre and the places of every sentence and candidate; further fields are written and ignored on reading."""
    lines = [json.dumps(passage_record(one) | {"canary": "x"}) for one in passages]
    assert list(parse_passages([*lines, "\n"])) == passages


LEFT, RAINED, SANG = (SentenceSource("b", index, 10 * index, 10 * index + 9) for index in (4, 5, 9))
ITEM = SetBlankedPassage(
    BlankedPassage("b:4", ("We left.", "It rained."), (1,), ("Jane sang.", "It rained."), (1,)),
    Part.DEVELOPMENT, "war", (2, 3), (LEFT, RAINED), (SANG, RAINED),
)  # fmt: skip


def test_a_person_can_read_it() -> None:
    """A blank is null, so that no sentence is taken for one; answers and distractors are places in the candidates."""
    record = passage_record(ITEM)
    assert record["passage"] == ["We left.", None]
    assert (record["blanks"], record["answers"], record["distractors"]) == ([1], [1], [0])
    assert record["sources"][1] == {"book_id": "b", "index": 5, "start": 50, "end": 59, "paragraph": 3}
    assert (record["part"], record["domain"], record["book_id"]) == ("development", "war", "b")


def test_a_table_of_a_split_is_flat() -> None:
    """Each list holds one type and no null; a blank is numbered as in the published layout."""
    row = split_record(ITEM)
    assert row["passage"] == ["We left.", "<1>"]
    assert all(isinstance(value, (str, list)) for value in row.values())
    assert all(type(one) is type(value[0]) for value in row.values() if isinstance(value, list) for one in value)


@pytest.mark.parametrize("field", REQUIRED_FIELDS)
def test_a_missing_field_is_named(field: str) -> None:
    """Every required field is asked for by name, with the line."""
    record = passage_record(ITEM)
    del record[field]
    with pytest.raises(FormatError, match=f"p.jsonl, line 1: lacks {field};"):
        list(parse_passages([json.dumps(record)], name="p.jsonl"))


SOURCE = {"book_id": "b", "index": 5, "start": 50, "end": 59}
WRONG: list[dict[str, Any]] = [
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
]  # fmt: skip


@pytest.mark.parametrize("change", WRONG)
def test_contradictions_are_refused(change: dict[str, Any]) -> None:
    """A record that does not hold together is no passage; the field is named."""
    with pytest.raises(FormatError, match=rf"^here: (.*`{next(iter(change))}`|.*blank)"):
        passage_from_record(passage_record(ITEM) | change, where="here")


def test_no_candidate_answers_two_blanks() -> None:
    """A set of ours has an answer of its own for each blank."""
    record = passage_record(ITEM)
    source = record["candidate_sources"][1]
    two = {"passage": [None, None], "blanks": [0, 1], "answers": [1, 1], "sources": [source | {"paragraph": 1}] * 2}
    with pytest.raises(FormatError, match="`answers` holds a number twice"):
        passage_from_record(record | two)


def test_an_id_twice_is_refused() -> None:
    """Ids are unique in a set; both lines are named."""
    line = json.dumps(passage_record(ITEM))
    with pytest.raises(FormatError, match=r"line 3: the id 'b:4' was there before, on line 1"):
        list(parse_passages([line, "", line]))


@pytest.mark.parametrize("line", ["{", "[]", "3", "[" * 5000, '{"id": "\\ud800"}'])
def test_other_lines_are_refused(line: str) -> None:
    """What is no JSON object is refused with its line."""
    with pytest.raises(FormatError, match=r"^p\.jsonl, line 2"):
        list(parse_passages([json.dumps(passage_record(ITEM)), line], name="p.jsonl"))
