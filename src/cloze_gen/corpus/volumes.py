"""Volumes of one novel, by title or file name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath

_UNIT = r"(?:volumes?|vols?|parts?|pts?|books?|bks?|tomes?|chapters?)"
_NUMBERS = (
    *("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "first", "second", "third", "fourth", "fifth", "sixth", "seventh"),
    *("eighth", "ninth", "tenth", "eleventh", "twelfth", "last"),
)
_NUMBER = rf"(?:\d+(?:st|nd|rd|th)?|[ivxl]+|{'|'.join(_NUMBERS)})"
_VOLUME = re.compile(
    rf"\b(?:{_UNIT} ?(?:the )?{_NUMBER}|(?:the )?{_NUMBER} {_UNIT}|v ?\d+|\d+ ?of ?\d+)\b"
)
_FRACTION = re.compile(r"(?<=\d)/(?=\d)")
_NO_WORD = re.compile(r"[\W_]+")
_SMALL_WORDS = frozenset(("a", "an", "the", "of", "in"))


def work_of(name: str) -> tuple[str, bool]:
    """The work that a title or file name names, in a form to compare; whether it is a volume of it.

    >>> work_of("The Mill: a Tale. In Two Volumes. Vol. II."), work_of("mill-a-tale-v1")
    (('mill tale', True), ('mill tale', True))
    """
    plain = _NO_WORD.sub(" ", _FRACTION.sub(" of ", name.casefold()))
    found = _VOLUME.search(plain)
    before = plain[: found.start()] if found else plain
    words = [word for word in before.split() if word not in _SMALL_WORDS]
    if found and not words:  # "Volume II of The Mill"
        words = [word for word in plain[found.end() :].split() if word not in _SMALL_WORDS]
    return " ".join(words), found is not None


def work_of_book(row: Mapping[str, str]) -> tuple[str, bool]:
    """The same for a row of `books.tsv`: by the title, else by the name of the file, else with its
    folder or archive (`the-mill/vol1.txt`).
    """
    path = PurePosixPath(row["file"])
    if member := row.get("member", ""):
        path = path.with_suffix("") / member
    stem = path.name.partition(".")[0]
    names = (row.get("title", ""), stem, f"{path.parent.name} {stem}")
    works = [work_of(name) for name in names]
    return (
        next((work for work, _ in works if work), ""),
        any(is_volume for _, is_volume in works),
    )
