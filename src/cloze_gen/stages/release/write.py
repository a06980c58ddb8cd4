"""The data of a release: every file that is made of the items alone, and what it takes from the store."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from cloze_gen.errors import FormatError
from cloze_gen.records.release_facts import ReleaseFacts
from cloze_gen.stages.finished_run import FromStore, PublishedSet
from cloze_gen.stages.items.kind import ItemKind, Record, ToldTask
from cloze_gen.stages.release.facts import ReleaseRecord
from cloze_gen.stages.release.order import released_places
from cloze_gen.stages.release.parquet import write_records
from cloze_gen.stages.release.signature import CANARY, SIGNATURE
from cloze_gen.stages.release.splits import HARNESS, PARQUET, split_tables
from cloze_gen.stages.style import Style
from cloze_gen.stages.tables import FEWSHOT
from cloze_gen.store.tables import parse_jsonl

_Content = str | Iterable[str]
_BROKEN = "Download the release again."


def released_set(published: PublishedSet, kind: ItemKind, *, records: Sequence[Record], canary: str) -> PublishedSet:
    """The set as it is released: in its order, each record with what a release adds; what stands beside the items follows their order.

    Args:
        published: as the last stage has it.
        records: of its items, as the last stage wrote them.
    """
    items = published.items
    places = released_places(items, release=published.release, seed=published.seed, split_of=kind.split_of)
    rank = {items[place].id: number for number, place in enumerate(places)}
    beside = {file: sorted(some, key=lambda one: rank.get(one["id"], len(rank))) for file, some in published.beside.items()}
    if FEWSHOT in beside:
        shown = zip(examples_of(published, kind), beside[FEWSHOT], strict=True)
        beside[FEWSHOT] = [kind.released(item, dict(record)) | {CANARY: canary} for item, record in shown]
    released = [kind.released(items[place], dict(records[place])) | {CANARY: canary} for place in places]
    return replace(published, items=[items[place] for place in places], records=released, beside=beside, canary=canary)


def examples_of(published: PublishedSet, kind: ItemKind) -> list[Any]:
    """The few-shot examples that are released beside the items, as items.

    Raises:
        FormatError: one does not follow the format of the items.
    """
    return list(kind.parse(_lines(published.examples)))


def write_data(folder: Path, *, style: Style, published: PublishedSet, facts: ReleaseFacts) -> None:
    """Write every file that is made of the items alone, `signature.txt` too.

    Args:
        published: as `released_set` gives it.
    """
    for file, content in data_files(style, published, facts):
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "w", encoding="utf-8", newline="\n") as handle:
            handle.writelines([content] if isinstance(content, str) else content)
    for split in split_tables(style.items, published):
        path = folder / PARQUET / split.file.replace(".jsonl", ".parquet")
        path.parent.mkdir(exist_ok=True)
        write_records(path, split.records, split.columns)


def data_files(style: Style, published: PublishedSet, facts: ReleaseFacts) -> Iterator[tuple[str, _Content]]:
    """(place, text) of every file of text that is made of the items alone."""
    kind = style.items
    yield SIGNATURE, f"{facts.signature}\n"
    yield kind.file, _lines(published.records)
    for file, records in published.beside.items():
        yield file, _lines(records)
    for split in split_tables(kind, published):
        if split.file not in {kind.file, *published.beside}:
            yield split.file, _lines(split.records)
    yield from style.files(published).items()
    if published.release.harness:
        told = ToldTask(name=facts.name, version=facts.version, signature=facts.signature, canary=facts.canary)
        for file, text in kind.harness(published.items, examples_of(published, kind), told).items():
            yield f"{HARNESS}/{file}", text
        yield from kind.inspect(published.items, told).items()


def read_published(read: Callable[[str], bytes], *, style: Style, record: ReleaseRecord) -> PublishedSet:
    """The set of a full release, as it was written from.

    Args:
        read: gives the bytes of a file of the release by its name.
    Raises:
        FormatError: its items do not follow their format.
        StoreError: a line of its records is no JSON object.
    """
    facts = record.facts
    data = read(style.items.file)
    return PublishedSet(
        name=facts.name,
        items=style.items.items_of(data),
        seed=facts.seed,
        release=release_settings(style, facts.settings),
        records=list(parse_jsonl(data.split(b"\n"), where=style.items.file, advice=_BROKEN)),
        canary=facts.canary,
        beside={file: list(parse_jsonl(read(file).split(b"\n"), where=file, advice=_BROKEN)) for file in record.beside},
    )


def release_settings(style: Style, settings: Mapping[str, Any]) -> Any:
    """The settings of a style's release, of its own class.

    Raises:
        FormatError: they are not such settings.
    """
    try:
        return style.settings.model_fields["release"].annotation.model_validate(settings.get("release", {}))  # type: ignore[union-attr]
    except ValidationError as error:
        raise FormatError(f"the settings of the release: {error.errors()[0]['msg']}") from None


def full_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings as a full release tells them, which is the same whether its run was asked for pointers or not.

    >>> full_settings({"release": {"text": "pointers", "harness": True}})
    {'release': {'text': 'full', 'harness': True}}
    """
    return {**settings, "release": {**settings["release"], "text": "full"}}


def write_store_files(folder: Path, files: Mapping[str, str | FromStore]) -> None:
    """Write what a release takes from the store: text, a file of it, or a link to one, relative, so that all can be moved together."""
    for file, content in files.items():
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, str):
            path.write_text(content, encoding="utf-8", newline="\n")
        elif content.linked:
            path.symlink_to(os.path.relpath(content.path, path.parent))
        else:
            shutil.copyfile(content.path, path)


def _lines(records: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    return (f"{json.dumps(record, ensure_ascii=False, allow_nan=False)}\n" for record in records)
