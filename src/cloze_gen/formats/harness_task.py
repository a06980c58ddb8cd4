"""Tasks of EleutherAI's lm-evaluation-harness in a folder of their own: YAML, the records' reader, groups, and a page that tells how.

A path in `data_files` is taken from the folder that the harness is called in, so a task that names its records so runs in one folder only.
Where `custom_dataset` names a function in a Python file beside the YAML, the harness hands it what `dataset_kwargs` and `metadata` hold; it
knows that file by its full path, so two releases do not meet. `LOADER` is this file: it finds the records beside itself, and the tasks run
from any folder. Whoever runs no code of strangers has each task once more in `plain/`, by paths.

Few-shot examples come from a file that holds no item of the set, or there are none. Without `fewshot_split` the harness would take them
from the split that it measures, a document's own text among them (its issue 4145), so a task without examples has an empty list of them:
`--num_fewshot` then ends in an error.

Strings are written as JSON, which YAML reads as they are; lines of comments are cut at line ends, so a name never becomes structure.

Source: github.com/EleutherAI/lm-evaluation-harness 0.4.13, `docs/task_guide.md`; `lm_eval/tasks/_yaml_loader.py` (functions by the path of
their file), `lm_eval/api/task.py` (`ConfigurableTask.download`, `construct_requests`), `lm_eval/tasks/_index.py` (names within a folder).
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any

LETTERS = ascii_uppercase
LOADER_FILE, README = "cloze_task.py", "README.md"
PLAIN_FOLDER, PLAIN = "plain", "_plain"

LOADER = '''\
"""The records of these tasks, which lie beside this file: so they run from any folder. Nothing else is done here."""

import json
from pathlib import Path

from datasets import Dataset, DatasetDict


def load(data_files, **metadata):
    """Split -> rows, from split -> name of a file; lm-evaluation-harness hands over `dataset_kwargs` and the task's metadata."""
    splits = DatasetDict()
    for split, name in data_files.items():
        with open(Path(__file__).resolve().parent / name, encoding="utf-8") as lines:
            splits[split] = Dataset.from_list([json.loads(line) for line in lines])
    return splits
