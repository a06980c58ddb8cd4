"""What people are asked in a study, and what they say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

Span = tuple[str, int, int]  # a book and where in its decoded file: start, end


class Task(StrEnum):
    """What judges do with an item."""

    GROOM = "groom"
    GUESS = "guess"
    READ = "read"
    FILL = "fill"


class Kind(StrEnum):
    """Why a judge is shown an item."""

    FIRST = "first"
    REPEAT = "repeat"
    ATTENTION = "attention"
    ADJUDICATION = "adjudication"


class Role(StrEnum):
    """Who a judge is: adjudicators are asked when all others have finished; a machine never counts as a person."""

    JUDGE = "judge"
    ADJUDICATOR = "adjudicator"
    MACHINE = "machine"


@dataclass(frozen=True, slots=True)
class StudyItem:
    """What a study asks about.

    Attributes:
        spans: where its text stands; nobody is shown two items that overlap.
        shown: all that a judge may see of it, in the shape of its task (`cloze_gen.judging`).
        key: what no judge sees: the answer.
        source: the set that it is of; ``attention`` for an item that asks whether somebody reads.
    """

    id: str
    spans: tuple[Span, ...]
    shown: Mapping[str, Any]
    key: Mapping[str, Any]
    source: str


@dataclass(frozen=True, slots=True)
class Assignment:
    """An item that one judge is asked about once.

    Attributes:
        id: 12 hexadecimal digits; tells nothing of the item.
        condition: what is shown of it, where a task has several; else empty.
        place: 1, 2, ... in the judge's own order.
    """

    id: str
    judge: str
    item: str
    condition: str
    kind: Kind
    place: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge said of an item; of several on one assignment the latest counts.

    Attributes:
        id: made where the verdict was given, so that it is written once however often it is sent.
        said: in the shape of its task, in terms of the item and not of the order that the judge saw.
        seconds: from showing to saying; 0 where nobody measured.
        source: ``page``, ``import`` or ``endpoint``.
    """

    id: str
    assignment: str
    said: Mapping[str, Any]
    seconds: float
    source: str


@dataclass(frozen=True, slots=True)
class Judge:
    """Somebody who is asked."""

    name: str
    role: Role
