"""Requests out and answers in."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.errors import FormatError
from cloze_gen.formats.lambada.requests import format_requests, parse_answers, parse_full_answers


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
        ('{"id": "b:1", "log10_prob": -1, "log10_prob": -2}', "the key 'log10_prob' is there twice"),
        ('{"id": 1.5, "log10_prob": -1}', 'expected {"id"'),
        ('{"id": true, "log10_prob": -1}', 'expected {"id"'),
        ('{"id": "b:1", "log10_prob": -1, "rank": 0}', "`rank` is 0"),
        ('{"id": "b:1", "log10_prob": -1, "rank": "1"}', "expected a number from 1"),
        ('{"id": "b:1", "log10_prob": -1, "is_greedy": "yes"}', "are true or false"),
        ('{"id": "b:1", "log10_prob": 0.3}', "above 0"),
        ('{"id": "b:1", "log10_prob": "-1"}', "not a finite number"),
        ('{"id": "b:1", "log10_prob": true}', "not a finite number"),
        (f'{{"id": "b:1", "log10_prob": -1{"0" * 400}}}', "not a finite number"),
        (f'{{"id": "b:1", "log10_prob": -1, "rank": 1{"0" * 400}}}', "expected a number from 1"),
        ('{"id": "b:1", "log10_prob": null}', "not a finite number"),
        ('{"id": "b:2", "log10_prob": -1}', "earlier line"),
    ],
)
def test_a_line_that_is_no_answer_is_told(line: str, message: str) -> None:
    """With file and number of the line."""
    with pytest.raises(FormatError, match=rf"mine\.jsonl, line 2: .*{message}"):
        parse_answers(['{"id": "b:2", "log10_prob": -1}', line], ["b:1", "b:2"], name="mine.jsonl")


def test_ranks_and_first_choices_are_taken_where_they_are_told() -> None:
    """`correct` before `is_greedy`, as a harness writes them, before a rank of 1; a number may be an id."""
    lines = ['{"id": 1, "log10_prob": -1, "rank": 1, "correct": false}', '{"id": "2", "log10_prob": -2, "is_greedy": 1.0}',
             '{"id": 3, "log10_prob": -3, "rank": 1}']  # fmt: skip
    found = parse_full_answers(lines, ["3", "2", "1"])
    assert found.log10_prob.tolist() == [-3, -2, -1]
    assert np.array_equal(found.rank, [1, np.nan, 1], equal_nan=True)
    assert found.right is not None
    assert found.right.tolist() == [True, True, False]


def test_first_choices_that_not_all_answers_tell_are_none() -> None:
    """An accuracy over some of the passages would be one of other passages."""
    lines = ['{"id": 1, "log10_prob": -1, "correct": true}', '{"id": 2, "log10_prob": -2}']
    assert parse_full_answers(lines, ["1", "2"]).right is None
    assert parse_full_answers(lines[:1], ["1"]).right is not None


def test_a_passage_without_answer_is_told() -> None:
    """How many there are, and the first."""
    with pytest.raises(FormatError, match="no answer for 2 of 3 passages, the first is b:1"):
        parse_answers(['{"id": "b:2", "log10_prob": -1}'], ["b:1", "b:2", "b:3"])
