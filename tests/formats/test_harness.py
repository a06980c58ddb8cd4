"""The lm-evaluation-harness task."""

from __future__ import annotations

import json

from cloze_gen.formats import harness
from cloze_gen.records.question import Question


def test_query_and_right_choice_are_the_whole_sentence() -> None:
    """With the harness's delimiter between them, query and gold choice read as the printed sentence."""
    tokens = ("Well", ",", "we", "hide", "it", ",", "sir", ".")
    record = harness.harness_record(Question("b:0:3", "b", tokens, 3, ("eat", "hide"), 1))
    assert f"{record['query']} {record['choices'][record['gold']]}" == "Well, we hide it, sir."


def test_task_file_is_yaml_whatever_the_names_hold() -> None:
    """Quotes and colons in a name do not break the task file."""
    text = harness.task_yaml(task='a: "b"', data_file="x y.jsonl", version="1.0", signature="s|n:5")
    values = dict(line.strip().split(": ", 1) for line in text.splitlines() if ": " in line and not line.strip().startswith("-"))
    assert {key: json.loads(values[key]) for key in ("task", "test", "version", "signature")} == {
        "task": 'a: "b"',
        "test": "x y.jsonl",
        "version": "1.0",
        "signature": "s|n:5",
    }
    assert (values["output_type"], values["doc_to_target"]) == ("multiple_choice", "gold")
