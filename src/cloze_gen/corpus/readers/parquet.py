"""Parquet tables, one book per row: row group by row group, and a few rows at a time, because a batch
of whole books takes gigabytes.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, BinaryIO, ClassVar

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from cloze_gen.corpus.readers.reader import (
    InputSettings,
    Listing,
    Member,
    UnknownTableError,
)
from cloze_gen.corpus.readers.rows import TableReader, row_of
from cloze_gen.corpus.readers.sentence_lines import KIND, RANGE_BYTES, part_of
from cloze_gen.corpus.readers.table_columns import (
    STRING,
    STRINGS,
    TOO_MANY_ROWS,
    TableColumns,
    are_sentences,
    find_columns,
    value_at,
)
from cloze_gen.errors import BookError
from cloze_gen.parsing import one_line, quote

_MAX_BOOKS = 1_000_000
_BUFFER_BYTES = 1024 * 1024
# No row is larger than its row group, so a batch is at most as large as the larger of both.
_BATCH_BYTES = 64 * 1024 * 1024
_LARGE_GROUP_BYTES = 256 * 1024 * 1024
_MAX_BATCH_ROWS = 256
_SAMPLE_ROWS = 1000
_SENTENCE_ROWS = 65_536  # of a batch
_MAX_PART_ROWS = 262_144  # the file's own account of bytes is smaller where rows recur
_MAX_SENTENCE_BYTES = 1000  # a row on average; longer rows are no sentences
_MAX_NESTING = 4


class ParquetTable(TableReader):
    """A row is a book; its bytes are those of its text, so a .txt file with equal bytes is the same
    book. Names of members are row numbers from 0, "17", or "17:COLUMN" for a named text column.
    """

    endings: ClassVar[tuple[str, ...]] = (".parquet",)
    shape: ClassVar[str] = "Parquet table"

    def takes(self, name: str, head: bytes) -> bool:
        return name.endswith(self.endings)

    def listing(self, file: BinaryIO, settings: InputSettings) -> Listing:
        table = _Table(file)
        columns = find_columns(table.columns, settings)
        if table.has_sentences(columns):
            return table.sentence_listing(columns, settings.text_column)
        table.require_books()
        members: list[Member] = []
        notes = [*columns.notes, *table.memory_note()]
        for group, count in enumerate(table.row_counts):
            first = len(members)
            try:
                for values in islice(table.small_values(group, columns), count):
                    members.append(columns.member(len(members), values))
            except BookError as error:
                notes.append(f"row group {group} is read without all ids and titles: {error}")
            members += [columns.member(at, {}) for at in range(len(members), first + count)]
        return Listing(columns.shape(self.shape), members, notes=notes)

    def fetch(self, file: BinaryIO, member: str, *, limit: int) -> tuple[bytes, str]:
        rows, _, named = member.partition(":")
        part = part_of(rows)
        if part is None:
            return super().fetch(file, member, limit=limit)
        table = _Table(file)
        columns = find_columns(table.columns, InputSettings(text_column=named))
        lines = table.lines(*part, columns)
        return lines[: limit + 1], hashlib.sha256(lines).hexdigest()

    def rows(self, file: BinaryIO, member: str) -> Iterator[tuple[str, bytes | BookError]]:
        row, named = row_of(member)
        table = _Table(file)
        columns = find_columns(table.columns, InputSettings(text_column=named))
        if row is None:
            table.require_books()
            raise BookError("one_sentence_per_line", "one sentence per row, without books")
        first = 0
        for group, count in enumerate(table.row_counts):
            if row < first + count:
                names = (
                    f"{at}:{named}" if named else str(at) for at in range(first, first + count)
                )
                yield from zip(names, table.texts(group, columns), strict=False)
            first += count


class _Table:
    """An open Parquet file; every failure is a BookError."""

    def __init__(self, file: BinaryIO) -> None:
        with _damage():
            self._file = pq.ParquetFile(
                pa.PythonFile(file, mode="r"),
                buffer_size=_BUFFER_BYTES,
                pre_buffer=False,
                page_checksum_verification=True,
            )
            self._groups = [
                self._file.metadata.row_group(group) for group in range(self._file.num_row_groups)
            ]
            self.row_counts = [max(0, group.num_rows) for group in self._groups]
            found = list(_columns(self._file.schema_arrow, ""))
        self.columns = dict(found)
        if len(self.columns) < len(found):
            names = [name for name, _ in found]
            twice = next(name for at, name in enumerate(names) if name in names[:at])
            raise UnknownTableError(
                "unreadable", f"two columns are called {quote(twice)}. Rename one."
            )

    def require_books(self) -> None:
        """BookError unless the number of rows can be one of books."""
        count = sum(self.row_counts)
        if not count:
            raise BookError("empty", "the table has no rows")
        if count > _MAX_BOOKS:
            raise BookError(
                "unreadable",
                f"{count:,} rows, more than {_MAX_BOOKS:,}. {TOO_MANY_ROWS}",
            )

    def memory_note(self) -> list[str]:
        """Arrow reads a page as a whole, and writes all rows of a group into one where they are long."""
        most = max(map(self._group_bytes, range(len(self._groups))), default=0)
        return (
            [
                f"row groups of up to {most / 2**20:,.0f} MiB: each worker may take three times that. "
                "Write the table with smaller row groups, or use fewer --workers."
            ]
            if most > _LARGE_GROUP_BYTES
            else []
        )

    def has_sentences(self, columns: TableColumns) -> bool:
        """Whether a row is a sentence; reads a sample from the middle if rows are short."""
        count = sum(self.row_counts)
        size = sum(map(self._group_bytes, range(len(self._groups))))
        if columns.in_pages or not count or size > _MAX_SENTENCE_BYTES * count:
            return False
        rows: list[str] = []
        for text in self.texts(len(self._groups) // 2, columns):
            if isinstance(text, bytes):
                rows.append(text.decode("utf-8", "replace"))
            if len(rows) == _SAMPLE_ROWS:
                break
        return are_sentences(rows)

    def sentence_listing(self, columns: TableColumns, named: str) -> Listing:
        """Ranges of rows, with about the bytes of a part of a text file each."""
        count = sum(self.row_counts)
        size = sum(map(self._group_bytes, range(len(self._groups))))
        step = max(1, min(_MAX_PART_ROWS, count * RANGE_BYTES // size))
        ends = [*range(step, count, step), count]
        starts = [0, *ends[:-1]]
        members = [
            Member(f"{start}-{end}:{named}" if named else f"{start}-{end}", kind=KIND)
            for start, end in zip(starts, ends, strict=True)
        ]
        return Listing(
            "Parquet table, one sentence per row (background only)", members, sentences=True
        )

    def lines(self, start: int, end: int, columns: TableColumns) -> bytes:
        """The texts of a range of rows, each as a line."""
        if not start < end <= sum(self.row_counts):
            raise BookError("unreadable", f"no rows {start}-{end} in this file")
        parts: list[bytes] = []
        first = 0
        for group, count in enumerate(self.row_counts):
            if first < end and start < first + count:
                parts += self._group_lines(group, start - first, end - first, columns)
            first += count
        return b"".join(parts)

    def _group_lines(
        self, group: int, start: int, end: int, columns: TableColumns
    ) -> Iterator[bytes]:
        at = 0
        with _damage():
            for batch in self._file.iter_batches(
                batch_size=_SENTENCE_ROWS,
                row_groups=[group],
                columns=[columns.text],
                use_threads=False,
            ):
                wanted = slice(max(0, start - at), max(0, end - at))
                texts = _at_path(batch, columns.text)[wanted].cast(pa.large_string())
                if len(texts):
                    texts = pc.replace_substring(texts.fill_null(""), "\n", " ")
                    yield b"".join(f"{text}\n".encode() for text in texts.to_pylist())
                at += len(batch)
                if at >= end:
                    return

    def texts(self, group: int, columns: TableColumns) -> Iterator[bytes | BookError]:
        """The text of each row of a group, and an error for each that cannot be read."""
        count = self.row_counts[group]
        done = 0
        try:
            for batch in self._batches(group, [columns.text]):
                with _damage():
                    array = _at_path(batch, columns.text)
                for index in range(min(len(array), count - done)):
                    with _damage():
                        text = _bytes_of(array[index])
                    yield text
                    done += 1
            fault = BookError("unreadable", f"row group {group} ends before its last row")
        except BookError as error:
            fault = error
        finally:
            pa.default_memory_pool().release_unused()  # or the next row group comes on top
        for _ in range(done, count):
            yield fault

    def small_values(self, group: int, columns: TableColumns) -> Iterator[dict[str, Any]]:
        """The values of `columns.small`, a row a dict; BookError where they cannot be read."""
        for batch in self._batches(group, columns.small) if columns.small else ():
            with _damage():
                rows = batch.to_pylist()
            for row in rows:
                yield {name: value_at(row, name) for name in columns.small}

    def _batches(self, group: int, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
        rows = _BATCH_BYTES // self._group_bytes(group)
        with _damage():
            yield from self._file.iter_batches(
                batch_size=max(1, min(_MAX_BATCH_ROWS, rows)),
                row_groups=[group],
                columns=list(names),
                use_threads=False,
            )

    def _group_bytes(self, group: int) -> int:
        """The uncompressed size of a row group by the file's own account; not that of one column,
        because Arrow ends the process if the account of a column is damaged.
        """
        return max(1, self._groups[group].total_byte_size)


@contextlib.contextmanager
def _damage() -> Iterator[None]:
    """Arrow's errors, which have many classes, become a BookError."""
    try:
        yield
    except BookError:
        raise
    except MemoryError:
        raise BookError("too_large", "a row needs more memory than there is") from None
    except (pa.ArrowException, OSError, ValueError, LookupError, TypeError, OverflowError) as error:
        raise BookError(
            "unreadable", f"a damaged Parquet file: {one_line(str(error))[:200]}"
        ) from None


