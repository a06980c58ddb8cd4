"""The result of one baseline: what it scored, what it chose, how often it was right."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cloze_gen.errors import UsageError
from cloze_gen.evaluate.chance import chance_accuracy, two_sided_p
from cloze_gen.evaluate.metrics import best_options, expected_accuracy, wilson_interval
from cloze_gen.records.question import Question

# Order of the table: the paper's Table 1 first, then its bias tests (2.2), then what it does not report.
TABLE_ORDER = (
    "random", "generating-highest", "generating-lowest", "smoothed-3gram", "smoothed-4gram", "simple-4gram", "lsa",
    "smoothed-3gram-lowest", "smoothed-4gram-lowest", "forward-highest", "forward-lowest", "history-highest", "history-lowest",
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class BaselineResult:
    """One baseline on one set of questions.

    Attributes:
        name: key of the baseline, e.g. ``simple-4gram``.
        source: where it is described, e.g. ``MSR 4.1``.
        item_ids: n ids, in the set's order.
        scores: float64, shape (n, k); higher is better; NaN where an item has fewer options.
        choices: int64, shape (n,): the option chosen.
        correct: bool, shape (n,).
        expected: accuracy with ties counted as shares; differs from `accuracy` only by the draws that break ties.
    """

    name: str
    source: str
    item_ids: tuple[str, ...]
    scores: NDArray[np.float64]
    choices: NDArray[np.int64]
    correct: NDArray[np.bool_]
    expected: float

    @property
    def n(self) -> int:
        return len(self.item_ids)

    @property
    def correct_count(self) -> int:
        return int(self.correct.sum())

    @property
    def accuracy(self) -> float:
        return self.correct_count / self.n if self.n else float("nan")

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of `accuracy`."""
        return wilson_interval(self.correct_count, self.n)

    @property
    def option_counts(self) -> list[int]:
        return [int(count) for count in (~np.isnan(self.scores)).sum(axis=1)]

    @property
    def chance(self) -> float:
        return chance_accuracy(self.option_counts)

    @property
    def p_value(self) -> float:
        """Exact two-sided p of the number of right answers under chance."""
        return two_sided_p(self.correct_count, self.option_counts)


def judge_scores(name: str, source: str, scores: NDArray[np.float64], questions: Sequence[Question], *, seed: int) -> BaselineResult:
    """Choose by the highest score and compare with the answers.

    Args:
        scores: shape (n, k), k at least the most options of an item; places beyond an item's options must be NaN.
    Raises:
        UsageError: a question's answer is not known, or the scores do not fit the questions.
    """
    unknown = [question.id for question in questions if question.answer_index < 0]
    if unknown:
        raise UsageError(f"{len(unknown)} questions have no known answer (first {unknown[0]}); give the answers file with --answers")
    padded = np.asarray(scores, dtype=np.float64)
    for row, question in zip(padded, questions, strict=True):
        if np.isnan(row[: len(question.options)]).any() or not np.isnan(row[len(question.options) :]).all():
            raise UsageError(f"{name}: question {question.id} has {len(question.options)} options; expected as many scores")
    item_ids = tuple(question.id for question in questions)
    answers = np.array([question.answer_index for question in questions], dtype=np.int64)
    choices = best_options(padded, item_ids, seed=seed)
    return BaselineResult(name, source, item_ids, padded, choices, choices == answers, expected_accuracy(padded, answers))


def score_matrix(rows: Iterable[Sequence[float]]) -> NDArray[np.float64]:
    """Rows of option scores as one matrix, short rows filled with NaN.

    >>> score_matrix([[1.0, 2.0], [3.0]]).tolist()
    [[1.0, 2.0], [3.0, nan]]
    """
    listed = [list(row) for row in rows]
    matrix = np.full((len(listed), max((len(row) for row in listed), default=0)), np.nan)
    for item, row in enumerate(listed):
        matrix[item, : len(row)] = row
    return matrix


def in_table_order(results: Iterable[BaselineResult]) -> list[BaselineResult]:
    """`TABLE_ORDER` first, the others after it by name."""
    places = {name: place for place, name in enumerate(TABLE_ORDER)}
    return sorted(results, key=lambda result: (places.get(result.name, len(places)), result.name))


def table_row(result: BaselineResult, *, seconds: float | None = None) -> dict[str, Any]:
    """The row of ``evaluation.json``; `seconds` is the caller's clock and may be left out where bytes must be equal."""
    low, high = result.interval
    row = {
        "baseline": result.name, "source": result.source, "accuracy": result.accuracy, "low": low, "high": high, "n": result.n,
        "correct": result.correct_count, "chance": result.chance, "p_value": result.p_value, "expected": result.expected,
    }  # fmt: skip
    return row if seconds is None else row | {"seconds": seconds}


def prediction_rows(result: BaselineResult, questions: Sequence[Question]) -> Iterator[dict[str, Any]]:
    """One row an item and option for ``predictions.jsonl``: score, whether chosen, whether the choice is right."""
    for item, question in enumerate(questions):
        for option, word in enumerate(question.options):
            yield {
                "baseline": result.name, "id": question.id, "option": option, "word": word, "score": float(result.scores[item, option]),
                "chosen": bool(result.choices[item] == option), "is_answer": option == question.answer_index,
                "right": bool(result.correct[item]),
            }  # fmt: skip
