"""The four tasks by name: what a judge sees of an item, and what a judge's words come to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cloze_gen.judging import fill, groom, guess, read
from cloze_gen.records.judgement import Task

INSTRUCTIONS: Mapping[Task, str] = {
    Task.GROOM: "Pick the four candidates that make the best wrong options for the blank, or reject the sentence.",
    Task.GUESS: "Write the word that is missing at the end.",
    Task.READ: "Choose the word that belongs into the blank, then mark what is wrong with the other options.",
    Task.FILL: "Put a candidate into every blank. Each is used once at most; some are left over.",
}


def n_ordered(task: Task, item: Mapping[str, Any]) -> int:
    """How many things of an item stand in an order of the judge's own."""
    return len(item["candidates"]) if task is Task.GROOM else 0


def seen(task: Task, item: Mapping[str, Any], *, order: Sequence[int], condition: str) -> dict[str, Any]:
    """What a judge sees of an item, plain values; nothing else of it leaves the study.

    Args:
        item: what may be shown of it (`StudyItem.shown`).
        order: `shown_order` of its `n_ordered` things.
    """
    if task is Task.GROOM:
        return groom.seen(item, order)
    return guess.seen(item, condition) if task is Task.GUESS else dict(item)


def taken(task: Task, said: Any, item: Mapping[str, Any], *, order: Sequence[int], condition: str) -> dict[str, Any]:
    """What a judge said of what was seen, in terms of the item.

    Raises:
        FormatError: it is no verdict on this item.
    """
    if task is Task.GROOM:
        return groom.taken(said, item, order)
    if task is Task.GUESS:
        return guess.taken(said, item, condition)
    return read.taken(said, item) if task is Task.READ else fill.taken(said, item)


def as_seen(task: Task, said: Mapping[str, Any], item: Mapping[str, Any], order: Sequence[int]) -> dict[str, Any]:
    """What a judge said before, in terms of what is seen."""
    return groom.as_seen(said, item, order) if task is Task.GROOM else dict(said)
