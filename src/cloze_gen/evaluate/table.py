"""Results as rows: of ``evaluation.json``, of ``predictions.jsonl``, and of the table that a terminal shows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from cloze_gen.columns import table_lines
from cloze_gen.evaluate.chance import chance_accuracy, correct_count_distribution
from cloze_gen.evaluate.results import BaselineResult
from cloze_gen.records.question import Question


def result_row(result: BaselineResult) -> dict[str, Any]:
    """The row of ``evaluation.json``: shares of 1, counts of items, seconds to the millisecond."""
    low, high = result.interval
    return {
        "name": result.baseline.name, "kind": result.baseline.kind, "source": result.baseline.source, "accuracy": result.accuracy,
        "low": low, "high": high, "n": result.n, "correct": result.correct_count, "chance": result.chance, "p_value": result.p_value,
        "expected": result.expected, "seconds": round(result.seconds, 3),
    }  # fmt: skip


def random_row(option_counts: Sequence[int]) -> dict[str, Any]:
    """Answering at random: the exact expectation, and the middle 95 % of what it would score on these items.

    >>> row = random_row([2, 2, 2, 2])
    >>> row["accuracy"], row["low"], row["high"]
    (0.5, 0.0, 1.0)
    """
    n, chance = len(option_counts), chance_accuracy(option_counts)
    below = np.cumsum(correct_count_distribution(option_counts))
    low, high = (int(np.searchsorted(below, share)) / n for share in (0.025, 0.975))
    return {
        "name": "random", "kind": "random", "source": "exact expectation", "accuracy": chance, "low": low, "high": high, "n": n,
        "correct": None, "chance": chance, "p_value": 1.0, "expected": chance, "seconds": 0.0,
    }  # fmt: skip


def prediction_rows(result: BaselineResult, questions: Sequence[Question]) -> Iterator[dict[str, Any]]:
    """One row an item and option for ``predictions.jsonl``: score, whether chosen, whether the choice is right."""
    for item, question in enumerate(questions):
        for option, word in enumerate(question.options):
            yield {
                "baseline": result.baseline.name, "id": question.id, "option": option, "word": word,
                "score": float(result.scores[item, option]), "chosen": bool(result.choices[item] == option),
                "is_answer": option == question.answer_index, "right": bool(result.correct[item]),
            }  # fmt: skip


def table_text(rows: Iterable[Mapping[str, Any]], *, who: str = "baseline", columns: int | None = None) -> str:
    """The table as a terminal shows it, one line a row of ``evaluation.json``; shares in percent. Below it, of which of its ways an
    adversary's figures are.

    Args:
        who: what the first column calls them.
        columns: of the screen; None where nobody looks.
    """
    listed = list(rows)
    header = (who, "accuracy", "95 % interval", "n", "chance", "seconds")
    cells = [
        (row["name"], f"{100 * row['accuracy']:.2f} %", f"{100 * row['low']:.2f} - {100 * row['high']:.2f}", str(row["n"]),
         f"{100 * row['chance']:.1f} %", f"{row['seconds']:.2f}")
        for row in listed
    ]  # fmt: skip
    ways: dict[str, list[str]] = {}
    for row in listed:
        if "family" in row:
            ways.setdefault(way_text(row), []).append(row["name"])
    lines = table_lines(header, cells, columns, left=frozenset({who}))
    return "\n".join([*lines, *(f"{way}: {', '.join(names)}" for way, names in ways.items())])


def way_text(row: Mapping[str, Any]) -> str:
    """Which of its ways an adversary's figures are of, and how many were tried.

    >>> way_text({"family": "trees", "folds": "book", "corrected_for": 4})
    'trees, folds by book, the best of 4 (interval and p corrected for 4, Bonferroni)'
    """
    tried = int(row.get("corrected_for", 1))
    best = f", the best of {tried} (interval and p corrected for {tried}, Bonferroni)" if tried > 1 else ""
    return f"{row['family']}, folds by {row['folds']}{best}"
