"""The funnel: what every stage saw, kept and rejected, by reason."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class FunnelStep:
    """One stage's count. seen = kept + the sum of rejected.

    Attributes:
        alone: of several who ask, each with the share that it alone would keep; a stage's fact `survival`.
    """

    stage: str
    unit: str
    seen: int
    kept: int
    rejected: Mapping[str, int] = field(default_factory=dict)
    alone: Mapping[str, float] = field(default_factory=dict)


def funnel_steps(manifests: Iterable[tuple[str, Mapping[str, Any]]]) -> list[FunnelStep]:
    """The steps of a run, from its stages' (label, manifest), in order; a stage may carry a second funnel of candidates."""
    steps = []
    for label, manifest in manifests:
        facts = manifest.get("facts", {})
        for name, funnel, alone in (
            (label, manifest.get("funnel"), facts.get("survival", {})),
            (f"{label}: candidates", facts.get("candidates_funnel"), {}),
        ):
            if funnel:
                steps.append(FunnelStep(name, funnel["unit"], funnel["seen"], funnel["kept"], funnel["rejected"], alone))
    return steps


def funnel_text(steps: Iterable[FunnelStep]) -> str:
    """The funnel for a terminal.

    >>> print(funnel_text([FunnelStep("screening", "focus words", 10, 7, {"answer_scores_best": 3})]))
    screening                          10 ->          7 focus words
        answer_scores_best                          3
    """
    lines = []
    for step in steps:
        lines.append(f"{step.stage:<26}{step.seen:>11,} -> {step.kept:>10,} {step.unit}")
        lines += [f"    {reason:<36} {count:>8,}" for reason, count in step.rejected.items() if count]
    return "\n".join(lines)


def funnel_markdown(steps: Iterable[FunnelStep]) -> str:
    """The funnel as a Markdown table, one row a stage and one a reason."""
    lines = ["| stage | unit | seen | kept | rejected, by reason |", "|---|---|---:|---:|---|"]
    for step in steps:
        reasons = "; ".join(f"{reason} {count:,}" for reason, count in step.rejected.items() if count) or "none"
        lines.append(f"| {step.stage} | {step.unit} | {step.seen:,} | {step.kept:,} | {reasons} |")
    return "\n".join(lines)
