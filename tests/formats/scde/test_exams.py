"""Collected examinations."""

from __future__ import annotations

import json
from typing import Any

import pytest

from cloze_gen.errors import FormatError
from cloze_gen.formats.scde.exams import parse_exams
from cloze_gen.formats.scde.published import parse_published
from cloze_gen.records.examination import Examination

ITEM: dict[str, Any] = {
    "eid": 4,
    "passage": ["<2>", "We left.", "<1>"],
    "candidates": ["It rained.", "Jane sang.", "Nobody came."],
    "answer_sequence": [[2, 1], [1, 0]],
    "number_of_blanks": 2,
    "candidate_length": 3,
}


def one(**changes: Any) -> Examination:
    (found,) = parse_exams(json.dumps([ITEM | changes]))
    return found


def without(*fields: str) -> Examination:
    (found,) = parse_exams(json.dumps([{name: value for name, value in ITEM.items() if name not in fields}]))
    return found


def test_a_published_item_is_an_examination() -> None:
    """Blanks and answers in the order of the blanks' numbers; no second reading."""
    (published,) = parse_published(json.dumps([ITEM]))
    found = one()
    assert (found.item, found.eid, found.second_answers) == (1, 4, None)
    assert (found.blanks, found.candidates, found.answers) == (published.blanks, published.candidates, published.answers)
    assert [found.sentences[blank] for blank in found.blanks] == ["<1>", "<2>"]


@pytest.mark.parametrize("field", ["eid", "candidates", "answer_sequence", "answer_sequence_ocr", "number_of_blanks", "candidate_length"])
def test_a_field_may_be_missing_or_null(field: str) -> None:
    """Either is the same, and is for the cleaning to judge; the two counts are counted anew."""
    assert without(field) == one(**{field: None})


def test_what_the_cleaning_judges_is_kept() -> None:
    """Null candidates and answers, answers to no candidate, blanks without an answer."""
    assert one(candidates=["It rained.", None, ""]).candidates == ("It rained.", None, "")
    assert without("candidates").candidates is None
    assert one(answer_sequence=[[2, 9]]).answers == (None, 9)
    assert one(answer_sequence=[[2, None], [1, -1]]).answers == (-1, None)
    assert without("answer_sequence").answers == (None, None)
    assert one(number_of_blanks=9, candidate_length="many").blanks == (2, 0)


def test_a_second_reading_makes_it_an_image() -> None:
    """It has the form of the first; an empty list is a program that read nothing."""
    assert one(answer_sequence_ocr=[[1, 0], [2, 2]]).second_answers == (0, 2)
    assert one(answer_sequence_ocr=[]).second_answers == (None, None)


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"eid": "4"}, "`eid` must be a whole number"),
    ({"passage": None}, "`passage` must be a list of sentences"),
    ({"passage": ["<1>", None]}, "`passage` must be a list of sentences"),
    ({"passage": []}, "`passage` has no blank"),
    ({"passage": ["<1>", "<3>"]}, "<2> is missing"),
    ({"candidates": "It rained."}, "`candidates` must be a list of texts"),
    ({"candidates": [1, 2]}, "`candidates` must be a list of texts"),
    ({"answer_sequence": "BA"}, "`answer_sequence` must be a list of pairs"),
    ({"answer_sequence": [[1, 0, 0]]}, "`answer_sequence` must be a list of pairs"),
    ({"answer_sequence": [[1, "A"]]}, "`answer_sequence` must give whole numbers"),
    ({"answer_sequence": [[None, 1]]}, "`answer_sequence` must give whole numbers"),
    ({"answer_sequence": [[1, True]]}, "`answer_sequence` must give whole numbers"),
    ({"answer_sequence": [[3, 0]]}, "answers blank 3, but the passage has 1 to 2"),
    ({"answer_sequence": [[1, 0], [1, 0]]}, "answers blank 1 twice"),
    ({"answer_sequence_ocr": [[1, "A"]]}, "`answer_sequence_ocr` must give whole numbers"),
]


@pytest.mark.parametrize(("change", "said"), WRONG)
def test_what_no_rule_covers_is_one_message(change: dict[str, Any], said: str) -> None:
    """It names the file and the item."""
    with pytest.raises(FormatError) as raised:
        parse_exams(json.dumps([ITEM, ITEM | change]), name="raw.json")
    assert str(raised.value).startswith("raw.json, item 2")
    assert said in str(raised.value)


def test_a_missing_passage_is_named() -> None:
    """Nothing can be cleaned without it."""
    with pytest.raises(FormatError, match=r"^raw\.json, item 1 \(eid 4\): lacks passage"):
        parse_exams(json.dumps([{"eid": 4}]), name="raw.json")


@pytest.mark.parametrize("text", ["", "{}", "[3]", "[" * 5000])
def test_other_json_is_refused(text: str) -> None:
    """No JSON, or no list of objects."""
    with pytest.raises(FormatError, match=r"^raw\.json"):
        parse_exams(text, name="raw.json")
