"""Tasks of inspect-ai: `eval.yaml` for data sets on the hub, `inspect_task.py` for a folder.

Source: github.com/UKGovernmentBEIS/inspect_ai 0.3.285, `_eval/task/hf.py`,
`solver/_multiple_choice.py`, `scorer/_match.py`, `scorer/_metrics/std.py`; huggingface/hub-docs,
`eval-results.md`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

EVAL_YAML, INSPECT_TASK = "eval.yaml", "inspect_task.py"
_ONE_WORD = (
    "Read the text below, which stops before a word. Answer with the one word that comes next, "
    "and nothing else.\n\n{prompt}"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class InspectTask:
    """A task on the records of one file: multiple choice, or a single word (exact match).

    Attributes:
        input: column of the prompt.
        target: column of the right word, or of the index of the right choice.
        choices: column of the choices; empty for a single word.
        metadata: name in the metadata of a sample -> column; standard errors are clustered by `book`.
    """

    id: str
    file: str
    config: str = "default"
    split: str = "test"
    input: str
    target: str
    choices: str = ""
    metadata: Mapping[str, str] = field(default_factory=lambda: {"book": "book_id"})


def question_task() -> InspectTask:
    metadata = {"book": "book_id", "position": "position"}
    return InspectTask(
        id="questions",
        file="questions.jsonl",
        input="input",
        target="answer_index",
        choices="options",
        metadata=metadata,
    )


def passage_tasks(splits: Mapping[str, Mapping[str, str]]) -> list[InspectTask]:
    """LAMBADA passages: a task per config and split without training; config -> split -> file.

    >>> [task.id for task in passage_tasks({"default": {"validation": "validation.jsonl", "test": "test.jsonl"}})]
    ['validation', 'test']
    """
    return [
        InspectTask(
            id=split if config == "default" else config,
            file=file,
            config=config,
            split=split,
            input="context",
            target="target",
            metadata={"book": "book_id", "domain": "domain"},
        )
        for config, files in splits.items()
        for split, file in files.items()
        if split != "train"
    ]


def blank_tasks(files: Mapping[str, str], *, config: str) -> list[InspectTask]:
    """A task per split without training; `files`: split -> file of `blank_records`.

    >>> [task.id for task in blank_tasks({"train": "a.jsonl", "test": "b.jsonl"}, config="blanks")]
    ['blanks_test']
    """
    return [
        InspectTask(
            id=f"blanks_{split}",
            file=file,
            config=config,
            split=split,
            input="query",
            target="gold",
            choices="choices",
        )
        for split, file in files.items()
        if split != "train"
    ]


def eval_yaml(*tasks: InspectTask, name: str, description: str) -> str:
    """`eval.yaml`; its format has no metadata or metrics.

    >>> print(eval_yaml(question_task(), name="mine", description="54 questions"))  # doctest: +ELLIPSIS
    # Tasks of inspect-ai for this data set on the hub: inspect eval hf/OWNER/NAME --model MODEL
    name: "mine"
    description: "54 questions"
    evaluation_framework: inspect-ai
    tasks:
      - id: "questions"
        config: "default"
        split: "test"
        field_spec:
          input: "input"
          target: "answer_index"
          choices: "options"
    ...
    """
    head = (
        f"name: {json.dumps(name)}\ndescription: {json.dumps(description)}\nevaluation_framework: "
        "inspect-ai\n"
    )
    comment = (
        "# Tasks of inspect-ai for this data set on the hub: inspect eval hf/OWNER/NAME --model "
        "MODEL\n"
    )
    return f"{comment}{head}tasks:\n{''.join(map(_entry, tasks))}"


def _entry(task: InspectTask) -> str:
    choices = f"      choices: {json.dumps(task.choices)}\n" if task.choices else ""
    if task.choices:
        how = "    solvers:\n      - name: multiple_choice\n    scorers:\n      - name: choice\n"
    else:
        template = (
            "      - name: prompt_template\n        args:\n          template: "
            f"{json.dumps(_ONE_WORD)}\n"
        )
        scorer = "      - name: match\n        args:\n          location: exact\n"
        how = f"    solvers:\n{template}      - name: generate\n    scorers:\n{scorer}"
    return f"""\
  - id: {json.dumps(task.id)}
    config: {json.dumps(task.config)}
    split: {json.dumps(task.split)}
    field_spec:
      input: {json.dumps(task.input)}
      target: {json.dumps(task.target)}
{choices}{how}"""


def inspect_task(*tasks: InspectTask) -> str:
    """`inspect_task.py`, with standard errors by book (Miller 2024, arXiv 2411.00640, 2.2).

    >>> print(inspect_task(question_task()).splitlines()[0])
    \"\"\"Tasks of inspect-ai on the records in this folder: inspect eval inspect_task.py@questions --model MODEL\"\"\"
    """
    chosen = any(task.choices for task in tasks)
    scorers, solver = (
        ("accuracy, choice, stderr", "multiple_choice")
        if chosen
        else ("accuracy, match, stderr", "generate, prompt_template")
    )
    template = "" if chosen else f"TEMPLATE = {json.dumps(_ONE_WORD)}\n"
    return f'''\
"""Tasks of inspect-ai on the records in this folder: inspect eval {INSPECT_TASK}@{tasks[0].id} --model MODEL"""

from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.dataset import Sample, json_dataset
from inspect_ai.scorer import {scorers}
from inspect_ai.solver import {solver}

FOLDER = Path(__file__).resolve().parent
METRICS = [accuracy(), stderr(cluster="book"), stderr()]  # report the first standard error: items of one book are not independent
{template}{"".join(map(_function, tasks))}'''


def _function(task: InspectTask) -> str:
    if task.choices:
        target = (
            f'choices=one[{json.dumps(task.choices)}], target=chr(ord("A") + '
            f"one[{json.dumps(task.target)}])"
        )
        how = "solver=multiple_choice(), scorer=choice()"
    else:
        target = f"target=one[{json.dumps(task.target)}]"
        how = 'solver=[prompt_template(TEMPLATE), generate()], scorer=match(location="exact")'
    metadata = ", ".join(
        f"{json.dumps(name)}: one[{json.dumps(column)}]" for name, column in task.metadata.items()
    )
    return f"""

@task
def {task.id}():
    def sample(one):
        return Sample(id=one["id"], input=one[{json.dumps(task.input)}], {target}, metadata={{{metadata}}})

    records = json_dataset(str(FOLDER / {json.dumps(task.file)}), sample)
    return Task(dataset=records, {how}, metrics=METRICS)
"""
