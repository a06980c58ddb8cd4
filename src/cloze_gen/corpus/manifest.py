"""`manifest.tsv`: facts of the books of a corpus, written by people. Errors name the line."""

from __future__ import annotations

import csv
import os
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from cloze_gen.errors import UsageError
from cloze_gen.parsing import name_list
from cloze_gen.store.files import read_regular_text, stays_within

MANIFEST_NAME = "manifest.tsv"
FACTS = ("title", "author", "genre", "year", "etext", "language", "license", "role")
# `bytes` is for people: the manifests of `corpora/` have it.
COLUMNS = ("file", "member", "book_id", *FACTS, "bytes", "sha256")
MAX_CELL_CHARS = 2_000  # a title, an author or a licence; reports and cards print them
_BOOK_ID = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9._-]*[A-Za-z0-9_])?")
_SHA256 = re.compile(r"[0-9a-fA-F]{64}")


@dataclass(frozen=True, slots=True)
class ManifestRow:
    """One book as a manifest lists it.

    Attributes:
        line: from 1.
        member: the book of a file with many; empty: the only one, or all.
    """

    line: int
    cells: Mapping[str, str]

    @property
    def file(self) -> str:
        return self.cells["file"]

    @property
    def member(self) -> str:
        return self.cells.get("member", "")

    @property
    def sha256(self) -> str:
        return self.cells.get("sha256", "").lower()


@dataclass(frozen=True, slots=True)
class Manifest:
    """The rows of a manifest by file and member; and a note about columns that are not used."""

    rows: Mapping[tuple[str, str], ManifestRow] = field(default_factory=dict)
    unused: str = ""

    @property
    def files(self) -> set[str]:
        return {file for file, _ in self.rows}

    def row_of(self, file: str, member: str) -> ManifestRow | None:
        """The row of a member, or that of its file, without what can be true of one book only."""
        row, of_file = self.rows.get((file, member)), self.rows.get((file, ""))
        if row is not None or of_file is None:
            return row
        shared = {
            name: cell for name, cell in of_file.cells.items() if name not in {"book_id", "sha256"}
        }
        return ManifestRow(of_file.line, shared)

    def notes(self, root: Path, books: Collection[tuple[str, str]]) -> list[str]:
        """What does not fit the books (file, member) of a folder, in words."""
        files = {file for file, _ in books}
        missing = [
            f"line {row.line} {'/'.join(filter(None, place))!r}"
            for place, row in self.rows.items()
            if place not in books and _is_missing(root, row, files)
        ]
        absent = f"lists what does not exist: {name_list(missing)}" if missing else ""
        return [f"{MANIFEST_NAME} {line}" for line in (absent, self.unused) if line]


def _is_missing(root: Path, row: ManifestRow, files: Collection[str]) -> bool:
    """Whether a row without a book is wrong; a pattern may leave out existing files."""
    if row.member and row.file in files:
        return True
    return not (stays_within(row.file) and os.path.lexists(root / row.file))


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a folder; cells have no quoting.

    Raises:
        UsageError: it cannot be read, or a line is wrong.
    """
    path = folder / MANIFEST_NAME
    if not os.path.lexists(path):
        return Manifest()
    try:
        text = read_regular_text(path, encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{path}: not UTF-8 ({error.reason} at byte {error.start}). Save it as UTF-8, "
            "tab-separated."
        ) from None
    except OSError as error:
        raise UsageError(
            f"{path}: cannot be read as a manifest ({error.strerror}). Give a file of "
            "tab-separated columns, 'file' among them."
        ) from None
    table = csv.DictReader(text.split("\n"), delimiter="\t", quoting=csv.QUOTE_NONE)
    try:
        header = list(table.fieldnames or ())
        lines = [(table.line_num, cells) for cells in table]
    except csv.Error as error:
        raise UsageError(
            f"{path}, line {table.reader.line_num}: {error}. Correct the line."
        ) from None
    if "file" not in header:
        raise UsageError(
            f"{path}: no column 'file' in its first line ({text[:80]!r}); columns are separated by "
            "tabs."
        )
    for name, count in Counter(header).items():
        if name and count > 1:
            raise UsageError(f"{path}, line 1: {count} columns are called {name[:80]!r}; keep one.")
    rows: dict[tuple[str, str], ManifestRow] = {}
    for line, cells in lines:
        row = _row(f"{path}, line {line}", line, cells)
        if row is None:
            continue
        if earlier := rows.get((row.file, row.member)):
            raise UsageError(
                f"{path}, line {line}: {row.file!r} is already in line {earlier.line}. "
                "Keep one of the two."
            )
        rows[row.file, row.member] = row
    return Manifest(rows, _unused(header))


def _row(
    where: str, line: int, cells: Mapping[str | None, str | list[str] | None]
) -> ManifestRow | None:
    if any(cells.get(None) or ()):
        raise UsageError(
            f"{where}: more cells than the header has columns. A tab inside a cell? Cells cannot "
            "hold one."
        )
    known = {
        str(name): str(cell or "")[:MAX_CELL_CHARS]
        for name, cell in cells.items()
        if name in COLUMNS
    }
    if not any(cell.strip() for cell in known.values()):
        return None
    row = ManifestRow(line, known)
    if not row.file:
        raise UsageError(
            f"{where}: the cell `file` is empty. Write the file's path below the corpus folder, or "
            "remove the line."
        )
    book_id = row.cells.get("book_id", "")
    if book_id and not _BOOK_ID.fullmatch(book_id):
        raise UsageError(
            f"{where}: book_id {book_id[:80]!r} of {row.file!r} may only have the characters A-Z a-z "
            "0-9 . _ - and must not begin or end with . or -"
        )
    if row.sha256 and not _SHA256.fullmatch(row.sha256):
        raise UsageError(
            f"{where}: {row.sha256[:80]!r} is not a sha256 (64 hexadecimal digits). Correct it, "
            "or leave the cell empty."
        )
    return row


def _unused(header: Iterable[str]) -> str:
    """The columns that are not used, in words."""
    unknown = [repr(name[:80]) for name in header if name and name not in COLUMNS]
    if not unknown:
        return ""
    return f"has columns that are not used: {name_list(unknown)} (known: {', '.join(COLUMNS)})"
