"""Volumes of one novel, by title or file name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath

_NUMBERS = (
    *("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth"),
    *("tenth", "last"),
)
_NUMBER = rf"(?:\d{{1,2}}(?:st|nd|rd|th)?|[ivxl]+|{'|'.join(_NUMBERS)})"
_SMALL_WORDS = frozenset(("a", "an", "the", "of", "in"))


def _volume(units: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:(?:{units}) ?(?:the )?{_NUMBER}|(?:the )?{_NUMBER} (?:{units}))\b")


_IN_TITLE = _volume("volumes?|vols?|tomes?|parts?|pts?|books?|bks?")
# `part-00001` and `book_12` number the files of a collection.
_IN_FILE_NAME = _volume("volumes?|vols?|tomes?|v")


def work_of(row: Mapping[str, str]) -> str:
    """The work of which a row of `books.tsv` is a volume, in a form to compare; else empty.

    >>> work_of({"title": "The Mill: a Tale. In Two Volumes. Vol. II.", "file": "1.txt"})
    'mill tale'
    >>> work_of({"file": "the-mill-v2.txt"}), work_of({"title": "The Mill", "file": "mill.txt"})
    ('mill', '')
    """
    name = PurePosixPath(row.get("member") or row["file"]).name.partition(".")[0]
    return _work(row.get("title", ""), _IN_TITLE) or _work(name, _IN_FILE_NAME)


def _work(name: str, volume: re.Pattern[str]) -> str:
    plain = re.sub(r"[\W_]+", " ", name.casefold())
    match = volume.search(plain)
    if match is None:
        return ""
    before, after = plain[: match.start()].split(), plain[match.end() :].split()
    words = [word for word in before if word not in _SMALL_WORDS]
    if not words:  # "Volume II of The Mill"
        words = [word for word in after if word not in _SMALL_WORDS]
    return " ".join(words)
