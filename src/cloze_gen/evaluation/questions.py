"""Evaluation of questions: the set, its baselines, their scores and choices, and the table."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cloze_gen.errors import UsageError
from cloze_gen.evaluation.chance import (
    chance_accuracy,
    correct_count_distribution,
    positions_balanced,
)
from cloze_gen.evaluation.metrics import (
    best_options,
    clustered_margin,
    score_matrix,
    wilson_interval,
)
from cloze_gen.evaluation.rows import BY_BOOK, Evaluation, Recorded, Row, margin_cell
from cloze_gen.evaluation.selection import HUMAN, USER, check_known
from cloze_gen.records.question import Question
from cloze_gen.text_layout import table_lines

# Score -> the models it needs unless the records of the questions contain it.
MODELS = {
    "focus-model": ("index",), "history": ("index",), "forward": ("index",), "frequency": ("counts",), "smoothed-3gram": ("3gram",),
    "smoothed-4gram": ("4gram",), "simple-4gram": ("text",), "lsa": ("lsa",),
}  # fmt: skip
# Score -> its field in `option_scores` of our questions.
RECORDED = {
    "focus-model": "sentence_log10_prob",
    "history": "history_log10_prob",
    "forward": "forward_log10_prob",
    "frequency": "freq",
}
# Scores that every adversary on scores sees.
_SCORES = ("history", "forward", "focus-model", "frequency", "length")
RANDOM = "random"  # row of random answers
ADVERSARY = "adversary"  # kind of rows of trained adversaries
_NGRAMS = ("smoothed-3gram", "smoothed-4gram", "simple-4gram")
# Adversary -> the scores it sees (none: the options alone), most informative first.
ADVERSARIES = {
    "adversary-scores": _SCORES, "adversary-scores+ngrams": (*_SCORES, *_NGRAMS), "adversary-scores+ngrams+lsa": (*_SCORES, *_NGRAMS, "lsa"),
    "adversary-options": (), **{f"adversary-{score}": (score,) for score in _SCORES},
}  # fmt: skip
LETTERS = "abcdefghijklmnopqrstuvwxyz"


_LARGEST = float(np.finfo(np.float64).max)


@dataclass(frozen=True, slots=True, eq=False)
class QuestionSet:
    questions: tuple[Question, ...]
    records: tuple[Mapping[str, Any], ...] = ()

    @property
    def digest(self) -> str:
        lines = (
            repr((q.id, q.book_id, q.tokens, q.position, q.options, q.answer_index))
            for q in self.questions
        )
        return hashlib.blake2b("\n".join(lines).encode(), digest_size=8).hexdigest()

    @property
    def option_counts(self) -> list[int]:
        return [len(question.options) for question in self.questions]

    def recorded(self, name: str) -> NDArray[np.float64] | None:
        """A recorded score of every option, shape (n, k); None unless all records have it."""
        rows: list[list[Any]] = []
        for question, record in zip(self.questions, self.records, strict=False):
            scores = record.get("option_scores")
            listed = (
                [row for row in scores if isinstance(row, dict)] if isinstance(scores, list) else []
            )
            by_word = {
                row["word"]: row.get(name) for row in listed if isinstance(row.get("word"), str)
            }
            rows.append([by_word.get(option) for option in question.options])
        if not rows or not all(_is_score(value) for row in rows for value in row):
            return None
        return score_matrix(rows)


def _is_score(value: Any) -> bool:
    """Whether a value is a finite number; files of other programs may hold anything."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _LARGEST


class AdversaryVariant(Recorded):
    family: str
    folds: str
    rounds: int
    accuracy: float
    low: float
    high: float


class QuestionRow(Row):
    """One baseline of questions.

    Attributes:
        kind: such as ``balanced``: balanced by the choice of impostors.
        low, high: Wilson's 95 % interval of `accuracy`, corrected for an adversary's variants; for
            people a bootstrap over items.
        correct: number of items; None if `accuracy` is a mean or an expectation.
        corrected_for: number of variants of an adversary (Bonferroni).
    """

    accuracy: float
    low: float
    high: float
    n: int
    correct: int | None = None
    chance: float
    family: str = ""
    folds: str = ""
    rounds: int = 0
    corrected_for: int = 1
    left_out: str = ""
    variants: tuple[AdversaryVariant, ...] = ()

    @property
    def share(self) -> tuple[float, float, float]:
        return self.accuracy, self.low, self.high

    @property
    def method(self) -> str:
        """
        >>> row = QuestionRow(name="a", kind="adversary", accuracy=0.5, low=0.4, high=0.6, n=9,
        ...     chance=0.2, family="trees", folds="book", corrected_for=4)
        >>> row.method
        'trees, folds by book, best of 4 (interval Bonferroni-corrected)'
        """
        if not self.family:
            return self.note
        tried = self.corrected_for
        best = f", best of {tried} (interval Bonferroni-corrected)" if tried > 1 else ""
        return f"{self.family}, folds by {self.folds}{best}"


