"""Signs that a file's lines were not published in random order: then a model likes their order without having seen it.

Lines that are numbered, sorted or grouped by something in them are easier to foretell in their own order, to any model. So what stands
in every line is looked at, and how likely such an order were by chance is known exactly. Lines that stand beside their like, as the options
of one question do or passages of one book, are found by the words that neighbours share.
"""

from __future__ import annotations

import itertools
import json
import math
import re
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from cloze_gen.notation import shown
from cloze_gen.rng import derive_rng

MOST_LIKELY = 1e-6  # an order less likely by chance than this was made on purpose
SHUFFLES, MOST_ALIKE = 30, 6.0  # standard deviations above the mean of so many shuffles: Student's law gives it one in a million
_LINE = "the lines themselves"


def find_arrangement(lines: Sequence[str]) -> str | None:
    """How lines are arranged that should stand in random order: `sorted by 'id'`, `grouped by 'book_id'`; None where no sign is found.

    Looked at: of JSON objects every plain value that all of them have; whole lines; numbers in them as numbers; words of neighbours.

    >>> find_arrangement([f"{n}) a question" for n in range(1, 30)])
    'sorted by the lines themselves'
    >>> find_arrangement(["b", "a", "c"] * 10) is None
    True
    """
    for name, values in _columns(lines).items():
        counts = Counter(values)
        ways = sum(math.lgamma(count + 1) for count in counts.values()) - math.lgamma(len(values) + 1)  # log of the sorted orders' share
        limit = math.log(MOST_LIKELY)
        if ways + math.log(2) < limit and _is_sorted(values):
            return f"sorted by {name}"
        runs = 1 + sum(one != other for one, other in itertools.pairwise(values))
        if ways + math.lgamma(len(counts) + 1) < limit and runs == len(counts):
            return f"grouped by {name}"
    return "each beside lines that are like it" if _excess_alike(lines) > MOST_ALIKE else None


def _excess_alike(lines: Sequence[str]) -> float:
    """How much more alike neighbours are than in shuffled orders, in standard deviations of these."""
    words = [frozenset(re.findall(r"\w+", line)) for line in lines]
    orders = (derive_rng(0, "contamination.alike", str(shuffle)).permutation(len(words)) for shuffle in range(SHUFFLES))
    shuffled = [_alike([words[place] for place in order]) for order in orders]
    spread = statistics.stdev(shuffled)
    return (_alike(words) - statistics.mean(shuffled)) / spread if spread > 0 else 0.0


def _alike(words: Sequence[frozenset[str]]) -> float:
    """Sum over neighbours of the share of their words that both have (Jaccard)."""
    return math.fsum(len(one & other) / max(1, len(one | other)) for one, other in itertools.pairwise(words))


def _columns(lines: Sequence[str]) -> dict[str, list[Any]]:
    """What is the same thing in every line -> its value in each, made to be compared."""
    columns: dict[str, list[Any]] = {}
    records = _records(lines)
    for key in records[0] if records else ():
        values = [record.get(key) for record in records]
        if all(isinstance(value, str) for value in values):
            columns[shown(key)] = [_natural(str(value)) for value in values]
        elif all(isinstance(value, int | float) and value == value for value in values):  # NaN is not itself, and has no place in an order
            columns[shown(key)] = values
    return columns | {_LINE: [_natural(line) for line in lines]}


def _records(lines: Sequence[str]) -> list[Mapping[str, Any]]:
    """The lines as JSON objects; empty where one is none."""
    try:
        records = [json.loads(line) for line in lines]  # not `parse_json`: what is not strict JSON may still be sorted by a field
    except (ValueError, RecursionError):
        return []
    return records if all(isinstance(record, dict) for record in records) else []


def _natural(text: str) -> tuple[Any, ...]:
    """A text by which `q9` comes before `q10`: letters as they are, digits by the number that they write, however long."""
    pieces = re.split(r"([0-9]+)", text)
    digits = [piece.lstrip("0") for piece in pieces[1::2]]
    numbers = [(len(piece), piece) for piece in digits]
    return tuple(part for pair in zip(pieces[::2], [*numbers, (0, "")], strict=True) for part in pair)


def _is_sorted(values: Sequence[Any]) -> bool:
    pairs = list(itertools.pairwise(values))
    return all(one <= other for one, other in pairs) or all(one >= other for one, other in pairs)
