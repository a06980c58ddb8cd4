"""Schemas of tables: one definition writes a table, checks it, and describes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from cloze_gen.errors import DamageError
from cloze_gen.store.file_docs import FileDoc
from cloze_gen.store.tables import read_parquet, write_parquet

CODED = pa.dictionary(pa.int32(), pa.string())  # text with many repeats


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    type: pa.DataType
    meaning: str

    @property
    def type_name(self) -> str:
        coded = pa.types.is_dictionary(self.type)
        return str(self.type.value_type if coded else self.type)


class Table:
    """A Parquet table of a stage: one file, or the parts `folder/part-*.parquet`.

    >>> words = Table("words.parquet", "One row a word.", Column("word", pa.string(), "the word"))
    >>> words.arrow({"word": ["sea"]}).num_rows
    1
    """

    def __init__(self, name: str, about: str, *columns: Column, example: str = "") -> None:
        self.name = name
        self.about = about
        self.columns = columns
        self.example = example
        self.schema = pa.schema([(column.name, column.type) for column in columns])

    @property
    def folder(self) -> str:
        """The folder of the parts, or the file itself."""
        return self.name.partition("/")[0]

    @property
    def names(self) -> list[str]:
        return list(self.schema.names)

    @property
    def doc(self) -> FileDoc:
        meanings = {column.name: f"{column.type_name}: {column.meaning}" for column in self.columns}
        return FileDoc(self.name, self.about, meanings, example=self.example)

    def arrow(self, columns: Mapping[str, Any]) -> pa.Table:
        """The columns in the order and with the types of the schema.

        Raises:
            ValueError: a column is missing or not in the schema.
        """
        if columns.keys() != set(self.names):
            raise ValueError(f"{self.name}: columns {sorted(columns)}, not {sorted(self.names)}")
        return pa.table(dict(columns), schema=self.schema)

    def write(self, path: Path, columns: Mapping[str, Any]) -> int:
        """Write one file; returns its number of rows."""
        return write_parquet(path, self.arrow(columns))

    def write_records(self, path: Path, records: Sequence[Mapping[str, Any]]) -> int:
        """Write rows as mappings; returns their number."""
        return self.write(path, {name: [row[name] for row in records] for name in self.names})

    def read(self, path: Path, columns: Sequence[str] | None = None) -> pa.Table:
        """Read one file, or a folder of parts; DamageError if it has other columns."""
        table = read_parquet(path, columns=columns)
        wanted = list(columns) if columns is not None else self.names
        if table.column_names != wanted:
            raise DamageError(f"{path}: has the columns {table.column_names}, not {wanted}.")
        return table
