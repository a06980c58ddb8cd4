"""Tasks of inspect-ai on the files of a release.

Source: github.com/UKGovernmentBEIS/inspect_ai 0.3.285, `solver/_multiple_choice.py`,
`scorer/_choice.py`, `scorer/_match.py`, `scorer/_metrics/std.py`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from cloze_gen.formats.harness import blind_file

INSPECT_TASK = "inspect_task.py"
_ONE_WORD = (
    "Read the text below, which stops before a word. Answer with the one word that comes next, "
    "and nothing else.\n\n{prompt}"
)
_OPTIONS_ALONE = "A text with a blank is not shown. Which option most probably fills the blank?"


@dataclass(frozen=True, slots=True, kw_only=True)
class InspectTask:
    """A task on the records of one file: multiple choice, or a single word (exact match).

    Attributes:
        input: column of the prompt.
        target: column of the right word, or of the index of the right choice.
        choices: column of the choices; empty for a single word.
        metadata: name in the metadata of a sample -> Python expression on its record `one`.
        blind: control -> (file, column) of its prompts; no file if only the options are shown.
    """

    id: str
    file: str
    input: str
    target: str
    choices: str = ""
    metadata: Mapping[str, str]
    blind: Mapping[str, tuple[str, str]] = field(default_factory=dict)


def question_task(name: str, *, blind: bool) -> InspectTask:
    return InspectTask(
        id="questions",
        file="questions.jsonl",
        input="input",
        target="answer_index",
        choices="options",
        metadata={
            "book": 'one["book_id"]',
            "class": 'one.get("answer_class") or one.get("answer_tag", "")',
            "position": 'one["position"]',
        },
        blind={
            "options": ("", ""),
            "sentence": (blind_file(name, "sentence"), "input"),
        }
        if blind
        else {},
    )


def passage_tasks(
    splits: Mapping[str, Mapping[str, str]], *, name: str = "", blind: str = ""
) -> list[InspectTask]:
    """LAMBADA passages: a task per config and split without training; config -> split -> file.

    `blind`: the split with controls, or empty.

    >>> [task.id for task in passage_tasks({"default": {"validation": "validation.jsonl", "test": "test.jsonl"}})]
    ['validation', 'test']
    """
    return [
        InspectTask(
            id=split if config == "default" else config,
            file=file,
            input="context",
            target="target",
            metadata={
                "book": 'one["book_id"]',
                "class": 'one["domain"]',
                "position": 'len(one["context"].split())',
            },
            blind={
                kind: (blind_file(name, kind, split), "context") for kind in ("sentence", "context")
            }
            if config == "default" and split == blind
            else {},
        )
        for config, files in splits.items()
        for split, file in files.items()
        if split != "train"
    ]


def blank_tasks(files: Mapping[str, str], *, name: str = "", blind: str = "") -> list[InspectTask]:
    """A task per split without training; `files`: split -> file of `blank_records`.

    >>> [task.id for task in blank_tasks({"train": "a.jsonl", "test": "b.jsonl"})]
    ['blanks_test']
    """
    return [
        InspectTask(
            id=f"blanks_{split}",
            file=file,
            input="query",
            target="gold",
            choices="choices",
            metadata={
                "book": 'one["book_id"]',
                "class": 'one["domain"]',
                "position": 'int(one["id"].rpartition(":")[2])',
            },
            blind={
                "options": ("", ""),
                "passage": (blind_file(name, "passage", split), "query"),
            }
            if split == blind
            else {},
        )
        for split, file in files.items()
        if split != "train"
    ]


def task_files(*tasks: InspectTask) -> dict[str, str]:
    """File -> text; empty without tasks."""
    return {INSPECT_TASK: inspect_task(*tasks)} if tasks else {}


_INSPECT_HEAD = '''\
"""Tasks of inspect-ai on the records in this folder: inspect eval {file}@{first} --model MODEL

