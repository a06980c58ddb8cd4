"""The figures of the papers that a report sets beside its own."""

from __future__ import annotations

from collections.abc import Mapping
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


# Zweig & Burges 2011, Table 1: all 1,040 published questions.
MSR_TABLE_1 = PaperTable(
    "Zweig & Burges 2011, Table 1",
    1040,
    (
        PaperFigure("Human", 0.91),
        PaperFigure("Generating model", 0.31, "generating-highest"),
        PaperFigure("Smoothed 3-gram", 0.36, "smoothed-3gram"),
        PaperFigure("Smoothed 4-gram", 0.39, "smoothed-4gram"),
        PaperFigure("Simple 4-gram", 0.34, "simple-4gram"),
        PaperFigure("Latent semantic analysis", 0.49, "lsa"),
    ),
)

# Module of the style in cloze_gen.pipelines -> its paper's table; a style without one is shown alone.
PAPER_TABLES: Mapping[str, PaperTable] = {"holmes_style": MSR_TABLE_1}
