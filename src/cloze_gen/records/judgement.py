"""Items, assignments and verdicts of a study."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

Span = tuple[str, int, int]  # (book, start, end); offsets in the decoded file


class Task(StrEnum):
    GROOM = "groom"
    GUESS = "guess"
    READ = "read"
    FILL = "fill"


class Role(StrEnum):
    """A machine is a model annotator."""

    JUDGE = "judge"
    MACHINE = "machine"


@dataclass(frozen=True, slots=True)
class StudyItem:
    """An item of a study.

    Attributes:
        spans: source of its text; a judge never sees two items that overlap.
        shown: the fields that judges may see, as defined by its task (`judging.tasks`).
        source: the set that it belongs to.
    """

    id: str
    spans: tuple[Span, ...]
    shown: Mapping[str, Any]
    key: Mapping[str, Any]
    source: str


@dataclass(frozen=True, slots=True)
class Assignment:
    """An item for one judge; `place` counts from 1 in the judge's own order.

    `id` is 12 hexadecimal digits that reveal nothing about the item. `condition` is empty if the
    task has only one.
    """

    id: str
    judge: str
    item: str
    condition: str
    place: int
    made_at: str  # time in UTC, ISO 8601


@dataclass(frozen=True, slots=True)
class Verdict:
    """A judge's verdict. The latest one of an assignment counts.

    Attributes:
        id: chosen by the sender, so that a verdict sent twice is stored once.
        response: in the task's canonical form, independent of the order shown to the judge; empty
            if a model's answers share nothing.
        seconds: time to answer; 0 if unknown.
        source: ``page``, ``import``, or ``endpoint`` with host, model and settings.
        answers: of a model, one for each order of the choices.
    """

    id: str
    assignment: str
    response: Mapping[str, Any]
    seconds: float
    source: str
    answers: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Judge:
    name: str
    role: Role
