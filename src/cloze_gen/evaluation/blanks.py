"""Evaluation of blanked passages: contexts, decoders, measures, tables (Kong et al. 2020, 4, 5)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from cloze_gen.evaluation.metrics import clustered_margin
from cloze_gen.evaluation.rows import BY_BOOK, Evaluation, Recorded, Row, margin_cell
from cloze_gen.models.blank_assignment import decode_greedily, decode_jointly
from cloze_gen.records.blanked_passage import BlankedPassage
from cloze_gen.rng import derive_rng
from cloze_gen.text_layout import table_lines


@dataclass(frozen=True, slots=True)
class ClozeExample:
    """Sentences (with answers) and candidates as whole-word tokens; folds are by `book`."""

    passage: BlankedPassage
    book: str
    part: str
    sentences: tuple[tuple[str, ...], ...]
    candidates: tuple[tuple[str, ...], ...]


class Direction(StrEnum):
    """The context of a candidate (Kong et al. 2020, 4.1), without blanks.

    P, N: the nearest sentence before, after; AP, AN: all sentences before, after; BOTH: all.
    """

    P = "P"
    N = "N"
    AP = "AP"
    AN = "AN"
    BOTH = "AP+AN"


class BlankScorer(Protocol):
    def scores(self, example: ClozeExample) -> Mapping[Direction, NDArray[np.float64]]:
        """Shape (blanks, candidates), higher is better; NaN if that context is empty."""
        ...


FULL = str(Direction.BOTH)
# Context -> its directions, in the order of the paper's Table 6.
CONTEXTS: Mapping[str, tuple[Direction, ...]] = {
    **{str(side): (side,) for side in (Direction.P, Direction.N, Direction.AP, Direction.AN)},
    "P+N": (Direction.P, Direction.N),
    FULL: (Direction.AP, Direction.AN),
}


def context_scores(
    scores: Mapping[Direction, NDArray[np.float64]], context: str
) -> NDArray[np.float64] | None:
    """Mean score over the directions of a context that a blank has; 0 if it has none.

    *Read:* contexts leave out other blanks. The paper averages two directions; we average those
    that exist. For a blank at the start of a passage, the published code uses the last sentence of
    the passage as the context before it. It also keeps the marks of the other blanks in the text.

    Returns:
        float64, shape (blanks, candidates); None if `scores` lack a direction of the context.

    >>> both = {Direction.P: np.array([[np.nan, np.nan], [1.0, 0.0]]),
    ...     Direction.N: np.array([[3.0, 1.0], [2.0, 1.0]])}
    >>> [context_scores(both, context).tolist() for context in ("P+N", "P")]
    [[[3.0, 1.0], [1.5, 0.5]], [[0.0, 0.0], [1.0, 0.0]]]
    >>> context_scores(both, "AP")
    """
    directions = (
        (Direction.BOTH,) if context == FULL and Direction.BOTH in scores else CONTEXTS[context]
    )
    if not all(direction in scores for direction in directions):
        return None
    sides = np.stack([scores[direction] for direction in directions])
    there = ~np.isnan(sides)
    return np.asarray(np.where(there, sides, 0.0).sum(axis=0) / np.maximum(there.sum(axis=0), 1))


INC, EXH = "INC", "EXH"
DECODERS: Mapping[str, Callable[[NDArray[np.float64]], NDArray[np.int64]]] = {
    INC: decode_greedily,
    EXH: decode_jointly,
}


def decode(passage: BlankedPassage, scores: NDArray[np.float64], decoder: str) -> NDArray[np.int64]:
    """One candidate per blank: int64, in the order of `BlankedPassage.blanks`.

    *Read:* we decode blanks in passage order; the published code uses the order of answers in the
    file.

    >>> passage = BlankedPassage("b:0", ("A.", "B.", "C."), (2, 0), ("A.", "C."), (1, 0))
    >>> scores = np.array([[0.0, 0.5], [0.1, 0.9]])
    >>> decode(passage, scores, INC).tolist()
    [0, 1]
    """
    order = np.argsort(passage.blanks)
    answers = np.empty(len(order), np.int64)
    answers[order] = DECODERS[decoder](scores[order])
    return answers


DRAWS = 1_000
_MIDDLE = (2.5, 97.5)  # percentiles
_PURPOSE = "evaluate.blanks.bootstrap"


@dataclass(frozen=True, slots=True, eq=False)
class AnswerCounts:
    """Counts per passage, int64, shape (n,): blanks, right answers, chosen distractors."""

    blanks: NDArray[np.int64]
    right: NDArray[np.int64]
    distractors: NDArray[np.int64]


class BlankMetrics(Recorded):
    """Shares are between 0 and 1; intervals are 95 % bootstrap intervals.

    Attributes:
        n: passages.
        ba: blank accuracy, averaged over passages as in the paper.
        ba_micro: right blanks / all blanks, as the published code prints it.
        pa: share of passages without a wrong blank.
        de: chosen distractors per passage.
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


