"""The contents of a report as records."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cloze_gen.evaluate.questions import QuestionEvaluation
from cloze_gen.records.rejection import legend_of
from cloze_gen.release.paper_figures import PaperTable
from cloze_gen.release.report_passages import BlankedFigures, PassageFigures
from cloze_gen.release.verdict import Verdict


@dataclass(frozen=True, slots=True)
class FunnelStep:
    """Counts of a stage: seen = kept + rejected; `survival`: share kept by each judge alone."""

    stage: str
    unit: str
    seen: int
    kept: int
    rejected: Mapping[str, int] = field(default_factory=dict)
    survival: Mapping[str, float] = field(default_factory=dict)


def funnel_steps(manifests: Iterable[tuple[str, Mapping[str, Any]]]) -> list[FunnelStep]:
    steps = []
    for label, manifest in manifests:
        facts = manifest.get("facts", {})
        for name, funnel, survival in (
            (label, manifest.get("funnel"), facts.get("survival", {})),
            (f"{label}: candidates", facts.get("candidates_funnel"), {}),
        ):
            if funnel:
                steps.append(
                    FunnelStep(
                        name,
                        funnel["unit"],
                        funnel["seen"],
                        funnel["kept"],
                        funnel["rejected"],
                        survival,
                    )
                )
    return steps


def funnel_text(steps: Iterable[FunnelStep], legends: Mapping[str, str]) -> str:
    """The funnel for a terminal, each reason with its legend.

    >>> step = FunnelStep("screening", "focus words", 10, 7, {"answer_scores_best": 3})
    >>> print(funnel_text([step], {"answer_scores_best": "the answer scores best"}))
    screening                          10 ->          7 focus words
        answer_scores_best                          3  the answer scores best
    """
    lines = []
    for step in steps:
        lines.append(f"{step.stage:<26}{step.seen:>11,} -> {step.kept:>10,} {step.unit}")
        lines += [
            f"    {reason:<36} {count:>8,}  {legend_of(reason, legends)}".rstrip()
            for reason, count in step.rejected.items()
            if count
        ]
    return "\n".join(lines)


def funnel_markdown(steps: Sequence[FunnelStep], legends: Mapping[str, str]) -> str:
    """The funnel as a table, and a second table that explains its reasons."""
    lines = ["| stage | unit | seen | kept | rejected, by reason |", "|---|---|---:|---:|---|"]
    for step in steps:
        reasons = (
            "; ".join(f"{reason} {count:,}" for reason, count in step.rejected.items() if count)
            or "none"
        )
        lines.append(f"| {step.stage} | {step.unit} | {step.seen:,} | {step.kept:,} | {reasons} |")
    explained = {
        reason: legend_of(reason, legends)
        for step in steps
        for reason, count in step.rejected.items()
        if count
    }
    if any(explained.values()):
        lines += ["", "| reason | meaning |", "|---|---|"]
        lines += [f"| {reason} | {legend} |" for reason, legend in explained.items()]
    return "\n".join(lines)


# ---- the contents of a report


@dataclass(frozen=True, slots=True)
class SampleQuestion:
    """One question with the short form of its trace; `candidates`: (verdict, words)."""

    id: str
    book: str
    before: str
    after: str
    options: tuple[str, ...]
    answer_index: int
    source: str = ""
    place: str = ""
    facts: tuple[tuple[str, str], ...] = ()
    score_columns: tuple[str, ...] = ()
    score_rows: tuple[tuple[str, ...], ...] = ()
    candidates: tuple[tuple[str, str], ...] = ()
    word_class: str = ""


@dataclass(frozen=True, slots=True)
class AuditTable:
    side: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    dropped: int


@dataclass(frozen=True, slots=True)
class StageRow:
    link: str
    fingerprint: str
    figures: str


@dataclass(frozen=True, slots=True)
class ReportData:
    """Everything a report shows.

    Attributes:
        legends: reason -> the line that explains it.
        levels: (name, count) from books to kept questions, in the order of the run.
        answer_freqs, impostor_freqs: share of the training corpus's word tokens, or empty.
        answer_positions: how often the answer is at each place of the options.
        blank_places: place of the blank in its sentence, 0 = first token, 1 = last.
        noun: name of an item; "question" in field names means any item.
    """

    name: str
    paper: PaperTable | None
    signature: str
    seed: int
    n_questions: int
    n_wanted: int
    n_options: int
    levels: tuple[tuple[str, int], ...]
    steps: tuple[FunnelStep, ...]
    answer_freqs: tuple[float, ...]
    impostor_freqs: tuple[float, ...]
    sentence_tokens: tuple[int, ...]
    answer_positions: tuple[int, ...]
    blank_places: tuple[float, ...]
    books: tuple[tuple[str, str, int], ...]
    evaluation: QuestionEvaluation | None
    samples: tuple[SampleQuestion, ...]
    audits: tuple[AuditTable, ...]
    stages: tuple[StageRow, ...]
    settings: tuple[tuple[str, str], ...]
    overrides: tuple[str, ...]
    warnings: tuple[str, ...]
    noun: str = "question"
    passages: PassageFigures | None = None
    blanked: BlankedFigures | None = None
    legends: Mapping[str, str] = field(default_factory=dict)
    verdict: Verdict | None = None
