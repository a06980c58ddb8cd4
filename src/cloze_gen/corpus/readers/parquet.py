"""Parquet tables, one book per row. A few rows are read at a time: books are long."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import IO

import pyarrow as pa
import pyarrow.parquet as pq

from cloze_gen.corpus.readers.reader import FileReport, Text, UnknownTableError
from cloze_gen.corpus.readers.rows import Row, find_text_column, is_fact, texts_of_rows
from cloze_gen.errors import BookError
from cloze_gen.parsing import one_line, quote

_BATCH_BYTES = 8 * 1024 * 1024
_MAX_BATCH_ROWS = 65_536


def read_parquet(file: IO[bytes], report: FileReport, text_column: str) -> Iterator[Text]:
    try:
        with _damage_is_an_error():
            table = pq.ParquetFile(
                pa.PythonFile(file, mode="r"), pre_buffer=False, page_checksum_verification=True
            )
            names = table.schema_arrow.names
            kinds = {field.name: _kind(field.type) for field in table.schema_arrow}
        if twice := [name for name in names if names.count(name) > 1]:
            raise UnknownTableError(
                "unreadable", f"two columns are called {quote(twice[0])}. Rename one."
            )
        text = find_text_column(kinds, text_column)
        needed = [name for name in names if name == text or is_fact(name)]
        yield from texts_of_rows(_rows(table, needed), text, report, "Parquet table")
    finally:
        pa.default_memory_pool().release_unused()


@contextlib.contextmanager
def _damage_is_an_error() -> Iterator[None]:
    try:
        yield
    except (pa.ArrowException, OSError, ValueError, LookupError, TypeError, OverflowError) as error:
        raise BookError(
            "unreadable", f"a damaged Parquet file: {one_line(str(error))[:200]}"
        ) from None


def _rows(table: pq.ParquetFile, columns: list[str]) -> Iterator[Row]:
    with _damage_is_an_error():
        for group in range(table.num_row_groups):
            metadata = table.metadata.row_group(group)
            row_bytes = max(1, metadata.total_byte_size // max(1, metadata.num_rows))
            batches = table.iter_batches(
                batch_size=max(1, min(_MAX_BATCH_ROWS, _BATCH_BYTES // row_bytes)),
                row_groups=[group],
                columns=columns,
                use_threads=False,
            )
            for batch in batches:
                yield from batch.to_pylist()


def _kind(kind: pa.DataType) -> str:
    """The type in words: "text", "pages" (a list of texts), or another."""
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if _is_text(kind):
        return "text"
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return "pages" if _is_text(kind.value_type) else "list"
    return one_line(str(kind))[:60]


def _is_text(kind: pa.DataType) -> bool:
    return kind in (pa.string(), pa.large_string(), pa.binary(), pa.large_binary())
