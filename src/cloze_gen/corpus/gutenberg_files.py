"""Project Gutenberg's files: which of them to read for each etext, with the facts of its catalogue.

Trees: `cache/epub/1234/pg1234.txt`, and the mirror `1/2/3/1234/1234-0.txt`. The cells of
`pg_catalog.csv` are data: none becomes a path.
"""

from __future__ import annotations

import csv
import io
import re
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from cloze_gen.corpus.manifest import MAX_CELL_CHARS
from cloze_gen.corpus.readers.compressed import open_unpacked
from cloze_gen.errors import BookError
from cloze_gen.parsing import name_list, one_line, quote
from cloze_gen.store.files import open_regular

CATALOGS = ("pg_catalog.csv", "pg_catalog.csv.gz")
_MAX_BYTES = 128 * 1024 * 1024  # unpacked; pg_catalog.csv has 20 MB
_SHELF = re.compile(r"(?:Category|Browsing): *(\S.*)")

_NAME = re.compile(
    r"(?P<pg>pg)?(?P<number>[1-9]\d{0,6})(?P<tag>-0|-8|-h|-images(?:-3)?)?"
    r"(?P<ending>\.txt(?:\.utf-?8)?|\.html?(?:\.utf-?8)?|\.epub|\.zip)(?:\.gz)?",
    re.IGNORECASE,
)
_OLD = re.compile(r"(?:^|/)\d+/old/", re.IGNORECASE)
# The best first. Gutenberg makes `pgN.txt` itself, in UTF-8 and with a uniform header.
_RANKS = ("pg", "-0", "utf-8", "-8", "ascii", "html", "epub")


@dataclass(slots=True)
class Chosen:
    """The files to read, with their facts, and the others by reason."""

    files: dict[str, dict[str, str]] = field(default_factory=dict)
    skipped: dict[str, list[str]] = field(default_factory=dict)

    @property
    def skipped_lines(self) -> list[str]:
        return [
            f"{len(files):,} file{'s' * (len(files) != 1)} ({reason}): "
            + name_list([quote(file) for file in sorted(files)])
            for reason, files in sorted(self.skipped.items())
        ]


def choose_files(
    files: Iterable[str],
    catalog: Mapping[int, Mapping[str, str]],
    *,
    listed: Collection[str] = (),
    read: Collection[str] = (),
) -> Chosen:
    """One file of each of Gutenberg's etexts, and all other files.

    Args:
        catalog: etext number -> facts of `read_catalog`.
        listed: files of a manifest, which are read in any case.
        read: numbers of etexts that are read elsewhere.
    """
    chosen = Chosen()
    ranked: dict[int, list[tuple[int, str]]] = {}
    for file in files:
        if file not in listed and _OLD.search(file):
            chosen.skipped.setdefault("old edition, folder old/", []).append(file)
        elif etext := etext_of(file, catalog):
            number, rank = etext
            ranked.setdefault(number, []).append((-1 if file in listed else rank, file))
        else:
            chosen.files[file] = {}
    for number, of_etext in ranked.items():
        facts = dict(catalog.get(number, {}))
        reason = _unfit(facts)
        facts = {name: fact for name, fact in facts.items() if name != "type"}
        for at, (rank, file) in enumerate(sorted(of_etext)):
            if rank < 0:  # listed
                chosen.files[file] = facts | {"etext": str(number)}
            elif at or str(number) in read:
                why = "the same book is read from another file"
                chosen.skipped.setdefault(why, []).append(file)
            elif reason:
                chosen.skipped.setdefault(reason, []).append(file)
            else:
                chosen.files[file] = facts | {"etext": str(number), "book_id": f"pg{number}"}
    return chosen


def etext_of(path: str, catalog: Collection[int] = ()) -> tuple[int, int] | None:
    """Number and rank (0 is the best) of the etext that a path with `/` names; None without one.

    A bare number is a name of Gutenberg's in a folder of that number, or in the catalogue.

    >>> etext_of("1/3/4/1342/1342-0.txt"), etext_of("chapters/12.txt")
    ((1342, 2), None)
    >>> etext_of("pg1342.txt"), etext_of("1342/1342-0.zip"), etext_of("1342/1342-8.txt")
    ((1342, 0), (1342, 3), (1342, 6))
    """
    parts = path.split("/")
    match = _NAME.fullmatch(parts[-1])
    if match is None:
        return None
    number = int(match["number"])
    inside = len(parts) > 1 and parts[-2].lower() in {match["number"], f"{number}-h"}
    if not (match["pg"] or inside or number in catalog):
        return None
    tag, ending = (match["tag"] or "").lower(), match["ending"].lower()
    if ending == ".epub":
        kind = "epub"
    elif ending.startswith(".htm") or tag not in {"", "-0", "-8"}:
        kind = "html"
    elif match["pg"]:
        kind = "pg"
    else:
        kind = tag or ("utf-8" if "utf" in ending else "ascii")
    return number, 2 * _RANKS.index(kind) + (ending == ".zip")


def _unfit(facts: Mapping[str, str]) -> str:
    """Why a book is not read, by its catalogue; empty if it is."""
    if facts.get("type", "Text").lower() != "text":
        return f"{facts['type']}, not Text, in the catalogue"
    languages = facts.get("language", "en").split(", ")
    return "" if "en" in languages else "not in English, by the catalogue"


def is_catalog(file: str) -> bool:
    """Whether a path with `/` is that of Gutenberg's catalogue."""
    return file.rpartition("/")[2].lower() in CATALOGS


def read_catalog(root: Path, files: Iterable[str]) -> tuple[dict[int, dict[str, str]], list[str]]:
    """Etext number -> facts by manifest column, with `type` (such as "Sound"); and warnings."""
    catalog: dict[int, dict[str, str]] = {}
    notes = []
    for file in sorted(files):
        try:
            for row in _rows(root / file):
                number = row.get("Text#") or ""
                if number.isascii() and number.isdigit() and len(number) <= 7:
                    catalog.setdefault(int(number), _facts(row))
        except (OSError, EOFError, zlib.error, ValueError, csv.Error, BookError) as error:
            reason = one_line((error.strerror if isinstance(error, OSError) else "") or str(error))
            notes.append(f"{file!r} is not used: {reason[:200]}")
    return catalog, notes


def _rows(path: Path) -> Iterator[dict[str, str | None]]:
    with open_regular(path) as file:
        data = open_unpacked(file).read(_MAX_BYTES + 1)
    if len(data) > _MAX_BYTES:
        raise ValueError(f"more than {_MAX_BYTES // 2**20} MiB")
    table = csv.DictReader(io.StringIO(data.decode("utf-8-sig", "replace"), newline=""))
    if not {"Text#", "Title"} <= set(table.fieldnames or ()):
        names = name_list([quote(name) for name in table.fieldnames or ()]) or "none"
        raise ValueError(
            f"this table is not recognised; its columns: {names}. Write what it says about the "
            "books into manifest.tsv"
        )
    yield from table


def _facts(row: Mapping[str, str | None]) -> dict[str, str]:
    shelf = _SHELF.search(row.get("Bookshelves") or "")
    languages = re.split(r"[;, ]+", (row.get("Language") or "").lower())
    cells = {
        "type": row.get("Type") or "",
        "title": row.get("Title") or "",
        "language": ", ".join(filter(None, languages)),
        "author": author_names(row.get("Authors") or ""),
        "genre": shelf[1].partition(";")[0] if shelf else "",
    }
    return {name: one_line(cell)[:MAX_CELL_CHARS] for name, cell in cells.items() if cell}


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
    return ", ".join([first, *(part for part in rest if part and not re.search(r"\d", part))])
