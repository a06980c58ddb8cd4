"""The table of a set's baselines, a row each, as ``evaluation.json`` has them and as a terminal shows them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cloze_gen.columns import table_lines
from cloze_gen.evaluate.passages.metrics import PassageMetrics

_TWO_SIDED = 1.959964  # standard deviations that hold 95 % of a normal distribution
_SHARES = ("accuracy", "low", "high")
_OF_MODELS = ("perplexity", "perplexity_with_unknown", "median_rank", "coverage")


def model_row(name: str, metrics: PassageMetrics, *, kind: str = "model", source: str = "") -> dict[str, Any]:
    """One model: `PassageMetrics` with its name, kind and where it is described; None for what has no meaning or was not told."""
    row = {"name": name, "kind": kind, "source": source} | asdict(metrics)
    return {key: None if isinstance(value, float) and not math.isfinite(value) else value for key, value in row.items()}


def rule_row(name: str, hits: NDArray[np.bool_], *, interval: tuple[float, float], source: str = "") -> dict[str, Any]:
    """One rule of the passage alone: what it says, right or wrong, and nothing of probabilities.

    Args:
        hits: shape (n,): whether it says the target.
        interval: of the share of 1.
    """
    n, correct = len(hits), int(hits.sum())
    return {
        "name": name, "kind": "rule", "source": source, "n": n, "correct": correct, "accuracy": correct / n if n else None,
        "low": interval[0], "high": interval[1],
    } | dict.fromkeys(_OF_MODELS)  # fmt: skip


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
    mean = float(probs.mean()) if n else None
    reach = _TWO_SIDED * math.sqrt(float((probs * (1 - probs)).sum())) / n if n else math.inf
    return {
        "name": name, "kind": "random", "source": source, "n": n, "correct": None, "accuracy": mean,
        "low": max(0.0, (mean or 0.0) - reach), "high": min(1.0, (mean or 0.0) + reach),
    } | dict.fromkeys(_OF_MODELS) | more  # fmt: skip


def untold_row(name: str, kind: str, n: int, note: str) -> dict[str, Any]:
    """A baseline that these passages do not let be measured, and why."""
    return {"name": name, "kind": kind, "source": "", "n": n, "correct": None, "note": note} | dict.fromkeys((*_SHARES, *_OF_MODELS))


def table_text(rows: Iterable[Mapping[str, Any]], *, columns: int | None = None) -> str:
    """The table as a terminal shows it, one line a baseline; shares in percent, `-` where a measure has no meaning. The sets stand side by
    side, or one below the other where there is no room.

    Args:
        rows: with `set`; the sets come in the order of their first rows.
        columns: of the screen; None where nobody looks.

    >>> print(table_text([chance_row("random word", np.array([0.5, 0.0])) | {"set": "passages"}]).splitlines()[2].split()[:5])
    ['random', 'word', '25.00', '0.00', '-']
    """
    listed = list(rows)
    sets = list(dict.fromkeys(row["set"] for row in listed))
    by_name: dict[str, dict[str, Mapping[str, Any]]] = {}
    for row in listed:
        by_name.setdefault(row["name"], {})[row["set"]] = row
    width = max([len("baseline"), *map(len, by_name)])
    sizes = {name: max(row["n"] for row in listed if row["set"] == name) for name in sets}
    titles = {name: f"{name} (n = {sizes[name]:,})" for name in sets}
    if columns is None or width + len(sets) * (2 + _BLOCK) <= columns:
        lines = [
            " " * width + "".join(f"  {title:^{_BLOCK}}" for title in titles.values()),
            f"{'baseline':<{width}}" + "".join(f"  {_HEAD}" for _ in sets),
        ]
        lines += [f"{name:<{width}}" + "".join(f"  {_block(found.get(one))}" for one in sets) for name, found in by_name.items()]
    else:
        lines = [line for one in sets for line in ("", titles[one], *_one_below(by_name, one, columns))][1:]
    notes = dict.fromkeys(row["note"] for row in listed if row.get("note"))
    lines += [f"{note}: {', '.join(dict.fromkeys(row['name'] for row in listed if row.get('note') == note))}" for note in notes]
    return "\n".join(line.rstrip() for line in lines)


def _one_below(by_name: Mapping[str, Mapping[str, Mapping[str, Any]]], one: str, columns: int) -> list[str]:
    """The table of one set alone."""
    cells = [(name, *_figures(found[one])) for name, found in by_name.items() if one in found]
    return table_lines(("baseline", *_NAMES), cells, columns, left=frozenset({"baseline"}))


_NAMES = ("right %", "95 % interval", "perplexity", "<unk> too", "rank", "known %")
_SIDE_BY_SIDE = "{:>7}  {:>15} {:>10} {:>10} {:>7} {:>7}"
_HEAD = _SIDE_BY_SIDE.format(*_NAMES)
_BLOCK = len(_HEAD)


def _block(row: Mapping[str, Any] | None) -> str:
    """One set's figures of a baseline, side by side with another's."""
    return " " * _BLOCK if row is None else _SIDE_BY_SIDE.format(*_figures(row))


def _figures(row: Mapping[str, Any]) -> tuple[str, ...]:
    """As `_NAMES` calls them."""
    accuracy, low, high = (_told(_percent(row[name]), ".2f") for name in _SHARES)
    perplexity, with_unknown, rank = (_told(row[name], ".0f") for name in ("perplexity", "perplexity_with_unknown", "median_rank"))
    interval = "-" if low == "-" else f"{low} - {high}"
    return accuracy, interval, perplexity, with_unknown, rank, _told(_percent(row["coverage"]), ".1f")


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


def _told(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)
