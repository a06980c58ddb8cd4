"""The facts of a release in plain values, the source of its card and report."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from cloze_gen import __version__

RELEASE_FORMAT = 9
"""The version of the form of a release. Raise it with every change of the release writer's output
for the same items: another file, column, key or document, or another word on the card. Then
`cloze-gen run` writes the releases of finished runs again."""

_DATE = re.compile(r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])")
_ADDRESS = re.compile(r"https?://[^\s\"<>\\^`{|}]+")


def newer_format(value: object) -> str:
    """A sentence if a release's format is newer than this version of cloze-gen; else empty.

    >>> newer_format(1), newer_format(None)
    ('', '')
    >>> newer_format(99).startswith("A newer version of cloze-gen wrote this release (format 99;")
    True
    """
    if not isinstance(value, int) or value <= RELEASE_FORMAT:
        return ""
    return (
        f"A newer version of cloze-gen wrote this release (format {value}; cloze-gen "
        f"{__version__} reads formats up to {RELEASE_FORMAT}). Upgrade cloze-gen."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperReference:
    """The paper behind a style, as in a bibliography; `authors` are ``Family, Given``.

    `kind` is as in BibTeX: ``inproceedings``, ``article``, ``techreport`` or ``unpublished``.
    """

    authors: tuple[str, ...]
    title: str
    year: int
    kind: str = "article"
    venue: str = ""
    number: str = ""
    doi: str = ""
    url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleasedBook:
    """A book that a set was made with; title to license as in the manifest, or empty.

    Attributes:
        side: ``source``, ``train`` or ``books``.
        member: row or archive path, where the file has many books.
        license: an identifier such as ``CC0-1.0``, or the user's words; empty: unknown.
        status: ``kept``, or why it was dropped.
        items: drawn from it, those of a control set included.
    """

    side: str
    book_id: str
    file: str
    member: str = ""
    title: str = ""
    author: str = ""
    year: str = ""
    etext: str = ""
    language: str = ""
    genre: str = ""
    role: str = ""
    license: str = ""
    sha256: str = ""
    status: str = "kept"
    items: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A figure of an evaluation: a share of 1; `low` and `high` bound the 95 % interval."""

    name: str
    kind: str
    accuracy: float
    low: float
    high: float
    method: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseFacts:
    """The facts of a release. `creator`, `date` and `url` are empty unless the user gave them.

    Attributes:
        style, title: e.g. ``holmes-style`` and ``Holmes-style (MSR)``.
        order: of the items: ``shuffled`` or ``corpus``.
        text: ``full`` or ``pointers``.
        settings: all of them, as values of JSON, group -> key -> value.
        overrides: ``group.key = value`` of what the user set.
        verdict: the verdict in words; the overall one first, then a line for each rule.
        measured: rows of an evaluation; empty, as `evaluated`, before there is one.
        creator: names; ``Family, Given`` is a person, anything else a group.
        judged: ``machine``, or the people's work.
    """

    schema: str = "cloze-gen/release"
    format_version: int = RELEASE_FORMAT
    version: str
    name: str
    style: str
    title: str
    paper: str
    reference: PaperReference | None = None
    seed: int
    signature: str
    canary: str = ""
    order: str = "shuffled"
    text: str = "full"
    sample: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict)
    overrides: tuple[str, ...] = ()
    noun: str
    n_items: int
    n_wanted: int
    books: tuple[ReleasedBook, ...] = ()
    notes: tuple[str, ...] = ()
    verdict: tuple[str, ...] = ()
    measured: tuple[Measured, ...] = ()
    evaluated: str = ""
    creator: tuple[str, ...] = ()
    date: str = ""
    url: str = ""
    judged: str = "machine"
    versions: Mapping[str, str] = field(default_factory=dict)

    @property
    def item_books(self) -> tuple[ReleasedBook, ...]:
        """The books with items; if none was counted, the kept ones of the last side."""
        drawn = tuple(book for book in self.books if book.items > 0)
        last = self.books[-1].side if self.books else ""
        return drawn or tuple(
            book for book in self.books if book.side == last and book.status == "kept"
        )

    @property
    def published(self) -> str:
        """`date` if it is a date, else empty."""
        return self.date if _DATE.fullmatch(self.date) else ""

    @property
    def address(self) -> str:
        """`url` if it opens a page, else empty."""
        return self.url if _ADDRESS.fullmatch(self.url) else ""


def verdict_text(lines: Iterable[str]) -> str:
    """The lines of a verdict for a terminal.

    >>> print(verdict_text(["verdict: good", "size: good. With"]))
    verdict     good
    size        good. With
    """
    parts = (line.partition(": ") for line in lines)
    return "\n".join(f"{name:<12}{rest}" for name, _, rest in parts)
