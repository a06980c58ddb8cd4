"""The interface of a reader of one kind of book file; the defaults suit a file that is one book."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import BinaryIO, ClassVar

from pydantic import Field

from cloze_gen.corpus.decoding import Decoded, decode_book
from cloze_gen.errors import BookError
from cloze_gen.settings import SettingsGroup

MAX_BOOK_BYTES = 256 * 1024 * 1024  # raw; the largest of the 534 books at hand has 5.5 MB


class InputSettings(SettingsGroup):
    text_column: str = Field(
        default="",
        description="column of a table that holds the text; empty: detect it",
    )
    # Train is the background and test the source; in LAMBADA and SCDE they are the three parts.
    keep_splits: bool = Field(
        default=False,
        description="keep the books' division into train, validation and test",
    )


@dataclass(frozen=True, slots=True)
class Member:
    """One book of a file.

    Attributes:
        name: path in an archive, number of a row; empty where the file is the book.
        book_id: the id that the file gives; if empty, made from the names of file and member.
        facts: by manifest column (`corpus.manifest.COLUMNS`); a manifest overrides them.
        kind: the decoding, where it is not plain text, e.g. "epub 1"; part of the stored book's key.
        digest: sha256 of the stored bytes, if known already.
    """

    name: str = ""
    book_id: str = ""
    facts: tuple[tuple[str, str], ...] = ()
    kind: str = ""
    digest: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Listing:
    """What a file contains.

    Attributes:
        shape: its format in words, e.g. "text file", "Parquet table, one book per row".
        members: the books, in the file's own order.
        skipped: (name of a member, why it is no book).
        notes: warnings for the user, each one line.
        sentences: one sentence per row, without books: background only.
        fault: why the file cannot be read; it then counts as one dropped book.
    """

    shape: str
    members: Sequence[Member] = (Member(),)
    skipped: Sequence[tuple[str, str]] = ()
    notes: Sequence[str] = ()
    sentences: bool = False
    fault: BookError | None = None


class UnknownTableError(BookError):
    """A table whose columns are not known; the message lists them and says what to do."""


class Reader:
    """Reads one kind of book file, from open files only. `endings` are in lower case."""

    endings: ClassVar[tuple[str, ...]]
    shape: ClassVar[str]

    def takes(self, name: str, head: bytes) -> bool:
        """Whether this is its file, by lower-case name and first `HEAD_BYTES` bytes; at most one
        reader takes a file.
        """
        raise NotImplementedError

    def listing(self, file: BinaryIO, settings: InputSettings) -> Listing:
        """The books of a file; a file with a BookError counts as one dropped book.

        Raises:
            UnknownTableError: the columns are not known.
        """
        return Listing(self.shape)

    def reader_of(self, member: str) -> Reader:
        """The reader that unpacks and decodes a member."""
        return self

    def fetch(self, file: BinaryIO, member: str, *, limit: int) -> tuple[bytes, str]:
        """At most `limit` + 1 stored bytes of a book, and the sha256 of all; BookError if damaged.
        If `members` fails, the file is fetched as its empty member.
        """
        data = file.read(limit + 1)
        sha256 = hashlib.sha256(data)
        while more := file.read(1024 * 1024):
            sha256.update(more)
        return data, sha256.hexdigest()

    def unpack(self, stored: bytes, *, limit: int) -> bytes:
        """The decompressed bytes, cut anywhere above `limit`; BookError if they are damaged."""
        return stored

    def decode(self, raw: bytes, encoding: str = "") -> Decoded:
        """The text of a book. Spans count its characters, so equal bytes must give equal text.

        Args:
            encoding: of an earlier run, for a reader whose extractor may have changed.
        Raises:
            BookError: the bytes are no text.
            LookupError: another extractor made the text.
        """
        return decode_book(raw)
