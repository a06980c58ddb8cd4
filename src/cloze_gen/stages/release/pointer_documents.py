"""The documents of a release of pointers: what the full one's say, without an item and without the commands that need its text."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path

from pydantic import TypeAdapter

from cloze_gen.formats.citation import bibtex, citation_cff
from cloze_gen.formats.croissant import croissant_json
from cloze_gen.formats.features import Table, features_of
from cloze_gen.formats.yaml_text import yaml_lines
from cloze_gen.records.release_facts import ReleaseFacts
from cloze_gen.report.card import escape
from cloze_gen.report.data import ReportData
from cloze_gen.report.html import render_report
from cloze_gen.stages.items.kind import Record
from cloze_gen.stages.release.checksums import checksums_of, write_checksums
from cloze_gen.stages.release.documents import CARD, CITATION, CROISSANT, REPORT, licence_of
from cloze_gen.stages.release.facts import ReleaseRecord, record_text
from cloze_gen.stages.release.pointer_files import FIGURES, POINTERS, pointers_file
from cloze_gen.stages.release.signature import SIGNATURE
from cloze_gen.stages.report_samples import without_samples
from cloze_gen.store.runs import RELEASE_FILE
from cloze_gen.store.tables import parse_jsonl


def write_pointer_documents(folder: Path, *, record: ReleaseRecord, data: ReportData, full: Path) -> None:
    """Write what a release of pointers says of itself; its report shows no item.

    Args:
        record: of the full release, which lies in `full`.
    """
    settings = {**record.facts.settings, "release": {**record.facts.settings["release"], "text": "pointers"}}
    facts, bare = replace(record.facts, text="pointers", settings=settings), without_samples(data)
    record = replace(record, facts=facts, full=checksums_of(full))
    figures = TypeAdapter(ReportData).dump_python(bare, mode="json")
    texts = {
        RELEASE_FILE: record_text(record),
        REPORT: render_report(bare),
        FIGURES: json.dumps(figures, ensure_ascii=False) + "\n",
        **pointer_document_texts((folder / POINTERS).read_bytes(), record=record),
    }
    for file, text in texts.items():
        (folder / file).write_text(text, encoding="utf-8", newline="\n")
    write_checksums(folder)


def pointer_document_texts(pointers: bytes, *, record: ReleaseRecord) -> dict[str, str]:
    """The documents that follow from `release.json` and the pointers: citation, description for machines, card.

    Args:
        pointers: the bytes of their file.
        record: of the release of pointers.
    """
    facts, licence = record.facts, licence_of(record.facts)
    records = [_plain(one) for one in parse_jsonl(pointers.split(b"\n"), where=POINTERS, advice="Download the release again.")]
    table = Table(
        config="default", split="pointers", file=POINTERS, rows=len(records), bytes=len(pointers),
        sha256=hashlib.sha256(pointers).hexdigest(), columns=features_of(records),
    )  # fmt: skip
    return {
        CITATION: citation_cff(facts, licence),
        CROISSANT: croissant_json(facts, [table], licence),
        CARD: _pointer_card(record, facts),
    }


def _plain(record: Record) -> Record:
    """What of a record of pointers is one value: what a description for machines can tell."""
    return {name: value for name, value in record.items() if isinstance(value, str | int | float)}


def _pointer_card(record: ReleaseRecord, facts: ReleaseFacts) -> str:
    licence = licence_of(facts)
    files = "\n".join(f"| {escape(book.file)} | {escape(book.title)} | `{book.sha256}` |" for book in facts.item_books)
    head = yaml_lines({"license": licence.hub_id, "language": ["en"], "pretty_name": facts.name, "viewer": False})
    return f"""---
{chr(10).join(head)}
---

# {facts.name}, without its books

{facts.n_items:,} {facts.title} {facts.noun}s, after {facts.paper} **This release holds no text of the books** that they \
were made from. It cannot be loaded or evaluated as it is: `{POINTERS}` says of every {facts.noun} where its text stands, and \
who has the same files makes the full release of them, byte for byte, with cloze-gen {facts.version}:

```sh
cloze-gen fill PATH/OF/THIS/FOLDER --books FOLDER/OF/THE/BOOKS
```

Signature: `{facts.signature}`

This is test data. Keep it out of training corpora: canary GUID `{facts.canary}`, which stands in every record.

{_PLACES}

## Files
- `{POINTERS}`: every {facts.noun}. Answers, options and scores are told as they are.
- `{RELEASE_FILE}`: what the release says of itself; `full` are the checksums of the full release.
- `{REPORT}`: pictures of the set, the funnel, no sample; `{FIGURES}`: its figures, from which the full report is made.
{_beside(record)}- `{CROISSANT}`, `{CITATION}`, `{SIGNATURE}`, `SHA256SUMS`.

## Licence
{escape(licence.sentence)}

## How to cite
```bibtex
{bibtex(facts).rstrip()}
```

## Books
| file | title | sha256 |
|---|---|---|
{files}
"""


def _beside(record: ReleaseRecord) -> str:
    told = {pointers_file(file): f"the records of `{file}` in the same way" for file in record.beside}
    told |= dict.fromkeys(record.taken, "as in the full release")
    return "".join(f"- `{file}`: {what}.\n" for file, what in told.items())


_PLACES = """\
A text is a list of places in the text of its span: `[0, 130]` are the characters 0 to 130, `[0, 4, "-", 5, 9]` two slices and a character
between them that the span does not have. The text of a span is that of the characters `start` to `end` of the decoded file, its lines
unwrapped and the marks of typists removed; of several spans one line each."""