class QuestionEvaluation(Evaluation):
    chance: float
    baselines: tuple[QuestionRow, ...]

    def of_kind(self, *kinds: str) -> tuple[QuestionRow, ...]:
        return tuple(row for row in self.baselines if row.kind in kinds)


@dataclass(frozen=True, slots=True)
class Baseline:
    """Chooses the option with the highest score, or the lowest if `reverse`."""

    name: str
    score: str
    kind: str
    source: str
    reverse: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class BaselineResult:
    """scores: shape (n, k), padded with NaN; choices, correct: shape (n,)."""

    baseline: Baseline
    questions: Sequence[Question]
    scores: NDArray[np.float64]
    choices: NDArray[np.int64]
    correct: NDArray[np.bool_]

    @property
    def row(self) -> QuestionRow:
        n, right = len(self.questions), int(self.correct.sum())
        option_counts = [len(question.options) for question in self.questions]
        low, high = wilson_interval(right, n)
        return QuestionRow(
            name=self.baseline.name, kind=self.baseline.kind, source=self.baseline.source, accuracy=right / n,
            low=low, high=high, n=n, correct=right, chance=chance_accuracy(option_counts),
            book_margin=clustered_margin(self.correct, book_ids(self.questions)),
        )  # fmt: skip

    def predictions(self) -> Iterator[dict[str, Any]]:
        for item, question in enumerate(self.questions):
            for option, word in enumerate(question.options):
                yield {
                    "baseline": self.baseline.name, "id": question.id, "option": option, "word": word,
                    "score": float(self.scores[item, option]), "chosen": bool(self.choices[item] == option),
                    "is_answer": option == question.answer_index, "right": bool(self.correct[item]),
                }  # fmt: skip


@dataclass(frozen=True, slots=True)
class RandomResult:
    """Random answers: exact expected accuracy, and the range of the middle 95 %.

    >>> row = RandomResult([2, 2, 2, 2]).row
    >>> row.accuracy, row.low, row.high
    (0.5, 0.0, 1.0)
    """

    option_counts: Sequence[int]

    @property
    def row(self) -> QuestionRow:
        n, chance = len(self.option_counts), chance_accuracy(self.option_counts)
        below = np.cumsum(correct_count_distribution(self.option_counts))
        low, high = (int(np.searchsorted(below, share)) / n for share in (0.025, 0.975))
        return QuestionRow(
            name=RANDOM, kind=RANDOM, source="exact expectation", accuracy=chance, low=low, high=high, n=n,
            correct=None, chance=chance,
        )  # fmt: skip

    def predictions(self) -> Iterator[dict[str, Any]]:
        yield from ()


def judge_scores(
    baseline: Baseline,
    scores: NDArray[np.float64],
    questions: Sequence[Question],
    *,
    seed: int,
) -> BaselineResult:
    """Choose by the highest score (the lowest if `reverse`) and compare with the answers.

    `scores`: shape (n, k), padded with NaN; `seed`: for breaking ties.

    Raises:
        UsageError: a question has no known answer.
    """
    check_answers(questions)
    ordered = -scores if baseline.reverse else scores
    choices = best_options(ordered, [question.id for question in questions], seed=seed)
    return BaselineResult(
        baseline, questions, ordered, choices, choices == answer_indices(questions)
    )


def book_ids(questions: Sequence[Question]) -> list[str]:
    return [question.book_id for question in questions]


def check_answers(questions: Sequence[Question]) -> None:
    """Raise UsageError if a question has no known answer."""
    unknown = [question.id for question in questions if question.answer_index < 0]
    if unknown:
        raise UsageError(
            f"{len(unknown)} questions have no known answer (first: {unknown[0]}); pass the "
            "answers file with --answers"
        )


def answer_indices(questions: Sequence[Question]) -> NDArray[np.int64]:
    return np.array([question.answer_index for question in questions], dtype=np.int64)


