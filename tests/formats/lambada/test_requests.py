"""Requests out and answers in."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.errors import FormatError
from cloze_gen.formats.lambada.requests import format_requests, parse_answers


@given(st.dictionaries(st.text(min_size=1), st.floats(-50, 0), min_size=1))
def test_answers_come_back_in_the_order_asked(scores: dict[str, float]) -> None:
    """Whatever the order of the lines, with empty ones and with passages that nobody asked about."""
    requests = [json.loads(line) for line in format_requests((one, f"before {one}", "word") for one in scores)]
    assert [request["context"] for request in requests] == [f"before {one}" for one in scores]
    lines = [json.dumps({"id": request["id"], "log10_prob": scores[request["id"]], "by": "x"}) for request in reversed(requests)]
    assert parse_answers([*lines, "", '{"id": "\\u0000other", "log10_prob": -1}'], list(scores)).tolist() == list(scores.values())


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("-1.5", 'expected {"id"'),
        ("{", "not JSON"),
        ('{"id": "b:1"}', 'expected {"id"'),
        ('{"id": 1, "log10_prob": -1}', 'expected {"id"'),
        ('{"id": "b:1", "log10_prob": 0.3}', "above 0"),
        ('{"id": "b:1", "log10_prob": "-1"}', "not a finite number"),
        ('{"id": "b:1", "log10_prob": true}', "not a finite number"),
        ('{"id": "b:1", "log10_prob": null}', "not a finite number"),
        ('{"id": "b:2", "log10_prob": -1}', "earlier line"),
    ],
)
def test_a_line_that_is_no_answer_is_told(line: str, message: str) -> None:
    """With file and number of the line."""
    with pytest.raises(FormatError, match=rf"mine\.jsonl, line 2: .*{message}"):
        parse_answers(['{"id": "b:2", "log10_prob": -1}', line], ["b:1", "b:2"], name="mine.jsonl")


def test_a_passage_without_answer_is_told() -> None:
    """How many there are, and the first."""
    with pytest.raises(FormatError, match="no answer for 2 of 3 passages, the first is b:1"):
        parse_answers(['{"id": "b:2", "log10_prob": -1}'], ["b:1", "b:2", "b:3"])
