"""The tasks of inspect-ai."""

import asyncio
import json
import sys
import types
from types import SimpleNamespace

import pytest

from cloze_gen.formats.inspect_tasks import (
    blank_tasks,
    inspect_task,
    passage_tasks,
    question_task,
    task_files,
)

SPLITS = {
    "default": {"validation": "validation.jsonl", "test": "test.jsonl"},
    "control": {"test": "control.jsonl"},
}
BLANKS = {"train": "blanks_train.jsonl", "test": "blanks_test.jsonl"}
KINDS = (
    [question_task("x", blind=True)],
    passage_tasks(SPLITS, name="x", blind="test"),
    blank_tasks(BLANKS, name="x", blind="test"),
)
RECORDS = [
    {
        "id": "b:1:3",
        "book_id": "b",
        "input": "We _____ it.",
        "options": ["eat", "hide", "see"],
        "answer_index": 1,
        "answer_tag": "VBP",
        "position": 1,
    },
    {"id": "b:7", "book_id": "b", "domain": "crime", "context": "Who hid? Not ", "target": "Ann"},
    {
        "id": "b:4:2",
        "book_id": "b",
        "domain": "crime",
        "query": "_____ We left.",
        "choices": ["So?", "It rained.", "Oh."],
        "gold": 1,
    },
]
METADATA = [("VBP", 1), ("crime", 3), ("crime", 2)]


def run_inspect(tasks, folder, monkeypatch):
    """The emitted program with a plain fake of inspect-ai."""

    def choice():
        async def score(state, target):
            return SimpleNamespace(metadata=None)

        return score

    fake = {
        "task": lambda make: make,
        "Task": lambda **given: SimpleNamespace(**given),
        "Sample": lambda **given: SimpleNamespace(**given),
        "MemoryDataset": lambda samples, name: samples,
        "match": lambda location: location,
        "choice": choice,
        "scorer": lambda metrics: lambda make: make,
        "accuracy": lambda: "accuracy",
        "stderr": lambda cluster="": f"stderr {cluster}",
        **dict.fromkeys(("multiple_choice", "generate", "prompt_template"), str),
    }
    for name in ("inspect_ai", "inspect_ai.dataset", "inspect_ai.scorer", "inspect_ai.solver"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
        vars(sys.modules[name]).update(fake)
    program = {"__file__": str(folder / "inspect_task.py")}
    exec(compile(inspect_task(*tasks), "inspect_task.py", "exec"), program)
    return program


@pytest.mark.parametrize(
    ("tasks", "record", "about"), list(zip(KINDS, RECORDS, METADATA, strict=True))
)
def test_every_sample_has_its_book_class_and_position(
    tasks,
    record,
    about,
    tmp_path,
    monkeypatch,
):
    """Controls have the ids, options and answers of their task, but another prompt."""
    program = run_inspect(tasks, tmp_path, monkeypatch)
    assert program["METRICS"] == ["accuracy", "stderr book", "stderr "]
    (tmp_path / "harness").mkdir()
    for task in tasks:
        (tmp_path / task.file).write_text(json.dumps(record) + "\n")
        [asked] = program[task.id]().dataset
        assert asked.metadata == {"book": "b", "class": about[0], "position": about[1]}
        assert (asked.id, asked.input) == (record["id"], record[task.input])
        assert asked.target == ("B" if task.choices else record[task.target])
        for kind, (file, column) in task.blind.items():
            if file:
                shown = {"id": record["id"], column: "elsewhere"}
                (tmp_path / file).write_text(json.dumps(shown) + "\n")
            [blind] = program[f"{task.id}_blind_{kind}"]().dataset
            assert vars(blind) | {"input": asked.input} == vars(asked)
            assert blind.input == "elsewhere" if file else "is not shown" in blind.input
    assert sum(len(task.blind) for task in tasks) == 2


@pytest.mark.parametrize("rotate", range(4))
def test_rotation_moves_the_options_and_logs_the_choice(rotate, tmp_path, monkeypatch):
    """The right letter moves too, and the logged option is an index of the record."""
    program = run_inspect(KINDS[0], tmp_path, monkeypatch)
    (tmp_path / "questions.jsonl").write_text(json.dumps(RECORDS[0]) + "\n")
    task = program["questions"](rotate)
    [asked] = task.dataset
    assert asked.choices == [["eat", "hide", "see"], ["see", "eat", "hide"], ["hide", "see", "eat"]][rotate % 3]  # fmt: skip
    assert asked.choices["ABC".index(asked.target)] == "hide"
    for place, option in enumerate(asked.choices):
        marks = [SimpleNamespace(correct=other == place) for other in range(3)]
        found = asyncio.run(task.scorer(SimpleNamespace(choices=marks), asked.target))
        assert found.metadata == {
            "position": place,
            "option": RECORDS[0]["options"].index(option),
        }
    unmarked = SimpleNamespace(choices=[SimpleNamespace(correct=None)] * 3)
    assert asyncio.run(task.scorer(unmarked, asked.target)).metadata is None


def test_without_items_there_are_no_files():
    assert task_files() == {}
