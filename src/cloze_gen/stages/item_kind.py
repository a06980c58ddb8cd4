"""What the items of a set are: the file that holds them, how it is read, what a harness and the card are told of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cloze_gen import __version__
from cloze_gen.formats.harness import harness_record, task_yaml
from cloze_gen.formats.jsonl import parse_questions
from cloze_gen.formats.lambada.harness import harness_files
from cloze_gen.formats.lambada.jsonl import parse_passages
from cloze_gen.records.passage import SetPassage, Split
from cloze_gen.records.question import Question
from cloze_gen.stages.evaluation.passage_sets import read_passage_set
from cloze_gen.stages.evaluation.question_sets import read_question_set
from cloze_gen.stages.tables import PASSAGE_SET, QUESTIONS
from cloze_gen.store.runs import Digested
from cloze_gen.store.tables import write_jsonl


@dataclass(frozen=True, slots=True)
class ItemKind:
    """A shape of item, as a release knows it.

    Attributes:
        noun: of one, for a person; of several with an s.
        file: in the last stage's artifact and in the release: JSON lines, one an item.
        parse: lines of that file -> items, each with an `id` and a `book_id`.
        read_set: file -> the items as they are evaluated, known by a digest of what they are.
        write_harness: (folder, run name, items, signature): writes the files of an lm-evaluation-harness task.
        described: of the items of a set, what each is, for the card's first line.
        balance: of the items of a set, how evenly what could be guessed is spread, for the card.
    """

    noun: str
    file: str
    parse: Callable[[Iterable[str]], Iterable[Any]]
    read_set: Callable[[Path], Digested]
    write_harness: Callable[[Path, str, Sequence[Any], str], None]
    described: Callable[[Sequence[Any]], str]
    balance: Callable[[Sequence[Any]], str]

    def read(self, folder: Path) -> list[Any]:
        """The items of an artifact or a release."""
        with open(folder / self.file, encoding="utf-8") as handle:
            return list(self.parse(handle))


def _write_questions_task(folder: Path, name: str, questions: Sequence[Question], signature: str) -> None:
    """`NAME.harness.jsonl`, one JSON object a question, and the task's `NAME.harness.yaml`."""
    write_jsonl(folder / f"{name}.harness.jsonl", (harness_record(question) for question in questions))
    task = task_yaml(task=name, data_file=f"{name}.harness.jsonl", version=__version__, signature=signature)
    (folder / f"{name}.harness.yaml").write_text(task, encoding="utf-8", newline="\n")


def _described(questions: Sequence[Question]) -> str:
    return f"cloze questions of {_option_count(questions)} options each"


def _positions(questions: Sequence[Question]) -> str:
    counts = (sum(question.answer_index == place for question in questions) for place in range(_option_count(questions)))
    return f"The answer stands at each position equally often: {', '.join(f'{chr(97 + i)} {count}' for i, count in enumerate(counts))}."


def _option_count(questions: Sequence[Question]) -> int:
    return len(questions[0].options) if questions else 0


QUESTION_ITEMS = ItemKind("question", QUESTIONS, parse_questions, read_question_set, _write_questions_task, _described, _positions)


def _write_passages_tasks(folder: Path, name: str, passages: Sequence[SetPassage], signature: str) -> None:
    """A task for each rendering, by its name, and the JSON lines of each split."""
    splits = {str(split): [one.passage for one in passages if one.split == split] for split in (Split.VALIDATION, Split.TEST)}
    for file, text in harness_files(name, splits, version=__version__, signature=signature).items():
        (folder / file).write_text(text, encoding="utf-8", newline="\n")


def _balance(passages: Sequence[SetPassage]) -> str:
    filtered = [one.passage for one in passages if one.split != Split.CONTROL]
    inside = sum(one.target.casefold() in {token.casefold() for token in one.context} for one in filtered)
    return f"The target stands in the context of {inside:,} of {len(filtered):,} passages."


PASSAGE_ITEMS = ItemKind(
    "passage",
    PASSAGE_SET,
    parse_passages,
    read_passage_set,
    _write_passages_tasks,
    lambda passages: "passages, the last word to be guessed",
    _balance,
)
