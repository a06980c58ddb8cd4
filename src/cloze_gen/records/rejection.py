"""Rejections are data: every stage writes what it dropped, with a reason."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Self, TypeVar


class Reason(StrEnum):
    """Reasons of a stage: each member is its name, with a line that explains it.

    >>> class Size(Reason):
    ...     SHORT = ("too_short", "it has fewer than three words")
    >>> str(Size.SHORT), Size("too_short").legend
    ('too_short', 'it has fewer than three words')
    """

    legend: str

    def __new__(cls, name: str, legend: str = "") -> Self:
        member = str.__new__(cls, name)
        member._value_ = name
        member.legend = legend
        return member


R = TypeVar("R", bound=Reason)


def first_reason(against: Mapping[R, bool]) -> R | None:
    """The first reason that holds, in order of precedence; None if none does."""
    return next((reason for reason, holds in against.items() if holds), None)


@dataclass(frozen=True, slots=True)
class Rejection:
    """Why a record was dropped: `reason` is a key of the funnel, `detail` is for a reader."""

    id: str
    reason: str
    detail: str = ""


def legends_of(*reasons: Iterable[Reason], more: Mapping[str, str] | None = None) -> dict[str, str]:
    """Reason -> its legend; `more` has those of other reasons, a key ending in `*` for a prefix."""
    found = {str(one): one.legend for some in reasons for one in some}
    return found | dict(more or {})


def legend_of(reason: str, legends: Mapping[str, str]) -> str:
    """The line that explains a reason; empty if there is none.

    >>> legend_of("guessed_by_ngram", {"guessed_by_*": "a model guessed the target"})
    'a model guessed the target'
    """
    if reason in legends:
        return legends[reason]
    return next(
        (
            legend
            for name, legend in legends.items()
            if name.endswith("*") and reason.startswith(name[:-1])
        ),
        "",
    )


# ---- the funnel of a run


@dataclass(frozen=True, slots=True)
class FunnelStep:
    """Counts of a stage: seen = kept + rejected; `survival`: share kept by each judge alone."""

    stage: str
    unit: str
    seen: int
    kept: int
    rejected: Mapping[str, int] = field(default_factory=dict)
    survival: Mapping[str, float] = field(default_factory=dict)


def is_skipped(facts: Mapping[str, Any]) -> bool:
    """Whether a stage of people's guesses kept everything, because nobody has guessed."""
    return "decided" in facts and facts["judged"] == "none"


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
                        funnel["unit"]
                        + (" (skipped: nobody has judged them)" if is_skipped(facts) else ""),
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
