"""What the items of a set are: the file that holds them, how it is read, what a harness and the card are told of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cloze_gen import __version__
from cloze_gen.errors import FormatError
from cloze_gen.formats.harness import harness_files
from cloze_gen.formats.jsonl import parse_questions
from cloze_gen.formats.lambada import harness as lambada_harness
from cloze_gen.formats.lambada import jsonl as lambada_jsonl
from cloze_gen.formats.scde import harness as scde_harness
from cloze_gen.formats.scde import jsonl as scde_jsonl
from cloze_gen.notation import reason
from cloze_gen.records.blanked_passage import SetBlankedPassage
from cloze_gen.records.passage import Part, SetPassage, Split
from cloze_gen.records.question import Question
from cloze_gen.stages.evaluation.blank_sets import read_blanked_set
from cloze_gen.stages.evaluation.passage_sets import read_passage_set
from cloze_gen.stages.evaluation.question_sets import read_question_set
from cloze_gen.stages.tables import CANDIDATES, PASSAGE_SET, QUESTIONS
from cloze_gen.store.runs import Digested
from cloze_gen.store.tables import write_jsonl

HARNESS = "harness"  # folder of a release: all that lm-evaluation-harness reads


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemKind:
    """A shape of item, as a release knows it.

    Attributes:
        noun: of one, for a person; of several with an s.
        file: in the last stage's artifact and in the release: JSON lines, one an item.
        parse: lines of that file -> items, each with an `id` and a `book_id`.
        read_set: file -> the items as they are evaluated, known by a digest of what they are.
        write_harness: (folder, run name, items, signature): writes the files of an lm-evaluation-harness task.
        task: what the hub of `datasets` calls its task.
        described: of the items of a set, what each is, for the card's first line.
        balance: of the items of a set, how evenly what could be guessed is spread, for the card.
        counts: whether an item is one of the set; others, of a control set, stand beside it in its file.
        splits: of the items, config -> split -> file of the release that holds them, as the card's head names them.
        write_splits: (folder, items): writes these files, where they are not `file` itself.
        features: column of these files -> its type, where the card declares them: ``string``, or ``list: string``.
        told_files: file of the release -> what the card says of it; in a name `{name}` is the run's, and what was not written is not told.
    """

    noun: str
    file: str
    parse: Callable[[Iterable[str]], Iterable[Any]]
    read_set: Callable[[Path], Digested]
    write_harness: Callable[[Path, str, Sequence[Any], str], None]
    task: str
    described: Callable[[Sequence[Any]], str]
    balance: Callable[[Sequence[Any]], str]
    counts: Callable[[Any], bool]
    splits: Callable[[Sequence[Any]], Mapping[str, Mapping[str, str]]]
    write_splits: Callable[[Path, Sequence[Any]], None]
    told_files: Mapping[str, str]
    features: Mapping[str, str] = field(default_factory=dict)

    def read(self, folder: Path) -> list[Any]:
        """The items of an artifact or a release.

        Raises:
            FormatError: the file does not follow its format, or is no text.
        """
        try:
            with open(folder / self.file, encoding="utf-8") as handle:
                return list(self.parse(handle))
        except UnicodeDecodeError as error:
            raise FormatError(f"{self.file}: {reason(error)}") from None


def _write_files(folder: Path, files: Mapping[str, str]) -> None:
    """What a harness reads, in the subfolder `harness/`; no folder where there is nothing."""
    for file, text in files.items():
        path = folder / HARNESS / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")


def _write_questions_task(folder: Path, name: str, questions: Sequence[Question], signature: str) -> None:
    """`harness/`: `NAME.yaml`, by likelihood, and `NAME_letters.yaml`, by letters, with their records."""
    _write_files(folder, harness_files(name, questions, version=__version__, signature=signature))


def _described(questions: Sequence[Question]) -> str:
    return f"cloze questions of {_option_count(questions)} options each"


def _positions(questions: Sequence[Question]) -> str:
    counts = (sum(question.answer_index == place for question in questions) for place in range(_option_count(questions)))
    return f"The answer stands at each position equally often: {', '.join(f'{chr(97 + i)} {count}' for i, count in enumerate(counts))}."


def _option_count(questions: Sequence[Question]) -> int:
    return len(questions[0].options) if questions else 0


QUESTION_ITEMS = ItemKind(
    noun="question",
    file=QUESTIONS,
    parse=parse_questions,
    read_set=read_question_set,
    write_harness=_write_questions_task,
    task="multiple-choice",
    described=_described,
    balance=_positions,
    counts=lambda question: True,
    splits=lambda questions: {"default": {"test": QUESTIONS}},
    write_splits=lambda folder, questions: None,
    told_files={CANDIDATES: "the retained candidates of every question with the grooming decisions, for human groomers."},
)


def _split_file(split: Split) -> str:
    return f"{split}.jsonl"


def _of_splits(passages: Sequence[SetPassage]) -> dict[Split, list[SetPassage]]:
    """The splits that have passages, in their order."""
    found = {split: [one for one in passages if one.split == split] for split in Split}
    return {split: some for split, some in found.items() if some}


def _write_passages_splits(folder: Path, passages: Sequence[SetPassage]) -> None:
    """`validation.jsonl`, `test.jsonl` and `control.jsonl`, one JSON object a passage (`split_record`), those that have passages."""
    for split, some in _of_splits(passages).items():
        write_jsonl(folder / _split_file(split), map(lambada_jsonl.split_record, some))


def _passages_splits(passages: Sequence[SetPassage]) -> dict[str, dict[str, str]]:
    """The control set is a config of its own, so that whoever loads the set gets the set."""
    files = {split: _split_file(split) for split in _of_splits(passages)}
    control = {"control": {str(Split.TEST): files.pop(Split.CONTROL)}} if Split.CONTROL in files else {}
    return {"default": {str(split): file for split, file in files.items()}} | control


def _write_passages_tasks(folder: Path, name: str, passages: Sequence[SetPassage], signature: str) -> None:
    """`harness/`: a task for each rendering of each split, with its records; the control set has tasks of its own, `NAME_control_*`."""
    of_split = {str(split): [one.passage for one in some] for split, some in _of_splits(passages).items()}
    control = of_split.pop(str(Split.CONTROL), [])
    _write_files(folder, lambada_harness.harness_files(name, of_split, control=control, version=__version__, signature=signature))


def _of_set(one: SetPassage) -> bool:
    return one.split != Split.CONTROL


def _passages_described(passages: Sequence[SetPassage]) -> str:
    counts = Counter(one.split for one in passages)
    of_set = f"{counts[Split.VALIDATION]:,} validation, {counts[Split.TEST]:,} test"
    return f"passages, the last word to be guessed ({of_set}; beside them {counts[Split.CONTROL]:,} of control, which nothing has filtered)"


def _passages_balance(passages: Sequence[SetPassage]) -> str:
    filtered = [one.passage for one in passages if _of_set(one)]
    inside = sum(one.target.casefold() in {token.casefold() for token in one.context} for one in filtered)
    return f"The target stands in the context of {inside:,} of {len(filtered):,} passages."


PASSAGE_ITEMS = ItemKind(
    noun="passage",
    file=PASSAGE_SET,
    parse=lambada_jsonl.parse_passages,
    read_set=read_passage_set,
    write_harness=_write_passages_tasks,
    task="text-generation",
    described=_passages_described,
    balance=_passages_balance,
    counts=_of_set,
    splits=_passages_splits,
    write_splits=_write_passages_splits,
    told_files={
        "validation.jsonl": "the passages of the development novels as `datasets.load_dataset` reads them; `text` is the published form.",
        "test.jsonl": "the passages of the test novels, likewise.",
        "control.jsonl": 'the control set, which `datasets.load_dataset(..., "control")` reads.',
        "harness/{name}_published.yaml": "a task of lm-evaluation-harness in the published form (small letters, cut as a treebank cuts).",
        "harness/{name}_cased.yaml": "a task in the form that the book prints; scores in the two forms are not comparable.",
        "harness/{name}_control_published.yaml": "the control set in the published form.",
        "harness/{name}_control_cased.yaml": "the control set as the book prints it.",
    },
)


_BLANKED_SPLITS = {Part.TRAIN: "train", Part.DEVELOPMENT: "validation", Part.TEST: "test"}


def _of_parts(passages: Sequence[SetBlankedPassage]) -> dict[str, list[SetBlankedPassage]]:
    """Split -> its passages, those that have some, in their order."""
    found = {split: [one for one in passages if one.part == part] for part, split in _BLANKED_SPLITS.items()}
    return {split: some for split, some in found.items() if some}


def _write_blanked_splits(folder: Path, passages: Sequence[SetBlankedPassage]) -> None:
    """`train.jsonl`, `validation.jsonl` and `test.jsonl`, one JSON object a passage (`split_record`), those that have passages."""
    for split, some in _of_parts(passages).items():
        write_jsonl(folder / f"{split}.jsonl", map(scde_jsonl.split_record, some))


def _write_blanked_tasks(folder: Path, name: str, passages: Sequence[SetBlankedPassage], signature: str) -> None:
    """`harness/`: `NAME_blanks.yaml` and `NAME_passage.yaml`, with their records; nothing where no passage is left to be asked about."""
    splits = {split: [one.passage for one in some] for split, some in _of_parts(passages).items()}
    _write_files(folder, scde_harness.harness_files(name, splits, version=__version__, signature=signature))


def _blanked_described(passages: Sequence[SetBlankedPassage]) -> str:
    of_splits = ", ".join(f"{len(some):,} {split}" for split, some in _of_parts(passages).items())
    return f"passages with sentences blanked and one list of candidates for all blanks ({of_splits or 'none'})"


def _blanked_balance(passages: Sequence[SetBlankedPassage]) -> str:
    places = Counter(answer for one in passages for answer in one.passage.answers)
    shares = (f"{place + 1} ({count / places.total():.1%})" for place, count in sorted(places.items()))
    return f"The place of the answer in the list of candidates, and the share of blanks: {', '.join(shares) or 'none'}."


BLANKED_ITEMS = ItemKind(
    noun="passage",
    file=PASSAGE_SET,
    parse=scde_jsonl.parse_passages,
    read_set=read_blanked_set,
    write_harness=_write_blanked_tasks,
    task="multiple-choice",
    described=_blanked_described,
    balance=_blanked_balance,
    counts=lambda one: True,
    splits=lambda passages: {"default": {split: f"{split}.jsonl" for split in _of_parts(passages)}},
    write_splits=_write_blanked_splits,
    told_files={
        "train.jsonl": "the passages of the training books as `datasets.load_dataset` reads them, without provenance.",
        "validation.jsonl": "those of the development books, likewise.",
        "test.jsonl": "those of the test books, likewise.",
        "harness/{name}_blanks.yaml": "a task of lm-evaluation-harness: each blank by itself, by likelihood.",
        "harness/{name}_passage.yaml": "a task of lm-evaluation-harness: the whole passage, answered in letters.",
    },
    features=scde_jsonl.SPLIT_FEATURES,
)
