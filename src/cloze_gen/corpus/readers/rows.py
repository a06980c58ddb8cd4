"""Readers of files with many books. Books are read in the order of the file, so the place of the
last one is kept: one open file a process.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from cloze_gen.corpus.readers.reader import Reader
from cloze_gen.errors import BookError


class RowReader(Reader):
    """A file with many books in order; `rows` may start before the wanted member."""

    def rows(self, file: BinaryIO, member: str) -> Iterator[tuple[str, bytes | BookError]]:
        """(member, stored bytes or what is wrong with it), from `member` or before it to the end of
        the file; `file` stays open until the iterator is closed.
        """
        raise NotImplementedError

    def is_before(self, member: str, last: str) -> bool:
        """Whether `member` certainly comes before `last` in the file."""
        return False

    def same_series(self, member: str, last: str) -> bool:
        """Whether rows read for `last` serve `member`, e.g. the same column of a table."""
        return True

    def fetch(self, file: BinaryIO, member: str, *, limit: int) -> tuple[bytes, str]:
        with _LOCK:
            stored = _seek(self, file, member)
        return stored[: limit + 1], hashlib.sha256(stored).hexdigest()


class TableReader(RowReader):
    """A file of rows; a member is `ROW`, from 0, or `ROW:COLUMN` if the user named the column."""

    def is_before(self, member: str, last: str) -> bool:
        row, last_row = row_of(member)[0], row_of(last)[0]
        return row is not None and last_row is not None and row < last_row

    def same_series(self, member: str, last: str) -> bool:
        return row_of(member)[1] == row_of(last)[1]


def row_of(member: str) -> tuple[int | None, str]:
    """(row, named text column); no row: the file as a whole."""
    row, _, named = member.partition(":")
    known = row.isascii() and row.isdecimal() and len(row) < 19
    return int(row) if known else None, named


@dataclass(slots=True)
class _Place:
    reader: Reader
    identity: tuple[int, ...]
    file: BinaryIO
    rows: Iterator[tuple[str, bytes | BookError]]
    member: str | None  # read last; None before the first
    stored: bytes | BookError


def file_identity(file: BinaryIO) -> tuple[int, ...]:
    """Changes if the file is written to or replaced."""
    status = os.fstat(file.fileno())
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)


_LOCK = threading.Lock()
_places: list[_Place] = []  # none or one


@atexit.register
def _close() -> None:
    while _places:
        _places.pop().file.close()


def _seek(reader: RowReader, file: BinaryIO, member: str) -> bytes:
    identity = file_identity(file)
    place = _places.pop() if _places else None
    if place is not None:
        serves = (
            place.reader is reader
            and place.identity == identity
            and place.member is not None
            and reader.same_series(member, place.member)
            and not reader.is_before(member, place.member)
        )
        try:
            serves = serves and _advance(place, member)
        except BaseException:
            place.file.close()
            raise
        if serves:
            return _kept(place)
        place.file.close()
    copy = os.fdopen(os.dup(file.fileno()), "rb")
    try:
        copy.seek(0)
        place = _Place(reader, identity, copy, reader.rows(copy, member), None, b"")
        if not _advance(place, member):
            raise BookError("unreadable", f"no book {member[:80]!r} in this file")
    except BaseException:
        copy.close()
        raise
    return _kept(place)


def _advance(place: _Place, member: str) -> bool:
    if place.member == member:
        return True
    for name, stored in place.rows:
        place.member, place.stored = name, stored
        if name == member:
            return True
    return False


def _kept(place: _Place) -> bytes:
    _places.append(place)
    if isinstance(place.stored, BookError):
        raise place.stored
    return place.stored