class BlankRow(Row, BlankMetrics):
    """`context` is empty if unknown, `decoder` if there is none."""

    context: str
    decoder: str

    @property
    def label(self) -> str:
        return f"{self.name}, {self.context}" if self.context else self.name

    @property
    def share(self) -> tuple[float, float, float]:
        return self.ba, self.ba_low, self.ba_high

    @property
    def method(self) -> str:
        parts = ("blank accuracy", self.context, self.decoder, self.note)
        return ", ".join(part for part in parts if part)


class RuleRow(Recorded):
    """A rule that sees only candidates; `named`: expected number of candidates that it selects."""

    name: str
    ba: float
    ba_low: float
    ba_high: float
    ba_chance: float
    named: float
    distractors: float | None
    distractors_low: float | None
    distractors_high: float | None
    distractors_chance: float | None


class ClassifierRow(Recorded):
    """A classifier that sees only candidates; the positive class is distractors."""

    name: str
    input: str
    auc: float
    auc_low: float
    auc_high: float
    f1: float


class CandidateFigures(Recorded):
    candidates: int = 0
    distractors: float
    always_distractor_f1: float
    paper: Mapping[str, float] = {}
    classifiers: tuple[ClassifierRow, ...] = ()


class BlankEvaluation(Evaluation):
    of: ClassVar[str] = " of blanked passages"

    blanks: int
    trained_on: int = 0
    rules: tuple[RuleRow, ...] = ()
    candidates: CandidateFigures | None = None
    baselines: tuple[BlankRow, ...]

    @property
    def main(self) -> tuple[BlankRow, ...]:
        found = main_rows(self.baselines)
        return tuple(row for row in self.baselines if row in found)

    @property
    def compared(self) -> Sequence[BlankRow]:
        return self.main

    @property
    def predicted(self) -> Sequence[BlankRow]:
        return self.main

    @property
    def chance(self) -> float | None:
        return next((row.ba for row in self.main if row.kind == "random"), None)

    @property
    def by_context(self) -> tuple[tuple[str, tuple[BlankRow | None, ...]], ...]:
        """``(baseline + decoder, its row in each of CONTEXTS)`` for baselines with contexts."""
        found = {(row.name, row.decoder, row.context): row for row in self.baselines if row.context}
        named = dict.fromkeys((name, decoder) for name, decoder, _ in found)
        return tuple(
            (
                f"{name} + {decoder}",
                tuple(found.get((name, decoder, context)) for context in CONTEXTS),
            )
            for name, decoder in named
        )


def main_rows(rows: Iterable[BlankRow]) -> list[BlankRow]:
    """The main row of each baseline: widest context, joint decoding.

    >>> figures = dict.fromkeys(BlankMetrics.model_fields, 1)
    >>> rows = [BlankRow(name="lsa", kind="model", context=context, decoder=decoder, **figures)
    ...     for context in ("P", "AP+AN") for decoder in ("INC", "EXH")]
    >>> [row.label for row in main_rows(rows)]
    ['lsa, AP+AN']
    """
    order = ["", *CONTEXTS]
    widest: dict[str, BlankRow] = {}
    for row in rows:
        if row.decoder in ("", EXH):
            other = widest.setdefault(row.name, row)
            if order.index(row.context) > order.index(other.context):
                widest[row.name] = row
    return list(widest.values())


