"""Schemas of tables: one definition writes a table, checks it, and describes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import pyarrow as pa
import pyarrow.parquet as pq

from cloze_gen.errors import DamageError
from cloze_gen.store.artifacts import ArtifactWriter
from cloze_gen.store.file_docs import FileDoc
from cloze_gen.store.tables import COMPRESSION, read_parquet, write_parquet

CODED = pa.dictionary(pa.int32(), pa.string())  # text with many repeats
ROWS_A_GROUP = 1 << 17  # of a table written in pieces; some 10 MB of ids and words


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    type: pa.DataType
    meaning: str

    @property
    def type_name(self) -> str:
        if pa.types.is_list(self.type):
            return f"list of {self.type.value_type}"
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

    def described(self, about: str, example: str = "") -> FileDoc:
        """The description of a file with these columns that a stage uses in its own way."""
        return replace(self.doc, about=about, example=example)

    def arrow(self, columns: Mapping[str, Any]) -> pa.Table:
        """The columns in the order and with the types of the schema.

        Raises:
            ValueError: a column is missing or not in the schema.
        """
        if columns.keys() != set(self.names):
            raise ValueError(f"{self.name}: columns {sorted(columns)}, not {sorted(self.names)}")
        return pa.table(dict(columns), schema=self.schema)

    def write(self, artifact: ArtifactWriter, columns: Mapping[str, Any]) -> None:
        """Write the file of a stage, and its number of rows for the manifest."""
        artifact.rows[self.name] = write_parquet(artifact.path(self.name), self.arrow(columns))

    def write_records(self, artifact: ArtifactWriter, records: Sequence[Mapping[str, Any]]) -> None:
        """Write rows as mappings."""
        self.write(artifact, self._columns(records))

    def of_records(self, records: Sequence[Mapping[str, Any]]) -> pa.Table:
        """Rows as mappings."""
        return self.arrow(self._columns(records))

    def _columns(self, records: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
        return {name: [row[name] for row in records] for name in self.names}

    def read(self, path: Path, columns: Sequence[str] | None = None) -> pa.Table:
        """Read one file, or a folder of parts; DamageError if it has other columns."""
        table = read_parquet(path, columns=columns)
        wanted = list(columns) if columns is not None else self.names
        if table.column_names != wanted:
            raise DamageError(f"{path}: has the columns {table.column_names}, not {wanted}.")
        return table


class TableWriter(AbstractContextManager["TableWriter"]):
    """Writes a table of a stage piece by piece, as workers return the pieces.

    The bytes depend on the rows, not on how they are cut; memory holds one row group.
    """

    def __init__(self, artifact: ArtifactWriter, table: Table) -> None:
        self.rows = 0
        self._artifact = artifact
        self._name = table.name
        self._waiting = table.schema.empty_table()

    def __enter__(self) -> Self:
        path = self._artifact.path(self._name)
        self._parquet = pq.ParquetWriter(path, self._waiting.schema, **COMPRESSION)
        return self

    def append(self, piece: pa.Table) -> None:
        self.rows += piece.num_rows
        self._waiting = pa.concat_tables([self._waiting, piece])
        while self._waiting.num_rows >= ROWS_A_GROUP:
            self._write(self._waiting.slice(0, ROWS_A_GROUP))
            self._waiting = self._waiting.slice(ROWS_A_GROUP)

    def _write(self, group: pa.Table) -> None:
        columns = [_recoded(column) for column in group.columns]
        self._parquet.write_table(pa.table(columns, schema=group.schema))

    def __exit__(self, kind: object, *_: object) -> None:
        with self._parquet:
            if kind is None and (self._waiting.num_rows or not self.rows):
                self._write(self._waiting)
        self._artifact.rows[self._name] = self.rows


def _recoded(column: pa.ChunkedArray) -> pa.Array:
    """One array; a dictionary has the values of this column, in the order of appearance."""
    if pa.types.is_dictionary(column.type):
        return column.cast(column.type.value_type).combine_chunks().dictionary_encode()
    return column.combine_chunks()
