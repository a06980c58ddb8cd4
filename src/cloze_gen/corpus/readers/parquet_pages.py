"""Sizes of the pages of a Parquet file, by the headers of the pages.

Arrow allocates what a page claims, and ends the process if it cannot; the sizes in the footer need
not be true. Formats: `parquet.thrift` of Apache Parquet, and Thrift's compact protocol.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO

from cloze_gen.errors import BookError

_MAX_DEPTH = 16
_MAX_PAGES = 100_000  # of a column in a row group; Arrow writes one for each MiB
_HEADER_BYTES = 16 * 1024  # of a page; Arrow writes statistics of at most 4 KiB


class PageSizes:
    """The pages of the row groups of an open file; `footer` is its Thrift structure."""

    def __init__(self, file: BinaryIO, footer: bytes) -> None:
        self._file = file
        self._groups = _parsed(footer)[0].get(4, [])

    def sizes(self, group: int, names: Sequence[str]) -> list[int]:
        """The uncompressed bytes of each page of these columns in a row group.

        Raises:
            BookError: ``unreadable``, if the pages cannot be followed.
        """
        try:
            columns = [column[3] for column in self._groups[group][1] if 3 in column]
            wanted = [
                one for one in columns if _path(one).startswith(tuple(f"{n}." for n in names))
            ]
            return [size for column in wanted for size in self._pages(column)]
        except (LookupError, TypeError, ValueError, OSError):
            raise BookError("unreadable", "a damaged Parquet file: no valid pages") from None

    def _pages(self, column: dict[int, Any]) -> Iterator[int]:
        """Of a `ColumnMetaData`: values (5), first data page (9), dictionary page (11)."""
        at = min(column[9], column.get(11) or column[9])
        values = 0
        for _ in range(_MAX_PAGES):
            if values >= column[5]:
                return
            self._file.seek(at)
            page, length = _parsed(self._file.read(_HEADER_BYTES))
            data = page.get(5) or page.get(8)  # none in a dictionary page
            if page[2] < 0 or page[3] < 0 or (data and data[1] < 0):
                raise ValueError("a size below 0")
            yield page[2]
            values += data[1] if data else 0
            at += length + page[3]
        raise ValueError("too many pages")


def _path(column: dict[int, Any]) -> str:
    return "".join(f"{part.decode(errors='replace')}." for part in column[3])


def _parsed(data: bytes) -> tuple[dict[int, Any], int]:
    """The struct at the beginning of `data`, and its length; BookError if it is none."""
    reading = _Compact(data)
    try:
        return reading.struct(0), reading.at
    except (LookupError, ValueError):
        raise BookError("unreadable", "a damaged Parquet file: no valid headers") from None


class _Compact:
    """Reads Thrift's compact protocol: structs as field -> value."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.at = 0

    def struct(self, depth: int) -> dict[int, Any]:
        if depth > _MAX_DEPTH:
            raise ValueError("nested too deep")
        found: dict[int, Any] = {}
        number = 0
        while kind := self._byte():
            number = number + (kind >> 4) if kind >> 4 else self._integer()
            kind &= 15
            found[number] = kind == 1 if kind in {1, 2} else self._value(kind, depth)
        return found

    def _value(self, kind: int, depth: int) -> Any:
        if kind in {1, 2, 3}:
            return self._byte()
        if kind in {4, 5, 6}:
            return self._integer()
        if kind == 8:
            return self._bytes(self._varint())
        if kind in {9, 10}:
            head = self._byte()
            count = head >> 4 if head >> 4 < 15 else self._varint()
            return [self._value(head & 15, depth + 1) for _ in range(count)]
        if kind == 12:
            return self.struct(depth + 1)
        if kind == 7:
            return self._bytes(8)
        raise ValueError(f"no type {kind} in a Parquet file")

    def _byte(self) -> int:
        self.at += 1
        return self._data[self.at - 1]

    def _varint(self) -> int:
        value = shift = 0
        while shift < 70:
            byte = self._byte()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
        raise ValueError("a number of more than 64 bits")

    def _integer(self) -> int:
        value = self._varint()
        return value >> 1 ^ -(value & 1)

    def _bytes(self, count: int) -> bytes:
        self.at += count
        if self.at > len(self._data):
            raise ValueError("ends too early")
        return self._data[self.at - count : self.at]
