"""The full release back from one of pointers, for who has the books."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from cloze_gen.errors import FormatError
from cloze_gen.formats.pointers import filled_record, reference_text
from cloze_gen.report.data import ReportData
from cloze_gen.stages.finished_run import PublishedSet
from cloze_gen.stages.items.kind import ItemKind, Record, Span
from cloze_gen.stages.release.checksums import checksums_of
from cloze_gen.stages.release.documents import write_documents
from cloze_gen.stages.release.folder import ReleaseFolder
from cloze_gen.stages.release.pointer_files import FIGURES, POINTERS, Texts, pointers_file, text_fields
from cloze_gen.stages.release.write import full_settings, release_settings, write_data
from cloze_gen.stages.style import Style
from cloze_gen.store.tables import parse_jsonl

_FIGURES_BYTES, _FIGURES_ITEM_BYTES = 4 << 20, 1 << 10


def fill_release(source: ReleaseFolder, to: Path, *, style: Style, text_of: Texts) -> list[str]:
    """Write the full release of a release of pointers into the empty folder `to`.

    Returns:
        files that are not the full release's, byte for byte; of equal versions of cloze-gen and its libraries there are none.
    Raises:
        FormatError: the pointers do not fit these books, or are damaged.
    """
    kind, record = style.items, source.record
    settings = full_settings(record.facts.settings)
    facts = replace(record.facts, text="full", settings=settings, measured=(), evaluated="")
    records = list(_filled(source, POINTERS, kind.texts, {}, kind, text_of))
    spans = {one["id"]: kind.spans(one) for one in records}
    beside = {file: list(_filled(source, pointers_file(file), text_fields(file, kind)[0], spans, kind, text_of)) for file in record.beside}
    items = _items(kind, records)
    published = PublishedSet(
        name=facts.name,
        items=items,
        seed=facts.seed,
        release=release_settings(style, settings),
        records=[kind.released(item, one) for item, one in zip(items, records, strict=True)],
        canary=facts.canary,
        beside={file: _completed(file, some, kind) for file, some in beside.items()},
    )
    write_data(to, style=style, published=published, facts=facts)
    for file in record.taken:
        (to / file).parent.mkdir(parents=True, exist_ok=True)
        (to / file).write_bytes(source.read(file))
    write_documents(to, style=style, published=published, record=replace(record, facts=facts, full={}), data=read_figures(source))
    found = checksums_of(to)
    return sorted(name for name in found.keys() | record.full.keys() if found.get(name) != record.full.get(name))


def read_figures(source: ReleaseFolder) -> ReportData:
    """The figures of the report of a release of pointers.

    Raises:
        FormatError: they are damaged.
    """
    most = _FIGURES_BYTES + _FIGURES_ITEM_BYTES * source.record.facts.n_items
    data = source.read(FIGURES)
    if len(data) > most:
        raise FormatError(f"{source.folder / FIGURES}: {len(data):,} bytes; the figures of this set have at most {most:,}.")
    try:
        return TypeAdapter(ReportData).validate_json(data)
    except ValidationError as error:
        raise FormatError(f"{source.folder / FIGURES}: not the figures of a report ({str(error).splitlines()[0]})") from None


def _filled(
    source: ReleaseFolder, file: str, texts: Sequence[str], spans: Mapping[str, Sequence[Span]], kind: ItemKind, text_of: Texts
) -> Iterator[Record]:
    lines = source.read(file).split(b"\n")
    for number, record in enumerate(parse_jsonl(lines, where=file, advice="Download the release again."), 1):
        where = f"{file}, line {number}"
        try:
            reference = reference_text([text_of(span) for span in spans.get(record["id"]) or kind.spans(record)])
        except (KeyError, TypeError):
            raise FormatError(f"{where}: does not say which book its text stands in, and where") from None
        yield filled_record(record, reference, texts=texts, where=where)


def _items(kind: ItemKind, records: Sequence[Record]) -> list[Any]:
    lines = (json.dumps({name: value for name, value in one.items() if name not in kind.derived}) for one in records)
    return list(kind.parse(lines))


def _completed(file: str, records: Sequence[Record], kind: ItemKind) -> list[Record]:
    """Records beside the items with what is derived; candidates have nothing that is."""
    _, derived = text_fields(file, kind)
    if not derived:
        return list(records)
    return [kind.released(item, record) for item, record in zip(_items(kind, records), records, strict=True)]
