"""An evaluation of blanked passages as a report shows it: the baselines beside the paper's, and what the candidates tell by themselves."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cloze_gen.errors import FormatError
from cloze_gen.evaluate.blanks.candidate_classifier import CandidateJudgement
from cloze_gen.evaluate.blanks.contexts import CONTEXTS, FULL
from cloze_gen.evaluate.blanks.decoding import EXH
from cloze_gen.evaluate.blanks.rules import RuleResult
from cloze_gen.evaluate.blanks.table import main_rows
from cloze_gen.report.paper_table import BlankFigure, BlankTable

_MEASURES = ("ba", "ba_low", "ba_high", "ba_micro", "pa", "pa_low", "pa_high", "de", "de_low", "de_high")
_OWN = "own"  # the distractors of the paper


@dataclass(frozen=True, slots=True)
class BlankRow:
    """One baseline from one context by one decoder. Shares are of 1; bounds are those of the middle 95 %.

    Attributes:
        kind: ``random``, ``surface``, ``model``, ``user`` or ``human``.
        context, decoder: empty where there is none.
        de: distractors among the answers of a passage.
        note: of people, how many they are; empty of others.
    """

    name: str
    kind: str
    context: str
    decoder: str
    n: int
    ba: float
    ba_low: float
    ba_high: float
    ba_micro: float
    pa: float
    pa_low: float
    pa_high: float
    de: float
    de_low: float
    de_high: float
    note: str = ""


@dataclass(frozen=True, slots=True)
class BlankEvaluation:
    """A finished `cloze-gen evaluate` of a run's blanked passages.

    Attributes:
        rows: of every baseline from every context by every decoder.
        main: of every baseline the row of the main table.
        rules: that never read the passage.
        classifiers: that never see it; `distractors` is the share of their positive class, `always_distractor_f1` the floor of their F1.
    """

    signature: str
    n: int
    blanks: int
    rows: tuple[BlankRow, ...]
    main: tuple[BlankRow, ...]
    rules: tuple[RuleResult, ...] = ()
    classifiers: tuple[CandidateJudgement, ...] = ()
    distractors: float | None = None
    always_distractor_f1: float | None = None

    @property
    def chance(self) -> float | None:
        """Blank accuracy of guessing, a share of 1; None where it was not asked for."""
        return next((row.ba for row in self.main if row.kind == "random"), None)

    @property
    def by_context(self) -> tuple[tuple[str, tuple[BlankRow | None, ...]], ...]:
        """(baseline and decoder, its row from each context in the order of the paper's Table 6) of whatever has contexts."""
        found = {(row.name, row.decoder, row.context): row for row in self.rows if row.context}
        named = dict.fromkeys((name, decoder) for name, decoder, _ in found)
        return tuple((f"{name} + {decoder}", tuple(found.get((name, decoder, context)) for context in CONTEXTS)) for name, decoder in named)


def blank_evaluation_from_record(record: Mapping[str, Any], *, where: str) -> BlankEvaluation:
    """The evaluation of one ``evaluation.json`` of blanked passages. Its seconds are left out: equal sets and models give an equal report.

    Raises:
        FormatError: a field is missing or of another type; names `where`.

    >>> row = {"name": "lsa", "kind": "model", "context": "P", "decoder": "EXH", "n": 3} | dict.fromkeys(_MEASURES, 0.5)
    >>> blank_evaluation_from_record({"n": 3, "blanks": 15, "baselines": [row]}, where="here").main[0].name
    'lsa'
    """
    try:
        rows = [_row(row) for row in record["baselines"]]
        candidates = record.get("candidates") or {}
        main = {(str(row["name"]), str(row["context"]), str(row["decoder"])) for row in main_rows(record["baselines"])}
        return BlankEvaluation(
            signature=str(record.get("signature", "")),
            n=int(record["n"]),
            blanks=int(record["blanks"]),
            rows=tuple(rows),
            main=tuple(row for row in rows if (row.name, row.context, row.decoder) in main),
            rules=tuple(RuleResult(**row) for row in record.get("rules", ())),
            classifiers=tuple(CandidateJudgement(**row) for row in candidates.get("classifiers", ())),
            distractors=candidates.get("distractors"),
            always_distractor_f1=candidates.get("always_distractor_f1"),
        )
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        told = f"{type(error).__name__}: {error}"
        raise FormatError(f"{where}: not an evaluation of blanked passages ({told}). Run `cloze-gen evaluate` again.") from None


def _row(row: Mapping[str, Any]) -> BlankRow:
    figures = {name: float(row[name]) for name in _MEASURES}
    if not all(map(math.isfinite, figures.values())):
        raise ValueError("a figure is not finite")
    return BlankRow(
        name=str(row["name"]), kind=str(row["kind"]), context=str(row["context"]), decoder=str(row["decoder"]), n=int(row["n"]), **figures,
        note=str(row.get("note", "")),
    )  # fmt: skip


def main_figures(paper: BlankTable | None) -> tuple[BlankFigure, ...]:
    """The paper's figures that stand beside the main table: of people, of guessing, and of models that see all and answer all at once."""
    figures = paper.figures if paper else ()
    return tuple(one for one in figures if one.distractors == _OWN and (one.context, one.decoder) in (("", ""), (FULL, EXH)))


def people(paper: BlankTable | None) -> BlankFigure | None:
    """The paper's figures of people: of no context and no decoder, and better than guessing."""
    return next((one for one in main_figures(paper) if not one.context and one.blank_accuracy is not None), None)


def figures_by_context(paper: BlankTable | None) -> tuple[tuple[str, tuple[BlankFigure | None, ...]], ...]:
    """(model and decoder, its figures from each context) of the models that the paper gives for more than one."""
    own = [one for one in (paper.figures if paper else ()) if one.context and one.distractors == _OWN]
    found: dict[tuple[str, str], dict[str, BlankFigure]] = {}
    for one in own:
        found.setdefault((one.label, one.decoder), {})[one.context] = one
    return tuple(
        (f"{label} + {decoder}", tuple(of.get(context) for context in CONTEXTS)) for (label, decoder), of in found.items() if len(of) > 1
    )


def table_rows(evaluation: BlankEvaluation | None, paper: BlankTable | None) -> Sequence[tuple[str, BlankRow | None, BlankFigure | None]]:
    """(label, ours, the paper's) of every row of the main table: ours with the paper's figure of the same name, then the paper's others."""
    figures = main_figures(paper)
    ours = evaluation.main if evaluation else ()
    by_name: dict[str, BlankFigure] = {}
    for one in figures:
        by_name.setdefault(one.baseline, one)
    paired = [(row.name, row, by_name.get(row.name)) for row in ours]
    told = {id(figure) for _, _, figure in paired if figure}
    return [*paired, *((one.label, None, one) for one in figures if id(one) not in told)]
