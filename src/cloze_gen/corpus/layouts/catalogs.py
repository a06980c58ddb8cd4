"""Project Gutenberg's table about its books, `pg_catalog.csv`.

Its cells are data: none becomes a path, and the size of the file is bounded.
"""

from __future__ import annotations

import csv
import gzip
import io
import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from cloze_gen.corpus.manifest import MAX_CELL_CHARS
from cloze_gen.parsing import name_list, one_line, quote
from cloze_gen.store.files import GZIP_MAGIC, open_regular

_NAMES = frozenset({"pg_catalog.csv", "pg_catalog.csv.gz"})
_MAX_BYTES = 128 * 1024 * 1024  # unpacked; pg_catalog.csv has 20 MB
_COLUMNS = ("Text#", "Type", "Title", "Language", "Authors", "Bookshelves")
_SHELF = re.compile(r"(?:Category|Browsing): *(\S.*)")
_DIGIT = re.compile(r"\d")

Facts = dict[str, str]


@dataclass(slots=True)
class Catalogs:
    """What the tables of a folder contain.

    Attributes:
        rows: etext number -> its row, raw.
        names: the tables that are used.
    """

    rows: dict[int, Sequence[str]] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)
    notes: tuple[str, ...] = ()

    def __contains__(self, number: object) -> bool:
        return number in self.rows

    def facts(self, number: int) -> Facts:
        """Facts by manifest column, with `type` (such as "Sound"); empty for an unknown book."""
        if number not in self.rows:
            return {}
        kind, title, language, authors, shelves = self.rows[number]
        cells = {
            "type": kind,
            "title": title,
            "language": ", ".join(filter(None, re.split(r"[;, ]+", language.lower()))),
            "author": author_names(authors),
            "genre": _genre(shelves.split(";")),
        }
        tidy = {name: one_line(cell)[:MAX_CELL_CHARS] for name, cell in cells.items()}
        return {name: cell for name, cell in tidy.items() if cell}


def is_catalog(file: str) -> bool:
    """Whether a path with `/` is that of a table about books, by its name."""
    return file.rsplit("/", 1)[-1].lower() in _NAMES


def read_catalogs(root: Path, files: Sequence[str]) -> Catalogs:
    """Read the tables among `files`, which `is_catalog` accepts."""
    found = Catalogs()
    notes = []
    for file in sorted(files):
        try:
            notes += _read_csv(found, root, file)
        except (OSError, EOFError, zlib.error, ValueError, csv.Error) as error:
            notes.append(f"{file!r} is not used: {_reason(error)}")
    found.notes = tuple(notes)
    return found


def _reason(error: Exception) -> str:
    return one_line((error.strerror if isinstance(error, OSError) else None) or str(error))[:200]


def _read_csv(found: Catalogs, root: Path, file: str) -> list[str]:
    """Add the rows of a table; returns a note about one that is not recognised."""
    rows = _csv_rows(root / file)
    header = next(rows, [])
    if not {"Text#", "Title"} <= set(header):
        names = name_list([quote(name) for name in header]) or "none"
        return [
            f"{file!r}: this table is not recognised and is not used; its columns: {names}. "
            "Write what it says about the books into manifest.tsv"
        ]
    columns = [header.index(name) if name in header else -1 for name in _COLUMNS]
    for row in rows:
        cells = [row[at] if 0 <= at < len(row) else "" for at in columns]
        number = cells[0].strip()
        if number.isascii() and number.isdigit() and len(number) <= 7 and int(number):
            found.rows.setdefault(int(number), cells[1:])
    found.names.append(file.rsplit("/", 1)[-1])
    return []


def _csv_rows(path: Path) -> Iterator[list[str]]:
    with open_regular(path) as file:
        data = _bounded(file)
    if data.startswith(GZIP_MAGIC):
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as packed:
            data = _bounded(packed)
    text = io.StringIO(data.decode("utf-8-sig", "replace"), newline="")
    reader = csv.reader(text)
    try:
        yield from reader
    except csv.Error as error:
        raise ValueError(f"line {reader.line_num}: {error}") from None


def _bounded(file: BinaryIO | gzip.GzipFile) -> bytes:
    data = file.read(_MAX_BYTES + 1)
    if len(data) > _MAX_BYTES:
        raise ValueError(f"more than {_MAX_BYTES // 2**20} MiB")
    return data


def author_names(authors: str) -> str:
    """The authors without dates of life and fuller forms; translators and others only where a book
    has no author.

    >>> author_names("Twain, Mark, 1835-1910; Warner, Charles Dudley, 1829-1900")
    'Twain, Mark; Warner, Charles Dudley'
    >>> author_names("Verne, Jules, 1828-1905; Towle, George M. (George Makepeace), 1841-1893 [Translator]")
    'Verne, Jules'
    """
    people = [one_line(person) for person in authors.split(";") if person.strip()]
    writers = [person for person in people if not person.endswith("]")] or people
    return "; ".join(filter(None, map(_name, writers)))


def _name(person: str) -> str:
    person = re.sub(r"\s*[\[(][^\])]*[\])]", "", person)
    first, *rest = (part.strip() for part in person.split(","))
    return ", ".join([first, *(part for part in rest if part and not _DIGIT.search(part))])


def _genre(shelves: Sequence[str]) -> str:
    """The first shelf that is a category; a book may have none.

    >>> _genre(["Best Books Ever Listings", " Category: British Literature", "Category: Novels"])
    'British Literature'
    """
    found = (_SHELF.fullmatch(one_line(shelf)) for shelf in shelves)
    return next((shelf[1] for shelf in found if shelf), "")
