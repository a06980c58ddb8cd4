"""Comparison of two runs: settings, funnel, baselines and shared items."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cloze_gen.evaluation.blanks import AnswerCounts, bootstrap_draws, paired_difference
from cloze_gen.evaluation.rows import Row
from cloze_gen.records.rejection import FunnelStep

# baseline with its context -> passage id -> numbers of blanks, right blanks, and blanks answered with
# a distractor
Answered = Mapping[str, Mapping[str, tuple[int, int, int]]]
_SECTIONS = {"adversary": "accuracy of trained adversaries", "human": "human accuracy"}
_LEAST_WIDTH = 28


@dataclass(frozen=True, slots=True)
class ComparedItem:
    """An item; `parts`: name -> value, in the order in which they are compared."""

    split: str
    parts: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFacts:
    """One run in a comparison; `settings`: stage.key -> value as JSON text."""

    signature: str
    seed: int
    settings: Mapping[str, str]
    fingerprints: Mapping[str, str]
    steps: Sequence[FunnelStep]
    baselines: Sequence[Row]
    noun: str
    items: Mapping[str, ComparedItem]
    answered: Answered = field(default_factory=dict)


def comparison_text(left: RunFacts, right: RunFacts) -> str:
    sections = list(_accuracies(left, right))
    settings = [{"seed": str(run.seed), **run.settings} for run in (left, right)]
    sections.append(("different settings", _differences(*settings)))
    sections.append(("different stages", _differences(left.fingerprints, right.fingerprints)))
    sections.append(("different counts of the funnel", _differences(_funnel(left), _funnel(right))))
    sections.append(("baselines", _baselines(left, right)))
    sections.append((f"{left.noun}s", list(_items(left, right))))
    paired = list(paired_lines(left.answered, right.answered, seed=left.seed))
    if paired:
        sections.append(("blank accuracy on passages in both", paired))
    lines = [f"left   {left.signature}", f"right  {right.signature}"]
    for title, found in sections:
        lines += ["", title, *(f"  {line}" for line in found)]
    return "\n".join(lines)


def _differences(
    left: Mapping[str, str], right: Mapping[str, str], *, all_names: bool = False
) -> list[str]:
    """A line for each name with different values, or with `all_names` for each name.

    >>> _differences({"lm.order": "3"}, {"lm.order": "4", "lm.prune": "1"})
    ['lm.order                     3 -> 4', 'lm.prune                     - -> 1']
    """
    names = [
        name
        for name in dict.fromkeys([*left, *right])
        if all_names or left.get(name) != right.get(name)
    ]
    width = max([_LEAST_WIDTH, *map(len, names)])
    lines = [f"{name:<{width}} {left.get(name, '-')} -> {right.get(name, '-')}" for name in names]
    return lines or ["none"]


def _funnel(run: RunFacts) -> dict[str, str]:
    counts = {}
    for step in run.steps:
        counts[step.stage] = f"{step.kept:,} {step.unit}"
        for reason in sorted(step.rejected):
            counts[f"{step.stage}: {reason}"] = f"{step.rejected[reason]:,}"
    return counts


def _accuracies(left: RunFacts, right: RunFacts) -> Iterator[tuple[str, list[str]]]:
    for kind, title in _SECTIONS.items():
        shares = [_shares(run, [kind]) for run in (left, right)]
        if any(shares):
            yield title, _differences(*shares, all_names=True)


def _baselines(left: RunFacts, right: RunFacts) -> list[str]:
    kinds = {row.kind for run in (left, right) for row in run.baselines} - _SECTIONS.keys()
    shares = [_shares(run, kinds) for run in (left, right)]
    missing = " and ".join(
        side for side, found in zip(("left", "right"), shares, strict=True) if not found
    )
    lines = _differences(*shares, all_names=True) if any(shares) else []
    if missing:
        lines.insert(0, f"not evaluated: {missing} (run cloze-gen evaluate RUN)")
    return lines


def _shares(run: RunFacts, kinds: Iterable[str]) -> dict[str, str]:
    return {
        row.label: "-" if row.share is None else "{:.1%} ({:.1%} to {:.1%})".format(*row.share)
        for row in run.baselines
        if row.kind in kinds
    }


def _items(left: RunFacts, right: RunFacts) -> Iterator[str]:
    """Items are shared by id; a part counts only where all parts before it are equal."""
    parts = [next((list(one.parts) for one in run.items.values()), []) for run in (left, right)]
    if all(parts) and parts[0] != parts[1]:
        yield "items of another kind: none is in both"
        return
    shared = [(one, right.items[name]) for name, one in left.items.items() if name in right.items]
    splits = [one.split for run in (left, right) for one in run.items.values()]
    for split in dict.fromkeys(splits):
        counts = [sum(one.split == split for one in run.items.values()) for run in (left, right)]
        both = sum(one.split == other.split == split for one, other in shared)
        yield f"{split}: {counts[0]:,} left, {counts[1]:,} right, {both:,} in both"
    for part in parts[0]:
        shared = [(one, other) for one, other in shared if one.parts[part] == other.parts[part]]
        yield f"{len(shared):,} of these with the same {part}"
    for side, own, other in (("left", left, right), ("right", right, left)):
        only = [name for name in own.items if name not in other.items]
        if only:
            more = f" and {len(only) - 3:,} more" if len(only) > 3 else ""
            yield f"only {side}: {', '.join(only[:3])}{more}"


def paired_lines(one: Answered, other: Answered, *, seed: int) -> Iterator[str]:
    """A line for each shared baseline: BA of both runs and the difference in points, 95 % interval.

    The bootstrap is by passage and paired. Passages are matched by id; their blanks and candidates
    may differ.
    """
    for name in one:
        shared = [passage for passage in one[name] if passage in other.get(name, {})]
        if shared:
            left, right = (
                _counts([of[name][passage] for passage in shared]) for of in (one, other)
            )
            gained, low, high = paired_difference(
                left, right, bootstrap_draws(len(shared), seed=seed)
            )
            shares = " -> ".join(
                f"{100 * float((side.right / side.blanks).mean()):.1f} %" for side in (left, right)
            )
            yield (
                f"{name:<28}{shares}, {100 * gained:+.1f} ({100 * low:+.1f} to {100 * high:+.1f}) "
                f"over {len(shared):,} passages"
            )


def _counts(passages: Sequence[tuple[int, int, int]]) -> AnswerCounts:
    table = np.array(passages, np.int64)
    return AnswerCounts(table[:, 0], table[:, 1], table[:, 2])
