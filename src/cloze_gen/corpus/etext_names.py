"""File names of Project Gutenberg: which etext a file is, and which of its files to read.

Trees: `cache/epub/1234/pg1234.txt`, and the mirror `1/2/3/1234/1234-0.txt`.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from dataclasses import dataclass

_NUMBER = r"(?P<number>[1-9]\d{0,6})"
_NAME = re.compile(
    rf"(?P<pg>pg)?{_NUMBER}(?P<tag>-0|-8|-h|-images(?:-3)?)?"
    r"(?P<ending>\.txt(?:\.utf-?8)?|\.html?(?:\.utf-?8)?|\.epub|\.zip)(?:\.gz)?",
    re.IGNORECASE,
)
_OLD = re.compile(r"(?:^|/)\d+/old/", re.IGNORECASE)
# The best first. Gutenberg makes `pgN.txt` itself, in UTF-8 and with a uniform header.
_RANKS = (
    *("pg", "-0", "utf-8", "-8", "ascii"),  # UTF-8, UTF-8, UTF-8, Latin-1
    *("html", "epub"),
)
SUPERSEDED = "old edition, folder old/"
SECOND_FILE = "the same book is read from another file"


@dataclass(frozen=True, slots=True)
class EtextFile:
    """The etext number of a file, and its rank among the files of that book; 0 is the best."""

    number: int
    rank: int


def etext_file(path: str, known: Container[int] = ()) -> EtextFile | None:
    """The etext that a path with `/` names; None where nothing shows that it is one of Gutenberg's.

    A bare number is a name of Gutenberg's in a folder of that number, or if it is `known`, e.g.
    from a catalogue.

    >>> etext_file("1/3/4/1342/1342-0.txt"), etext_file("chapters/12.txt")
    (EtextFile(number=1342, rank=2), None)
    >>> etext_file("pg1342.txt").rank, etext_file("1342/1342-0.zip").rank, etext_file("1342/1342-8.txt").rank
    (0, 3, 6)
    """
    parts = path.split("/")
    found = _NAME.fullmatch(parts[-1])
    if found is None:
        return None
    number = int(found["number"])
    inside = len(parts) > 1 and parts[-2].lower() in {found["number"], f"{number}-h"}
    if not (found["pg"] or inside or number in known):
        return None
    tag, ending = (found["tag"] or "").lower(), found["ending"].lower()
    return EtextFile(number, 2 * _RANKS.index(_kind(found, tag, ending)) + (ending == ".zip"))


def _kind(found: re.Match[str], tag: str, ending: str) -> str:
    if ending == ".epub":
        return "epub"
    if ending.startswith(".htm") or tag not in {"", "-0", "-8"}:
        return "html"
    if found["pg"]:
        return "pg"
    return tag or ("utf-8" if "utf" in ending else "ascii")


def is_superseded(path: str) -> bool:
    """Whether a file is in `old/` of a numbered folder.

    >>> is_superseded("1/3/4/1342/old/pandp12.txt"), is_superseded("old/1342.txt")
    (True, False)
    """
    return _OLD.search(path) is not None


def best_files(files: Mapping[str, EtextFile]) -> dict[int, str]:
    """Etext number -> the file to read; of equal ranks the first by name.

    >>> names = ("1342/1342.txt", "1342/1342-0.txt", "84/84-h/84-h.htm")
    >>> best_files({name: etext_file(name) for name in names})
    {1342: '1342/1342-0.txt', 84: '84/84-h/84-h.htm'}
    """
    best: dict[int, str] = {}
    for file, etext in files.items():
        other = best.get(etext.number)
        if other is None or (etext.rank, file) < (files[other].rank, other):
            best[etext.number] = file
    return best
