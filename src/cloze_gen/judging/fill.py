"""Filling blanks: the judge puts candidate sentences back into a passage, each at most once (SCDE 5.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cloze_gen.errors import FormatError
from cloze_gen.judging.said import only, places


def blanks_of(item: Mapping[str, Any]) -> int:
    """How many blanks a passage has.

    >>> blanks_of({"parts": ["It rained.", {"blank": 1}, {"blank": 2}]})
    2
    """
    return sum(isinstance(part, Mapping) for part in item["parts"])


def taken(said: Any, item: Mapping[str, Any]) -> dict[str, Any]:
    """The candidate of every blank, in the order of the blanks.

    Raises:
        FormatError: a blank is empty, a candidate is used twice, or there is no such candidate.

    >>> taken({"fills": [2, 0]}, {"parts": [{"blank": 1}, "He slept.", {"blank": 2}], "candidates": ["A.", "B.", "C."]})
    {'fills': [2, 0]}
    """
    fills, n = only(said, "fills").get("fills"), blanks_of(item)
    if not isinstance(fills, Sequence) or isinstance(fills, str | bytes) or len(fills) != n:
        raise FormatError(f"fills: expected a candidate for each of the {n} blanks")
    places(fills, len(item["candidates"]), "fills")
    return {"fills": list(fills)}
