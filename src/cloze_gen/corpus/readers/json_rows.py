"""JSON lines and JSON arrays: each object is a book."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import IO, Any

from cloze_gen.corpus.readers.compressed import DAMAGE, damage, open_unpacked
from cloze_gen.corpus.readers.reader import (
    MAX_BOOK_BYTES,
    FileReport,
    Text,
    UnknownTableError,
    read_whole,
    too_large,
)
from cloze_gen.corpus.readers.rows import Row, find_text_column, texts_of_rows
from cloze_gen.errors import BookError
from cloze_gen.parsing import ParseError, parse_json, quote

JSON_ENDINGS = (".json", ".json.gz", ".json.zst")
JSON_LINES_ENDINGS = (
    *(".jsonl", ".jsonl.gz", ".jsonl.zst"),
    *(".ndjson", ".ndjson.gz", ".ndjson.zst"),
)
_SAMPLE_ROWS = 20


def read_json(file: IO[bytes], report: FileReport, text_column: str) -> Iterator[Text]:
    """As JSON lines; a `.json` file without objects is no table of books."""
    try:
        yield from read_json_lines(file, report, text_column)
    except BookError as error:
        raise UnknownTableError("unreadable", f"no table of books: {error}") from None


def read_json_lines(file: IO[bytes], report: FileReport, text_column: str) -> Iterator[Text]:
    source = open_unpacked(file)
    start = source.readline(MAX_BOOK_BYTES + 1)
    is_array = start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"[")
    if is_array:
        rows, kind = _rows_of_array(read_whole(source, start)), "JSON array"
    else:
        rows, kind = _rows_of_lines(source, start), "JSON lines"
    sample = list(itertools.islice(rows, _SAMPLE_ROWS))
    records = [row for row in sample if not isinstance(row, BookError)]
    if not records:
        faults = (row for row in sample if isinstance(row, BookError))
        raise next(faults, BookError("empty", "no JSON object"))
    kinds = {name: "null" for row in records for name in row}
    for row in reversed(records):
        kinds |= {name: _kind(value) for name, value in row.items() if value not in (None, [])}
    column = find_text_column(kinds, text_column)
    yield from texts_of_rows(itertools.chain(sample, rows), column, report, kind)


def _rows_of_array(data: bytes) -> Iterator[Row | BookError]:
    try:
        array = parse_json(data)
    except ParseError as error:
        raise BookError("unreadable", f"not JSON ({error})") from None
    for number, record in enumerate(array, 1):
        yield _row(record, f"entry {number:,}")


def _rows_of_lines(source: IO[bytes], line: bytes) -> Iterator[Row | BookError]:
    """A row for each line that is not blank."""
    number = 1
    try:
        while line:
            if len(line) > MAX_BOOK_BYTES:
                yield too_large()
                while line and not line.endswith(b"\n"):
                    line = source.readline(MAX_BOOK_BYTES)
            elif line.strip():
                yield _parsed(line, f"line {number:,}")
            number += 1
            line = source.readline(MAX_BOOK_BYTES + 1)
    except DAMAGE as error:
        yield BookError("unreadable", f"line {number:,}: {damage(error)}")


def _parsed(line: bytes, where: str) -> Row | BookError:
    try:
        return _row(parse_json(line.strip()), where)
    except ParseError as error:
        message = str(error).replace(" at line 1, column", " at column")
        return BookError("unreadable", f"{where}: not JSON ({message})")


def _row(record: Any, where: str) -> Row | BookError:
    if isinstance(record, dict):
        return record
    return BookError("unreadable", f"{where}: expected an object {{…}}, found {quote(record)}")


def _kind(value: Any) -> str:
    if isinstance(value, str):
        return "text"
    if isinstance(value, list):
        return "pages" if value and all(isinstance(page, str) for page in value) else "list"
    if isinstance(value, dict):
        return "object"
    return "number" if isinstance(value, int | float) else "null"
