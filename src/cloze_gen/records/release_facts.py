"""What a release says of itself, in plain values: what its card, its citation and its other documents are written from."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

RELEASE_FORMAT = 2
"""The version of the form of a release. Raise it with every change of the release writer's output for the same items: another file, column,
key or document, or another word on the card. Then `cloze-gen run` writes the releases of finished runs again. Releases that do not name
it are of version 1."""

_DATE = re.compile(r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])")
_ADDRESS = re.compile(r"https?://[^\s\"<>\\^`{|}]+")
_SET = re.compile(r"(?:^|\|)set:([0-9a-f]+)(?:\||$)")
_NUMBERS = re.compile(r"\d+\.\d+\.\d+")


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperReference:
    """The paper behind a style, as a bibliography has it.

    Attributes:
        authors: ``Family, Given``, in the paper's order.
        kind: of publication, as CITATION.cff calls it: ``conference-paper``, ``article``, ``report`` or ``unpublished``.
        venue: proceedings, journal, or the institution of a report; empty: none.
        number: of a report.
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
    """A book that a set was made with. Title, author, year, etext, genre, role, license: as the manifest has them, empty where it does not.

    Attributes:
        side: ``source``, ``train``, ``books``: what it was given for.
        file: path below the corpus folder.
        license: an identifier such as ``CC0-1.0``, or the user's words; empty: unknown.
        sha256: of the file's bytes.
        status: ``kept``, or why it was dropped.
        items: drawn from it, those of a control set included.
    """

    side: str
    book_id: str
    file: str
    title: str = ""
    author: str = ""
    year: str = ""
    etext: str = ""
    genre: str = ""
    role: str = ""
    license: str = ""
    sha256: str = ""
    status: str = "kept"
    items: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A figure of an evaluation. Shares are of 1; `low` and `high` bound the 95 % interval.

    Attributes:
        kind: ``adversary``, ``baseline``, ``bias`` and the like, as the evaluation calls it.
        way: how it was measured; empty: nothing to add.
    """

    name: str
    kind: str
    accuracy: float
    low: float
    high: float
    way: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseFacts:
    """What a release says of itself. Whatever only people know (`creator`, `date`, `url`) is empty unless they said it.

    Attributes:
        format_version: of the release (`RELEASE_FORMAT`).
        version: of cloze-gen.
        style: as typed, ``holmes-style``; `title` is its name on the card, ``Holmes-style (MSR)``.
        paper: as the card cites it; `reference` is the same paper with its parts, None where a style brings none.
        order: of the items: ``shuffled`` or ``corpus``.
        text: ``full``, or ``pointers`` where the text was left out.
        sample: whether the books are those that cloze-gen brings.
        settings: all of them, as values of JSON, group -> key -> value.
        overrides: ``group.key = value`` of what the user set.
        noun: of one item.
        n_items, n_wanted: items there are, and asked for.
        books: of every side, dropped ones too.
        notes: what a user must know, a line each.
        measured: rows of an evaluation; empty with `evaluated`, its one line, until there was one.
        creator: names; ``Family, Given`` is a person, anything else a group.
        date: of publication, ``2026-11-22``.
        url: of the set's page.
        judged: ``machine``, or what people did.
        versions: library -> version.
    """

    schema: str = "cloze-gen/release"
    format_version: int = 1
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
    measured: tuple[Measured, ...] = ()
    evaluated: str = ""
    creator: tuple[str, ...] = ()
    date: str = ""
    url: str = ""
    judged: str = "machine"
    versions: Mapping[str, str] = field(default_factory=dict)

    @property
    def item_books(self) -> tuple[ReleasedBook, ...]:
        """The books that items were drawn from; where none was counted, all that were kept of the last side."""
        drawn = tuple(book for book in self.books if book.items > 0)
        last = self.books[-1].side if self.books else ""
        return drawn or tuple(book for book in self.books if book.side == last and book.status == "kept")

    @property
    def set_version(self) -> str:
        """A version in the form of Semantic Versioning: cloze-gen's, and behind the plus which set it is.

        >>> facts = {"name": "a", "style": "s", "title": "S", "paper": "", "noun": "question", "n_items": 1, "n_wanted": 1, "seed": 1}
        >>> ReleaseFacts(version="0.2.0.dev1", signature="cloze-gen|n:1|set:5e10f7c9", **facts).set_version
        '0.2.0+set.5e10f7c9'
        """
        numbers, digest = _NUMBERS.match(self.version), _SET.search(self.signature)
        return (numbers[0] if numbers else "0.0.0") + (f"+set.{digest[1]}" if digest else "")

    @property
    def published(self) -> str:
        """`date` where it is one, else empty."""
        return self.date if _DATE.fullmatch(self.date) else ""

    @property
    def address(self) -> str:
        """`url` where it is one that opens a page, else empty."""
        return self.url if _ADDRESS.fullmatch(self.url) else ""
