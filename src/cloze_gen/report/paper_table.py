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
class BlankFigure:
    """One model in a paper's tables of blanked passages; None where it gives no figure.

    Attributes:
        label: as the paper calls the model.
        context, decoder: what it was shown and how its candidates were assigned, as `evaluation.json` calls them; empty of people.
        blank_accuracy, passage_accuracy: shares of 1.
        distractor_error: distractors among the answers of a passage.
        distractors: which ones the candidates held: ``own`` (the paper's, by teachers), ``random`` or ``none``.
        baseline: our name of the same model, empty when we have none.
        table: where it is printed.
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
    """A paper's figures of models on its own blanked passages."""

    source: str
    figures: tuple[BlankFigure, ...]


@dataclass(frozen=True, slots=True)
class PaperTable:
    """A paper's table of baselines on its own set of questions."""

    source: str
    n: int
    figures: tuple[PaperFigure, ...]
