"""A release of pointers (positions in books instead of text), and filling it with text."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from cloze_gen.errors import FormatError
from cloze_gen.formats.licences import bibtex
from cloze_gen.formats.pointers import filled_record, pointer_record, reference_text
from cloze_gen.release.card import CardFacts, card_head, dataset_card
from cloze_gen.release.documents import (
    CARD,
    DOCUMENTS,
    FILE_DOCS,
    REPORT,
    licence_of,
    write_card,
)
from cloze_gen.release.facts import ReleaseRecord, record_text
from cloze_gen.release.folder import ReleaseFolder
from cloze_gen.release.items.kind import ItemKind, Record, Span
from cloze_gen.release.report_data import ReportData
from cloze_gen.release.signature import CHECKSUMS, SIGNATURE, checksums_of, write_checksums
from cloze_gen.release.style import PublishedSet, Style
from cloze_gen.release.write import (
    full_settings,
    release_settings,
    write_data,
    write_text_files,
)
from cloze_gen.store.runs import RELEASE_FILE
from cloze_gen.store.tables import CANDIDATES, parse_jsonl, write_jsonl

POINTERS = "pointers.jsonl"
_CANDIDATE_TEXTS = ("text",)  # the sentence; a candidate is a word of the vocabulary
Texts = Callable[[Span], str]  # span of a book -> its normalized text


def pointers_file(file: str) -> str:
    return file.replace(".jsonl", f".{POINTERS}")


def text_fields(file: str, kind: ItemKind) -> tuple[Sequence[str], Sequence[str]]:
    """(fields with text, derived fields) of the records in a file."""
    return (_CANDIDATE_TEXTS, ()) if file == CANDIDATES else (kind.texts, kind.derived)


def write_pointers(
    folder: Path,
    *,
    kind: ItemKind,
    published: PublishedSet,
    taken: Sequence[str],
    full: Path,
    text_of: Texts,
) -> None:
    """Write the data of a release of pointers; FormatError if an item cannot be rebuilt exactly.

    `taken` are files of the full release (in the folder `full`) without sentences of the books;
    they are copied.
    """
    spans = {record["id"]: kind.spans(record) for record in published.records}
    write_jsonl(
        folder / POINTERS,
        _pointed(published.records, kind.texts, kind.derived, spans, kind, text_of),
    )
    for file, records in published.derived.items():
        texts, derived = text_fields(file, kind)
        write_jsonl(
            folder / pointers_file(file), _pointed(records, texts, derived, spans, kind, text_of)
        )
    for file in (*taken, SIGNATURE):
        shutil.copyfile(full / file, folder / file)


def _pointed(
    records: Iterable[Mapping[str, Any]], texts: Sequence[str], derived: Sequence[str], spans: Mapping[str, Sequence[Span]], kind: ItemKind,
    text_of: Texts,
) -> Iterator[Record]:  # fmt: skip
    for record in records:
        reference = reference_text(
            [text_of(span) for span in spans.get(record["id"]) or kind.spans({**record})]
        )
        pointed = pointer_record(record, reference, texts=texts, derived=derived)
        back = filled_record(pointed, reference, texts=texts, where=record["id"])
        if back | {name: record[name] for name in derived if name in record} != record:
            raise FormatError(
                f"{record['id']}: its text cannot be rebuilt from positions in its book. Set "
                "release.text = full."
            )
        yield pointed


def write_pointer_documents(
    folder: Path, *, style: Style, record: ReleaseRecord, data: ReportData, full: Path
) -> None:
    """Write the documents of a release of pointers; `record` is that of the release in `full`."""
    from cloze_gen.release.html import render_report  # Jinja2 is slow to import

    settings = record.facts.settings
    settings = {**settings, "release": {**settings["release"], "text": "pointers"}}
    facts = replace(record.facts, text="pointers", settings=settings)
    record = replace(record, facts=facts, full=checksums_of(full))
    texts = {
        RELEASE_FILE: record_text(record),
        REPORT: render_report(replace(data, samples=()), without_text=True),
        CARD: pointer_card(style, record),
    }
    write_text_files(folder, texts)
    write_checksums(folder)


def pointer_card(style: Style, record: ReleaseRecord) -> str:
    """The card of a release of pointers, from its `release.json`."""
    facts, kind, licence = record.facts, style.items, licence_of(record.facts)
    command = "cloze-gen fill PATH/OF/THIS/FOLDER --books FOLDER/OF/THE/BOOKS"
    files = {POINTERS: f"all {kind.noun}s. Answers, options and scores are included as they are."}
    for file in record.derived:
        files[pointers_file(file)] = f"the records of `{file}` in the same form."
    files |= dict.fromkeys(record.taken, "the same file as in the full release.")
    files |= {file: FILE_DOCS[file] for file in (RELEASE_FILE, REPORT, SIGNATURE, CHECKSUMS)}
    card = CardFacts(
        facts=facts,
        head=card_head(facts, licence, {}, rows=0, task=kind.task),
        described=f"cloze {kind.noun}s without their text",
        balance="",
        example=(),
        notes=facts.notes,
        columns=(),
        use=[("Rebuild the full release", "sh", command)],
        files=list(files.items()),
        licence=licence.sentence,
        bibtex=bibtex(facts),
        per_book={book.book_id: book.items for book in facts.item_books},
        steps=record.steps,
        legends=style.legends,
        tables=record.tables,
        without_text=True,
    )
    return dataset_card(card)


def fill_release(source: ReleaseFolder, to: Path, *, style: Style, text_of: Texts) -> list[str]:
    """Write the full release into the empty folder `to`; FormatError if the pointers do not fit.

    The release has no report, whose samples need the run. Returns the data files that differ from
    the published full release; none with equal versions of cloze-gen and libraries.
    """
    kind, record = style.items, source.record
    settings = full_settings(record.facts.settings)
    facts = replace(record.facts, text="full", settings=settings)
    records = list(_filled(source, POINTERS, kind.texts, {}, kind, text_of))
    spans = {one["id"]: kind.spans(one) for one in records}
    derived = {
        file: list(
            _filled(source, pointers_file(file), text_fields(file, kind)[0], spans, kind, text_of)
        )
        for file in record.derived
    }
    items = _items(kind, records)
    published = PublishedSet(
        name=facts.name,
        items=items,
        seed=facts.seed,
        release=release_settings(style, settings),
        records=[kind.released(item, one) for item, one in zip(items, records, strict=True)],
        canary=facts.canary,
        derived={file: _completed(file, some, kind) for file, some in derived.items()},
    )
    write_data(to, style=style, published=published, facts=facts)
    for file in record.taken:
        (to / file).write_bytes(source.read(file))
    write_card(
        to,
        style=style,
        published=published,
        record=replace(record, facts=facts, full={}),
        others={},
    )
    written = checksums_of(to)
    return sorted(
        name
        for name in (written.keys() | record.full.keys()) - set(DOCUMENTS)
        if written.get(name) != record.full.get(name)
    )


def _filled(
    source: ReleaseFolder,
    file: str,
    texts: Sequence[str],
    spans: Mapping[str, Sequence[Span]],
    kind: ItemKind,
    text_of: Texts,
) -> Iterator[Record]:
    lines = source.read(file).split(b"\n")
    for number, record in enumerate(
        parse_jsonl(lines, where=file, advice="Download the release again."), 1
    ):
        where = f"{file}, line {number}"
        try:
            reference = reference_text(
                [text_of(span) for span in spans.get(record["id"]) or kind.spans(record)]
            )
        except (KeyError, TypeError):
            raise FormatError(
                f"{where}: has no valid book and position of its text. Download the release again."
            ) from None
        yield filled_record(record, reference, texts=texts, where=where)


def _items(kind: ItemKind, records: Sequence[Record]) -> list[Any]:
    lines = (
        json.dumps({name: value for name, value in one.items() if name not in kind.derived})
        for one in records
    )
    return list(kind.parse(lines))


def _completed(file: str, records: Sequence[Record], kind: ItemKind) -> list[Record]:
    _, derived = text_fields(file, kind)
    if not derived:
        return list(records)
    return [
        kind.released(item, record)
        for item, record in zip(_items(kind, records), records, strict=True)
    ]
