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
class SetFigures:
    """A baseline on one set of passages: accuracy as a share of 1, perplexity and median rank of the target; None where none is given."""

    accuracy: float | None
    perplexity: float | None = None
    median_rank: float | None = None


@dataclass(frozen=True, slots=True)
class PassageFigure:
    """One row of a paper's table of passages: on its set, and on its control set."""

    label: str
    baseline: str
    passages: SetFigures
    control: SetFigures


@dataclass(frozen=True, slots=True)
class PassageTable:
    """A paper's table of baselines on its own passages."""

    source: str
    figures: tuple[PassageFigure, ...]


@dataclass(frozen=True, slots=True)
class PaperTable:
    """A paper's table of baselines on its own set of questions."""

    source: str
    n: int
    figures: tuple[PaperFigure, ...]
