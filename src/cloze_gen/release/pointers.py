"""A release of pointers (positions in books instead of text), and filling it with text."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from cloze_gen.errors import FormatError
from cloze_gen.formats.croissant import croissant_json
from cloze_gen.formats.decontamination import hash_file
from cloze_gen.formats.features import Table, features_of
from cloze_gen.formats.licences import bibtex, citation_cff, yaml_lines
from cloze_gen.formats.pointers import filled_record, pointer_record, reference_text
from cloze_gen.records.release_facts import ReleaseFacts
from cloze_gen.release.card import escape
from cloze_gen.release.documents import (
    CARD,
    CITATION,
    CROISSANT,
    REPORT,
    licence_of,
    without_samples,
    write_documents,
)
from cloze_gen.release.facts import ReleaseRecord, record_text
from cloze_gen.release.folder import ReleaseFolder
from cloze_gen.release.items.kind import ItemKind, Record, Span
from cloze_gen.release.report_data import ReportData
from cloze_gen.release.signature import SIGNATURE, checksums_of, write_checksums
from cloze_gen.release.style import PublishedSet, Style
from cloze_gen.release.write import (
    full_settings,
    hashes_file,
    item_texts,
    release_settings,
    write_data,
)
from cloze_gen.store.runs import RELEASE_FILE
from cloze_gen.store.tables import CANDIDATES, parse_jsonl, write_jsonl

POINTERS, FIGURES = "pointers.jsonl", "report.json"
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
    place = folder / hashes_file(published.name)
    place.parent.mkdir()
    place.write_bytes(sparse_hashes(kind, published))
    for file in (*taken, SIGNATURE):
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(full / file, folder / file)


def sparse_hashes(kind: ItemKind, published: PublishedSet) -> bytes:
    """Hashes that do not reveal the text word by word."""
    return hash_file(item_texts(kind, published).values(), apart=True)


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
    folder: Path, *, record: ReleaseRecord, data: ReportData, full: Path
) -> None:
    from cloze_gen.release.html import render_report  # Matplotlib and Jinja2 are slow to import

    settings = {
        **record.facts.settings,
        "release": {**record.facts.settings["release"], "text": "pointers"},
    }
    facts, bare = replace(record.facts, text="pointers", settings=settings), without_samples(data)
    record = replace(record, facts=facts, full=checksums_of(full))
    figures = TypeAdapter(ReportData).dump_python(bare, mode="json")
    texts = {
        RELEASE_FILE: record_text(record),
        REPORT: render_report(bare, without_text=True),
        FIGURES: json.dumps(figures, ensure_ascii=False) + "\n",
        **pointer_document_texts((folder / POINTERS).read_bytes(), record=record),
    }
    for file, text in texts.items():
        (folder / file).write_text(text, encoding="utf-8", newline="\n")
    write_checksums(folder)


def pointer_document_texts(pointers: bytes, *, record: ReleaseRecord) -> dict[str, str]:
    facts, licence = record.facts, licence_of(record.facts)
    records = [
        _plain(one)
        for one in parse_jsonl(
            pointers.split(b"\n"), where=POINTERS, advice="Download the release again."
        )
    ]
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
    return {name: value for name, value in record.items() if isinstance(value, str | int | float)}


def _pointer_card(record: ReleaseRecord, facts: ReleaseFacts) -> str:
    licence = licence_of(facts)
    files = "\n".join(
        f"| {escape(book.file)} | {escape(book.title)} | `{book.sha256}` |"
        for book in facts.item_books
    )
    head = yaml_lines(
        {"license": licence.hub_id, "language": ["en"], "pretty_name": facts.name, "viewer": False}
    )
    return f"""---
{chr(10).join(head)}
---

# {facts.name}, without its books

{facts.n_items:,} {facts.title} {facts.noun}s, after {facts.paper} **This release contains no text of the books.** \
You cannot load or evaluate it as it is. `{POINTERS}` gives the positions of every {facts.noun} in the books. If you have the same \
book files, cloze-gen {facts.version} rebuilds the full release, byte for byte:

```sh
cloze-gen fill PATH/OF/THIS/FOLDER --books FOLDER/OF/THE/BOOKS
```

Signature: `{facts.signature}`

This is test data. Do not train on it. Every record contains the canary GUID `{facts.canary}`. Use it to filter the set out \
of training corpora.

{_POSITIONS}

## Files
- `{POINTERS}`: all {facts.noun}s. Answers, options and scores are included as they are.
- `{hashes_file(facts.name)}`: hashes that exclude the set from training data.
- `{RELEASE_FILE}`: the facts of the release for programs; `full` has the checksums of the full release.
- `{REPORT}`: plots and the funnel, without sample items.
- `{FIGURES}`: the figures of the report, for rebuilding it.
{_other_files(record)}- `{CROISSANT}`, `{CITATION}`, `{SIGNATURE}`, `SHA256SUMS`.

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


def _other_files(record: ReleaseRecord) -> str:
    docs = {
        pointers_file(file): f"the records of `{file}` in the same form" for file in record.derived
    }
    docs |= dict.fromkeys(record.taken, "the same file as in the full release")
    return "".join(f"- `{file}`: {text}.\n" for file, text in docs.items())


_POSITIONS = """\
A text is a list of positions in the text of its span. `[0, 130]` means characters 0 to 130. `[0, 4, "-", 5, 9]` means two slices with an
added character between them. The text of a span is the characters `start` to `end` of the decoded file, with lines unwrapped and
typists' marks removed. Several spans are joined as lines."""


_FIGURES_BYTES, _FIGURES_ITEM_BYTES = 4 << 20, 1 << 10


def fill_release(source: ReleaseFolder, to: Path, *, style: Style, text_of: Texts) -> list[str]:
    """Write the full release into the empty folder `to`; FormatError if the pointers do not fit.

    Returns the files that differ from the published full release; none with equal versions of
    cloze-gen and libraries.
    """
    kind, record = style.items, source.record
    settings = full_settings(record.facts.settings)
    facts = replace(
        record.facts, text="full", settings=settings, measured=(), evaluated="", verdict=()
    )
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
        (to / file).parent.mkdir(parents=True, exist_ok=True)
        (to / file).write_bytes(source.read(file))
    write_documents(
        to,
        style=style,
        published=published,
        record=replace(record, facts=facts, full={}),
        data=read_figures(source),
    )
    found = checksums_of(to)
    return sorted(
        name
        for name in found.keys() | record.full.keys()
        if found.get(name) != record.full.get(name)
    )


def read_figures(source: ReleaseFolder) -> ReportData:
    """The report's figures in a release of pointers; FormatError if they are damaged."""
    most = _FIGURES_BYTES + _FIGURES_ITEM_BYTES * source.record.facts.n_items
    data = source.read(FIGURES)
    if len(data) > most:
        raise FormatError(
            f"{source.folder / FIGURES}: has {len(data):,} bytes; the limit for this set is "
            f"{most:,}. Download the release again."
        )
    try:
        return TypeAdapter(ReportData).validate_json(data)
    except ValidationError as error:
        raise FormatError(
            f"{source.folder / FIGURES}: not the figures of a report ({str(error).splitlines()[0]}). Download the release again."
        ) from None


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
