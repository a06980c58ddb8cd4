"""Tables about books: Gutenberg's `pg_catalog.csv` and RDF, and the metadata of two corpora of it.

Their cells are data: none becomes a path, and the size of each file is bounded.
"""

from __future__ import annotations

import ast
import contextlib
import csv
import gzip
import io
import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO
from xml.etree import ElementTree

from cloze_gen.corpus.manifest import MAX_CELL_CHARS
from cloze_gen.parsing import name_list, one_line, quote
from cloze_gen.store.files import GZIP_MAGIC, open_regular

_CSV_NAMES = frozenset({"pg_catalog.csv", "pg_catalog.csv.gz", "metadata.csv", "catalog.csv"})
_RDF_NAME = re.compile(r"pg([1-9]\d{0,6})\.rdf", re.IGNORECASE)
_MAX_CSV_BYTES = 128 * 1024 * 1024  # unpacked; pg_catalog.csv has 20 MB
_MAX_RDF_BYTES = 2 * 1024 * 1024  # that of Pride and Prejudice has 16 kB
_MAX_REPR_CHARS = 1_000
_PG_COLUMNS = ("Text#", "Type", "Title", "Language", "Authors", "Bookshelves")
_SPGC_COLUMNS = ("id", "type", "title", "language", "author")
_SHELF = re.compile(r"(?:Category|Browsing): *(\S.*)")
_DIGIT = re.compile(r"\d")
_RDF_TAGS = {
    "dc": "http://purl.org/dc/terms/",
    "pg": "http://www.gutenberg.org/2009/pgterms/",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
}

Facts = dict[str, str]


@dataclass(slots=True)
class Catalogs:
    """What the tables of a folder contain.

    Attributes:
        rows: etext number -> its row in each table, raw, best table first.
        rdf: etext number -> path of its RDF.
        pg19: folders with the table of PG-19.
        names: the tables that are used.
    """

    root: Path
    rows: dict[int, list[tuple[str, Sequence[str]]]] = field(default_factory=dict)
    rdf: dict[int, str] = field(default_factory=dict)
    pg19: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    notes: tuple[str, ...] = ()

    def __contains__(self, number: object) -> bool:
        return number in self.rows or number in self.rdf

    def facts(self, numbers: Sequence[int]) -> tuple[dict[int, Facts], list[str]]:
        """Facts by number, with `type` for what is no text; and notes."""
        found: dict[int, Facts] = {}
        unread: list[str] = []
        for number in numbers:
            facts: Facts = {}
            for kind, row in self.rows.get(number, ()):
                facts = _KINDS[kind](row) | facts
            if number in self.rdf:
                path = self.rdf[number]
                try:
                    facts = read_rdf(self.root / path, number) | facts
                except (OSError, ValueError) as error:
                    unread.append(f"{path!r} ({_reason(error)})")
            found[number] = facts
        notes = [f"{len(unread):,} RDF files are not used: {name_list(unread)}"] if unread else []
        return found, notes


def is_catalog(file: str) -> bool:
    """Whether a path with `/` is that of a table about books, by its name."""
    name = file.rsplit("/", 1)[-1]
    return name.lower() in _CSV_NAMES or _RDF_NAME.fullmatch(name) is not None


def read_catalogs(root: Path, files: Sequence[str]) -> Catalogs:
    """Read the tables among `files`, which `is_catalog` accepts; RDF is read when it is needed."""
    found = Catalogs(root)
    notes = []
    for file in sorted(files):
        name = file.rsplit("/", 1)[-1]
        if rdf := _RDF_NAME.fullmatch(name):
            found.rdf.setdefault(int(rdf[1]), file)
            continue
        try:
            notes += _read_csv(found, file)
        except (OSError, EOFError, zlib.error, ValueError, csv.Error) as error:
            notes.append(f"{file!r} is not used: {_reason(error)}")
    for rows in found.rows.values():
        rows.sort(key=lambda row: list(_KINDS).index(row[0]))
    found.notes = tuple(notes)
    return found


def _reason(error: Exception) -> str:
    return one_line((error.strerror if isinstance(error, OSError) else None) or str(error))[:200]


def _read_csv(found: Catalogs, file: str) -> list[str]:
    """Add the rows of a table; returns a note about one that is not recognised."""
    rows = _csv_rows(found.root / file)
    header = next(rows, [])
    if "Text#" in header and "Title" in header:
        kind = "pg_catalog"
        columns = [header.index(name) if name in header else -1 for name in _PG_COLUMNS]
    elif {"id", "title", "author", "authoryearofbirth"} <= set(header):
        kind = "spgc"
        columns = [header.index(name) if name in header else -1 for name in _SPGC_COLUMNS]
    elif _is_pg19(header):
        kind, columns = "pg19", [0, 1, 2]
        rows = _with_first(header, rows)
        found.pg19.append(file.rpartition("/")[0])
    else:
        names = name_list([quote(name) for name in header]) or "none"
        return [
            f"{file!r}: this table is not recognised and is not used; its columns: {names}. "
            "Write what it says about the books into manifest.tsv"
        ]
    for row in rows:
        cells = [row[at] if 0 <= at < len(row) else "" for at in columns]
        number = cells[0].strip().removeprefix("PG" if kind == "spgc" else "")
        if number.isascii() and number.isdigit() and len(number) <= 7 and int(number):
            found.rows.setdefault(int(number), []).append((kind, cells[1:]))
    found.names.append(file.rsplit("/", 1)[-1])
    return []


