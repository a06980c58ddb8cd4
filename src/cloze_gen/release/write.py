"""Release files derived from items: JSON lines, splits, Parquet, the style's own."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
from pydantic import ValidationError

from cloze_gen.errors import FormatError
from cloze_gen.records.release_facts import ReleaseFacts
from cloze_gen.release.facts import ReleaseRecord
from cloze_gen.release.items.kind import ItemKind, Record, TaskInfo
from cloze_gen.release.settings import released_places
from cloze_gen.release.signature import CANARY, SIGNATURE
from cloze_gen.release.style import PublishedSet, Style
from cloze_gen.store.tables import FEWSHOT, parse_jsonl, write_parquet

PARQUET, HARNESS = "parquet", "harness"  # folders of a release
_FEWSHOT = "fewshot"  # name of the config and split


@dataclass(frozen=True, slots=True)
class SplitTable:
    """One split on the card; all splits of a config have the same schema."""

    config: str
    split: str
    file: str
    records: Sequence[Record]
    schema: pa.Schema

    @property
    def table(self) -> pa.Table:
        return pa.Table.from_pylist(list(self.records), schema=self.schema)

    @property
    def parquet(self) -> str:
        return f"{PARQUET}/{self.file.replace('.jsonl', '.parquet')}"


def split_tables(kind: ItemKind, published: PublishedSet) -> Iterator[SplitTable]:
    """All splits of all configs in the card's order; few-shot examples are a config."""
    own, canary = kind.split_records(published.items), {CANARY: published.canary}
    for config, files in kind.splits(published.items).items():
        records = {
            file: [record | canary for record in own[file]] if file in own else published.records
            for file in files.values()
        }
        schema = kind.schema([record for some in records.values() for record in some])
        for split, file in files.items():
            yield SplitTable(config, split, file, records[file], schema)
    if examples := published.examples:
        yield SplitTable(_FEWSHOT, _FEWSHOT, FEWSHOT, examples, kind.schema(examples))


_Content = str | Iterable[str]
_BROKEN = "Download the release again."


def released_set(
    published: PublishedSet, kind: ItemKind, *, records: Sequence[Record], canary: str
) -> PublishedSet:
    """The set in release order, each `records` entry with a release's additions."""
    items = published.items
    places = released_places(
        items, release=published.release, seed=published.seed, split_of=kind.split_of
    )
    rank = {items[place].id: number for number, place in enumerate(places)}
    derived = {
        file: sorted(some, key=lambda one: rank.get(one["id"], len(rank)))
        for file, some in published.derived.items()
    }
    if FEWSHOT in derived:
        pairs = zip(examples_of(published, kind), derived[FEWSHOT], strict=True)
        derived[FEWSHOT] = [
            kind.released(item, dict(record)) | {CANARY: canary} for item, record in pairs
        ]
    released = [
        kind.released(items[place], dict(records[place])) | {CANARY: canary} for place in places
    ]
    return replace(
        published,
        items=[items[place] for place in places],
        records=released,
        derived=derived,
        canary=canary,
    )


def examples_of(published: PublishedSet, kind: ItemKind) -> list[Any]:
    return list(kind.parse(_lines(published.examples)))


def write_data(folder: Path, *, style: Style, published: PublishedSet, facts: ReleaseFacts) -> None:
    """Write every file derived from the items; `published` is a `released_set`."""
    splits = list(split_tables(style.items, published))
    for file, content in data_files(style, published, facts, splits):
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "w", encoding="utf-8", newline="\n") as handle:
            handle.writelines([content] if isinstance(content, str) else content)
    for split in splits:
        path = folder / split.parquet
        path.parent.mkdir(exist_ok=True)
        write_parquet(path, split.table)


def data_files(
    style: Style, published: PublishedSet, facts: ReleaseFacts, splits: Sequence[SplitTable]
) -> Iterator[tuple[str, _Content]]:
    kind = style.items
    yield SIGNATURE, f"{facts.signature}\n"
    yield kind.file, _lines(published.records)
    for file, records in published.derived.items():
        yield file, _lines(records)
    for split in splits:
        if split.file not in {kind.file, *published.derived}:
            yield split.file, _lines(split.records)
    yield from style.files(published).items()
    if published.release.harness:
        info = TaskInfo(
            name=facts.name,
            version=facts.version,
            signature=facts.signature,
            canary=facts.canary,
            seed=facts.seed,
        )
        for file, text in kind.harness(published.items, examples_of(published, kind), info).items():
            yield f"{HARNESS}/{file}", text
        yield from kind.inspect(published.items, info).items()


def read_published(
    read: Callable[[str], bytes], *, style: Style, record: ReleaseRecord
) -> PublishedSet:
    """The set of a full release; `read` gives a file's bytes; FormatError if damaged."""
    facts = record.facts
    data = read(style.items.file)
    return PublishedSet(
        name=facts.name,
        items=style.items.items_of(data),
        seed=facts.seed,
        release=release_settings(style, facts.settings),
        records=list(parse_jsonl(data.split(b"\n"), where=style.items.file, advice=_BROKEN)),
        canary=facts.canary,
        derived={
            file: list(parse_jsonl(read(file).split(b"\n"), where=file, advice=_BROKEN))
            for file in record.derived
        },
    )


def release_settings(style: Style, settings: Mapping[str, Any]) -> Any:
    """The release settings as the style's class; FormatError if they are not valid."""
    model: Any = style.settings.model_fields["release"].annotation
    try:
        return model.model_validate(settings.get("release", {}))
    except ValidationError as error:
        raise FormatError(
            f"release.json: invalid settings of the group release: {error.errors()[0]['msg']}"
        ) from None


def full_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of the full release, also if pointers were chosen.

    >>> full_settings({"release": {"text": "pointers", "harness": True}})
    {'release': {'text': 'full', 'harness': True}}
    """
    return {**settings, "release": {**settings["release"], "text": "full"}}


def write_text_files(folder: Path, texts: Mapping[str, str]) -> None:
    for file, text in texts.items():
        (folder / file).write_text(text, encoding="utf-8", newline="\n")


def _lines(records: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    return (f"{json.dumps(record, ensure_ascii=False, allow_nan=False)}\n" for record in records)
