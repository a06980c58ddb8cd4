"""A release without the text of its books, for books that may not be passed on.

It says of every item where its text stands (`formats.pointers`); all that is made of the items alone is left out, for `filling` makes it
again, and what the run alone knows (the funnel, the figures of the report) is written down. The checksums of the full release stand in its
`release.json`, so what is made again is known to be the same.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from cloze_gen.errors import FormatError
from cloze_gen.formats.pointers import filled_record, pointer_record, reference_text
from cloze_gen.stages.finished_run import PublishedSet
from cloze_gen.stages.items.kind import ItemKind, Record, Span
from cloze_gen.stages.release.pointer_files import POINTERS, Texts, pointers_file, text_fields
from cloze_gen.stages.release.signature import SIGNATURE
from cloze_gen.store.tables import write_jsonl


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