def _columns(fields: Any, above: str) -> Iterator[tuple[str, str]]:
    """(path, type) of every column that holds values."""
    for field in fields:
        kind = field.type
        if pa.types.is_dictionary(kind):
            kind = kind.value_type
        if pa.types.is_struct(kind) and above.count(".") < _MAX_NESTING:
            below = [kind[index] for index in range(kind.num_fields)]
            yield from _columns(below, f"{above}{field.name}.")
        elif _is_text(kind):
            yield f"{above}{field.name}", STRING
        elif _is_list(kind) and _is_text(kind.value_type):
            yield f"{above}{field.name}", STRINGS
        else:
            yield f"{above}{field.name}", one_line(str(kind))[:60]


def _is_text(kind: pa.DataType) -> bool:
    return any(
        test(kind)
        for test in (
            pa.types.is_string,
            pa.types.is_large_string,
            pa.types.is_binary,
            pa.types.is_large_binary,
        )
    )


def _is_list(kind: pa.DataType) -> bool:
    return any(
        test(kind)
        for test in (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list)
    )


def _at_path(batch: pa.RecordBatch, path: str) -> pa.Array:
    """A column by its path; the name of a column may contain dots."""
    for index, name in enumerate(batch.schema.names):
        if path == name:
            return batch.column(index)
        if path.startswith(f"{name}."):
            return pc.struct_field(batch.column(index), path.removeprefix(f"{name}.").split("."))
    raise KeyError(path)


def _bytes_of(value: Any) -> bytes:
    """The text of a row, its pages a line apart; empty for null."""
    if not value.is_valid:
        return b""
    if isinstance(value, pa.DictionaryScalar):
        return _bytes_of(value.value)
    if isinstance(value, pa.ListScalar | pa.LargeListScalar | pa.FixedSizeListScalar):
        return b"\n".join(_bytes_of(page) for page in value.values)
    return bytes(value.as_buffer())