def table_text(rows: Sequence[QuestionRow], *, who: str = "baseline") -> str:
    header = (who, "accuracy", "95 % interval", BY_BOOK, "n", "chance")
    cells = [
        (row.name, f"{100 * row.accuracy:.2f} %", f"{100 * row.low:.2f} - {100 * row.high:.2f}", margin_cell(row),
         str(row.n), f"{100 * row.chance:.1f} %")
        for row in rows
    ]  # fmt: skip
    methods: dict[str, list[str]] = {}
    for row in rows:
        if row.family:
            methods.setdefault(row.method, []).append(row.name)
    lines = table_lines(header, cells, left=frozenset({who}))
    lines += [
        f"{row.name} is below chance: check that a higher score is better, and the order of the options"
        for row in rows
        if row.kind == USER and row.high < row.chance
    ]
    return "\n".join(
        [*lines, *(f"{method}: {', '.join(names)}" for method, names in methods.items())]
    )


def word_baselines(option_count: int) -> list[Baseline]:
    """All baselines of questions with up to `option_count` options, in table order.

    Adversaries first, then the paper's Table 1, its bias tests (2.2), and the rest.
    """
    return [
        *(Baseline(name, name, ADVERSARY, "") for name in ADVERSARIES),
        Baseline("focus-model-highest", "focus-model", "balanced", "MSR 2.2"),
        Baseline("focus-model-lowest", "focus-model", "balanced", "MSR 2.2", True),
        Baseline("smoothed-3gram", "smoothed-3gram", "baseline", "MSR 4.2"),
        Baseline("smoothed-4gram", "smoothed-4gram", "baseline", "MSR 4.2"),
        Baseline("simple-4gram", "simple-4gram", "baseline", "MSR 4.1"),
        Baseline("lsa", "lsa", "baseline", "MSR 4.3"),
        Baseline(
            "smoothed-3gram-lowest", "smoothed-3gram", "baseline", "MSR 2.2, another model", True
        ),
        Baseline(
            "smoothed-4gram-lowest", "smoothed-4gram", "baseline", "MSR 2.2, another model", True
        ),
        Baseline("forward-highest", "forward", "balanced", "MSR 2.2"),
        Baseline("forward-lowest", "forward", "balanced", "MSR 2.2", True),
        Baseline("history-highest", "history", "balanced", "MSR 2.2"),
        Baseline("history-lowest", "history", "balanced", "MSR 2.2", True),
        Baseline("most-frequent", "frequency", "balanced", ""),
        Baseline("least-frequent", "frequency", "balanced", "", True),
        Baseline("longest", "length", "balanced", ""),
        Baseline("shortest", "length", "balanced", "", True),
        *(
            Baseline(f"position-{letter}", f"position-{letter}", "balanced", "")
            for letter in LETTERS[:option_count]
        ),
        Baseline("odd-tag-out", "odd-tag-out", "bias", ""),
        Baseline("majority-tag", "majority-tag", "bias", ""),
        Baseline("a-an-agreement", "a-an-agreement", "bias", ""),
    ]


def without_balancing(baseline: Baseline, questions: Sequence[Question]) -> Baseline:
    """The baseline for a set without balanced choice: kind `baseline` for scores, else `bias`."""
    if baseline.kind != "balanced" or (
        baseline.score.startswith("position-") and answers_balanced(questions)
    ):
        return baseline
    return replace(
        baseline,
        kind="baseline" if baseline.score in ("focus-model", "history", "forward") else "bias",
    )


def answers_balanced(questions: Sequence[Question]) -> bool:
    option_counts = {len(question.options) for question in questions}
    answers = answer_indices(questions)
    return (
        len(option_counts) == 1
        and bool((answers >= 0).all())
        and positions_balanced(answers, option_count=option_counts.pop())
    )


def models_for(baseline: Baseline, question_set: QuestionSet) -> tuple[str, ...]:
    """Models it needs beyond the scores in the records."""
    scores = ADVERSARIES.get(baseline.score, (baseline.score,))
    return tuple(
        dict.fromkeys(model for score in scores for model in _models_of(score, question_set))
    )


def _models_of(score: str, question_set: QuestionSet) -> tuple[str, ...]:
    if score in RECORDED and question_set.recorded(RECORDED[score]) is not None:
        return ()
    return MODELS.get(score, ())


def pick(baselines: Sequence[Baseline], only: Sequence[str]) -> list[Baseline]:
    kinds = [*dict.fromkeys(row.kind for row in baselines), USER, HUMAN]
    names = [RANDOM, *(row.name for row in baselines)]
    check_known(
        only,
        {*kinds, *names},
        noun="questions",
        choices=f"{', '.join(names)}; the kinds {', '.join(kinds)}",
    )
    return [row for row in baselines if not only or row.name in only or row.kind in only]
