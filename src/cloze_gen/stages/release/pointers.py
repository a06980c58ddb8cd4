"""A release without the text of its books, for books that may not be passed on.

It says of every item where its text stands (`formats.pointers`); all that is made of the items alone is left out, for `filling` makes it
again, and what the run alone knows (the funnel, the figures of the report) is written down. The checksums of the full release stand in its
`release.json`, so what is made again is known to be the same.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from cloze_gen.errors import FormatError
from cloze_gen.formats.citation import citation_cff
from cloze_gen.formats.croissant import croissant_json
from cloze_gen.formats.features import Table, features_of
from cloze_gen.formats.pointers import filled_record, pointer_record, reference_text
from cloze_gen.records.release_facts import ReleaseFacts
from cloze_gen.report.card import escape
from cloze_gen.report.data import ReportData
from cloze_gen.report.html import render_report
from cloze_gen.stages.finished_run import PublishedSet
from cloze_gen.stages.items.kind import ItemKind, Record, Span
from cloze_gen.stages.release.checksums import checksums_of, write_checksums
from cloze_gen.stages.release.facts import RELEASE_FILE, ReleaseRecord, record_text
from cloze_gen.stages.release.papers import CARD, CITATION, CROISSANT, REPORT, licence_of
from cloze_gen.stages.release.signature import SIGNATURE
from cloze_gen.stages.report_samples import without_samples
from cloze_gen.stages.tables import CANDIDATES
from cloze_gen.store.manifest import file_sha256
from cloze_gen.store.tables import read_jsonl, write_jsonl

POINTERS, FIGURES = "pointers.jsonl", "report.json"
_CANDIDATE_TEXTS = ("text",)  # the sentence; a candidate is a word of the vocabulary
Texts = Callable[[Span], str]  # of a span of a book its normalized text


def pointers_file(file: str) -> str:
    """Where the pointers of a file of records stand: ``candidates.jsonl`` in ``candidates.pointers.jsonl``."""
    return file.replace(".jsonl", f".{POINTERS}")


def write_pointers(folder: Path, *, kind: ItemKind, published: PublishedSet, taken: Sequence[str], full: Path, text_of: Texts) -> None:
    """Write the data of a release of pointers.

    Args:
        taken: files of the full release that hold no text of the books' sentences and come along as they are.
        full: the folder of the full release.
        text_of: asked of every span of every item.
    Raises:
        FormatError: an item would not come back as it is.
    """
    spans = {record["id"]: kind.spans(record) for record in published.records}
    write_jsonl(folder / POINTERS, _pointed(published.records, kind.texts, kind.derived, spans, kind, text_of))
    for file, records in published.beside.items():
        texts, derived = text_fields(file, kind)
        write_jsonl(folder / pointers_file(file), _pointed(records, texts, derived, spans, kind, text_of))
    for file in (*taken, SIGNATURE):
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(full / file, folder / file)


def text_fields(file: str, kind: ItemKind) -> tuple[Sequence[str], Sequence[str]]:
    """Fields that hold text, and that are derived, of the records beside the items: candidates, or items that fell."""
    return (_CANDIDATE_TEXTS, ()) if file == CANDIDATES else (kind.texts, kind.derived)


def _pointed(
    records: Iterable[Mapping[str, Any]], texts: Sequence[str], derived: Sequence[str], spans: Mapping[str, Sequence[Span]], kind: ItemKind,
    text_of: Texts,
) -> Iterator[Record]:  # fmt: skip
    for record in records:
        reference = reference_text([text_of(span) for span in spans.get(record["id"]) or kind.spans({**record})])
        pointed = pointer_record(record, reference, texts=texts, derived=derived)
        back = filled_record(pointed, reference, texts=texts, where=record["id"])
        if back | {name: record[name] for name in derived if name in record} != record:
            raise FormatError(f"{record['id']}: its text cannot be told by places in its book; release it with release.text = full.")
        yield pointed


def write_pointer_papers(folder: Path, *, record: ReleaseRecord, data: ReportData, full: Path) -> None:
    """Write what a release of pointers says of itself; its report shows no item.

    Args:
        record: of the full release, which lies in `full`.
    """
    settings = {**record.facts.settings, "release": {**record.facts.settings["release"], "text": "pointers"}}
    facts, bare = replace(record.facts, text="pointers", settings=settings), without_samples(data)
    (folder / RELEASE_FILE).write_text(record_text(replace(record, facts=facts, full=checksums_of(full))), encoding="utf-8")
    (folder / CITATION).write_text(citation_cff(facts, licence_of(facts)), encoding="utf-8", newline="\n")
    (folder / REPORT).write_text(render_report(bare), encoding="utf-8", newline="\n")
    figures = TypeAdapter(ReportData).dump_python(bare, mode="json")
    (folder / FIGURES).write_text(json.dumps(figures, ensure_ascii=False) + "\n", encoding="utf-8", newline="\n")
    records = [_plain(one) for one in read_jsonl(folder / POINTERS)]
    table = Table(
        config="default", split="pointers", file=POINTERS, rows=len(records), bytes=(folder / POINTERS).stat().st_size,
        sha256=file_sha256(folder / POINTERS), columns=features_of(records),
    )  # fmt: skip
    (folder / CROISSANT).write_text(croissant_json(facts, [table], licence_of(facts)), encoding="utf-8", newline="\n")
    (folder / CARD).write_text(_pointer_card(facts), encoding="utf-8", newline="\n")
    write_checksums(folder)


def _plain(record: Record) -> Record:
    """What of a record of pointers is one value: what a description for machines can tell."""
    return {name: value for name, value in record.items() if isinstance(value, str | int | float)}


def _pointer_card(facts: ReleaseFacts) -> str:
    files = "\n".join(f"| {escape(book.file)} | {escape(book.title)} | `{book.sha256}` |" for book in facts.item_books)
    return f"""# {facts.name}, without its books

{facts.n_items:,} {facts.title} {facts.noun}s, after {facts.paper} **This release holds no text of the books** that they were made from: \
`{POINTERS}` says of every {facts.noun} where its text stands. Who has the same files makes the full release of them, byte for byte:

```sh
pip install cloze-gen
cloze-gen fill PATH/OF/THIS/FOLDER --books FOLDER/OF/THE/BOOKS
```

Signature: `{facts.signature}`

This is test data. Keep it out of training corpora: canary GUID `{facts.canary}`, which stands in every record.

## Files
- `{POINTERS}`: every {facts.noun}: options, scores, book and span; texts as places in the normalized text of the span (`docs/releases.md`).
- `{RELEASE_FILE}`: what the release says of itself; `full` are the checksums of the full release.
- `{REPORT}`: pictures of the set, the funnel, no sample; `{FIGURES}`: its figures, from which the full report is made.
- `{CROISSANT}`, `{CITATION}`, `{SIGNATURE}`, `SHA256SUMS`.

## Books
| file | title | sha256 |
|---|---|---|
{files}
"""
