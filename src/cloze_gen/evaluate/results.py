"""What one baseline scored, what it chose, how often it was right; and whether several rules together are at chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cloze_gen.errors import UsageError
from cloze_gen.evaluate.chance import chance_accuracy, joint_p, two_sided_p
from cloze_gen.evaluate.metrics import best_options, expected_accuracy, wilson_interval
from cloze_gen.records.question import Question

TESTED_KINDS = ("bias", "classifier")  # what no choice of the set levels


@dataclass(frozen=True, slots=True)
class Baseline:
    """One way to choose an option, which is one row of the table.

    Attributes:
        name: e.g. ``simple-4gram``.
        score: name of the scores it chooses by.
        kind: ``adversary`` (trained on scores and answers), ``baseline``, ``balanced`` (what the making of the set levels), ``bias``
            (what an options' list gives away), ``classifier`` or ``user``.
        source: where it is described, e.g. ``MSR 4.1``; empty where no paper has it.
        reverse: the lowest score wins.
    """

    name: str
    score: str
    kind: str
    source: str
    reverse: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class BaselineResult:
    """One baseline on one set of questions.

    Attributes:
        item_ids: n ids, in the set's order.
        scores: float64, shape (n, k); higher is better; NaN where an item has fewer options.
        choices: int64, shape (n,): the option chosen.
        correct: bool, shape (n,).
        expected: share of 1, ties counted as shares; differs from `accuracy` only by the draws that break ties.
        seconds: of scoring, by the caller's clock.
    """

    baseline: Baseline
    item_ids: tuple[str, ...]
    scores: NDArray[np.float64]
    choices: NDArray[np.int64]
    correct: NDArray[np.bool_]
    expected: float
    seconds: float = 0.0

    @property
    def n(self) -> int:
        return len(self.item_ids)

    @property
    def correct_count(self) -> int:
        return int(self.correct.sum())

    @property
    def accuracy(self) -> float:
        """Share of 1; NaN for no items."""
        return self.correct_count / self.n if self.n else float("nan")

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of `accuracy`, shares of 1."""
        return wilson_interval(self.correct_count, self.n)

    @property
    def option_counts(self) -> list[int]:
        return [int(count) for count in (~np.isnan(self.scores)).sum(axis=1)]

    @property
    def chance(self) -> float:
        """Share of 1 that answering at random gets right."""
        return chance_accuracy(self.option_counts)

    @property
    def p_value(self) -> float:
        """Exact two-sided p of the number of right answers under chance."""
        return two_sided_p(self.correct_count, self.option_counts)


def judge_scores(
    baseline: Baseline, scores: NDArray[np.float64], questions: Sequence[Question], *, seed: int, seconds: float = 0.0
) -> BaselineResult:
    """Choose by the highest score, or the lowest where the baseline says so, and compare with the answers.

    Args:
        scores: float, shape (n, k), k at least the most options of an item; places beyond an item's options must be NaN.
        seed: of the draws that break ties.
    Raises:
        UsageError: a question's answer is not known, or the scores do not fit the questions.
    """
    check_answers(questions)
    padded = -np.asarray(scores, dtype=np.float64) if baseline.reverse else np.asarray(scores, dtype=np.float64)
    for row, question in zip(padded, questions, strict=True):
        if np.isnan(row[: len(question.options)]).any() or not np.isnan(row[len(question.options) :]).all():
            raise UsageError(f"{baseline.name}: question {question.id} has {len(question.options)} options; expected as many scores")
    item_ids = tuple(question.id for question in questions)
    answers = answer_indices(questions)
    choices = best_options(padded, item_ids, seed=seed)
    return BaselineResult(baseline, item_ids, padded, choices, choices == answers, expected_accuracy(padded, answers), seconds)


def check_answers(questions: Sequence[Question]) -> None:
    """Whether every question's answer is known.

    Raises:
        UsageError: one is not.
    """
    unknown = [question.id for question in questions if question.answer_index < 0]
    if unknown:
        raise UsageError(f"{len(unknown)} questions have no known answer (first {unknown[0]}); give the answers file with --answers")


def answer_indices(questions: Sequence[Question]) -> NDArray[np.int64]:
    """The right option of every question: int64, shape (n,)."""
    return np.array([question.answer_index for question in questions], dtype=np.int64)


def joint_tests(results: Sequence[BaselineResult], questions: Sequence[Question]) -> dict[str, Any]:
    """Whether the rules that no choice balanced, and the classifiers, are together no better and no worse than chance.

    Returns:
        one p a kind and one of both ``together``, and the names of the ``rules`` tested; empty where the items differ in their number of
        options or no such rule was run.
    """
    tested = [result for result in results if result.baseline.kind in TESTED_KINDS]
    option_counts = {len(question.options) for question in questions}
    if len(option_counts) != 1 or not tested:
        return {}
    answers, option_count = answer_indices(questions), option_counts.pop()
    groups = {kind: [result for result in tested if result.baseline.kind == kind] for kind in TESTED_KINDS} | {"together": tested}
    found: dict[str, Any] = {
        name: joint_p(np.stack([result.choices for result in group]), answers, option_count=option_count)
        for name, group in groups.items()
        if group
    }
    return found | {"rules": [result.baseline.name for result in tested]}