{help}The `blind` tasks are controls, in which the model does not see the text of the item. The metadata of a sample has
its book, its class (part of speech or genre) and its position (word in the sentence, words before the target, or blank).
"""

import json
from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import {scorers}
from inspect_ai.solver import {solver}

FOLDER = Path(__file__).resolve().parent
METRICS = [accuracy(), stderr(cluster="book"), stderr()]  # report the first standard error: items of one book are not independent


def read(file):
    with open(FOLDER / file, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def prompts(file, column):
    return {{one["id"]: one[column] for one in read(file)}}


def metadata(one):
    return {{{metadata}}}
'''
_INSPECT_CHOICE = '''

@scorer(metrics=METRICS)
def chosen(rotate):
    """As `choice`; also logs the chosen position in the prompt (A is 0), and the index of that option in the record."""
    judge = choice()

    async def score(state, target):
        found = await judge(state, target)
        places = [place for place, one in enumerate(state.choices) if one.correct]
        if len(places) == 1:
            found.metadata = {"position": places[0], "option": (places[0] - rotate) % len(state.choices)}
        return found

    return score


def make(file, prompt, choices, target, rotate):
    samples = []
    for one in read(file):
        size = len(one[choices])
        options = [one[choices][(place - rotate) % size] for place in range(size)]
        right = chr(ord("A") + (one[target] + rotate) % size)
        samples.append(Sample(id=one["id"], input=prompt(one), choices=options, target=right, metadata=metadata(one)))
    return Task(dataset=MemoryDataset(samples, name=file), solver=multiple_choice(), scorer=chosen(rotate))
'''
_INSPECT_WORD = """

TEMPLATE = {template}


def make(file, prompt, target):
    samples = [Sample(id=one["id"], input=prompt(one), target=one[target], metadata=metadata(one)) for one in read(file)]
    solver = [prompt_template(TEMPLATE), generate()]
    return Task(dataset=MemoryDataset(samples, name=file), solver=solver, scorer=match(location="exact"), metrics=METRICS)
"""


def inspect_task(*tasks: InspectTask) -> str:
    """`inspect_task.py`, with standard errors by book (Miller 2024, arXiv 2411.00640, 2.2).

    >>> print(inspect_task(question_task("mine", blind=False)).splitlines()[0])
    \"\"\"Tasks of inspect-ai on the records in this folder: inspect eval inspect_task.py@questions --model MODEL
    """
    chosen = any(task.choices for task in tasks)
    rotation = (
        "-T rotate=K moves every option K places on and the last ones to the front. The score's "
        "metadata has the\nposition that the model chose.\n"
    )
    metadata = ", ".join(f'"{name}": {value}' for name, value in tasks[0].metadata.items())
    head = _INSPECT_HEAD.format(
        file=INSPECT_TASK,
        first=tasks[0].id,
        help=rotation if chosen else "",
        scorers="accuracy, choice, scorer, stderr" if chosen else "accuracy, match, stderr",
        solver="multiple_choice" if chosen else "generate, prompt_template",
        metadata=metadata,
    )
    maker = _INSPECT_CHOICE if chosen else _INSPECT_WORD.format(template=json.dumps(_ONE_WORD))
    return f"{head}{maker}{''.join(map(_functions, tasks))}"


def _functions(task: InspectTask) -> str:
    shown = {"": f"one[{json.dumps(task.input)}]"}
    before = {"": ""}
    for kind, (file, column) in task.blind.items():
        before[kind] = (
            f"    shown = prompts({json.dumps(file)}, {json.dumps(column)})\n" if file else ""
        )
        shown[kind] = 'shown[one["id"]]' if file else json.dumps(_OPTIONS_ALONE)
    columns = [json.dumps(column) for column in (task.choices, task.target) if column]
    rotate = ("rotate=0", ", rotate") if task.choices else ("", "")
    return "".join(
        f"""

@task
def {task.id}{f"_blind_{kind}" if kind else ""}({rotate[0]}):
{before[kind]}    return make({json.dumps(task.file)}, lambda one: {prompt}, {", ".join(columns)}{rotate[1]})
"""
        for kind, prompt in shown.items()
    )
