"""Passages whose last word is to be guessed, as a release publishes them (LAMBADA)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from cloze_gen.formats.inspect_tasks import EVAL_YAML, INSPECT_TASK, eval_yaml, inspect_task, passage_tasks
from cloze_gen.formats.lambada.harness import harness_files
from cloze_gen.formats.lambada.jsonl import parse_passages, passage_record, split_record
from cloze_gen.formats.lambada.rendering import cased_context
from cloze_gen.records.passage import SetPassage, Split
from cloze_gen.stages.evaluation.passage_sets import read_passage_set
from cloze_gen.stages.items.kind import ItemKind, Record, Span, ToldTask
from cloze_gen.stages.tables import PASSAGE_SET

_RENDERED = ("text", "context", "target", "cased")  # what `passage_record` makes of a passage for a reader


def _split_file(split: Split) -> str:
    return f"{split}.jsonl"


def _of_splits(passages: Sequence[SetPassage]) -> dict[Split, list[SetPassage]]:
    """The splits that have passages, in their order."""
    found = {split: [one for one in passages if one.split == split] for split in Split}
    return {split: some for split, some in found.items() if some}


def _released(one: SetPassage, record: Record) -> Record:
    rendered = passage_record(one.passage)
    return {name: rendered[name] if name in _RENDERED else value for name, value in record.items()}


def _split_records(passages: Sequence[SetPassage]) -> dict[str, list[Record]]:
    """`validation.jsonl`, `test.jsonl` and `control.jsonl`, one JSON object a passage (`split_record`), those that have passages."""
    return {_split_file(split): [{**split_record(one)} for one in some] for split, some in _of_splits(passages).items()}


def _splits(passages: Sequence[SetPassage]) -> dict[str, dict[str, str]]:
    """The control set is a config of its own, so that whoever loads the set gets the set."""
    files = {split: _split_file(split) for split in _of_splits(passages)}
    control = {"control": {str(Split.TEST): files.pop(Split.CONTROL)}} if Split.CONTROL in files else {}
    return {"default": {str(split): file for split, file in files.items()}} | control


def _harness(passages: Sequence[SetPassage], examples: Sequence[SetPassage], told: ToldTask) -> Mapping[str, str]:
    of_split = {str(split): [one.passage for one in some] for split, some in _of_splits(passages).items()}
    control = of_split.pop(str(Split.CONTROL), [])
    shown = [one.passage for one in examples]
    known = {"version": told.version, "signature": told.signature, "canary": told.canary}
    return harness_files(told.name, of_split, control=control, examples=shown, **known)


def _inspect(passages: Sequence[SetPassage], told: ToldTask) -> Mapping[str, str]:
    tasks = passage_tasks(_splits(passages))
    if not tasks:
        return {}
    description = told.description(f"{sum(map(_of_set, passages)):,} {_described(passages)}")
    return {EVAL_YAML: eval_yaml(*tasks, name=told.name, description=description), INSPECT_TASK: inspect_task(*tasks)}


def _of_set(one: SetPassage) -> bool:
    return one.split != Split.CONTROL


def _described(passages: Sequence[SetPassage]) -> str:
    counts = Counter(one.split for one in passages)
    of_set = f"{counts[Split.VALIDATION]:,} validation, {counts[Split.TEST]:,} test"
    return f"passages, the last word to be guessed ({of_set}; beside them {counts[Split.CONTROL]:,} of control, which nothing has filtered)"


def _balance(passages: Sequence[SetPassage]) -> str:
    filtered = [one.passage for one in passages if _of_set(one)]
    inside = sum(one.target.casefold() in {token.casefold() for token in one.context} for one in filtered)
    return f"The target stands in the context of {inside:,} of {len(filtered):,} passages."


def _notes(passages: Sequence[SetPassage]) -> Sequence[str]:
    """Control passages are drawn before anything is filtered, so some are test passages too."""
    test = {one.id for one in passages if one.split == Split.TEST}
    control = [one.id for one in passages if one.split == Split.CONTROL]
    if not control:
        return []
    return [
        f"control: drawn from the test novels before anything was filtered, so {sum(one in test for one in control):,} of its "
        f"{len(control):,} passages are test passages too, and more may share sentences with one; it shows how hard an unfiltered "
        "passage is, and is no sample apart from the set, nor for training"
    ]


_COLUMNS = {
    "text": "the passage in the published form: small letters, a treebank's tokens, the target last",
    "domain": "genre of the novel, where the manifest tells one",
    "id": "book and sentence of the target",
    "book_id": "the novel, as `release.json` names it",
    "context": "what stands before the target as the book prints it; it ends in a blank where the book has one",
    "target": "the last word, to be guessed",
    "cased": "context and target joined",
    "canary": "the set's GUID, the same in every record",
}


def _spans(record: Record) -> Sequence[Span]:
    return [(record["book_id"], record["start"], record["end"])]


PASSAGE_ITEMS = ItemKind(
    noun="passage",
    file=PASSAGE_SET,
    parse=parse_passages,
    read_set=read_passage_set,
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
    example=lambda one: [f"{cased_context(one.passage).rstrip()} _____", f"    the last word: {one.passage.target}"],
    columns_told=_COLUMNS,
    counts=_of_set,
    spans=_spans,
    quoted=lambda record: [(_spans(record)[0], record["texts"])],
    misquoted=lambda record: [],
    texts=("sentences", "texts"),
    derived=_RENDERED,
    told_files={
        "validation.jsonl": "the passages of the development novels as `datasets.load_dataset` reads them; `text` is the published form.",
        "test.jsonl": "the passages of the test novels, likewise.",
        "control.jsonl": 'the control set, which `datasets.load_dataset(..., "control")` reads.',
    },
)
