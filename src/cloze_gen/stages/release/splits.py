"""The splits of a release as tables: their records, and the columns that are true of all splits of a config."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cloze_gen.formats.features import Columns
from cloze_gen.stages.finished_run import PublishedSet
from cloze_gen.stages.items.kind import ItemKind, Record
from cloze_gen.stages.release.signature import CANARY
from cloze_gen.stages.tables import FEWSHOT

PARQUET, HARNESS = "parquet", "harness"  # folders of a release
_FEWSHOT = "fewshot"  # config and split: whoever loads the set gets the set


@dataclass(frozen=True, slots=True)
class SplitTable:
    """One split that the card names.

    Attributes:
        file: of JSON lines, in the release.
        columns: of its config: what the card declares, and the types of the Parquet file.
    """

    config: str
    split: str
    file: str
    records: Sequence[Record]
    columns: Columns


def split_tables(kind: ItemKind, published: PublishedSet) -> Iterator[SplitTable]:
    """Every split of every config, in the order of the card; the few-shot examples, where there are some, are a config of their own."""
    own, canary = kind.split_records(published.items), {CANARY: published.canary}
    for config, files in kind.splits(published.items).items():
        records = {file: [record | canary for record in own[file]] if file in own else published.records for file in files.values()}
        columns = kind.columns(record for some in records.values() for record in some)
        for split, file in files.items():
            yield SplitTable(config, split, file, records[file], columns)
    if examples := published.examples:
        yield SplitTable(_FEWSHOT, _FEWSHOT, FEWSHOT, examples, kind.columns(examples))
