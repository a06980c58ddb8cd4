"""Guessing by people, as it is written down: pages handed out, answers that came in, pages that are waited for no longer (LAMBADA 3.1)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Condition(StrEnum):
    """What a subject sees."""

    PASSAGE = "passage"
    SENTENCE = "sentence"


@dataclass(frozen=True, slots=True)
class Page:
    """Some passages that one subject guesses in one condition.

    Attributes:
        id: 12 hexadecimal digits, the same whenever this subject is asked of these passages.
        passage_ids: in the order shown; items of a page are counted from 1.
    """

    id: str
    subject: str
    condition: Condition
    passage_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PageAnswer:
    """A subject's guesses at one item of a page. `subject` is empty where the file does not say."""

    page: str
    item: int
    guesses: tuple[str, ...]
    subject: str = ""


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """A page whose subject is waited for no longer."""

    page: str


@dataclass(frozen=True, slots=True)
class Origin:
    """The ranking, by its fingerprint, that the pages behind it were dealt from."""

    ranking: str


Event = Origin | Page | PageAnswer | Withdrawal