'''
CHOICE_YAML = """\
output_type: multiple_choice
doc_to_text: query
doc_to_choice: choices
doc_to_target: gold
target_delimiter: " "
metric_list:
  - metric: acc
    aggregation: mean
    higher_is_better: true
"""
CHOICE_YAML_BY_LENGTH = f"""\
{CHOICE_YAML}\
  - metric: acc_norm
    aggregation: mean
    higher_is_better: true
"""
_SPLIT_KEYS = {"validation": "validation_split", "test": "test_split"}  # as the harness calls them
_EXAMPLES = "fewshot"


@dataclass(frozen=True, slots=True, kw_only=True)
class HarnessTask:
    """One task.

    Attributes:
        name: as given to ``--tasks``.
        told: what is asked and measured, in a line of a table.
        comment: what a reader of the YAML must know of its measures, a line each.
        body: YAML from `output_type` to `metric_list`.
        split: that is measured, ``validation`` or ``test``.
        file: of the records of that split.
        examples: file of the records that few-shot examples are drawn from, none of them measured; empty: there are none.
    """

    name: str
    told: str
    comment: Sequence[str]
    body: str
    split: str = "test"
    file: str
    examples: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class HarnessGroup:
    """Tasks that are run under one name; `comment` says why no figure is given for all of them."""

    name: str
    tasks: Sequence[str]
    comment: Sequence[str]


def json_lines(records: Iterable[Mapping[str, Any]], canary: str = "") -> str:
    """A line a record; each with the column `canary`, if there is one.

    >>> json_lines([{"id": "b:1"}], "c0"), json_lines([])
    ('{"id": "b:1", "canary": "c0"}\\n', '')
    """
    more = {"canary": canary} if canary else {}
    return "".join(f"{json.dumps({**record, **more}, ensure_ascii=False)}\n" for record in records)


def folder_files(
    tasks: Sequence[HarnessTask], groups: Sequence[HarnessGroup], *, items: str, scored: Sequence[str], version: str, signature: str
) -> dict[str, str]:
    """Path -> text of all but the records: the tasks' YAML, as it is and plain, the groups', the loader and the page.

    Args:
        items: file of the release that `cloze-gen evaluate` measures.
        scored: one of the tasks whose logs it reads as scores, or several whose logs it wants together.
        version: of the dataset, kept in the tasks' metadata with `signature`.
    """
    metadata = f"metadata:\n  version: {json.dumps(version)}\n  signature: {json.dumps(signature)}\n"
    files = {LOADER_FILE: LOADER, README: _readme(tasks, groups, items, scored)}
    for task in tasks:
        reader = f"custom_dataset: !function {LOADER_FILE.removesuffix('.py')}.load\n"
        files[f"{task.name}.yaml"] = _task_yaml(task, task.name, task.comment, reader) + metadata
        call = f"Call it inside the folder of {LOADER_FILE}: {_command(f'{task.name}{PLAIN}', PLAIN_FOLDER)}"
        comment = [call, f"It is {task.name} without code; its records are found by paths from that folder.", *task.comment]
        yaml = _task_yaml(task, f"{task.name}{PLAIN}", comment, "dataset_path: json\n")
        files[f"{PLAIN_FOLDER}/{task.name}{PLAIN}.yaml"] = yaml + metadata
    for group in groups:
        members = "".join(f"  - {json.dumps(name)}\n" for name in group.tasks)
        files[f"{group.name}.yaml"] = f"{_comment(group.comment)}group: {json.dumps(group.name)}\ntask:\n{members}{metadata}"
    return files


def _task_yaml(task: HarnessTask, name: str, comment: Sequence[str], reader: str) -> str:
    paths, examples = f"    {task.split}: {json.dumps(task.file)}\n", "fewshot_config:\n  samples: []\n"
    if task.examples:
        paths, examples = f"{paths}    {_EXAMPLES}: {json.dumps(task.examples)}\n", f"fewshot_split: {_EXAMPLES}\n"
    head = f"{_comment(comment)}task: {json.dumps(name)}\n{reader}dataset_kwargs:\n  data_files:\n{paths}"
    return f"{head}{_SPLIT_KEYS[task.split]}: {task.split}\n{examples}{task.body}"


def _comment(lines: Sequence[str]) -> str:
    return "".join(f"# {line}\n" for told in lines for line in told.splitlines())


def _command(name: str, folder: str, more: str = "") -> str:
    """A call to copy; a name that begins with a dash would be taken for an option."""
    tasks = f"--tasks={shlex.quote(name)}" if name.startswith("-") else f"--tasks {shlex.quote(name)}"
    return f"lm_eval run --model hf --model_args pretrained=MODEL --include_path {folder} {tasks}{more}"


def _readme(tasks: Sequence[HarnessTask], groups: Sequence[HarnessGroup], items: str, scored: Sequence[str]) -> str:
    rows = [f"| `{task.name}` | {task.told} |\n" for task in tasks]
    rows += [f"| `{group.name}` | the group of {' and '.join(f'`{name}`' for name in group.tasks)} |\n" for group in groups]
    logs = " ".join(f"OUT/*/samples_{shlex.quote(name)}_2*.jsonl" for name in scored)
    log = _command(",".join(scored), "HERE", " --log_samples --output_path OUT")
    return f"""\
# Tasks of lm-evaluation-harness

Written for 0.4.13 (`pip install "lm-eval[hf]"`). They run from any folder; HERE is this folder by its path, MODEL a model's name or folder.

    {_command(tasks[0].name, "HERE")}

| `--tasks` | |
|---|---|
{"".join(rows)}
A file works as well as a name, `--tasks HERE/{tasks[0].name}.yaml`; a group needs `--include_path`, for it names its tasks.
Every record has the `id` of its item.

{_fewshot(tasks)}

`{LOADER_FILE}` reads the records beside it and does nothing else. If you run no code of others, take the tasks in `{PLAIN_FOLDER}/`,
which have none. Their names end in `{PLAIN}`, and they run inside this folder only:

    cd HERE
    {_command(f"{tasks[0].name}{PLAIN}", PLAIN_FOLDER)}

With `--log_samples` the harness keeps what the model said of every item, and `cloze-gen evaluate` reads that as scores: intervals, tests
and tables beside its baselines.

    {log}
    cat {logs} > scores.jsonl
    cloze-gen evaluate HERE/../{items} --scores scores.jsonl
"""


def _fewshot(tasks: Sequence[HarnessTask]) -> str:
    files = sorted({task.examples for task in tasks if task.examples})
    if not files:
        return "There are no few-shot examples, since no item was left over: `--num_fewshot` above 0 stops with an error."
    return f"`--num_fewshot K` takes the examples from {' and '.join(f'`{file}`' for file in files)}, which no task measures."
