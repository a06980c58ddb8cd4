"""Tasks of lm-evaluation-harness: files of all tasks, and two tasks of questions.

Source: github.com/EleutherAI/lm-evaluation-harness 0.4.13, `docs/task_guide.md`,
`lm_eval/tasks/_yaml_loader.py`, `lm_eval/api/task.py`, `lm_eval/tasks/_index.py`.
"""

from __future__ import annotations

import json
import shlex
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any

from cloze_gen.formats.questions import as_printed, blanked_sentence
from cloze_gen.records.question import Question
from cloze_gen.rng import derive_rng

LETTERS = ascii_uppercase
LOADER_FILE, README = "cloze_task.py", "README.md"

LOADER = '''\
"""Reads the records of these tasks from the folder of this file, so that the tasks run from any folder.

Also computes the measures of a document. `bits_per_byte` is -log2 P(right answer) divided by the
UTF-8 bytes of that answer, with the space before it; lm-evaluation-harness has it for whole texts only.
"""

import json
from pathlib import Path

from datasets import Dataset, DatasetDict


def load(data_files, **metadata):
    """Return split -> rows; lm-evaluation-harness passes `dataset_kwargs` and the metadata of the task."""
    splits = DatasetDict()
    for split, name in data_files.items():
        with open(Path(__file__).resolve().parent / name, encoding="utf-8") as lines:
            splits[split] = Dataset.from_list([json.loads(line) for line in lines])
    return splits


def option_results(doc, results):
    """`results`: (log-likelihood, is greedy) of each option."""
    return _options([f" {choice}" for choice in doc["choices"]], doc["gold"], results)


def option_results_by_length(doc, results):
    """Also `acc_norm`, which divides a log-likelihood by the characters of the option."""
    scores = [score / len(choice) for (score, _), choice in zip(results, doc["choices"])]
    best = scores.index(max(scores))
    return {**option_results(doc, results), "acc_norm": float(best == doc["gold"])}


def target_results(doc, results):
    [(score, is_greedy)] = results
    size = len(doc["continuation"].encode())
    return {"acc": float(is_greedy), "perplexity": score, "bits_per_byte": (score, size)}


def _options(texts, right, results):
    scores = [score for score, _ in results]
    best = scores.index(max(scores))
    size = len(texts[right].encode())
    return {"acc": float(best == right), "bits_per_byte": (scores[right], size)}
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
_BITS_PER_BYTE = """\
  - metric: bits_per_byte
    aggregation: bits_per_byte
    higher_is_better: false
"""
BLIND_COMMENT = (
    "A control: the model does not see the text of the item. Compare acc with chance, and the "
    "predictions with those of the task that shows the text, by id.",
)
_SPLIT_KEYS = {"validation": "validation_split", "test": "test_split"}  # keys of the harness
_EXAMPLES = "fewshot"


@dataclass(frozen=True, slots=True, kw_only=True)
class HarnessTask:
    """One task.

    Attributes:
        description: question and measure, for a table of the README.
        comment: lines above the YAML, about the measures.
        body: YAML from `output_type` to `metric_list`.
        results: function of `LOADER` that computes the metrics and `bits_per_byte`; empty: the
            metrics of the harness alone.
        examples: file of few-shot examples that are not measured, or empty.
    """

    name: str
    description: str
    comment: Sequence[str]
    body: str
    results: str = ""
    split: str = "test"
    file: str
    examples: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class HarnessGroup:
    name: str
    tasks: Sequence[str]
    comment: Sequence[str]


def json_lines(records: Iterable[Mapping[str, Any]], canary: str = "") -> str:
    """One line per record, with the column `canary` if given.

    >>> json_lines([{"id": "b:1"}], "c0"), json_lines([])
    ('{"id": "b:1", "canary": "c0"}\\n', '')
    """
    more = {"canary": canary} if canary else {}
    return "".join(f"{json.dumps({**record, **more}, ensure_ascii=False)}\n" for record in records)


def others(books: Mapping[str, str], *, seed: int) -> dict[str, str]:
    """For each item another one, never itself; `books`: id -> book.

    The other item comes from another book, unless one book has more than half of the items.

    >>> others({"a:1": "a", "a:2": "a", "b:1": "b", "c:1": "c"}, seed=1)
    {'a:1': 'c:1', 'a:2': 'b:1', 'b:1': 'a:2', 'c:1': 'a:1'}
    >>> others({"a:1": "a"}, seed=1)
    {}
    """
    if len(books) < 2:
        return {}

    def draw(record_id: str) -> float:
        return derive_rng(seed, "harness.blind", record_id).random()

    of_book = {book: (draw(book), book) for book in books.values()}
    order = sorted(books, key=lambda one: (of_book[books[one]], draw(one), one))
    shift = min(max(Counter(books.values()).values()), len(order) - 1)
    found = dict(zip(order, (*order[shift:], *order[:shift]), strict=True))
    return {one: found[one] for one in books}


def blind_split(counts: Mapping[str, int]) -> str:
    """The split with controls; empty if it has a single item.

    >>> [blind_split(counts) for counts in ({"validation": 9, "test": 2}, {"validation": 9}, {"test": 1})]
    ['test', 'validation', '']
    """
    split = "test" if counts.get("test") else "validation"
    return split if counts.get(split, 0) > 1 else ""


def blind_file(name: str, kind: str, split: str = "test") -> str:
    """Path of the records of a control, in a release."""
    return f"harness/{_file(f'{name}_blind_{kind}', split)}"


def blind_group(name: str, tasks: Sequence[HarnessTask]) -> HarnessGroup:
    comment = "Controls without the text. They have no mean."
    return HarnessGroup(
        name=f"{name}_blind", tasks=[task.name for task in tasks], comment=[comment]
    )


def folder_files(
    tasks: Sequence[HarnessTask],
    groups: Sequence[HarnessGroup],
    *,
    items: str,
    scored: Sequence[str],
    version: str,
    signature: str,
) -> dict[str, str]:
    """Path -> text of all files but the records: YAML of tasks and groups, loader, README.

    The harness resolves `data_files` from the working directory. With `custom_dataset`, `LOADER`
    reads the records from its own folder instead. A task without few-shot examples has an empty list of samples: without `fewshot_split` the harness
    takes examples from the measured split (its issue 4145). Strings are written as JSON, so that
    names cannot change the YAML structure. `scored`: tasks with logs for `cloze-gen evaluate`.
    """
    metadata = (
        f"metadata:\n  version: {json.dumps(version)}\n  signature: {json.dumps(signature)}\n"
    )
    files = {LOADER_FILE: LOADER, README: _readme(tasks, groups, items, scored)}
    for task in tasks:
        files[f"{task.name}.yaml"] = _task_yaml(task) + metadata
    for group in groups:
        members = "".join(f"  - {json.dumps(name)}\n" for name in group.tasks)
        files[f"{group.name}.yaml"] = (
            f"{_comment(group.comment)}group: {json.dumps(group.name)}\ntask:\n{members}{metadata}"
        )
    return files


def _task_yaml(task: HarnessTask) -> str:
    module = LOADER_FILE.removesuffix(".py")
    paths = f"    {task.split}: {json.dumps(task.file)}\n"
    examples = "fewshot_config:\n  samples: []\n"
    if task.examples:
        paths += f"    {_EXAMPLES}: {json.dumps(task.examples)}\n"
        examples = f"fewshot_split: {_EXAMPLES}\n"
    results = f"process_results: !function {module}.{task.results}\n" if task.results else ""
    bits_per_byte = _BITS_PER_BYTE if task.results else ""
    return f"""\
{_comment(task.comment)}task: {json.dumps(task.name)}
custom_dataset: !function {module}.load
dataset_kwargs:
  data_files:
{paths}{_SPLIT_KEYS[task.split]}: {task.split}
{examples}{results}{task.body}{bits_per_byte}"""


def _comment(lines: Sequence[str]) -> str:
    return "".join(f"# {line}\n" for text in lines for line in text.splitlines())


def _command(name: str, folder: str, more: str = "") -> str:
    """A command line; also correct for a name that begins with a dash."""
    tasks = (
        f"--tasks={shlex.quote(name)}" if name.startswith("-") else f"--tasks {shlex.quote(name)}"
    )
    return (
        f"lm_eval run --model hf --model_args pretrained=MODEL --include_path {folder} "
        f"{tasks}{more}"
    )


def _readme(
    tasks: Sequence[HarnessTask], groups: Sequence[HarnessGroup], items: str, scored: Sequence[str]
) -> str:
    rows = [f"| `{task.name}` | {task.description} |\n" for task in tasks]
    rows += [
        f"| `{group.name}` | the group of {' and '.join(f'`{name}`' for name in group.tasks)} |\n"
        for group in groups
    ]
    logs = " ".join(f"OUT/*/samples_{shlex.quote(name)}_2*.jsonl" for name in scored)
    log = _command(",".join(scored), "HERE", " --log_samples --output_path OUT")
    return f"""\
# Tasks of lm-evaluation-harness

Install lm-evaluation-harness (tested with 0.4.13) and run a task:

    pip install "lm-eval[hf]"
    {_command(tasks[0].name, "HERE")}

HERE is the path of this folder, MODEL a model name or folder. The tasks run from any folder.

| `--tasks` | |
|---|---|
{"".join(rows)}
`--tasks` also takes a file: `--tasks HERE/{tasks[0].name}.yaml`. A group needs `--include_path`.
Every record has the `id` of its item.

`bits_per_byte` is -log2 of the probability of the right answer, divided by its bytes. It separates small models
before accuracy does. The `blind` tasks are controls: an answer that a model finds there, it finds without the text.

{_fewshot(tasks)}

`{LOADER_FILE}` reads the records in this folder and computes the measures.

Compare the model with the baselines of cloze-gen:

    {log}
    cat {logs} > scores.jsonl
    cloze-gen evaluate HERE/../{items} --scores scores.jsonl

With `--log_samples` the harness writes the answers to every item; `cloze-gen evaluate` reads them as scores.
"""


def _fewshot(tasks: Sequence[HarnessTask]) -> str:
    files = sorted({task.examples for task in tasks if task.examples})
    if not files:
        return (
            "There are no few-shot examples, because all items are measured: `--num_fewshot` above 0 "
            "stops with an error."
        )
    return (
        "`--num_fewshot K` takes the examples from "
        f"{' and '.join(f'`{file}`' for file in files)}; no task measures these items. Controls have no "
        "examples."
    )


def harness_record(question: Question) -> dict[str, Any]:
    """``{id, query, choices, gold}`` of ``NAME``: text before the gap; each option plus the rest.

    The log-probability of a choice given `query` ranks options like the score of the sentence.

    >>> tokens = ("Holmes", ",", "we", "hide", "it", ".")
    >>> harness_record(Question("b:0:3", "b", tokens, 3, ("eat", "hide"), 1))["query"]
    'Holmes, we'
    >>> harness_record(Question("b:0:3", "b", tokens, 3, ("eat", "hide"), 1))["choices"]
    ['eat it.', 'hide it.']
    """
    position = question.position
    return {
        "id": question.id,
        "query": as_printed(question.tokens[:position]),
        "choices": [
            as_printed((option, *question.tokens[position + 1 :])) for option in question.options
        ],
        "gold": question.answer_index,
    }


def letters_record(question: Question) -> dict[str, Any]:
    """``{id, query, choices, gold}`` of ``NAME_letters``: blanked sentence, lettered options.

    >>> print(letters_record(Question("b:0:1", "b", ("We", "hide", "it", "."), 1, ("eat", "hide"), 1))["query"])
    We _____ it.
    <BLANKLINE>
    A. eat
    B. hide
    <BLANKLINE>
    The letter of the word that fills the blank:
    """
    letters = LETTERS[: len(question.options)]
    options = "\n".join(
        f"{letter}. {option}" for letter, option in zip(letters, question.options, strict=True)
    )
    query = (
        f"{blanked_sentence(question)}\n\n{options}\n\nThe letter of the word that fills the blank:"
    )
    return {
        "id": question.id,
        "query": query,
        "choices": list(letters),
        "gold": question.answer_index,
    }


def blind_options_record(question: Question) -> dict[str, Any]:
    """The options without any text."""
    return {
        "id": question.id,
        "query": "",
        "choices": list(question.options),
        "gold": question.answer_index,
    }


def blind_sentence_record(question: Question, other: Question) -> dict[str, Any]:
    """The options in the sentence of `other`; `input` is that sentence with its blank.

    >>> one = Question("b:0:1", "b", ("We", "hide", "it", "."), 1, ("eat", "hide"), 1)
    >>> two = Question("c:5:2", "c", ("So", "they", "left", "early", "."), 2, ("left", "sang"), 0)
    >>> blind_sentence_record(one, two)["input"], blind_sentence_record(one, two)["choices"]
    ('So they _____ early.', ['eat early.', 'hide early.'])
    """
    borrowed = harness_record(
        Question(
            id=question.id,
            book_id=question.book_id,
            tokens=other.blank.filled(question.answer),
            position=other.position,
            options=question.options,
            answer_index=question.answer_index,
        )
    )
    return {**borrowed, "input": blanked_sentence(other), "other": other.id}


def harness_files(
    name: str,
    questions: Sequence[Question],
    *,
    examples: Sequence[Question] = (),
    version: str,
    signature: str = "",
    canary: str = "",
    seed: int = 0,
) -> dict[str, str]:
    """Path below ``harness/`` -> text: the likelihood task, letters (up to 26 options), controls."""
    if not questions:
        return {}
    splits = {"test": questions} | ({"fewshot": examples} if examples else {})
    records = {name: harness_record}
    tasks, groups = [_likelihood_task(name, splits)], []
    if max(len(question.options) for some in splits.values() for question in some) <= len(LETTERS):
        records[f"{name}_letters"] = letters_record
        tasks.append(_letters_task(f"{name}_letters", splits))
        comment = (
            "Two tasks on the same sentences. Their figures are not comparable, so the group has "
            "no mean."
        )
        groups.append(
            HarnessGroup(
                name=f"{name}_both", tasks=[task.name for task in tasks], comment=[comment]
            )
        )
    lines = {
        _file(task, split): [record(one) for one in some]
        for task, record in records.items()
        for split, some in splits.items()
    }
    of_id = {question.id: question for question in questions}
    other = others({one.id: one.book_id for one in questions}, seed=seed)
    if other:
        blind = _blind_tasks(name)
        tasks += blind
        groups.append(blind_group(name, blind))
        options, sentences = (task.file for task in blind)
        lines[options] = [blind_options_record(one) for one in questions]
        lines[sentences] = [blind_sentence_record(one, of_id[other[one.id]]) for one in questions]
    files = {file: json_lines(some, canary) for file, some in lines.items()}
    return files | folder_files(
        tasks, groups, items="questions.jsonl", scored=[name], version=version, signature=signature
    )


def _file(task: str, split: str) -> str:
    return f"{task}.{split}.jsonl"


def _likelihood_task(name: str, splits: Collection[str]) -> HarnessTask:
    return HarnessTask(
        name=name,
        description="likelihood of the sentence: each option with the rest of the sentence, after the "
        "text before the gap; `acc`, `bits_per_byte`",
        comment=[
            "Report acc: the chosen option has the highest sum of log-probabilities.",
            "acc_norm divides the sum by the number of characters of the option and the rest of "
            "the sentence; all options share the rest.",
            "Do not use --apply_chat_template: it splits the sentence into two turns and removes "
            "the space before the option.",
            f"For a chat model use {name}_letters.",
        ],
        body=CHOICE_YAML_BY_LENGTH,
        results="option_results_by_length",
        file=_file(name, "test"),
        examples=_file(name, "fewshot") if "fewshot" in splits else "",
    )


def _letters_task(name: str, splits: Collection[str]) -> HarnessTask:
    return HarnessTask(
        name=name,
        description="the sentence with a blank and lettered options; the answer is a letter; `acc`, "
        "`bits_per_byte` of the letter",
        comment=[
            "Report acc: the chosen letter has the highest log-probability. Letters are equally "
            "long, so there is no acc_norm.",
            "With --apply_chat_template the letter begins the turn of the model, without a space "
            "before it; bits_per_byte still counts the space.",
        ],
        body=CHOICE_YAML,
        results="option_results",
        file=_file(name, "test"),
        examples=_file(name, "fewshot") if "fewshot" in splits else "",
    )


def _blind_tasks(name: str) -> list[HarnessTask]:
    shown = {
        "options": "control: the options alone, without a sentence",
        "sentence": "control: the options in the sentence of another question (`other`)",
    }
    return [
        HarnessTask(
            name=f"{name}_blind_{kind}",
            description=f"{text}; `acc`, `bits_per_byte`",
            comment=BLIND_COMMENT,
            body=CHOICE_YAML,
            results="option_results",
            file=_file(f"{name}_blind_{kind}", "test"),
        )
        for kind, text in shown.items()
    ]
