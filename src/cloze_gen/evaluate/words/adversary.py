"""Trained adversaries: how often a classifier that is shown scores of the options, and answers to learn from, picks the answer of others.

A set may be level in every rank and still tell its answers by margins: bounds that cut impostors' scores off on one side, and never the
answer's, are read by a model of the values. So this is the honest figure of leakage. Every adversary is tried in several ways, two families
(`adversary_families`) by two cuts into folds (`adversary_folds`); the row of the table is the way that picks the answer most often.
The best of several is above chance more often than one, so the row's p and interval are corrected for the number of ways tried
(Bonferroni): p is multiplied by it, and the intervals of all ways together hold their true accuracies in 95 % of sets.

Sources: adversarial filtering has such classifiers choose a set (SWAG, Zellers et al. 2018; AFLite, Le Bras et al. 2020). Here they only
measure one; whatever chooses a set of ours is of another family, with other features, folds and seeds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cloze_gen.evaluate.chance import chance_accuracy
from cloze_gen.evaluate.metrics import best_options, expected_accuracy, score_matrix
from cloze_gen.evaluate.results import Baseline, BaselineResult, answer_indices, check_answers, judge_scores
from cloze_gen.evaluate.table import result_row
from cloze_gen.evaluate.words.adversary_families import FAMILIES, Family
from cloze_gen.evaluate.words.adversary_features import Features
from cloze_gen.evaluate.words.adversary_folds import LEAST_ITEMS, book_folds, item_folds
from cloze_gen.records.question import Question

_ALPHA = 0.05  # 1 less the coverage of an interval
_DIGITS = 9  # options with equal features get sums that differ in the last bits: rounding makes them the ties they are


@dataclass(frozen=True, slots=True, eq=False)
class Way:
    """One family, trained and tried by one kind of folds, in several rounds.

    Attributes:
        family: ``trees`` or ``logit``.
        folds: ``item`` or ``book``.
        right: share of the rounds in which each item was right, float64, shape (n,).
        chosen: share of the rounds in which each option was chosen, float64, shape (n, k), NaN beyond an item's options.
        round_accuracies: one a round.
        expected: mean accuracy of the rounds, ties counted as shares.
    """

    family: str
    folds: str
    right: NDArray[np.float64]
    chosen: NDArray[np.float64]
    round_accuracies: tuple[float, ...]
    expected: float

    @property
    def accuracy(self) -> float:
        """Mean over the rounds, a share of 1."""
        return float(self.right.mean())

    @property
    def effective_items(self) -> float:
        """The number of independent items whose mean would vary as `accuracy` does: p(1 - p) / variance.

        The variance is that of the items' shares (their luck, and within them that of the rounds), divided by n, and of the rounds'
        accuracies, divided by their number. Where all items and rounds agree there is no more than the items themselves can tell, so the
        number lies between 2 and the number of items in all rounds.
        """
        n, rounds, p = len(self.right), len(self.round_accuracies), self.accuracy
        spread = float(self.right.var(ddof=1)) / n + (float(np.var(self.round_accuracies, ddof=1)) / rounds if rounds > 1 else 0.0)
        if p * (1 - p) == 0:
            return float(n)
        return min(max(p * (1 - p) / spread, 2.0), float(n * rounds)) if spread > 0 else float(n * rounds)

    def interval(self, *, tried: int = 1) -> tuple[float, float]:
        """95 % interval of `accuracy`, shares of 1: Wilson's, with the effective number of items. What training drew is not in it:
        the books, and how a classifier trained on other items of the kind would differ.

        Args:
            tried: ways of which this one may have been chosen by its accuracy; the interval is corrected for so many (Bonferroni).
        """
        n, p, z = self.effective_items, self.accuracy, NormalDist().inv_cdf(1 - _ALPHA / (2 * tried))
        middle, half = p + z**2 / (2 * n), z * math.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
        return (max(0.0, (middle - half) / (1 + z**2 / n)), min(1.0, (middle + half) / (1 + z**2 / n)))

    def p_value(self, chance: float, *, tried: int = 1) -> float:
        """Two-sided p of `accuracy` under chance: above 0.05 just where `interval` holds it. `tried` as there."""
        deviation = abs(self.accuracy - chance) / math.sqrt(chance * (1 - chance) / self.effective_items) if 0 < chance < 1 else 0.0
        return min(1.0, tried * math.erfc(deviation / math.sqrt(2)))


@dataclass(frozen=True, slots=True, eq=False)
class AdversaryResult:
    """One adversary on one set of questions: all its ways, the one that is right most often first.

    Attributes:
        left_out: why ways are missing; empty where none is.
        seconds: of training and trying, by the caller's clock.
    """

    baseline: Baseline
    questions: tuple[Question, ...]
    ways: tuple[Way, ...]
    left_out: str = ""
    seconds: float = 0.0

    def judged(self, *, seed: int) -> BaselineResult:
        """The worst way as a result like any other: an option's score is the share of the rounds that chose it."""
        return judge_scores(self.baseline, self.ways[0].chosen, self.questions, seed=seed, seconds=self.seconds)


