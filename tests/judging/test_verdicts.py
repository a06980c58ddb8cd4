"""Files of what judges said."""

import json
from dataclasses import replace

import pytest

from cloze_gen.errors import FormatError
from cloze_gen.judging.verdicts import SCHEMA, VerdictFile, parse_verdicts, verdicts_jsonl
from cloze_gen.records.judgement import Task

FILE = VerdictFile(
    Task.GROOM,
    {"forward": "5d"},
    3,
    0.7149,
    [{"id": "b:7", "picked": ["é", "\u2028"]}, {"id": "b:8"}],
    {"rounds": 1},
)
HEAD = json.loads(verdicts_jsonl(FILE).splitlines()[0])


def test_a_file_comes_back():
    """With what separates lines to some programs inside a text, and known by its content alone."""
    text = verdicts_jsonl(FILE)
    assert parse_verdicts(text, task=Task.GROOM, name="anywhere.jsonl") == FILE
    assert parse_verdicts(text, task=Task.GROOM).digest == FILE.digest
    assert (
        len(
            {
                FILE.digest,
                replace(FILE, rows=FILE.rows[:1]).digest,
                replace(FILE, alpha=None).digest,
            }
        )
        == 3
    )


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ([], "line 1: expected verdicts of the task groom"),
        ([{**HEAD, "verdicts": "cloze-gen/verdicts/0"}], SCHEMA),
        ([{**HEAD, "task": "guess"}], "expected verdicts of the task groom"),
        ([{**HEAD, "judges": True}], "line 1: expected `of`"),
        ([{**HEAD, "alpha": "high"}], "line 1: expected `of`"),
        ([{**HEAD, "alpha": True}], "line 1: expected `of`"),
        ([{**HEAD, "of": {"forward": 5}}], "line 1: expected `of`"),
        ([{**HEAD, "rules": []}], "line 1: expected `of`"),
        ([HEAD, {"verdict": "fit"}], "line 2: expected an `id`"),
        ([HEAD, {"id": 7}], "line 2: expected an `id`"),
        ([HEAD, {"id": "b:7"}, {"id": "b:7"}], "line 3: expected an `id` that no earlier line has"),
    ],
)
def test_what_is_none_is_named(lines, says):
    """With file and line."""
    with pytest.raises(FormatError, match=says) as error:
        parse_verdicts(
            "".join(f"{json.dumps(line)}\n" for line in lines), task=Task.GROOM, name="mine.jsonl"
        )
    assert str(error.value).startswith("mine.jsonl, line ")


@pytest.mark.parametrize(
    ("judges", "alpha", "told"),
    [
        (1, None, "human (1 judge, alpha undefined)"),
        (2, 0.0, "human (2 judges, alpha 0.00)"),
        (2, -0.001, "human (2 judges, alpha 0.00)"),
        (1200, -0.051, "human (1,200 judges, alpha -0.05)"),
    ],
)
def test_whose_they_are_is_told(judges, alpha, told):
    """No alpha is told as none; an alpha of chance is 0.00, whatever its sign."""
    assert replace(FILE, judges=judges, alpha=alpha).summary == told
