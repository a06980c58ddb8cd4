"""What a reader of book files gives: the texts of one file, in the file's order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import IO

from cloze_gen.errors import BookError
from cloze_gen.parsing import counted, name_list, quote

MAX_BOOK_BYTES = 256 * 1024 * 1024  # the largest of the 534 books at hand has 5.5 MB
TEXT, HTML, EPUB, SENTENCES = "text", "html", "epub", "sentences"
ENDINGS_OF_FORMAT = {
    TEXT: (".txt", ".txt.gz", ".txt.utf8", ".txt.utf-8"),
    HTML: (".html", ".htm"),
    EPUB: (".epub",),
}


@dataclass(frozen=True, slots=True)
class Text:
    """A book, or a part of a file of sentences, as it lies in a file.

    Attributes:
        data: its bytes, unpacked, or what is wrong with it.
        name: path in an archive, or number of a row; empty where the file is the book.
        format: how the bytes become text (`TEXT`, `HTML`, `EPUB`), or `SENTENCES`.
        facts: by manifest column.
    """

    data: bytes | BookError
    name: str = ""
    format: str = TEXT
    facts: Mapping[str, str] = field(default_factory=dict)


Skipped = defaultdict[str, list[str]]  # why not read -> paths


def skipped_lines(skipped: Mapping[str, list[str]]) -> list[str]:
    """
    >>> skipped_lines({"hidden": [".git", ".x.txt"]})
    ["2 paths (hidden): '.git', '.x.txt'"]
    """
    return [
        f"{counted(len(paths), 'path')} ({why}): {name_list([quote(path) for path in sorted(paths)])}"
        for why, paths in sorted(skipped.items())
    ]


@dataclass(slots=True)
class FileReport:
    """A reader's report on its file.

    Attributes:
        shape: the format in words, e.g. "Parquet table, one book per row".
        skipped: by names of entries; an empty name is the file.
    """

    shape: str = ""
    skipped: Skipped = field(default_factory=lambda: defaultdict(list))


class UnknownTableError(BookError):
    """A table whose columns are not known; the message lists them with the remedy."""


# (open file, report to fill in, name of the text column or "") -> the texts
Reader = Callable[[IO[bytes], FileReport, str], Iterator[Text]]


def format_of(name: str) -> str:
    """The format of a file that is one book, by its name; empty for another file.

    >>> format_of("Emma.TXT.gz"), format_of("notes.txt.bak")
    ('text', '')
    """
    for kind, endings in ENDINGS_OF_FORMAT.items():
        if name.lower().endswith(endings):
            return kind
    return ""


def read_whole(source: IO[bytes], head: bytes = b"") -> bytes:
    """All bytes, those of `head` first.

    Raises:
        BookError: ``too_large``.
    """
    data = head + source.read(MAX_BOOK_BYTES + 1)
    if len(data) > MAX_BOOK_BYTES:
        raise too_large()
    return data


def too_large() -> BookError:
    limit = f"{MAX_BOOK_BYTES // 2**20} MiB"
    return BookError("too_large", f"more than {limit} of text; split it into books")
