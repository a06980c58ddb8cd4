"""Packets: assignments of one judge as they leave a study, and verdicts as they come back, as plain values.

A packet holds what its judge may see and nothing else: no key, no id that tells the book, no verdict of others. What a judge chooses among
stands in the judge's own order already, and both sides speak of that order: places count from 1 among candidates to be groomed, indices
from 0 among options and sentences. An option that comes back may be named by its letter instead.

What is said of an item, by its task:

    groom   {"picked": [four places]}  or  {"rejected": reason, "note": text}
    guess   {"guesses": [texts]}; an empty list is no idea
    read    {"answer": index or null, "fits_as_well": [indices], "ungrammatical": [indices], "broken": bool, "trivial": bool}
    fill    {"fills": [index of the sentence in each blank]}
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cloze_gen.formats.printed import BLANK_MARK

LETTERS = "abcdefghijklmnopqrstuvwxyz"  # options as people and tables name them, by index
# By task, the fields of an item that a judge may see; whatever else an item has stays here.
SEEN: Mapping[str, tuple[str, ...]] = {
    "groom": ("instruction", "before", "answer", "after", "candidates", "machine"),
    "guess": ("instruction", "text", "guesses"),
    "read": ("instruction", "before", "after", "options"),
    "fill": ("instruction", "parts", "candidates"),
}


@dataclass(frozen=True, slots=True)
class PacketRow:
    """One assignment as its judge sees it.

    Attributes:
        assignment: 12 hexadecimal digits.
        judge: the name that stands on the packet; empty: none.
        task: "groom", "guess", "read" or "fill".
        condition: of guessing "passage" or "sentence", else empty.
        shown: the fields of `SEEN`; of guessing the text of its condition alone, and how many guesses are allowed.
    """

    assignment: str
    judge: str
    task: str
    condition: str
    shown: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class VerdictRow:
    """What came back of one assignment.

    Attributes:
        said: in the judge's own order, whole and checked against what was shown (`said.checked`).
        judge: the name beside it; empty where the file tells none.
        seconds: time taken; None where the file tells none.
        id: the verdict's own; empty where the file tells none, and whoever stores it makes one.
    """

    assignment: str
    said: Mapping[str, Any]
    judge: str = ""
    seconds: float | None = None
    id: str = ""


def packet_row(seen: Mapping[str, Any], *, assignment: str, judge: str, task: str, condition: str = "") -> PacketRow:
    """What a judge sees of an item as it leaves the study: the fields of `SEEN`, and nothing else.

    >>> seen = {"before": "A ", "answer": "cat", "after": ".", "candidates": ["map", "owl"], "votes": [{"picked": [0]}]}
    >>> sorted(packet_row(seen, assignment="3f", judge="bo", task="groom").shown)
    ['after', 'answer', 'before', 'candidates']
    """
    return PacketRow(assignment, judge, task, condition, {name: seen[name] for name in SEEN[task] if name in seen})


def text_of(row: PacketRow) -> str:
    """The item's text with its gap, or its numbered gaps, as one string.

    >>> text_of(PacketRow("3f", "", "fill", "", {"parts": ["It rained.", {"blank": 1}, "We left."], "candidates": []}))
    'It rained. (1) _____ We left.'
    """
    shown = row.shown
    if row.task == "guess":
        return str(shown["text"])
    if row.task != "fill":
        return f"{shown['before']}{BLANK_MARK}{shown['after']}"
    text = ""
    for part in shown["parts"]:
        piece = part if isinstance(part, str) else f"({part['blank']}) {BLANK_MARK}"
        apart = text and piece and not text[-1].isspace() and not piece[0].isspace()
        text += f" {piece}" if apart else piece
    return text


def choices_of(row: PacketRow) -> list[str]:
    """What the judge chooses among, in the judge's order; of guessing nothing."""
    return list(row.shown.get("options" if row.task == "read" else "candidates", ()))


def blanks_of(row: PacketRow) -> int:
    """How many blanks a passage has."""
    return sum(not isinstance(part, str) for part in row.shown.get("parts", ()))
