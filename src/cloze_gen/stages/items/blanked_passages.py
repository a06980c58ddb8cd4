"""Passages with sentences blanked, as a release publishes them (SCDE)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from cloze_gen.formats.features import ListOf
from cloze_gen.formats.inspect_tasks import EVAL_YAML, INSPECT_TASK, blank_tasks, eval_yaml, inspect_task
from cloze_gen.formats.scde.harness import blank_records, harness_files
from cloze_gen.formats.scde.jsonl import parse_passages, split_record
from cloze_gen.records.blanked_passage import SetBlankedPassage
from cloze_gen.records.passage import Part
from cloze_gen.stages.evaluation.blank_sets import read_blanked_set
from cloze_gen.stages.items.kind import ItemKind, Record, Span, ToldTask
from cloze_gen.stages.tables import PASSAGE_SET

_SPLITS = {Part.TRAIN: "train", Part.DEVELOPMENT: "validation", Part.TEST: "test"}


def _of_parts(passages: Sequence[SetBlankedPassage]) -> dict[str, list[SetBlankedPassage]]:
    """Split -> its passages, those that have some, in their order."""
    found = {split: [one for one in passages if one.part == part] for part, split in _SPLITS.items()}
    return {split: some for split, some in found.items() if some}


def _blanks_file(split: str) -> str:
    return f"blanks_{split}.jsonl"


def _splits(passages: Sequence[SetBlankedPassage]) -> dict[str, dict[str, str]]:
    """Passages, and as a config of its own a row a blank."""
    splits = list(_of_parts(passages))
    return {"default": {split: f"{split}.jsonl" for split in splits}} | (
        {"blanks": {split: _blanks_file(split) for split in splits}} if splits else {}
    )


def _split_records(passages: Sequence[SetBlankedPassage]) -> dict[str, list[Record]]:
    """`train.jsonl`, `validation.jsonl`, `test.jsonl`, a JSON object a passage, and `blanks_*.jsonl`, one a blank; those that have some."""
    files: dict[str, list[Record]] = {}
    for split, some in _of_parts(passages).items():
        files[f"{split}.jsonl"] = [split_record(one) for one in some]
        files[_blanks_file(split)] = [
            {"id": record["id"], "book_id": one.book_id} | record for one in some for record in blank_records(one.passage)
        ]
    return files


def _harness(passages: Sequence[SetBlankedPassage], examples: Sequence[SetBlankedPassage], told: ToldTask) -> Mapping[str, str]:
    """Nothing where no passage is left to be asked about. Prompts show the training passages, so no others are left over for them."""
    splits = {split: [one.passage for one in some] for split, some in _of_parts(passages).items()}
    return harness_files(told.name, splits, version=told.version, signature=told.signature, canary=told.canary)


def _inspect(passages: Sequence[SetBlankedPassage], told: ToldTask) -> Mapping[str, str]:
    tasks = blank_tasks(_splits(passages).get("blanks", {}), config="blanks")
    if not tasks:
        return {}
    description = told.description(f"{len(passages):,} {_described(passages)}")
    return {EVAL_YAML: eval_yaml(*tasks, name=told.name, description=description), INSPECT_TASK: inspect_task(*tasks)}


def _described(passages: Sequence[SetBlankedPassage]) -> str:
    of_splits = ", ".join(f"{len(some):,} {split}" for split, some in _of_parts(passages).items())
    return f"passages with sentences blanked and one list of candidates for all blanks ({of_splits or 'none'})"


def _balance(passages: Sequence[SetBlankedPassage]) -> str:
    places = Counter(answer for one in passages for answer in one.passage.answers)
    shares = (f"{place + 1} ({count / places.total():.1%})" for place, count in sorted(places.items()))
    return f"The place of the answer in the list of candidates, and the share of blanks: {', '.join(shares) or 'none'}."


def _spans(record: Record) -> Sequence[Span]:
    """Of the sentences, then of the candidates."""
    return [(one["book_id"], one["start"], one["end"]) for one in (*record["sources"], *record["candidate_sources"])]


_ONE_BLANK = (
    "blanks: in `blanks_*.jsonl` and the tasks made of it each blank is asked alone, the other blanked sentences being left out; passages "
    "of one book may share sentences"
)
_COLUMNS = {
    "id": "book and first sentence of the passage; of a blank its number behind it",
    "domain": "genre of the book, where the manifest tells one",
    "book_id": "the book, as `release.json` names it",
    "passage": "its sentences; a blank is `<1>`, `<2>` and so on",
    "candidates": "the sentences to choose from, for all blanks",
    "answers": "of each blank the place of its answer among the candidates, from 0",
    "distractors": "places of the candidates that answer no blank",
    "query": "the passage with one blank, `_____`",
    "choices": "as candidates",
    "gold": "place of the right choice, from 0",
    "canary": "the set's GUID, the same in every record",
}


def _example(one: SetBlankedPassage) -> Sequence[str]:
    passage = one.passage
    numbers = {place: f"__{number}__" for number, place in enumerate(passage.blanks, 1)}
    text = " ".join(numbers.get(place, sentence) for place, sentence in enumerate(passage.sentences))
    return [text, *(f"    {chr(65 + place)}. {candidate}" for place, candidate in enumerate(passage.candidates))]


def _quoted(record: Record) -> Sequence[tuple[Span, Sequence[str]]]:
    """Each sentence, a blank by its answer, and each candidate."""
    answers = dict(zip(record["blanks"], record["answers"], strict=True))
    shown = [record["candidates"][answers[place]] if text is None else text for place, text in enumerate(record["passage"])]
    return [(span, [text]) for span, text in zip(_spans(record), (*shown, *record["candidates"]), strict=True)]


BLANKED_ITEMS = ItemKind(
    noun="passage",
    file=PASSAGE_SET,
    parse=parse_passages,
    read_set=read_blanked_set,
    released=lambda one, record: dict(record),
    split_of=lambda one: _SPLITS[one.part],
    splits=_splits,
    split_records=_split_records,
    main_tasks=lambda name: (f"{name}_both", "blanks_test"),
    harness=_harness,
    inspect=_inspect,
    task="multiple-choice",
    described=_described,
    balance=_balance,
    notes=lambda passages: [_ONE_BLANK],
    example=_example,
    columns_told=_COLUMNS,
    counts=lambda one: True,
    spans=_spans,
    quoted=_quoted,
    misquoted=lambda record: [],
    texts=("passage", "candidates"),
    derived=(),
    types={"answers": ListOf("int64"), "distractors": ListOf("int64")},
    told_files={
        "train.jsonl": "the passages of the training books as `datasets.load_dataset` reads them, without provenance.",
        "validation.jsonl": "those of the development books, likewise.",
        "test.jsonl": "those of the test books, likewise.",
        "blanks_train.jsonl": 'a row a blank: `query`, `choices`, `gold`; `datasets.load_dataset(..., "blanks")` reads these.',
        "blanks_validation.jsonl": "those of the development books.",
        "blanks_test.jsonl": "those of the test books.",
    },
)
