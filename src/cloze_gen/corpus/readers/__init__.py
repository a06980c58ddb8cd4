"""Lists, digests and reads book files. A new format is a `Reader` and an entry in `READERS`."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from cloze_gen.corpus.decoding import Decoded
from cloze_gen.corpus.readers.archive import TarArchive, ZipArchive
from cloze_gen.corpus.readers.epub import Epub
from cloze_gen.corpus.readers.html import HtmlBook
from cloze_gen.corpus.readers.jsonl import JsonLines
from cloze_gen.corpus.readers.parquet import ParquetTable
from cloze_gen.corpus.readers.reader import (
    MAX_BOOK_BYTES,
    InputSettings,
    Listing,
    Reader,
    UnknownTableError,
)
from cloze_gen.corpus.readers.text_file import GzipText, PlainText
from cloze_gen.errors import BookError, CorpusError
from cloze_gen.store.files import open_regular
from cloze_gen.store.tables import escape_cell

_BOOK_FILES: tuple[Reader, ...] = (PlainText(), GzipText(), Epub(), HtmlBook())
READERS: tuple[Reader, ...] = (
    *_BOOK_FILES,
    ZipArchive(_BOOK_FILES),
    TarArchive(_BOOK_FILES),
    ParquetTable(),
    JsonLines(),
)

HEAD_BYTES = 16
SMALL_BYTES = 16 * 1024 * 1024  # a file of one book is opened once for its listing and its digest
UNREADABLE = "unreadable"  # begins the digest of what cannot be read; the reason follows


@dataclass(frozen=True, slots=True)
class RawBook:
    """The raw (unpacked) bytes of a book, and its reader."""

    data: bytes
    reader: Reader

    def decode(self, encoding: str = "") -> Decoded:
        """The text that all spans refer to; see `Reader.decode`."""
        return self.reader.decode(self.data, encoding)


def endings() -> tuple[str, ...]:
    return _endings_of(READERS)


@functools.cache
def _endings_of(readers: tuple[Reader, ...]) -> tuple[str, ...]:
    return tuple(ending for reader in readers for ending in reader.endings)


def main_endings() -> list[str]:
    """The first ending of each reader, also compressed, for messages."""
    return [
        ending
        for reader in READERS
        for ending in (reader.endings[0] + packed for packed in ("", ".gz", ".zst"))
        if ending in reader.endings
    ]


def ending_of(name: str) -> str:
    """The ending that identifies a book file, as written in its name; empty without one.

    >>> ending_of("Emma.TXT.gz"), ending_of("notes.txt.bak")
    ('.TXT.gz', '')
    """
    lower = name.lower()
    fit = [ending for ending in endings() if lower.endswith(ending)]
    return name[-max(map(len, fit)) :] if fit else ""


def list_file(path: Path, settings: InputSettings) -> Listing:
    """The books of a file, of a small one with its digest; an unreadable file counts as one book.
    UnknownTableError.
    """
    try:
        with _opened(path) as (reader, file):
            found = reader.listing(file, settings)
            large = file.seek(0, 2) > SMALL_BYTES
            if large or found.sentences or [m.name for m in found.members] != [""]:
                return found
            file.seek(0)
            digest = reader.fetch(file, "", limit=0)[1]
            return replace(found, members=(replace(found.members[0], digest=digest),))
    except UnknownTableError:
        raise
    except BookError as error:
        return Listing("unreadable file", fault=error)
    except OSError as error:
        return Listing("unreadable file", fault=BookError(UNREADABLE, error.strerror or str(error)))


def book_digest(path: Path, member: str = "") -> str:
    """The sha256 of a stored book, or `unreadable: ` and the reason, so that a repaired file is
    new.
    """
    try:
        with _opened(path) as (reader, file):
            return reader.fetch(file, member, limit=MAX_BOOK_BYTES)[1]
    except (OSError, BookError) as error:
        return _unreadable(error)


def read_book(path: Path, member: str = "", *, digest: str = "") -> RawBook:
    """Read one book; with `digest`, CorpusError if it changed.

    Raises:
        BookError: ``unreadable``, ``truncated_gzip``, ``too_large``, or a reason of the reader.
    """
    stored, reader, reason = b"", READERS[0], UNREADABLE
    try:
        with _opened(path) as (reader, file):
            stored, found = reader.fetch(file, member, limit=MAX_BOOK_BYTES)
            reader = reader.reader_of(member)
    except (OSError, BookError) as error:
        found = _unreadable(error)
        reason = error.reason if isinstance(error, BookError) else UNREADABLE
    if digest and found != digest:
        raise CorpusError(
            f"{escape_cell(str(path))}: changed while it was read: its bytes differ from "
            "those at the start of this run. "
            "Wait until nothing writes to it, then run again. Finished work is kept."
        )
    in_line = found.startswith(f"{UNREADABLE}: line ")  # counts from 1, the member from 0
    name = repr(f"{path.name}/{member}" if member and not in_line else path.name)
    if found.startswith(UNREADABLE):
        raise BookError(reason, f"{name}: cannot be read ({found.removeprefix(f'{UNREADABLE}: ')})")
    try:
        data = reader.unpack(stored, limit=MAX_BOOK_BYTES)
    except BookError as error:
        raise BookError(error.reason, f"{name}: {error}") from None
    if len(data) > MAX_BOOK_BYTES:
        raise BookError(
            "too_large",
            f"{name}: more than {MAX_BOOK_BYTES // 2**20} MiB of text; split it into books",
        )
    return RawBook(data, reader)


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[tuple[Reader, BinaryIO]]:
    with open_regular(path) as file:
        head = file.peek(HEAD_BYTES)[:HEAD_BYTES]
        reader = next((one for one in READERS if one.takes(path.name.lower(), head)), None)
        if reader is None:
            raise BookError(UNREADABLE, "not a file of books")
        yield reader, file


def _unreadable(error: Exception) -> str:
    reason = error.strerror if isinstance(error, OSError) else None
    return f"{UNREADABLE}: {reason or error}"
