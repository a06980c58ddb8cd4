"""Passages with a target as their last word, in a release (LAMBADA)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from cloze_gen.english.treebank import host
from cloze_gen.formats.harness import blind_split
from cloze_gen.formats.inspect_tasks import passage_tasks, task_files
from cloze_gen.formats.lambada import (
    cased_context,
    cased_text,
    parse_passages,
    passage_record,
    split_record,
)
from cloze_gen.formats.lambada_harness import harness_files
from cloze_gen.formats.questions import BLANK_MARK
from cloze_gen.formats.quiz import QuizQuestion
from cloze_gen.records.passage import SetPassage, Split
from cloze_gen.release.items.kind import ItemKind, Record, Span, TaskInfo
from cloze_gen.release.samples import sample_passage
from cloze_gen.store.runs import Digested
from cloze_gen.store.tables import PASSAGE_SET

# fields of `passage_record`
_RENDERED = ("text", "context", "target", "cased")


def _read_set(path: Path) -> Digested:
    from cloze_gen.evaluation.sets import read_passage_set  # slow to import

    return read_passage_set(path)


def _split_file(split: Split) -> str:
    return f"{split}.jsonl"


def _of_splits(passages: Sequence[SetPassage]) -> dict[Split, list[SetPassage]]:
    found = {split: [one for one in passages if one.split == split] for split in Split}
    return {split: some for split, some in found.items() if some}


def _released(one: SetPassage, record: Record) -> Record:
    rendered = passage_record(one.passage)
    return {name: rendered[name] if name in _RENDERED else value for name, value in record.items()}


def _split_records(passages: Sequence[SetPassage]) -> dict[str, list[Record]]:
    return {
        _split_file(split): [{**split_record(one)} for one in some]
        for split, some in _of_splits(passages).items()
    }


def _splits(passages: Sequence[SetPassage]) -> dict[str, dict[str, str]]:
    """The control set is a separate config, so that it is not loaded with the set."""
    files = {split: _split_file(split) for split in _of_splits(passages)}
    control = (
        {"control": {str(Split.TEST): files.pop(Split.CONTROL)}} if Split.CONTROL in files else {}
    )
    return {"default": {str(split): file for split, file in files.items()}} | control


def _harness(
    passages: Sequence[SetPassage], examples: Sequence[SetPassage], info: TaskInfo
) -> Mapping[str, str]:
    of_split = {
        str(split): [one.passage for one in some] for split, some in _of_splits(passages).items()
    }
    control = of_split.pop(str(Split.CONTROL), [])
    shots = [one.passage for one in examples]
    return harness_files(info.name, of_split, control=control, examples=shots, **info.of_harness)


def _inspect(passages: Sequence[SetPassage], info: TaskInfo) -> Mapping[str, str]:
    blind = blind_split(Counter(str(one.split) for one in passages))
    return task_files(*passage_tasks(_splits(passages), name=info.name, blind=blind))


def _of_set(one: SetPassage) -> bool:
    return one.split != Split.CONTROL


def _described(passages: Sequence[SetPassage]) -> str:
    counts = Counter(one.split for one in passages)
    of_set = f"{counts[Split.VALIDATION]:,} validation, {counts[Split.TEST]:,} test"
    return (
        f"passages with the last word as the target ({of_set}; also {counts[Split.CONTROL]:,} "
        "unfiltered control passages)"
    )


def _balance(passages: Sequence[SetPassage]) -> str:
    filtered = [one.passage for one in passages if _of_set(one)]
    inside = sum(
        one.target.casefold() in {host(token).casefold() for token in one.context}
        for one in filtered
    )
    return f"The target occurs in an earlier sentence of {inside:,} of {len(filtered):,} passages."


def _notes(passages: Sequence[SetPassage]) -> Sequence[str]:
    """The control set is drawn before filtering, so some passages are also test passages."""
    test = {one.id for one in passages if one.split == Split.TEST}
    control = [one.id for one in passages if one.split == Split.CONTROL]
    if not control:
        return []
    return [
        "control: drawn from the test novels before any filter. It measures the accuracy on "
        f"unfiltered passages. {sum(one in test for one in control):,} of its {len(control):,} "
        "passages are also test passages, and others may share sentences with test passages. Do "
        "not train on it and do not use it as an independent sample"
    ]


def _quiz(one: SetPassage, record: Record) -> QuizQuestion:
    passage = one.passage
    last = f"{passage.opening}{BLANK_MARK}{passage.closing}"
    text = " ".join((*passage.texts[:-1], last))
    return QuizQuestion.of_text(one.id, one.book_id, [text], word=passage.target)


_COLUMNS = {
    "text": "the passage in the published form: lower case, treebank tokens, target last",
    "domain": "genre of the novel from the manifest, or empty",
    "id": "book and sentence index of the target",
    "book_id": "the novel's id in `release.json`",
    "context": "the text before the target as printed in the book; it ends with a space if the book "
    "has one",
    "target": "the last word, which a model must predict",
    "cased": "`context` and `target` joined",
    "canary": "GUID of the set, equal in every record",
}


def _spans(record: Record) -> Sequence[Span]:
    return [(record["book_id"], record["start"], record["end"])]


PASSAGE_ITEMS = ItemKind(
    noun="passage",
    file=PASSAGE_SET,
    parse=parse_passages,
    read_set=_read_set,
    released=_released,
    split_of=lambda one: str(one.split),
    splits=_splits,
    split_records=_split_records,
    main_tasks=lambda name: (f"{name}_both", "test"),
    harness=_harness,
    inspect=_inspect,
    task="text-generation",
    described=_described,
    balance=_balance,
    notes=_notes,
    example=lambda one: [
        f"{cased_context(one.passage).rstrip()} _____",
        f"    the last word: {one.passage.target}",
    ],
    quiz=_quiz,
    sample=lambda one, record, candidates, book: sample_passage(
        one, record, book=book.title, file=book.file
    ),
    kind_label="Split",
    compared=lambda one: {"target": one.passage.target, "text": cased_text(one.passage)},
    column_docs=_COLUMNS,
    counts=_of_set,
    spans=_spans,
    quoted=lambda record: [(_spans(record)[0], record["texts"])],
    misquoted=lambda record: [],
    texts=("sentences", "texts"),
    derived=_RENDERED,
    file_docs={
        PASSAGE_SET: "all passages of the set and of the control set with their provenance (book, character "
        "span in the text of the book) and scores. To leave the control set out, drop the rows with "
        "`split` = `control`.",
        "validation.jsonl": "the passages of the development novels for `datasets.load_dataset`; `text` has the "
        "published form.",
        "test.jsonl": "the passages of the test novels in the same form.",
        "control.jsonl": 'the control set, for `datasets.load_dataset(..., "control")`.',
    },
)
