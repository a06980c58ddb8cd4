"""Tasks of inspect-ai and lighteval on the files of a release.

`eval.yaml` is for data sets on the hub, `inspect_task.py` and `lighteval_task.py` for a folder.

Source: github.com/UKGovernmentBEIS/inspect_ai 0.3.285, `_eval/task/hf.py`,
`solver/_multiple_choice.py`, `scorer/_choice.py`, `scorer/_match.py`, `scorer/_metrics/std.py`;
huggingface/hub-docs, `docs/hub/eval-results.md`; huggingface/lighteval 0.13.0,
`tasks/lighteval_task.py`, `tasks/tasks/lambada.py`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from cloze_gen.formats.harness import blind_file
from cloze_gen.formats.questions import BLANK_MARK

EVAL_YAML, INSPECT_TASK, LIGHTEVAL_TASK = "eval.yaml", "inspect_task.py", "lighteval_task.py"
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
        prompt: Python lines that set lighteval's `query` and `choices` from a record `line`.
        examples: split with examples for few-shot prompts of lighteval, or empty.
        blind: control -> (file, column) of its prompts; no file if only the options are shown.
    """

    id: str
    file: str
    config: str = "default"
    split: str = "test"
    input: str
    target: str
    choices: str = ""
    metadata: Mapping[str, str]
    prompt: Sequence[str]
    examples: str = ""
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
        prompt=(
            f'before, _, after = line["input"].partition("{BLANK_MARK}")',
            'query = before.rstrip(" ")',
            'choices = [before[len(query):] + option + after for option in line["options"]]',
        ),
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
            config=config,
            split=split,
            input="context",
            target="target",
            metadata={
                "book": 'one["book_id"]',
                "class": 'one["domain"]',
                "position": 'len(one["context"].split())',
            },
            prompt=(
                'query = line["context"].rstrip(" ")',
                'choices = [line["context"][len(query):] + line["target"]]',
            ),
            examples="validation" if split == "test" and "validation" in files else "",
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


def blank_tasks(
    files: Mapping[str, str], *, config: str, name: str = "", blind: str = ""
) -> list[InspectTask]:
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
            metadata={
                "book": 'one["book_id"]',
                "class": 'one["domain"]',
                "position": 'int(one["id"].rpartition(":")[2])',
            },
            prompt=(
                'query = line["query"]',
                'choices = [f" {choice}" for choice in line["choices"]]',
            ),
            examples="train" if "train" in files else "",
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


def task_files(*tasks: InspectTask, name: str, description: str) -> dict[str, str]:
    """File -> text; empty without tasks."""
    if not tasks:
        return {}
    return {
        EVAL_YAML: eval_yaml(*tasks, name=name, description=description),
        INSPECT_TASK: inspect_task(*tasks),
        LIGHTEVAL_TASK: lighteval_task(*tasks, name=name, description=description),
    }


def eval_yaml(*tasks: InspectTask, name: str, description: str) -> str:
    """`eval.yaml`; the hub documents no metadata or metrics in it.

    >>> print(eval_yaml(question_task("mine", blind=False), name="mine", description="54 questions"))  # doctest: +ELLIPSIS
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


_LIGHTEVAL_HEAD = '''\
"""
name:
{name}

dataset:
this folder

abstract:
{description}

languages:
english

tags:
{tags}

Run a task: lighteval accelerate "model_name=MODEL" "{first}" --custom-tasks {file}
"""

from pathlib import Path

from lighteval.metrics.metrics import Metrics
from lighteval.tasks.lighteval_task import LightevalTaskConfig
from lighteval.tasks.requests import Doc

FOLDER = str(Path(__file__).resolve().parent)


def prompt(line, task_name=None):
    {prompt}
    return Doc(task_name=task_name, query=query, choices=choices, gold_index={gold})


def prompt_without_examples(line, task_name=None):
    if line.get("__few_shots"):
        raise ValueError("There are no few-shot examples, because all items are measured. Run the task without them.")
    return prompt(line, task_name)


TASKS_TABLE = [
{configs}]
'''


def lighteval_task(*tasks: InspectTask, name: str, description: str) -> str:
    """`lighteval_task.py`: the likelihood of the choices, or of the target.

    >>> text = lighteval_task(question_task("mine", blind=False), name="mine", description="54 questions")
    >>> [line.strip() for line in text.splitlines() if "name=" in line][-1]
    'name="mine:questions",'
    """
    first = tasks[0]
    metrics = (
        "Metrics.loglikelihood_acc"
        if first.choices
        else "Metrics.acc_golds_likelihood, Metrics.target_perplexity"
    )
    safe = re.sub(r"[^A-Za-z0-9._-]+", "-", name)
    configs = "".join(
        f"""\
    LightevalTaskConfig(
        name={json.dumps(f"{safe}:{task.id}")},
        prompt_function={"prompt" if task.examples else "prompt_without_examples"},
        hf_repo=FOLDER,
        hf_subset={json.dumps(task.config)},
        hf_avail_splits={json.dumps([task.split, *filter(None, [task.examples])])},
        evaluation_splits={json.dumps([task.split])},
        few_shots_split={json.dumps(task.examples) if task.examples else None},
        few_shots_select=None,
        generation_size=1,
        metrics=[{metrics}],
        stop_sequence=["\\n"],
        version=0,
    ),
"""
        for task in tasks
    )
    return _LIGHTEVAL_HEAD.format(
        name=_in_docstring(name),
        description=_in_docstring(description),
        tags="multiple-choice" if first.choices else "language-modeling",
        first=f"{safe}:{first.id}",
        file=LIGHTEVAL_TASK,
        prompt="\n    ".join(first.prompt),
        gold=f"line[{json.dumps(first.target)}]" if first.choices else "0",
        configs=configs,
    )


def _in_docstring(text: str) -> str:
    """The text on one line, without characters that could end a docstring.

    >>> _in_docstring('a \\'b\\'\\n"c"\\\\')
    "a 'b' 'c'/"
    """
    return " ".join(text.replace("\\", "/").replace('"', "'").split())
