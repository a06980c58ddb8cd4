"""A release without the text of its books, and the full one back from it: for books that may not be passed on.

The release of pointers says of every item where its text stands (`formats.pointers`); all that is made of the items alone is left out, for
`fill_release` makes it again, and what the run alone knows (the funnel, the figures of the report) is written down. The checksums of the
full release stand in its `release.json`, so what is made again is known to be the same.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from cloze_gen.errors import FormatError
from cloze_gen.formats.citation import citation_cff
from cloze_gen.formats.pointers import filled_record, pointer_record, reference_text
from cloze_gen.records.release_facts import ReleaseFacts
from cloze_gen.report.card import escape
from cloze_gen.report.data import ReportData
from cloze_gen.report.html import render_report
from cloze_gen.stages.finished_run import PublishedSet
from cloze_gen.stages.items.kind import ItemKind, Record, Span
from cloze_gen.stages.release.checksums import checksums_of, write_checksums
from cloze_gen.stages.release.facts import RELEASE_FILE, ReleaseRecord, record_text
from cloze_gen.stages.release.papers import CARD, CITATION, REPORT, licence_of, write_papers
from cloze_gen.stages.release.signature import SIGNATURE
from cloze_gen.stages.release.write import release_settings, write_data
from cloze_gen.stages.report_samples import without_samples
from cloze_gen.stages.style import Style
from cloze_gen.stages.tables import CANDIDATES
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
        texts, derived = _fields(file, kind)
        write_jsonl(folder / pointers_file(file), _pointed(records, texts, derived, spans, kind, text_of))
    for file in (*taken, SIGNATURE):
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(full / file, folder / file)


def _fields(file: str, kind: ItemKind) -> tuple[Sequence[str], Sequence[str]]:
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
    (folder / CARD).write_text(_pointer_card(facts), encoding="utf-8", newline="\n")
    write_checksums(folder)


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
- `{CITATION}`, `{SIGNATURE}`, `SHA256SUMS`.

## Books
| file | title | sha256 |
|---|---|---|
{files}
"""


def fill_release(source: Path, to: Path, *, style: Style, record: ReleaseRecord, text_of: Texts) -> list[str]:
    """Write the full release of a release of pointers into the empty folder `to`.

    Args:
        record: of the release of pointers.
    Returns:
        files that are not the full release's, byte for byte; of equal versions of cloze-gen and its libraries there are none.
    Raises:
        FormatError: the pointers do not fit these books, or are damaged.
    """
    kind = style.items
    settings = {**record.facts.settings, "release": {**record.facts.settings["release"], "text": "full"}}
    facts = replace(record.facts, text="full", settings=settings, measured=(), evaluated="")
    records = list(_filled(source / POINTERS, kind.texts, {}, kind, text_of))
    spans = {one["id"]: kind.spans(one) for one in records}
    beside = {file: list(_filled(source / pointers_file(file), _fields(file, kind)[0], spans, kind, text_of)) for file in record.beside}
    items = _items(kind, records)
    published = PublishedSet(
        name=facts.name,
        items=items,
        seed=facts.seed or 0,
        release=release_settings(style, settings),
        records=[kind.released(item, one) for item, one in zip(items, records, strict=True)],
        canary=facts.canary,
        beside={file: _completed(file, some, kind) for file, some in beside.items()},
    )
    write_data(to, style=style, published=published, facts=facts)
    for file in record.taken:
        (to / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / file, to / file)
    write_papers(to, style=style, published=published, record=replace(record, facts=facts, full={}), data=read_figures(source))
    found = checksums_of(to)
    return sorted(name for name in found.keys() | record.full.keys() if found.get(name) != record.full.get(name))


def read_figures(folder: Path) -> ReportData:
    """The figures of the report of a release of pointers.

    Raises:
        FormatError: they are damaged.
    """
    try:
        return TypeAdapter(ReportData).validate_json((folder / FIGURES).read_bytes())
    except (OSError, ValidationError) as error:
        raise FormatError(f"{folder / FIGURES}: not the figures of a report ({str(error).splitlines()[0]})") from None


def _filled(path: Path, texts: Sequence[str], spans: Mapping[str, Sequence[Span]], kind: ItemKind, text_of: Texts) -> Iterator[Record]:
    for number, record in enumerate(read_jsonl(path), 1):
        where = f"{path.name}, line {number}"
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
    if file == CANDIDATES:
        return list(records)
    return [kind.released(item, record) for item, record in zip(_items(kind, records), records, strict=True)]