def _csv_rows(path: Path) -> Iterator[list[str]]:
    with open_regular(path) as file:
        data = _bounded(file, _MAX_CSV_BYTES)
    if data.startswith(GZIP_MAGIC):
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as packed:
            data = _bounded(packed, _MAX_CSV_BYTES)
    text = io.StringIO(data.decode("utf-8-sig", "replace"), newline="")
    reader = csv.reader(text)
    try:
        yield from reader
    except csv.Error as error:
        raise ValueError(f"line {reader.line_num}: {error}") from None


def _bounded(file: BinaryIO | gzip.GzipFile, limit: int) -> bytes:
    data = file.read(limit + 1)
    if len(data) > limit:
        raise ValueError(f"more than {limit // 2**20} MiB")
    return data


def _with_first(first: list[str], rest: Iterator[list[str]]) -> Iterator[list[str]]:
    yield first
    yield from rest


def _is_pg19(row: Sequence[str]) -> bool:
    """Whether a row is one of PG-19's table, which has no header: id, short title, year, URL."""
    return len(row) in {3, 4} and row[0].isdigit() and (len(row) == 3 or "gutenberg" in row[3])


# ---- facts from one row


def _of_pg_catalog(row: Sequence[str]) -> Facts:
    kind, title, language, authors, shelves = row
    return _facts(
        type=kind,
        title=title,
        language=", ".join(filter(None, re.split(r"[;, ]+", language.lower()))),
        author=author_names(authors),
        genre=_genre(shelves.split(";")),
    )


def _of_spgc(row: Sequence[str]) -> Facts:
    kind, title, language, author = row
    return _facts(
        type=kind,
        title=title,
        language=", ".join(_repr_list(language)),
        author=author_names(author),
    )


def _of_pg19(row: Sequence[str]) -> Facts:
    title, year = row
    return _facts(title=title, year=year if re.fullmatch(r"[12]?\d{3}", year.strip()) else "")


_KINDS = {"pg_catalog": _of_pg_catalog, "spgc": _of_spgc, "pg19": _of_pg19}  # the best first


def _facts(**cells: str) -> Facts:
    tidy = {name: one_line(cell)[:MAX_CELL_CHARS] for name, cell in cells.items() if cell}
    return {name: cell for name, cell in tidy.items() if cell}


def _repr_list(cell: str) -> list[str]:
    """The strings of a Python list or set as it is printed; the cell itself if it is none.

    >>> _repr_list("['en', 'fr']"), _repr_list("en"), _repr_list("__import__('os')")
    (['en', 'fr'], ['en'], ["__import__('os')"])
    """
    value: object = None
    if len(cell) <= _MAX_REPR_CHARS:
        with contextlib.suppress(ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
            value = ast.literal_eval(cell.strip())
    items = sorted(value, key=str) if isinstance(value, set | list | tuple) else [cell]
    return [item for item in items if isinstance(item, str) and item.strip()]


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


def read_rdf(path: Path, number: int) -> Facts:
    """The facts of one book's RDF.

    Raises:
        OSError: it cannot be read.
        ValueError: it is no RDF of this book, or it has a document type.
    """
    with open_regular(path) as file:
        text = _bounded(file, _MAX_RDF_BYTES).decode("utf-8-sig")
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise ValueError("has a document type, which may define entities")
    try:
        book = ElementTree.fromstring(text).find(
            "pg:ebook", _RDF_TAGS
        )  # as UTF-8, whatever it says
    except ElementTree.ParseError as error:
        raise ValueError(f"not XML ({error})") from None
    if book is None or book.get(f"{{{_RDF_TAGS['rdf']}}}about") != f"ebooks/{number}":
        raise ValueError(f"not about ebooks/{number}")

    def texts(path: str) -> list[str]:
        return [one.text or "" for one in book.iterfind(path, _RDF_TAGS)]

    value = "rdf:Description/rdf:value"
    return _facts(
        type=" ".join(texts(f"dc:type/{value}")[:1]),
        title=" ".join(texts("dc:title")[:1]),
        language=", ".join(texts(f"dc:language/{value}")),
        author=author_names("; ".join(texts("dc:creator/pg:agent/pg:name"))),
        genre=_genre(texts(f"pg:bookshelf/{value}")),
        license=" ".join(texts("dc:rights")[:1]).rstrip("."),
    )
