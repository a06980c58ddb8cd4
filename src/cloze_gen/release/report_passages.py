"""Report records of passage sets: lengths, analysis, baselines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cloze_gen.evaluation.blanks import CONTEXTS, EXH, FULL, BlankEvaluation, BlankRow
from cloze_gen.evaluation.passages import PassageEvaluation
from cloze_gen.release.card import CardTable
from cloze_gen.release.paper_figures import BlankFigure, BlankTable, PassageTable


@dataclass(frozen=True, slots=True)
class Measure:
    """One row of the analysis: kept, random sample, and the paper's of both; None if unknown."""

    name: str
    is_share: bool
    kept: float | None
    random: float | None
    paper_kept: float | None
    paper_random: float | None


@dataclass(frozen=True, slots=True)
class Analysis:
    """The set's passages and a random sample of passages that no model guesses."""

    source: str
    n_kept: int
    n_random: int
    measures: tuple[Measure, ...]


@dataclass(frozen=True, slots=True)
class PassageFigures:
    """The part of a report only for passages; `tokens`: length up to the target, published form."""

    tokens: tuple[int, ...]
    analysis: Analysis | None
    evaluation: PassageEvaluation | None
    paper: PassageTable | None


def analysis_from_record(record: Mapping[str, Any]) -> Analysis:
    measures = (
        Measure(
            row["measure"],
            row["unit"] == "share",
            row["kept"],
            row["random"],
            row["paper_kept"],
            row["paper_random"],
        )
        for row in record["measures"]
    )
    sizes = record["sets"]
    return Analysis(record["source"], sizes["kept"], sizes["random"], tuple(measures))


# ---- sets of blanked passages


@dataclass(frozen=True, slots=True)
class BlankedFigures:
    statistics: CardTable | None
    evaluation: BlankEvaluation | None = None
    paper: BlankTable | None = None


# ---- an evaluation of blanked passages and the paper's figures

_OWN = "own"  # the distractors of the paper


def main_figures(paper: BlankTable | None) -> tuple[BlankFigure, ...]:
    """The paper's figures of people, guessing, and models with full context and joint decoding."""
    figures = paper.figures if paper else ()
    return tuple(
        one
        for one in figures
        if one.distractors == _OWN and (one.context, one.decoder) in (("", ""), (FULL, EXH))
    )


def figures_by_context(
    paper: BlankTable | None,
) -> tuple[tuple[str, tuple[BlankFigure | None, ...]], ...]:
    """(model and decoder, figure of each context) of models with more than one context."""
    own = [
        one for one in (paper.figures if paper else ()) if one.context and one.distractors == _OWN
    ]
    found: dict[tuple[str, str], dict[str, BlankFigure]] = {}
    for one in own:
        found.setdefault((one.label, one.decoder), {})[one.context] = one
    return tuple(
        (f"{label} + {decoder}", tuple(of.get(context) for context in CONTEXTS))
        for (label, decoder), of in found.items()
        if len(of) > 1
    )


def table_rows(
    evaluation: BlankEvaluation | None, paper: BlankTable | None
) -> Sequence[tuple[str, BlankRow | None, BlankFigure | None]]:
    """(label, ours, the paper's): ours with the paper's of the same name, then its others."""
    figures = main_figures(paper)
    ours = evaluation.main if evaluation else ()
    by_name: dict[str, BlankFigure] = {}
    for one in figures:
        by_name.setdefault(one.baseline, one)
    paired = [(row.name, row, by_name.get(row.name)) for row in ours]
    paired_ids = {id(figure) for _, _, figure in paired if figure}
    return [*paired, *((one.label, None, one) for one in figures if id(one) not in paired_ids)]
