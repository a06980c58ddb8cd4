"""Distributions of a set for its report: shares of items by ranges, drawn as bars by the page."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

_PER_MILLION = 1e6
_MOST_RANGES = 16  # of lengths


@dataclass(frozen=True, slots=True)
class Distribution:
    """Shares of one or more series by ranges of a figure.

    Attributes:
        caption: what is counted, and how to read it.
        ranges: the header of the ranges.
        series: the headers of the shares.
        rows: a range, and its share of 1 in each series.
    """

    caption: str
    ranges: str
    series: tuple[str, ...]
    rows: tuple[tuple[str, tuple[float, ...]], ...]

    @property
    def largest(self) -> float:
        return max(share for _, shares in self.rows for share in shares)


def frequencies(answers: Sequence[float], impostors: Sequence[float]) -> Distribution:
    """Answers and impostors by their frequency, a share of the training corpus's tokens."""
    series = {
        "answers": [_PER_MILLION * freq for freq in answers],
        "impostors": [_PER_MILLION * freq for freq in impostors],
    }
    medians = " and ".join(f"{np.median(values):,.4g} ({name})" for name, values in series.items())
    steps = [float(f"{digit}e{power}") for power in range(-3, 7) for digit in (1, 2, 5)]
    return Distribution(
        "Frequency of answers and impostors in the training corpus. In a fair set the two columns "
        f"are alike. The medians are {medians}.",
        "Occurrences in a million words",
        tuple(series),
        _rows(series, [0.0, *steps], lambda low, high: f"{low:,g} to {high:,g}"),
    )


def lengths(counts: Sequence[int], *, caption: str, noun: str) -> Distribution:
    """Items by their number of tokens."""
    low, high = min(counts), max(counts)
    width = math.ceil((high - low + 1) / _MOST_RANGES)
    edges = list(range(low, high + width + 1, width))

    def label(first: float, end: float) -> str:
        return f"{first}" if width == 1 else f"{first} to {end - 1}"

    return Distribution(caption, "Tokens", (noun,), _rows({noun: counts}, edges, label))


def positions(answer_positions: Sequence[int]) -> Distribution:
    """Questions by the place of the answer among the options."""
    total = sum(answer_positions)
    rows = ((chr(97 + place), (count / total,)) for place, count in enumerate(answer_positions))
    return Distribution(
        "Position of the answer among the options. A uniform distribution has "
        f"{100 / len(answer_positions):.1f} % in each.",
        "Option",
        ("questions",),
        tuple(rows),
    )


def blank_places(places: Sequence[float]) -> Distribution:
    """Questions by the place of the blank in its sentence, from 0 to 1."""
    percents = [100 * place for place in places]
    return Distribution(
        "Position of the blank in its sentence; 0 % is the first token.",
        "Position",
        ("questions",),
        _rows({"questions": percents}, range(0, 101, 10), lambda low, high: f"{low} to {high} %"),
    )


def _rows(
    series: Mapping[str, Sequence[float]],
    edges: Sequence[float],
    label: Callable[[float, float], str],
) -> tuple[tuple[str, tuple[float, ...]], ...]:
    """The ranges between two edges, from the first that holds a value to the last."""
    shares = [np.histogram(values, edges)[0] / len(values) for values in series.values()]
    filled = np.flatnonzero(np.sum(shares, axis=0))
    rows = [
        (label(low, high), tuple(float(share[i]) for share in shares))
        for i, (low, high) in enumerate(pairwise(edges))
    ]
    return tuple(rows[filled[0] : filled[-1] + 1])
