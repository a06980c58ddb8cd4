"""Evaluation of passages with a last word to predict from a vocabulary (LAMBADA 4, Table 1)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from cloze_gen.corpus.arrays import SEPARATOR
from cloze_gen.evaluation.metrics import wilson_interval
from cloze_gen.evaluation.rows import BY_BOOK, Evaluation, Recorded, Row, margin_cell
from cloze_gen.text_layout import table_lines

PASSAGES, CONTROL = "passages", "control"
SETS = (PASSAGES, CONTROL)  # in the order of the paper's table


@dataclass(frozen=True, slots=True)
class PassageExample:
    """One passage; `sentences`: lowercased whole-word tokens, the last one without the target.

    `cased`: tokens with capitals, or empty; `prompts`: rendering -> text before the target, target.
    """

    id: str
    set: str
    sentences: tuple[tuple[str, ...], ...]
    target: str
    cased: tuple[str, ...] = ()
    prompts: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    book: str = ""

    @property
    def tokens(self) -> tuple[str, ...]:
        return (*chain.from_iterable(self.sentences), self.target)


def number_passages(
    passages: Sequence[PassageExample], words: Sequence[str]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Word numbers of all passages, and the length of each passage.

    Each sentence starts with `SEPARATOR`, and each passage ends with its target. Word number i is
    ``words[i - 1]``; all other words have number ``len(words) + 1``.

    >>> example = PassageExample("b:1", "passages", (("who", "?"), ("it", "was")), "ann")
    >>> ids, lengths = number_passages([example], ["it", "was", "ann", "?"])
    >>> ids.tolist(), lengths.tolist()
    ([0, 5, 4, 0, 1, 2, 3], [7])
    """
    number = {word: i for i, word in enumerate(words, 1)}
    unknown = len(words) + 1
    ids: list[int] = []
    lengths: list[int] = []
    for passage in passages:
        before = len(ids)
        for sentence in passage.sentences:
            ids.append(SEPARATOR)
            ids.extend(number.get(token, unknown) for token in sentence)
        ids.append(number.get(passage.target, unknown))
        lengths.append(len(ids) - before)
    return np.array(ids, np.int64), np.array(lengths, np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class TargetScores:
    """One model's scores of all targets; arrays of shape (n,).

    Attributes:
        log10_prob: of the target, or of `<unk>` if the target is not `known`.
        rank: 1 is best, ties share the mean rank; NaN for unknown targets.
        right: the target is the only best word; None if the model does not report it.
    """

    log10_prob: NDArray[np.float64]
    rank: NDArray[np.float64]
    known: NDArray[np.bool_]
    right: NDArray[np.bool_] | None

    @classmethod
    def by_rank(
        cls, log10_prob: NDArray[np.float64], rank: NDArray[np.float64], known: NDArray[np.bool_]
    ) -> TargetScores:
        return cls(log10_prob, rank, known, known & (rank == 1))


class PassageMetrics(Recorded):
    """`low`, `high`: Wilson's 95 % interval; `perplexity`, `median_rank`: over known targets."""

    n: int
    correct: int | None
    accuracy: float | None
    low: float | None
    high: float | None
    perplexity: float | None = None
    perplexity_with_unknown: float | None = None
    median_rank: float | None = None
    coverage: float | None = None


class PassageRow(Row, PassageMetrics):
    set: str

    @property
    def label(self) -> str:
        return f"{self.name}, {self.set}"

    @property
    def share(self) -> tuple[float, float, float] | None:
        if self.accuracy is None or self.low is None or self.high is None:
            return None
        return self.accuracy, self.low, self.high

    @property
    def method(self) -> str:
        return f"of {self.set}"


class PassageEvaluation(Evaluation):
    of: ClassVar[str] = " of passages"

    sets: Mapping[str, int] = {}
    baselines: tuple[PassageRow, ...]

    @property
    def compared(self) -> Sequence[PassageRow]:
        return [row for row in self.baselines if row.share is not None]

    def of_set(self, name: str) -> dict[str, PassageRow]:
        return {row.name: row for row in self.baselines if row.set == name}


def measure(scores: TargetScores) -> PassageMetrics:
    """Measure one model on one set.

    *Read:* a target outside the vocabulary counts as wrong. Perplexity and rank are over known
    targets; in `perplexity_with_unknown` the other targets have the probability of `<unk>`.

    >>> row = measure(TargetScores.by_rank(np.array([-1.0, -3.0, -6.0]),
    ...     np.array([1.0, 9.0, np.nan]), np.array([True, True, False])))
    >>> round(row.accuracy, 2), row.perplexity, row.median_rank, round(row.perplexity_with_unknown)
    (0.33, 100.0, 5.0, 2154)
    >>> round(row.coverage, 2)
    0.67
    """
    n, known = len(scores.known), scores.known
    correct = None if scores.right is None else int(scores.right.sum())
    low, high = (None, None) if correct is None else wilson_interval(correct, n)
    ranks = scores.rank[~np.isnan(scores.rank)]
    return PassageMetrics(
        n=n,
        correct=correct,
        accuracy=None if correct is None or not n else correct / n,
        low=low,
        high=high,
        perplexity=_perplexity(scores.log10_prob[known]),
        perplexity_with_unknown=_perplexity(scores.log10_prob),
        median_rank=float(np.median(ranks)) if len(ranks) else None,
        coverage=float(known.mean()) if n else None,
    )


def ranks(log_probs: NDArray[np.floating], targets: NDArray[np.int64]) -> NDArray[np.float64]:
    """Rank of each target, 1 for the most probable; ties share the mean rank; NaN if unknown.

    `log_probs`: shape (n, V), any base; `targets`: shape (n,), column indices, -1 if unknown.

    >>> ranks(np.array([[-1.0, -2.0, -2.0], [-1.0, -2.0, -3.0]]), np.array([2, -1])).tolist()
    [2.5, nan]
    """
    own = np.take_along_axis(log_probs, np.maximum(targets, 0)[:, None], axis=1)
    better, equal = (log_probs > own).sum(axis=1), (log_probs == own).sum(axis=1)
    return np.where(targets >= 0, better + (equal + 1) / 2, np.nan)


def _perplexity(log10_prob: NDArray[np.float64]) -> float | None:
    found = float(10.0 ** -log10_prob.mean()) if len(log10_prob) else math.inf
    return found if math.isfinite(found) else None


def table_text(rows: Sequence[PassageRow]) -> str:
    header = (
        "baseline", "set", "n", "right %", "95 % interval", BY_BOOK, "perplexity", "<unk> too", "rank", "known %",
    )  # fmt: skip
    lines = table_lines(header, [_cells(row) for row in rows], left=frozenset(header[:2]))
    names_of_note: dict[str, dict[str, None]] = {}
    for row in rows:
        if row.note:
            names_of_note.setdefault(row.note, {})[row.name] = None
    lines += [f"{note}: {', '.join(names)}" for note, names in names_of_note.items()]
    return "\n".join(lines)


def _cells(row: PassageRow) -> list[str]:
    interval = "-" if row.share is None else f"{100 * row.share[1]:.2f} - {100 * row.share[2]:.2f}"
    return [
        row.name,
        row.set,
        f"{row.n:,}",
        "-" if row.accuracy is None else f"{100 * row.accuracy:.2f}",
        interval,
        margin_cell(row),
        *(
            "-" if figure is None else f"{figure:.0f}"
            for figure in (row.perplexity, row.perplexity_with_unknown, row.median_rank)
        ),
        "-" if row.coverage is None else f"{100 * row.coverage:.1f}",
    ]
