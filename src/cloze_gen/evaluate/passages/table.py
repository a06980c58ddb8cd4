"""The table of a set's baselines, a row each, as ``evaluation.json`` has them and as a terminal shows them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cloze_gen.evaluate.passages.metrics import PassageMetrics

_TWO_SIDED = 1.959964  # standard deviations that hold 95 % of a normal distribution


def model_row(name: str, metrics: PassageMetrics, *, kind: str = "model", source: str = "") -> dict[str, Any]:
    """One model: `PassageMetrics` with its name, kind and where it is described."""
    return {"name": name, "kind": kind, "source": source} | asdict(metrics)


def chance_row(name: str, probs: NDArray[np.float64], *, source: str = "exact expectation", **more: float) -> dict[str, Any]:
    """Guessing at random: the expectation, and the middle 95 % of what it would score on these passages (normal, the sum of many draws).

    Args:
        probs: shape (n,): that each guess is right.
        more: perplexity, median rank and coverage, where they have a meaning.

    >>> row = chance_row("random word", np.array([0.5, 0.0]))
    >>> row["accuracy"], row["low"], row["n"], row["correct"]
    (0.25, 0.0, 2, None)
    """
    n = len(probs)
    mean = float(probs.mean()) if n else math.nan
    reach = _TWO_SIDED * math.sqrt(float((probs * (1 - probs)).sum())) / n if n else math.nan
    unknown = dict.fromkeys(("perplexity", "perplexity_with_unknown", "median_rank", "coverage"))
    return {
        "name": name, "kind": "random", "source": source, "n": n, "correct": None, "accuracy": mean,
        "low": max(0.0, mean - reach), "high": min(1.0, mean + reach),
    } | unknown | more  # fmt: skip


def table_text(rows: Iterable[Mapping[str, Any]]) -> str:
    """The table as a terminal shows it, one line a row; shares in percent, `-` where a measure has no meaning.

    >>> print(table_text([chance_row("random word", np.array([0.5, 0.0]))]).splitlines()[1].split()[:4])
    ['random', 'word', '25.00', '%']
    """
    head = ("perplexity", "with <unk>", "rank", "coverage")
    lines = [f"{'baseline':<32} {'accuracy':>8}  {'95 % interval':>15} {'n':>6}" + "".join(f" {name:>11}" for name in head)]
    for row in rows:
        interval = f"{100 * row['low']:.2f} - {100 * row['high']:.2f}"
        told = [_told(row[name], ".0f") for name in ("perplexity", "perplexity_with_unknown", "median_rank")]
        line = f"{row['name']:<32} {100 * row['accuracy']:>6.2f} %  {interval:>15} {row['n']:>6}"
        lines.append(line + "".join(f" {value:>11}" for value in (*told, _told(row["coverage"], ".1%"))))
    return "\n".join(lines)


def _told(value: float | None, form: str) -> str:
    return "-" if value is None or math.isnan(value) else format(value, form)