def count_answers(
    passages: Sequence[BlankedPassage], answers: Sequence[Sequence[int] | NDArray[np.int64]]
) -> AnswerCounts:
    """
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
    """Count of each passage in each bootstrap sample: float64, shape (DRAWS, n).

    Samples are of whole passages, because the blanks of a passage share candidates.
    """
    drawn = derive_rng(seed, _PURPOSE).integers(n, size=(DRAWS, n))
    return np.stack([np.bincount(sample, minlength=n) for sample in drawn]).astype(np.float64)


def measure(counts: AnswerCounts, draws: NDArray[np.float64]) -> BlankMetrics:
    """Measures of one set of answers; `draws` from `bootstrap_draws`.

    >>> counts = AnswerCounts(np.array([5, 2]), np.array([5, 1]), np.array([0, 1]))
    >>> row = measure(counts, bootstrap_draws(2, seed=1))
    >>> row.ba, round(row.ba_micro, 3), row.pa, row.de, (row.ba_low, row.ba_high)
    (0.75, 0.857, 0.5, 0.5, (0.5, 1.0))
    """
    n = len(counts.blanks)
    values = _values(counts)
    return _metrics(n, int(counts.blanks.sum()), counts, values.mean(axis=0), draws @ values / n)


def measure_verdicts(
    counts: AnswerCounts, passage_of: NDArray[np.int64], *, seed: int
) -> BlankMetrics:
    """Measures of people's answers; every list counts the same, also with several per passage.

    `passage_of`: int64, shape (m,), the passage index of each list; all of 0..n-1 occur.

    >>> counts = AnswerCounts(np.array([2, 2, 4]), np.array([2, 1, 4]), np.array([0, 1, 0]))
    >>> row = measure_verdicts(counts, np.array([0, 0, 1]), seed=1)
    >>> row.n, row.blanks, round(row.ba, 3), row.ba_micro, round(row.pa, 3), row.ba_low, row.ba_high
    (2, 6, 0.833, 0.875, 0.667, 0.75, 1.0)
    """
    n = int(passage_of.max()) + 1
    sums = np.zeros((n, 4))
    np.add.at(sums, passage_of, np.hstack([_values(counts), np.ones((len(passage_of), 1))]))
    drawn, total = bootstrap_draws(n, seed=seed) @ sums, sums.sum(axis=0)
    blanks = np.zeros(n, np.int64)
    blanks[passage_of] = counts.blanks
    return _metrics(n, int(blanks.sum()), counts, total[:3] / total[3], drawn[:, :3] / drawn[:, 3:])


def _metrics(
    n: int,
    blanks: int,
    counts: AnswerCounts,
    means: NDArray[np.float64],
    drawn: NDArray[np.float64],
) -> BlankMetrics:
    """`means`: the three measures; `drawn`: the same in each sample, shape (DRAWS, 3)."""
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


def paired_difference(
    one: AnswerCounts, other: AnswerCounts, draws: NDArray[np.float64]
) -> tuple[float, float, float]:
    """Blank accuracy of `other` minus `one` on the same passages, with 95 % bootstrap interval.

    >>> one, other = (AnswerCounts(np.array([4, 4]), np.array(right), np.array([0, 0]))
    ...     for right in ([1, 3], [2, 4]))
    >>> paired_difference(one, other, bootstrap_draws(2, seed=1))
    (0.25, 0.25, 0.25)
    """
    gained = _shares(other) - _shares(one)
    low, high = np.percentile(draws @ gained / len(gained), _MIDDLE)
    return float(gained.mean()), float(low), float(high)


def _shares(counts: AnswerCounts) -> NDArray[np.float64]:
    return np.asarray(counts.right / counts.blanks)


def _values(counts: AnswerCounts) -> NDArray[np.float64]:
    """Share of right blanks, all right (0 or 1), chosen distractors: shape (n, 3)."""
    return np.stack(
        [_shares(counts), counts.right == counts.blanks, counts.distractors], axis=1
    ).astype(np.float64)


Scores = Mapping[Direction, NDArray[np.float64]]
Names = tuple[str, str, str]  # name, kind and source of a row


@dataclass(frozen=True, slots=True, eq=False)
class BlankResult:
    row: BlankRow
    passages: Sequence[BlankedPassage] = ()
    answers: Sequence[NDArray[np.int64]] = ()

    def by_book(self, books: Sequence[str]) -> BlankResult:
        """With the margin of BA, clustered by the books of the passages."""
        shares = _shares(count_answers(self.passages, self.answers))
        margin = {"book_margin": clustered_margin(shares, books)}
        return replace(self, row=self.row.model_copy(update=margin))

    def predictions(self) -> Iterator[dict[str, Any]]:
        for passage, answers in zip(self.passages, self.answers, strict=True):
            distractors, chosen = frozenset(passage.distractors), answers.tolist()
            yield {
                "baseline": self.row.name, "id": passage.id, "context": self.row.context, "decoder": self.row.decoder, "answers": chosen,
                "right": [one == own for one, own in zip(chosen, passage.answers, strict=True)],
                "distractors": [one for one in chosen if one in distractors],
            }  # fmt: skip


def blank_row(
    names: Names, metrics: BlankMetrics, *, context: str = "", decoder: str = "", **more: str
) -> BlankRow:  # fmt: skip
    name, kind, source = names
    return BlankRow(
        name=name, kind=kind, source=source, context=context, decoder=decoder, **dict(metrics), **more
    )  # fmt: skip


def context_results(
    names: Names,
    passages: Sequence[BlankedPassage],
    scores: Sequence[Scores],
    draws: NDArray[np.float64],
) -> Iterator[BlankResult]:
    for context in CONTEXTS:
        found = [context_scores(one, context) for one in scores]
        given = [one for one in found if one is not None]
        if len(given) == len(passages):
            yield from matrix_results(names, passages, given, draws, context=context)


def matrix_results(
    names: Names, passages: Sequence[BlankedPassage], scores: Sequence[NDArray[np.float64]], draws: NDArray[np.float64], *,
    context: str = "",
) -> Iterator[BlankResult]:  # fmt: skip
    for decoder in DECODERS:
        answers = [
            decode(passage, one, decoder) for passage, one in zip(passages, scores, strict=True)
        ]
        metrics = measure(count_answers(passages, answers), draws)
        row = blank_row(names, metrics, context=context, decoder=decoder)
        yield BlankResult(row, passages, answers)


def table_text(rows: Sequence[BlankRow]) -> str:
    return "\n".join(
        [
            *_main_table(main_rows(rows)),
            *_context_table([row for row in rows if row.context]),
        ]
    )


def people_text(row: BlankRow) -> str:
    return "\n".join([*_main_table([row], who="people"), str(row.note)])


def candidates_text(evaluation: BlankEvaluation) -> str:
    lines: list[str] = []
    if evaluation.candidates is not None:
        found = evaluation.candidates
        header = ["classifier (candidates only)", _measured("AUC"), "F1 %"]
        cells = [
            [
                f"{one.name}, {one.input}",
                _measure(one, "auc", scale=1, places=3),
                f"{100 * one.f1:.2f}",
            ]
            for one in found.classifiers
        ]
        lines += ["", *table_lines(header, cells, left=frozenset(header[:1]))]
        trivial = (
            f"labelling all of them as distractors has F1 {100 * found.always_distractor_f1:.2f} %"
        )
        lines.append(
            f"{100 * found.distractors:.2f} % of the candidates are distractors (the "
            f"positive class); {trivial}"
        )
    if evaluation.rules:
        header = [
            "rule (candidates only)",
            _measured("BA %"),
            "chance",
            "distractors %",
            "chance",
        ]
        cells = [
            [row.name, _measure(row, "ba", scale=100, places=2), *_chances(row)]
            for row in evaluation.rules
        ]
        lines += ["", *table_lines(header, cells, left=frozenset(header[:1]))]
    return "\n".join(lines)


def _chances(row: RuleRow) -> list[str]:
    named = (
        ["-", "-"]
        if row.distractors is None
        else [f"{100 * getattr(row, name):.2f}" for name in ("distractors", "distractors_chance")]
    )
    return [f"{100 * row.ba_chance:.2f}", *named]


def _main_table(rows: Sequence[BlankRow], *, who: str = "baseline") -> list[str]:
    header = [
        who,
        "context",
        _measured("BA %"),
        BY_BOOK,
        "micro %",
        _measured("PA %"),
        _measured("DE"),
    ]
    cells = []
    for row in rows:
        ba, pa, de = (
            _measure(row, name, scale=scale, places=places)
            for name, scale, places in (("ba", 100, 2), ("pa", 100, 2), ("de", 1, 3))
        )
        cells.append(
            [
                row.name,
                row.context or "-",
                ba,
                margin_cell(row),
                f"{100 * row.ba_micro:.2f}",
                pa,
                de,
            ]
        )
    return table_lines(header, cells, left=frozenset(header[:2]))


def _measured(name: str) -> str:
    """Header cell of a figure with its interval."""
    return f"{name:>6}  {'95 % interval':>15}"


def _measure(row: Recorded, name: str, *, scale: int, places: int) -> str:
    figures = (getattr(row, f"{name}{end}") for end in ("", "_low", "_high"))
    value, low, high = (f"{scale * figure:.{places}f}" for figure in figures)
    interval = f"{low} - {high}"
    return f"{value:>6}  {interval:>15}"


def _context_table(rows: Sequence[BlankRow]) -> list[str]:
    if not rows:
        return []
    cells = {
        (
            row.name,
            row.decoder,
            row.context,
        ): f"{100 * row.ba:.1f}/{100 * row.pa:.1f}"
        for row in rows
    }
    labels = {
        (name, decoder): f"{name} + {decoder}"
        for name in dict.fromkeys(row.name for row in rows)
        for decoder in DECODERS
    }
    table = [
        [label, *(cells.get((*of, context), "-") for context in CONTEXTS)]
        for of, label in labels.items()
    ]
    return ["", *table_lines(["BA/PA %", *CONTEXTS], table, left=frozenset({"BA/PA %"}))]
