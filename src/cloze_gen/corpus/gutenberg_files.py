"""Project Gutenberg's files: which of them to read for each etext, with the facts of its catalogue.

Trees: `cache/epub/1234/pg1234.txt`, and the mirror `1/2/3/1234/1234-0.txt`. The cells of
`pg_catalog.csv` are data: none becomes a path.
"""

from __future__ import annotations

import csv
import io
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

from cloze_gen.corpus.manifest import MAX_CELL_CHARS
from cloze_gen.corpus.readers.compressed import DAMAGE, open_unpacked
from cloze_gen.corpus.readers.html import parts_of_pages
from cloze_gen.corpus.readers.reader import Skipped, read_whole
from cloze_gen.errors import BookError
from cloze_gen.parsing import name_list, one_line, quote
from cloze_gen.store.files import open_regular

CATALOGS = ("pg_catalog.csv", "pg_catalog.csv.gz")
_SHELF = re.compile(r"(?:Category|Browsing): *(\S.*)")

_OLD = re.compile(r"(?:^|/)\d+/old/", re.IGNORECASE)
# Names of an etext's files, the best first. Gutenberg makes `pgN.txt` itself, in UTF-8 and with a
# uniform header.
_FORMS = [
    re.compile(rf"{form.replace('N', '([1-9][0-9]{0,6})')}(?:\.gz)?", re.IGNORECASE)
    for form in (
        r"pgN\.(?:txt|zip)",
        r"N-0\.(?:txt|zip)",
        r"(?:pg)?N\.txt\.utf-?8",
        r"N-8\.(?:txt|zip)",
        r"N\.(?:txt|zip)",
        r"(?:pg)?N(?:-h|-images)?\.(?:html?(?:\.utf-?8)?|zip)",
        r"(?:pg)?N(?:-images(?:-3)?)?\.epub",
    )
]


def choose_files(
    files: Collection[str],
    catalog: Mapping[int, Mapping[str, str]],
    skipped: Skipped,
    *,
    listed: Collection[str] = (),
    read_elsewhere: Collection[str] = (),
) -> dict[str, dict[str, str]]:
    """The files to read, with facts: one of each of Gutenberg's etexts, and all others but parts of
    saved web pages.

    Args:
        catalog: etext number -> facts of `read_catalog`.
        skipped: gets the files that are not read.
        listed: files of a manifest, which are read in any case.
        read_elsewhere: numbers of etexts.
    """
    chosen: dict[str, dict[str, str]] = {}
    ranked: defaultdict[int, list[tuple[int, str]]] = defaultdict(list)
    parts = parts_of_pages(files)
    for file in files:
        if file not in listed and _OLD.search(file):
            skipped["old edition, folder old/"].append(file)
        elif file in parts:
            skipped["part of a saved web page"].append(file)
        elif etext := etext_of(file, catalog):
            number, rank = etext
            ranked[number].append((-1 if file in listed else rank, file))
        else:
            chosen[file] = {}
    for number, names in ranked.items():
        facts = dict(catalog.get(number, {}))
        reason = facts.pop("unfit", "")
        for at, (rank, file) in enumerate(sorted(names)):
            if rank < 0:  # listed
                chosen[file] = facts | {"etext": str(number)}
            elif at or str(number) in read_elsewhere:
                skipped["the same book is read from another file"].append(file)
            elif reason:
                skipped[reason].append(file)
            else:
                chosen[file] = facts | {"etext": str(number), "book_id": f"pg{number}"}
    return chosen


def etext_of(path: str, catalog: Collection[int] = ()) -> tuple[int, int] | None:
    """Number and rank (0 is the best) of the etext that a path with `/` names; None without one.

    A bare number is a name of Gutenberg's in a folder of that number, or in the catalogue.

    >>> etext_of("1/3/4/1342/1342-0.txt"), etext_of("chapters/12.txt")
    ((1342, 2), None)
    >>> etext_of("pg1342.txt"), etext_of("1342/1342-0.zip"), etext_of("1342/1342-8.txt")
    ((1342, 0), (1342, 3), (1342, 6))
    """
    folder, _, name = path.rpartition("/")
    for rank, form in enumerate(_FORMS):
        match = form.fullmatch(name)
        if match:
            number = int(match[1])
            is_inside = folder.rpartition("/")[2].lower() in {match[1], f"{match[1]}-h"}
            if name[:2].lower() == "pg" or is_inside or number in catalog:
                return number, 2 * rank + (".zip" in name.lower())
    return None


def is_catalog(file: str) -> bool:
    """Whether a path with `/` is that of Gutenberg's catalogue."""
    return file.rpartition("/")[2].lower() in CATALOGS


def read_catalog(root: Path, files: Iterable[str]) -> tuple[dict[int, dict[str, str]], list[str]]:
    """Etext number -> facts by manifest column, with `unfit` (why it is not read); and warnings."""
    catalog: dict[int, dict[str, str]] = {}
    notes = []
    for file in sorted(files):
        try:
            for row in _rows(root / file):
                number = row.get("Text#") or ""
                if number.isascii() and number.isdigit() and len(number) <= 7:
                    catalog.setdefault(int(number), _facts(row))
        except (csv.Error, BookError, *DAMAGE) as error:
            reason = one_line((error.strerror if isinstance(error, OSError) else "") or str(error))
            notes.append(f"{file!r} is not used: {reason[:200]}")
    return catalog, notes


def _rows(path: Path) -> Iterator[dict[str, str | None]]:
    with open_regular(path) as file:
        data = read_whole(open_unpacked(file))
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
    languages = re.findall(r"[^;, ]+", (row.get("Language") or "").lower())
    kind = row.get("Type") or "Text"
    unfit = ""
    if kind.lower() != "text":
        unfit = f"{kind}, not Text, in the catalogue"
    elif languages and "en" not in languages:
        unfit = "not in English, by the catalogue"
    cells = {
        "unfit": unfit,
        "title": row.get("Title") or "",
        "language": ", ".join(languages),
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
