"""JSON lines, an object a line and a book an object, as Dolma and others publish books."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO, ClassVar

from cloze_gen.corpus.readers.compressed import DAMAGE, damage, open_unpacked
from cloze_gen.corpus.readers.reader import MAX_BOOK_BYTES, InputSettings, Listing, Member
from cloze_gen.corpus.readers.rows import TableReader, row_of
from cloze_gen.corpus.readers.table_columns import (
    STRING,
    STRINGS,
    TOO_MANY_ROWS,
    TableColumns,
    are_sentences,
    columns_of_record,
    find_columns,
    value_at,
)
from cloze_gen.errors import BookError
from cloze_gen.parsing import ParseError, parse_json, quote

_MAX_BOOKS = 1_000_000
_SAMPLE_ROWS, _SAMPLE_BYTES = 1000, 1024 * 1024  # the first of both ends the sample
_CHUNK_BYTES = 1024 * 1024


class JsonLines(TableReader):
    """A row is a line, counted from 0; a broken line is a book that is dropped. Names of members as
    in `ParquetTable`.
    """

    endings: ClassVar[tuple[str, ...]] = (
        *(".jsonl", ".jsonl.gz", ".jsonl.zst", ".ndjson", ".ndjson.gz", ".ndjson.zst"),
        *(".json.gz", ".json.zst"),
    )
    shape: ClassVar[str] = "JSON lines"

    def takes(self, name: str, head: bytes) -> bool:
        return name.endswith(self.endings)

    def listing(self, file: BinaryIO, settings: InputSettings) -> Listing:
        sample = _first_records(file)
        columns = _columns(sample, settings)
        if are_sentences(_texts_of(sample, columns)):
            return Listing("JSON lines, one sentence per row", sentences=True)
        members: list[Member] = []
        for row, line in _lines(file):
            if len(members) == _MAX_BOOKS:
                raise BookError(
                    "unreadable",
                    f"more than {_MAX_BOOKS:,} rows. {TOO_MANY_ROWS}",
                )
            record = _record(row, line)
            values = (
                {}
                if isinstance(record, BookError)
                else {column: value_at(record, column) for column in columns.small}
            )
            members.append(columns.member(row, values))
        return Listing(columns.shape(self.shape), members, notes=columns.notes)

    def rows(self, file: BinaryIO, member: str) -> Iterator[tuple[str, bytes | BookError]]:
        first, named = row_of(member)
        sample = _first_records(file)
        columns = _columns(sample, InputSettings(text_column=named))
        if first is None:
            raise BookError("one_sentence_per_line", "one sentence per row, without books")
        for row, line in _lines(file):
            if row >= first:
                record = _record(row, line)
                text = record if isinstance(record, BookError) else _text(row, record, columns)
                yield (f"{row}:{named}" if named else str(row)), text


def _first_records(file: BinaryIO) -> list[Mapping[str, Any]]:
    """The objects in the first lines, of 1 MiB; BookError without one."""
    sample: list[Mapping[str, Any]] = []
    first_fault: BookError | None = None
    size = 0
    for row, line in itertools.islice(_lines(file), _SAMPLE_ROWS):
        record = _record(row, line)
        if isinstance(record, BookError):
            first_fault = first_fault or record
        else:
            sample.append(record)
        size += len(line) if isinstance(line, bytes) else 0
        if size > _SAMPLE_BYTES:
            break
    if not sample:
        raise first_fault or BookError("empty", "no line with a JSON object")
    return sample


def _texts_of(sample: list[Mapping[str, Any]], columns: TableColumns) -> list[str]:
    values = (value_at(record, columns.text) for record in sample)
    return [value for value in values if isinstance(value, str)]


def _lines(file: BinaryIO) -> Iterator[tuple[int, bytes | BookError]]:
    """(row, its bytes) of the lines that are not blank; the last is an error in a damaged file."""
    source = open_unpacked(file)
    for row in itertools.count():
        try:
            line = source.readline(MAX_BOOK_BYTES + 1)
            if len(line) > MAX_BOOK_BYTES:
                line, rest = b"", line
                while rest and not rest.endswith(b"\n"):
                    rest = source.readline(_CHUNK_BYTES)
                yield row, _fault(row, f"more than {MAX_BOOK_BYTES // 2**20} MiB", "too_large")
                continue
        except DAMAGE as error:
            yield row, _fault(row, str(damage(error)))
            return
        if not line:
            return
        if not line.isspace():
            yield row, line


def _record(row: int, line: bytes | BookError) -> Mapping[str, Any] | BookError:
    if isinstance(line, BookError):
        return line
    try:
        record = parse_json(line.rstrip(b"\r\n"))
    except ParseError as error:
        return _fault(row, f"not JSON ({error})".replace(" at line 1, column", " at column"))
    if not isinstance(record, dict):
        return _fault(row, f"expected an object {{…}}, found {quote(record)}")
    return record


def _text(row: int, record: Mapping[str, Any], columns: TableColumns) -> bytes | BookError:
    """As from a Parquet table: nothing for null, and pages a line apart."""
    value = value_at(record, columns.text)
    if isinstance(value, list) and all(isinstance(page, str) for page in value):
        value = "\n".join(value)
    if value is not None and not isinstance(value, str):
        return _fault(row, f"{quote(columns.text)} is {quote(value)}, not text")
    return (value or "").encode()


def _fault(row: int, what: str, reason: str = "unreadable") -> BookError:
    return BookError(reason, f"line {row + 1:,}: {what}")


def _columns(sample: list[Mapping[str, Any]], settings: InputSettings) -> TableColumns:
    kinds: dict[str, str] = {}
    for record in sample:
        for column, kind in columns_of_record(record).items():
            if kinds.get(column) not in {STRING, STRINGS}:
                kinds[column] = kind
    return find_columns(kinds, settings)
