"""The tasks of inspect-ai."""

from __future__ import annotations

import sys
import types
from pathlib import Path
from typing import Any

import pytest

from cloze_gen.formats.inspect_tasks import (
    InspectTask,
    blank_tasks,
    eval_yaml,
    inspect_task,
    passage_tasks,
    question_task,
)

SPLITS = {
    "default": {"validation": "validation.jsonl", "test": "test.jsonl"},
    "control": {"test": "control.jsonl"},
}
BLANKS = {"train": "harness/x_blanks.train.jsonl", "test": "harness/x_blanks.test.jsonl"}
KINDS = ([question_task()], passage_tasks(SPLITS), blank_tasks(BLANKS, config="blanks"))


@pytest.mark.parametrize("tasks", KINDS)
def test_the_hub_is_told_what_is_asked(tasks: list[InspectTask]) -> None:
    yaml = pytest.importorskip("yaml")
    whole = yaml.safe_load(eval_yaml(*tasks, name="1.0", description="54 questions: 'a'\n# b"))
    assert list(whole) == ["name", "description", "evaluation_framework", "tasks"]
    assert (whole["name"], whole["description"], whole["evaluation_framework"]) == (
        "1.0",
        "54 questions: 'a'\n# b",
        "inspect-ai",
    )
    found = whole["tasks"]
    assert [(one["id"], one["config"], one["split"]) for one in found] == [
        (task.id, task.config, task.split) for task in tasks
    ]
    for task, one in zip(tasks, found, strict=True):
        assert (one["field_spec"]["input"], one["field_spec"]["target"]) == (
            task.input,
            task.target,
        )
        assert one["field_spec"].get("choices", "") == task.choices
        assert one["scorers"][0]["name"] == ("choice" if task.choices else "match")


@pytest.mark.parametrize("tasks", KINDS)
def test_the_folder_is_asked_as_it_is(
    tasks: list[InspectTask], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake: dict[str, Any] = {
        "task": lambda make: make,
        "Task": lambda **told: told,
        "Sample": lambda **told: told,
    }
    fake |= {"json_dataset": lambda path, sample: (path, sample)} | {
        "match": lambda location: location,
        "choice": str,
        "multiple_choice": str,
    }
    fake |= {
        "generate": str,
        "prompt_template": str,
        "accuracy": lambda: "accuracy",
        "stderr": lambda cluster="": f"stderr {cluster}",
    }
    for name in ("inspect_ai", "inspect_ai.dataset", "inspect_ai.scorer", "inspect_ai.solver"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
        vars(sys.modules[name]).update(fake)
    program: dict[str, Any] = {"__file__": str(tmp_path / "inspect_task.py")}
    exec(compile(inspect_task(*tasks), "inspect_task.py", "exec"), program)
    for task in tasks:
        made = program[task.id]()
        assert made["metrics"] == ["accuracy", "stderr book", "stderr "]
        path, sample = made["dataset"]
        assert path == str(tmp_path.resolve() / task.file)
        record = (
            dict.fromkeys(task.metadata.values(), "b")
            | {"id": "b:1", task.input: "asked", task.target: 1 if task.choices else "Ann"}
            | ({task.choices: ["x", "y"]} if task.choices else {})
        )
        asked = sample(record)
        assert asked["metadata"] == dict.fromkeys(task.metadata, "b")
        assert task.metadata["book"] == "book_id"
        assert (asked["id"], asked["input"], asked["target"]) == (
            "b:1",
            "asked",
            "B" if task.choices else "Ann",
        )
