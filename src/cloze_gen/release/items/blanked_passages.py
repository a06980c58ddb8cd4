"""Passages with blanked sentences, in a release (SCDE)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import pyarrow as pa

from cloze_gen.formats.harness import blind_split
from cloze_gen.formats.inspect_tasks import blank_tasks, task_files
from cloze_gen.formats.questions import BLANK_MARK
from cloze_gen.formats.quiz import QuizQuestion
from cloze_gen.formats.scde import parse_passages, split_record
from cloze_gen.formats.scde_harness import blank_records, harness_files
from cloze_gen.records.blanked_passage import SetBlankedPassage
from cloze_gen.records.passage import Part
from cloze_gen.release.items.kind import ItemKind, Record, Span, TaskInfo
from cloze_gen.release.samples import sample_blanks
from cloze_gen.store.runs import Digested
from cloze_gen.store.tables import PASSAGE_SET

_SPLITS = {Part.TRAIN: "train", Part.DEVELOPMENT: "validation", Part.TEST: "test"}


def _read_set(path: Path) -> Digested:
    from cloze_gen.evaluation.sets import read_blanked_set  # slow to import

    return read_blanked_set(path)


def _of_parts(passages: Sequence[SetBlankedPassage]) -> dict[str, list[SetBlankedPassage]]:
    found = {
        split: [one for one in passages if one.part == part] for part, split in _SPLITS.items()
    }
    return {split: some for split, some in found.items() if some}


def _blanks_file(split: str) -> str:
    return f"blanks_{split}.jsonl"


def _splits(passages: Sequence[SetBlankedPassage]) -> dict[str, dict[str, str]]:
    """Passages, and a separate config with a row for each blank."""
    splits = list(_of_parts(passages))
    return {"default": {split: f"{split}.jsonl" for split in splits}} | (
        {"blanks": {split: _blanks_file(split) for split in splits}} if splits else {}
    )


def _split_records(passages: Sequence[SetBlankedPassage]) -> dict[str, list[Record]]:
    files: dict[str, list[Record]] = {}
    for split, some in _of_parts(passages).items():
        files[f"{split}.jsonl"] = [split_record(one) for one in some]
        files[_blanks_file(split)] = [
            {"id": record["id"], "book_id": one.book_id, "domain": one.domain} | record
            for one in some
            for record in blank_records(one.passage)
        ]
    return files


def _harness(
    passages: Sequence[SetBlankedPassage], examples: Sequence[SetBlankedPassage], info: TaskInfo
) -> Mapping[str, str]:
    splits = {split: [one.passage for one in some] for split, some in _of_parts(passages).items()}
    return harness_files(info.name, splits, **info.of_harness)


def _inspect(passages: Sequence[SetBlankedPassage], info: TaskInfo) -> Mapping[str, str]:
    blind = blind_split({split: len(some) for split, some in _of_parts(passages).items()})
    files = _splits(passages).get("blanks", {})
    return task_files(*blank_tasks(files, name=info.name, blind=blind))


def _described(passages: Sequence[SetBlankedPassage]) -> str:
    of_splits = ", ".join(f"{len(some):,} {split}" for split, some in _of_parts(passages).items())
    return (
        "passages with blanked sentences and one list of candidates for all blanks "
        f"({of_splits or 'none'})"
    )


def _balance(passages: Sequence[SetBlankedPassage]) -> str:
    places = Counter(answer for one in passages for answer in one.passage.answers)
    shares = (
        f"{place + 1} ({count / places.total():.1%})" for place, count in sorted(places.items())
    )
    return (
        "Position of the answer in the list of candidates, with the share of blanks: "
        f"{', '.join(shares) or 'none'}."
    )


def _spans(record: Record) -> Sequence[Span]:
    return [
        (one["book_id"], one["start"], one["end"])
        for one in (*record["sources"], *record["candidate_sources"])
    ]


_ONE_BLANK = (
    "blanks: in `blanks_*.jsonl` and its tasks, each row has one blank, and the other blanked "
    "sentences are removed. Passages of one book may share sentences"
)
_COLUMNS = {
    "id": "book and first sentence of the passage; for a blank, followed by its number",
    "domain": "genre of the book from the manifest, or empty",
    "book_id": "the book's id in `release.json`",
    "passage": "the sentences of the passage; blanks are `<1>`, `<2>` and so on",
    "candidates": "the candidate sentences for all blanks",
    "answers": "for each blank, the index of its answer in `candidates`, from 0",
    "distractors": "indices of the candidates that answer no blank",
    "query": "the passage with one blank, `_____`",
    "choices": "the candidates",
    "gold": "index of the answer in `choices`, from 0",
    "canary": "GUID of the set, equal in every record",
}


def _example(one: SetBlankedPassage) -> Sequence[str]:
    passage = one.passage
    numbers = {place: f"__{number}__" for number, place in enumerate(passage.blanks, 1)}
    text = " ".join(
        numbers.get(place, sentence) for place, sentence in enumerate(passage.sentences)
    )
    return [
        text,
        *(
            f"    {chr(65 + place)}. {candidate}"
            for place, candidate in enumerate(passage.candidates)
        ),
    ]


def _quiz(one: SetBlankedPassage, record: Record) -> QuizQuestion:
    passage = one.passage
    numbers = {place: f"({i}) {BLANK_MARK}" for i, place in enumerate(passage.blanks, 1)}
    shown = [numbers.get(place, text) for place, text in enumerate(passage.sentences)]
    pairs = zip(one.paragraphs, shown, strict=True)
    paragraphs = [
        " ".join(text for _, text in some) for _, some in groupby(pairs, key=itemgetter(0))
    ]
    return QuizQuestion.of_text(
        one.id, one.book_id, paragraphs, passage.candidates, passage.answers
    )


def _compared(one: SetBlankedPassage) -> dict[str, Any]:
    passage = one.passage
    return {
        "sentences": passage.sentences,
        "blanks": passage.blanks,
        "candidates": frozenset(passage.candidates),
        "order of candidates": passage.candidates,
    }


def _quoted(record: Record) -> Sequence[tuple[Span, Sequence[str]]]:
    """Each sentence, with answers in the blanks, and each candidate."""
    answers = dict(zip(record["blanks"], record["answers"], strict=True))
    sentences = [
        record["candidates"][answers[place]] if text is None else text
        for place, text in enumerate(record["passage"])
    ]
    return [
        (span, [text])
        for span, text in zip(_spans(record), (*sentences, *record["candidates"]), strict=True)
    ]


BLANKED_ITEMS = ItemKind(
    noun="passage",
    file=PASSAGE_SET,
    parse=parse_passages,
    read_set=_read_set,
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
    quiz=_quiz,
    compared=_compared,
    sample=lambda one, record, candidates, book: sample_blanks(
        one, book=book.title, file=book.file
    ),
    kind_label="Split",
    column_docs=_COLUMNS,
    counts=lambda one: True,
    spans=_spans,
    quoted=_quoted,
    misquoted=lambda record: [],
    texts=("passage", "candidates"),
    derived=(),
    types={"answers": pa.list_(pa.int64()), "distractors": pa.list_(pa.int64())},
    file_docs={
        "train.jsonl": "the passages of the training books for `datasets.load_dataset`, without "
        "provenance.",
        "validation.jsonl": "the passages of the development books in the same form.",
        "test.jsonl": "the passages of the test books in the same form.",
        "blanks_train.jsonl": "one row for each blank of `train.jsonl`: `query`, `choices`, `gold`; for "
        '`datasets.load_dataset(..., "blanks")`.',
        "blanks_validation.jsonl": "the same for `validation.jsonl`.",
        "blanks_test.jsonl": "the same for `test.jsonl`.",
    },
)
