"""The figures of the papers that a report sets beside its own."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PaperFigure:
    """One row of a paper's table: accuracy as a share of 1. `baseline` is our name of the same method, empty when we have none."""

    label: str
    accuracy: float
    baseline: str = ""


@dataclass(frozen=True, slots=True)
class PaperTable:
    """A paper's table of baselines on its own set of questions."""

    source: str
    n: int
    figures: tuple[PaperFigure, ...]
