"""`manifest.tsv`: facts of the books of a corpus, written by people. Errors name the line."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from cloze_gen.errors import UsageError
from cloze_gen.parsing import name_list
from cloze_gen.store.files import read_regular_text

MANIFEST_NAME = "manifest.tsv"
COLUMNS = (
    "file",
    "member",
    "book_id",
    "title",
    "author",
    "genre",
    "year",
    "etext",
    "language",
    "license",
    "bytes",
    "sha256",
    "role",
)
MAX_MANIFEST_BYTES = 64 * 1024 * 1024  # a million books; the manifest of 527 has 70 kB
MAX_CELL_CHARS = 2_000  # a title, an author or a licence; reports and cards print them
_SHA256 = re.compile(r"[0-9a-fA-F]{64}")


@dataclass(frozen=True, slots=True)
class ManifestRow:
    """One book as a manifest lists it; lines count from 1."""

    line: int
    cells: Mapping[str, str]

    @property
    def file(self) -> str:
        return self.cells["file"]  # the one column that every manifest has

    @property
    def member(self) -> str:
        """The book of a file with many; empty: the only one, or all."""
        return self.cells.get("member", "")

    @property
    def sha256(self) -> str:
        return self.cells.get("sha256", "").lower()


def read_manifest(path: Path) -> list[ManifestRow]:
    """The rows of a manifest, without blank lines; UsageError for a broken one."""
    try:
        text = read_regular_text(path, encoding="utf-8-sig", max_bytes=MAX_MANIFEST_BYTES)
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
    lines = text.split("\n")
    header = lines[0].split("\t")
    if "file" not in header:
        raise UsageError(
            f"{path}: no column 'file' in its first line ({lines[0][:80]!r}); columns are "
            "separated by tabs."
        )
    for name, count in Counter(header).items():
        if name and count > 1:
            raise UsageError(f"{path}, line 1: {count} columns are called {name[:80]!r}; keep one.")
    rows = []
    for number, line in enumerate(lines[1:], 2):
        cells = line.split("\t")
        if not line.strip():
            continue
        if any(cells[len(header) :]):
            raise UsageError(
                f"{path}, line {number}: {len(cells)} cells, but the header has {len(header)} "
                "columns. A tab inside a cell? "
                "Cells cannot hold one."
            )
        cells += [""] * (len(header) - len(cells))
        if long := [
            name
            for name, cell in zip(header, cells, strict=False)
            if name in COLUMNS and len(cell) > MAX_CELL_CHARS
        ]:
            count = len(cells[header.index(long[0])])
            raise UsageError(
                f"{path}, line {number}: the cell {long[0]!r} has {count:,} characters; "
                f"{MAX_CELL_CHARS:,} are the most. Shorten it."
            )
        rows.append(ManifestRow(number, dict(zip(header, cells, strict=False))))
    return rows


def unused_columns(rows: Sequence[ManifestRow]) -> str:
    """The columns that are not used, in words; empty without any."""
    unknown = [name for name in rows[0].cells if name and name not in COLUMNS] if rows else []
    return (
        f"has columns that are not used: {name_list([_unknown_column(name) for name in unknown])} "
        f"(known: {', '.join(COLUMNS)})"
        if unknown
        else ""
    )


def _unknown_column(name: str) -> str:
    """A column, with the known one that is nearly the same.

    >>> _unknown_column("licence"), _unknown_column("mood")
    ("'licence' (did you mean 'license'?)", "'mood'")
    """
    like = difflib.get_close_matches(name[:80].lower(), COLUMNS, 1, 0.8)
    return f"{name[:80]!r} (did you mean {like[0]!r}?)" if like else repr(name[:80])


def rows_of_files(
    path: Path, rows: Sequence[ManifestRow], files: Iterable[str]
) -> tuple[dict[tuple[str, str], ManifestRow], str]:
    """(file, member) -> its row, for existing files; and in words, which rows have no file.
    UsageError for a bad or repeated file name or checksum.
    """
    known = set(files)
    listed: dict[tuple[str, str], ManifestRow] = {}
    for row in rows:
        where = f"{path}, line {row.line}"
        if not row.file:
            raise UsageError(
                f"{where}: the cell `file` is empty. Write the file's path below the corpus folder, or "
                "remove the line."
            )
        if earlier := listed.get((row.file, row.member)):
            raise UsageError(
                f"{where}: {row.file!r} is already in line {earlier.line}. Keep one of the two."
            )
        if (
            row.file not in known
            and row.file[0] == row.file[-1] == '"'
            and row.file[1:-1].replace('""', '"') in known
        ):
            raise UsageError(
                f"{where}: {row.file} is in quotation marks. A manifest has no quoting: "
                "write names and titles without them."
            )
        if row.sha256 and not _SHA256.fullmatch(row.sha256):
            raise UsageError(
                f"{where}: {row.sha256[:80]!r} is not a sha256 (64 hexadecimal digits). Correct it, "
                "or leave the cell empty."
            )
        listed[row.file, row.member] = row
    folded = {file.casefold(): file for file in sorted(known, reverse=True)}
    gone = [
        f"line {row.line} {row.file!r}"
        + (f" (there is {folded[row.file.casefold()]!r})" if row.file.casefold() in folded else "")
        for row in rows
        if row.file not in known
    ]
    return {
        place: row for place, row in listed.items() if row.file in known
    }, f"lists files that do not exist: {name_list(gone)}" if gone else ""
