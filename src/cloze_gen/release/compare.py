"""Comparison of two runs: settings, funnel, baselines and shared items."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cloze_gen.evaluation.blanks import AnswerCounts, bootstrap_draws, paired_difference
from cloze_gen.evaluation.rows import Row
from cloze_gen.parsing import name_list
from cloze_gen.records.rejection import FunnelStep

# baseline with its context -> passage id -> numbers of blanks, right blanks, and blanks answered with
# a distractor
Answered = Mapping[str, Mapping[str, tuple[int, int, int]]]
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
    settings = [{"seed": str(run.seed), **run.settings} for run in (left, right)]
    sections = {
        "different settings": _differences(*settings),
        "different stages": _differences(left.fingerprints, right.fingerprints),
        "different counts of the funnel": _differences(_funnel(left), _funnel(right)),
        "baselines": _baselines(left, right),
        f"{left.noun}s": _items(left, right),
        "blank accuracy on passages in both": list(
            paired_lines(left.answered, right.answered, seed=left.seed)
        ),
    }
    lines = [f"left   {left.signature}", f"right  {right.signature}"]
    for title, section in sections.items():
        if section:
            lines += ["", title, *(f"  {line}" for line in section)]
    return "\n".join(lines)


def _differences(left: Mapping[str, str], right: Mapping[str, str]) -> list[str]:
    """
    >>> _differences({"lm.order": "3"}, {"lm.order": "4", "lm.prune": "1"})
    ['lm.order                     3 -> 4', 'lm.prune                     - -> 1']
    """
    names = dict.fromkeys([*left, *right])
    changed = [name for name in names if left.get(name) != right.get(name)]
    return _pairs(left, right, changed) or ["none"]


def _pairs(left: Mapping[str, str], right: Mapping[str, str], names: Sequence[str]) -> list[str]:
    width = max([_LEAST_WIDTH, *map(len, names)])
    return [f"{name:<{width}} {left.get(name, '-')} -> {right.get(name, '-')}" for name in names]


def _funnel(run: RunFacts) -> dict[str, str]:
    counts = {}
    for step in run.steps:
        counts[step.stage] = f"{step.kept:,} {step.unit}"
        for reason in sorted(step.rejected):
            counts[f"{step.stage}: {reason}"] = f"{step.rejected[reason]:,}"
    return counts


def _baselines(left: RunFacts, right: RunFacts) -> list[str]:
    lines = [
        f"not evaluated: {side} (run cloze-gen evaluate RUN)"
        for side, run in (("left", left), ("right", right))
        if not run.baselines
    ]
    before, after = _shares(left), _shares(right)
    return lines + _pairs(before, after, list(dict.fromkeys([*before, *after])))


def _shares(run: RunFacts) -> dict[str, str]:
    return {
        row.label: "-" if row.share is None else "{:.1%} ({:.1%} to {:.1%})".format(*row.share)
        for row in run.baselines
    }


def _items(left: RunFacts, right: RunFacts) -> list[str]:
    """Items are shared by id; a part counts only where all parts before it are equal."""
    parts = [list(item.parts) for run in (left, right) for item in run.items.values()]
    if any(names != parts[0] for names in parts):
        return ["items of another kind: none is in both"]
    lines = []
    shared = [name for name in left.items if name in right.items]
    splits = [item.split for run in (left, right) for item in run.items.values()]
    for split in dict.fromkeys(splits):
        left_names, right_names = (
            {name for name, item in run.items.items() if item.split == split}
            for run in (left, right)
        )
        both = left_names & right_names
        lines.append(
            f"{split}: {len(left_names):,} left, {len(right_names):,} right, {len(both):,} in both"
        )
    for part in parts[0] if parts else ():
        shared = [
            name for name in shared if left.items[name].parts[part] == right.items[name].parts[part]
        ]
        lines.append(f"{len(shared):,} of these with the same {part}")
    for side, names, others in (
        ("left", left.items, right.items),
        ("right", right.items, left.items),
    ):
        only = [name for name in names if name not in others]
        if only:
            lines.append(f"only {side}: {name_list(only)}")
    return lines


def paired_lines(left: Answered, right: Answered, *, seed: int) -> Iterator[str]:
    """A line for each shared baseline: BA of both runs and the difference in points, 95 % interval.

    The bootstrap is by passage and paired. Passages are matched by id; their blanks and candidates
    may differ.
    """
    for name in left:
        shared = [passage for passage in left[name] if passage in right.get(name, {})]
        if not shared:
            continue
        before, after = (
            _counts([run[name][passage] for passage in shared]) for run in (left, right)
        )
        draws = bootstrap_draws(len(shared), seed=seed)
        gained, low, high = paired_difference(before, after, draws)
        shares = [100 * float((side.right / side.blanks).mean()) for side in (before, after)]
        yield (
            f"{name:<28}{shares[0]:.1f} % -> {shares[1]:.1f} %, {100 * gained:+.1f} "
            f"({100 * low:+.1f} to {100 * high:+.1f}) over {len(shared):,} passages"
        )


def _counts(passages: Sequence[tuple[int, int, int]]) -> AnswerCounts:
    table = np.array(passages, np.int64)
    return AnswerCounts(table[:, 0], table[:, 1], table[:, 2])
