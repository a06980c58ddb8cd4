"""The papers' own figures, for comparison."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PaperFigure:
    """One row: accuracy as a share of 1; `baseline` is our name of the method, or empty."""

    label: str
    accuracy: float
    baseline: str = ""


@dataclass(frozen=True, slots=True)
class SetFigures:
    accuracy: float | None
    perplexity: float | None = None
    median_rank: float | None = None


@dataclass(frozen=True, slots=True)
class PassageFigure:
    label: str
    baseline: str
    passages: SetFigures
    control: SetFigures


@dataclass(frozen=True, slots=True)
class PassageTable:
    source: str
    figures: tuple[PassageFigure, ...]


@dataclass(frozen=True, slots=True)
class BlankFigure:
    """One model in a paper's tables of blanked passages; None where it gives no figure.

    Attributes:
        context, decoder: as in `evaluation.json`; empty for people.
        blank_accuracy, passage_accuracy: shares of 1.
        distractor_error: distractors among the answers of a passage.
        distractors: ``own`` (the paper's, by teachers), ``random`` or ``none``.
    """

    label: str
    context: str
    decoder: str
    blank_accuracy: float | None
    passage_accuracy: float | None
    distractor_error: float | None
    distractors: str
    baseline: str
    table: str


@dataclass(frozen=True, slots=True)
class BlankTable:
    source: str
    figures: tuple[BlankFigure, ...]


@dataclass(frozen=True, slots=True)
class PaperTable:
    source: str
    n: int
    figures: tuple[PaperFigure, ...]
