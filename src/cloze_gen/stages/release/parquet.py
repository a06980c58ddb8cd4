"""Records as Parquet: the same rows as their JSON lines, with the types that the card declares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from cloze_gen.formats.features import Columns, Feature, ListOf
from cloze_gen.store.tables import write_parquet

_TYPES = {"bool": pa.bool_(), "int64": pa.int64(), "float64": pa.float64(), "string": pa.string()}


def write_records(path: Path, records: Sequence[Mapping[str, Any]], columns: Columns) -> None:
    """Write records as one table. Bytes depend only on the records and on pyarrow's version."""
    write_parquet(path, pa.Table.from_pylist(list(records), schema=arrow_schema(columns)))


def arrow_schema(columns: Columns) -> pa.Schema:
    """The columns as Arrow has them.

    >>> arrow_schema(Columns({"id": "string", "tokens": ListOf("string"), "scores": Columns({"p": "float64"})}))
    id: string
    tokens: list<item: string>
      child 0, item: string
    scores: struct<p: double>
      child 0, p: double
    """
    return pa.schema([(name, _arrow_type(feature)) for name, feature in columns.types.items()])


def _arrow_type(feature: Feature | None) -> pa.DataType:
    if isinstance(feature, ListOf):
        return pa.list_(_arrow_type(feature.item))
    if isinstance(feature, Columns):
        return pa.struct([(name, _arrow_type(inner)) for name, inner in feature.types.items()])
    return _TYPES[feature or "string"]
