"""Blank accuracy, passage accuracy and distractor error of answers, with intervals by passage (Kong et al. 2020, 5.2, 5.6).

Passages are the unit of the bootstrap, for the blanks of one share their candidates: a wrong answer takes a candidate from another blank.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cloze_gen.records.blanked_passage import BlankedPassage
from cloze_gen.rng import derive_rng

DRAWS = 1_000
_MIDDLE = (2.5, 97.5)  # percentiles
_PURPOSE = "evaluate.blanks.bootstrap"


@dataclass(frozen=True, slots=True, eq=False)
class AnswerCounts:
    """What was answered, passage by passage; all that the measures need.

    Attributes:
        blanks: int64, shape (n,).
        right: int64, shape (n,): blanks with their own answer.
        distractors: int64, shape (n,): blanks with a candidate that answers none.
    """

    blanks: NDArray[np.int64]
    right: NDArray[np.int64]
    distractors: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class BlankMetrics:
    """One row of a table. Shares are of 1, bounds those of the middle 95 % of the bootstrap.

    Attributes:
        n: passages.
        ba: blank accuracy, the share of a passage's blanks that are right, averaged over passages; the paper's.
        ba_micro: right blanks of all blanks; what the published code prints.
        pa: passage accuracy, the share of passages without a wrong blank.
        de: distractor error, answers that are distractors, a passage.
    """

    n: int
    blanks: int
    ba: float
    ba_low: float
    ba_high: float
    ba_micro: float
    pa: float
    pa_low: float
    pa_high: float
    de: float
    de_low: float
    de_high: float


def count_answers(passages: Sequence[BlankedPassage], answers: Sequence[Sequence[int] | NDArray[np.int64]]) -> AnswerCounts:
    """Compare answers with the passages' own.

    Args:
        answers: of each passage a candidate for each blank, in the order of `BlankedPassage.blanks`.

    >>> passage = BlankedPassage("b:0", ("A.", "B.", "C."), (0, 2), ("A.", "C.", "E."), (0, 1))
    >>> counts = count_answers([passage], [(0, 2)])
    >>> counts.right.tolist(), counts.distractors.tolist()
    ([1], [1])
    """
    rows = []
    for passage, given in zip(passages, answers, strict=True):
        distractors = frozenset(passage.distractors)
        right = sum(int(one) == own for one, own in zip(given, passage.answers, strict=True))
        rows.append((len(passage.blanks), right, sum(int(one) in distractors for one in given)))
    table = np.array(rows, np.int64).reshape(-1, 3)
    return AnswerCounts(table[:, 0], table[:, 1], table[:, 2])


def bootstrap_draws(n: int, *, seed: int) -> NDArray[np.float64]:
    """How often each passage stands in each of `DRAWS` samples of `n` passages with replacement: float64, shape (DRAWS, n).

    One set of samples serves every row of an evaluation, so that the differences of rows are paired.
    """
    drawn = derive_rng(seed, _PURPOSE).integers(n, size=(DRAWS, n))
    return np.stack([np.bincount(sample, minlength=n) for sample in drawn]).astype(np.float64)


def measure(counts: AnswerCounts, draws: NDArray[np.float64]) -> BlankMetrics:
    """Measure one way of answering.

    Args:
        counts: of n passages, at least one.
        draws: shape (DRAWS, n): of `bootstrap_draws`.

    >>> counts = AnswerCounts(np.array([5, 2]), np.array([5, 1]), np.array([0, 1]))
    >>> row = measure(counts, bootstrap_draws(2, seed=1))
    >>> row.ba, round(row.ba_micro, 3), row.pa, row.de, (row.ba_low, row.ba_high)
    (0.75, 0.857, 0.5, 0.5, (0.5, 1.0))
    """
    n = len(counts.blanks)
    values = _values(counts)
    return _metrics(n, int(counts.blanks.sum()), counts, values.mean(axis=0), draws @ values / n)


def measure_verdicts(counts: AnswerCounts, passage_of: NDArray[np.int64], *, seed: int) -> BlankMetrics:
    """Measure answers of which several may be to one passage: of people, each of whom fills it by himself.

    Every list of answers counts alike; passages are drawn whole for the bounds.

    Args:
        counts: of m lists of answers, at least one.
        passage_of: int64, shape (m,): from 0, without a gap.

    >>> counts = AnswerCounts(np.array([2, 2, 4]), np.array([2, 1, 4]), np.array([0, 1, 0]))
    >>> row = measure_verdicts(counts, np.array([0, 0, 1]), seed=1)
    >>> row.n, row.blanks, round(row.ba, 3), row.ba_micro, round(row.pa, 3), (row.ba_low, row.ba_high)
    (2, 6, 0.833, 0.875, 0.667, (0.75, 1.0))
    """
    n = int(passage_of.max()) + 1
    sums = np.zeros((n, 4))
    np.add.at(sums, passage_of, np.hstack([_values(counts), np.ones((len(passage_of), 1))]))
    drawn, total = bootstrap_draws(n, seed=seed) @ sums, sums.sum(axis=0)
    blanks = np.zeros(n, np.int64)
    blanks[passage_of] = counts.blanks
    return _metrics(n, int(blanks.sum()), counts, total[:3] / total[3], drawn[:, :3] / drawn[:, 3:])


def _metrics(n: int, blanks: int, counts: AnswerCounts, means: NDArray[np.float64], drawn: NDArray[np.float64]) -> BlankMetrics:
    """Of the means of the three measures, and of what samples came to: float64, shape (DRAWS, 3)."""
    ba, pa, de = (float(value) for value in means)
    low, high = np.percentile(drawn, _MIDDLE, axis=0)
    return BlankMetrics(
        n=n,
        blanks=blanks,
        ba=ba,
        ba_low=float(low[0]),
        ba_high=float(high[0]),
        ba_micro=float(counts.right.sum() / counts.blanks.sum()),
        pa=pa,
        pa_low=float(low[1]),
        pa_high=float(high[1]),
        de=de,
        de_low=float(low[2]),
        de_high=float(high[2]),
    )


def paired_difference(one: AnswerCounts, other: AnswerCounts, draws: NDArray[np.float64]) -> tuple[float, float, float]:
    """By how much the blank accuracy of `other` is above that of `one` on the same passages, with the middle 95 % of the bootstrap.

    Two runs whose passages are the same and whose distractors are not are such a pair too: a passage's luck counts for both.

    >>> one, other = (AnswerCounts(np.array([4, 4]), np.array(right), np.array([0, 0])) for right in ([1, 3], [2, 4]))
    >>> paired_difference(one, other, bootstrap_draws(2, seed=1))
    (0.25, 0.25, 0.25)
    """
    gained = _shares(other) - _shares(one)
    low, high = np.percentile(draws @ gained / len(gained), _MIDDLE)
    return float(gained.mean()), float(low), float(high)


def _shares(counts: AnswerCounts) -> NDArray[np.float64]:
    return np.asarray(counts.right / counts.blanks)


def _values(counts: AnswerCounts) -> NDArray[np.float64]:
    """Share of blanks right, whether all are, distractors: float64, shape (n, 3)."""
    return np.stack([_shares(counts), counts.right == counts.blanks, counts.distractors], axis=1).astype(np.float64)
