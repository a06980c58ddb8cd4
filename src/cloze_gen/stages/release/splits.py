"""The splits of a release as tables of records, and the folders that hold them in other forms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cloze_gen.stages.finished_run import PublishedSet
from cloze_gen.stages.items.kind import ItemKind, Record
from cloze_gen.stages.release.signature import CANARY

PARQUET, HARNESS = "parquet", "harness"


def split_tables(kind: ItemKind, published: PublishedSet) -> Iterator[tuple[str, Sequence[Record]]]:
    """(file, its records) of every split that the card names."""
    own = kind.split_records(published.items)
    for files in kind.splits(published.items).values():
        for file in files.values():
            yield file, [record | {CANARY: published.canary} for record in own[file]] if file in own else published.records