def try_adversary(baseline: Baseline, features: Features, questions: Sequence[Question], *, seed: int) -> AdversaryResult:
    """Train and try every family in every kind of folds.

    The items are put into the order of their ids first, so that the order they came in changes no digit.

    Args:
        features: rows in the order of the questions and their options.
        seed: of the folds and of ties.
    Raises:
        UsageError: a question's answer is not known.
    """
    check_answers(questions)
    order = sorted(range(len(questions)), key=lambda item: (questions[item].id, questions[item].tokens, questions[item].options))
    sizes = np.array([len(question.options) for question in questions])
    starts = np.cumsum(sizes) - sizes
    rows = np.concatenate([np.arange(starts[item], starts[item] + sizes[item]) for item in order])
    sorted_features = Features(features.dense[rows], features.linear[rows])
    items = [questions[item] for item in order]
    back = np.argsort(order)
    by_folds = {"item": item_folds(items, seed=seed), "book": book_folds(items, seed=seed)}
    ways = [
        _try_way(name, kind, family, sorted_features, items, folds, back, seed=seed)
        for kind, folds in by_folds.items()
        if folds
        for name, family in FAMILIES.items()
    ]
    left_out = "" if by_folds["book"] else "by book: the questions are of one book, or do not tell of which"
    return AdversaryResult(baseline, tuple(questions), tuple(sorted(ways, key=lambda way: -way.accuracy)), left_out)


def why_untried(questions: Sequence[Question]) -> str:
    """Why no adversary can be tried on these questions; empty where one can."""
    if len(questions) < LEAST_ITEMS:
        return f"{len(questions)} questions are too few to learn from some and be tried on others; {LEAST_ITEMS} are the least"
    return "a question with a single option tells nothing" if min(len(question.options) for question in questions) < 2 else ""


def adversary_row(result: AdversaryResult, *, seed: int) -> dict[str, Any]:
    """The row of ``evaluation.json``: `result_row`, its figures those of the worst way, and every way beside it in ``ways``.

    Bounds and p of the row are corrected for the number of ways, ``corrected_for``; those in ``ways`` are each way's own. ``correct`` is
    null, for the figure is a mean over rounds.
    """
    judged = result.judged(seed=seed)
    chance = chance_accuracy([len(question.options) for question in result.questions])
    tried, worst = len(result.ways), result.ways[0]
    low, high = worst.interval(tried=tried)
    corrected = {"low": low, "high": high, "p_value": worst.p_value(chance, tried=tried), "corrected_for": tried}
    ways = [_way_row(way, chance) for way in result.ways]
    return result_row(judged) | ways[0] | corrected | {"correct": None, "left_out": result.left_out, "ways": ways}


def _way_row(way: Way, chance: float) -> dict[str, Any]:
    low, high = way.interval()
    return {
        "family": way.family, "folds": way.folds, "rounds": len(way.round_accuracies), "accuracy": way.accuracy, "low": low, "high": high,
        "p_value": way.p_value(chance), "expected": way.expected,
    }  # fmt: skip


def _try_way(
    name: str, kind: str, family: Family, features: Features, items: Sequence[Question], rounds: Sequence[NDArray[np.int64]],
    back: NDArray[np.int64], *, seed: int,
) -> Way:  # fmt: skip
    """The items come sorted; what is returned is in the order of the set (`back`)."""
    answers, ids = answer_indices(items), [item.id for item in items]
    right = np.zeros(len(items))
    chosen = score_matrix([0.0] * len(item.options) for item in items)
    accuracies, expected = [], []
    for fold_of_item in rounds:
        scores = _cross_validated(family, features, items, fold_of_item)
        choices = best_options(scores, ids, seed=seed)
        right += choices == answers
        chosen[np.arange(len(items)), choices] += 1
        accuracies.append(float((choices == answers).mean()))
        expected.append(expected_accuracy(scores, answers))
    count = len(rounds)
    return Way(name, kind, right[back] / count, chosen[back] / count, tuple(accuracies), sum(expected) / count)


def _cross_validated(family: Family, features: Features, items: Sequence[Question], fold_of_item: NDArray[np.int64]) -> NDArray[np.float64]:
    """Scores of every option by a model that saw no item of its fold: float64, shape (n, k)."""
    item_of_row = np.repeat(np.arange(len(items)), [len(item.options) for item in items])
    is_answer = np.concatenate([np.arange(len(item.options)) == item.answer_index for item in items])
    out = np.zeros(len(item_of_row))
    for fold in np.unique(fold_of_item):
        trained = (fold_of_item != fold)[item_of_row]
        out[~trained] = family(features, item_of_row, is_answer, trained)
    rows = np.split(np.round(out, _DIGITS), np.flatnonzero(np.diff(item_of_row)) + 1)
    return score_matrix(row.tolist() for row in rows)
