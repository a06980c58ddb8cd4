"""A verdict in words on a finished set, from fixed limits (docs/explanation/evaluation.md)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, Literal

from cloze_gen.evaluation.adversary import FEATURE_NAMES
from cloze_gen.evaluation.blanks import BlankEvaluation
from cloze_gen.evaluation.chance import chance_accuracy
from cloze_gen.evaluation.metrics import wilson_interval
from cloze_gen.evaluation.passages import PASSAGES, PassageEvaluation
from cloze_gen.evaluation.questions import QuestionEvaluation, QuestionRow
from cloze_gen.evaluation.selection import HUMAN
from cloze_gen.records.question import Question

Level = Literal["good", "usable with care", "do not publish", "not measured"]
GOOD: Level = "good"
CARE: Level = "usable with care"
BAD: Level = "do not publish"
UNKNOWN: Level = "not measured"  # of a leak without a measure: then there is no verdict
LEVELS = (GOOD, CARE, BAD)
LEAK, AMBIGUITY, TRIVIALITY, SIZE = "leak", "ambiguity", "triviality", "size"


@dataclass(frozen=True, slots=True)
class Limit:
    """Good: the interval ends at or below `good`. Do not publish: it begins at or above `bad`."""

    good: float
    bad: float

    def level(self, low: float, high: float) -> Level:
        """
        >>> [Limit(0.12, 0.15).level(*ends) for ends in ((0.01, 0.12), (0.1, 0.13), (0.15, 0.4))]
        ['good', 'usable with care', 'do not publish']
        """
        return BAD if low >= self.bad else GOOD if high <= self.good else CARE


# Limits of a leak are shares of known answers, (accuracy - chance) / (1 - chance). With five
# options, 0.15 and 0.25 are 32 % and 40 % accuracy. The other limits are plain shares.
LIMITS = {
    "adversary-scores": Limit(0.15, 0.25),
    "adversary-scores+ngrams": Limit(0.20, 0.30),
    "adversary-scores+ngrams+lsa": Limit(0.35, 0.45),
    "adversary-options": Limit(0.125, 0.20),
    "check": Limit(0.08, 0.175),  # about 5 points of accuracy less than an adversary finds
    "ambiguity": Limit(0.12, 0.15),
    "expected ambiguity": Limit(0.05, 0.12),  # the models find half of what readers find
    "triviality": Limit(0.35, 0.50),
    "expected triviality": Limit(0.30, 0.50),
    "size": Limit(0.05, 0.10),  # half the interval of an accuracy of 50 %
    "passages": Limit(0.10, 0.20),
    "surface": Limit(0.30, 0.40),
    "candidates": Limit(0.60, 0.70),  # AUC
    "wrong blanks": Limit(0.20, 0.30),
}
# Accuracy of the adversaries on the 520 published development questions (matched-choice.md).
_PUBLISHED = {
    "adversary-scores": 0.525,
    "adversary-scores+ngrams": 0.549,
    "adversary-scores+ngrams+lsa": 0.626,
    "adversary-options": 0.258,
}
_MEANINGS = {
    LEAK: {
        GOOD: "this reveals little",
        CARE: "report this figure with every result",
        BAD: "a model can find many answers without understanding the text",
    },
    AMBIGUITY: {
        GOOD: "about as few as in published sets",
        CARE: "let people mark the questions and drop the ambiguous ones",
        BAD: "too many answers are a matter of opinion",
    },
    TRIVIALITY: {
        GOOD: "about as few as in published sets",
        CARE: "scores are higher than on a set that people groomed",
        BAD: "most questions are too easy to compare models",
    },
    SIZE: {
        GOOD: "enough to compare models",
        CARE: "only large differences between models are visible",
        BAD: "too few to compare models",
    },
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One rule: its level and a sentence with the figure and its meaning."""

    rule: str
    level: Level
    sentence: str

    @property
    def line(self) -> str:
        return f"{self.rule}: {self.level}. {self.sentence}"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The worst level of all findings.

    Attributes:
        provisional: no adversary was measured; the leak is that of the check of the choice.
        notice: set if the set reveals more than its settings allow.
    """

    findings: tuple[Finding, ...]
    provisional: bool = False
    notice: str = ""

    @property
    def level(self) -> Level:
        levels = {one.level for one in self.findings}
        order = (BAD, UNKNOWN, CARE, GOOD)
        return next((level for level in order if level in levels), UNKNOWN)

    def head(self, name: str) -> str:
        """
        >>> Verdict((Finding("leak", UNKNOWN, ""),)).head("mine")
        'no verdict before `cloze-gen evaluate mine`'
        """
        evaluate = f"`cloze-gen evaluate {name}`"
        if self.level == UNKNOWN:
            return f"no verdict before {evaluate}"
        return f"{self.level}{f' (provisional, before {evaluate})' if self.provisional else ''}"

    def lines(self, name: str) -> tuple[str, ...]:
        notice = [f"notice: {self.notice}"] if self.notice else []
        return (f"verdict: {self.head(name)}", *notice, *(one.line for one in self.findings))


# ---- questions


def question_verdict(
    questions: Sequence[Question],
    evaluation: QuestionEvaluation | None,
    *,
    choice: Mapping[str, Any],
    candidates: Iterable[Mapping[str, Any]],
) -> Verdict:
    """`choice`: facts of the choice; `candidates`: records with the models' expected marks."""
    n = len(questions)
    chance = chance_accuracy([len(one.options) for one in questions]) if questions else 0.0
    rows = {row.name: row for row in evaluation.baselines} if evaluation else {}
    check = choice.get("leak")
    measured = "adversary-scores" in rows
    leak = _adversaries(rows) if measured else _check(check, n, chance)
    found = [leak, *_marks(questions, evaluation, candidates), _size(n, "questions")]
    notice = ""
    if check and check["check"] > check["max_leak"]:
        notice = (
            f"The check of the choice finds {_percent(check['check'])} of the answers, more than "
            f"choice.max_leak = {check['max_leak']:g} allows. Add books, or lower "
            'choice.n_questions ("auto" finds the largest number).'
        )
    return Verdict(tuple(found), not measured and leak.level != UNKNOWN, notice)


def _adversaries(rows: Mapping[str, QuestionRow]) -> Finding:
    found = [_adversary(rows[name]) for name in _PUBLISHED if name in rows]
    return max(found, key=lambda one: LEVELS.index(one.level))  # the first of the worst


def _adversary(row: QuestionRow) -> Finding:
    level = LIMITS[row.name].level(_known(row.low, row.chance), _known(row.high, row.chance))
    published, features = _PUBLISHED[row.name], FEATURE_NAMES[row.name].partition(" (")[0]
    worse = ", more often than in the published MSR questions" if row.accuracy > published else ""
    corrected = f", corrected for {row.corrected_for} variants" if row.corrected_for > 1 else ""
    return Finding(
        LEAK,
        level,
        f"A classifier trained on {features} finds {_percent(row.accuracy)} of the "
        f"answers (95 % interval {_ends(row.low, row.high)}{corrected}; chance "
        f"{_percent(row.chance)}; published MSR questions {_percent(published)}): "
        f"{_MEANINGS[LEAK][level]}{worse if level == BAD else ''}.",
    )


def _check(check: Mapping[str, Any] | None, n: int, chance: float) -> Finding:
    if not check:
        return Finding(LEAK, UNKNOWN, "No classifier has tried to find the answers.")
    accuracy = check["check"]
    tried = check["rounds"]
    low, high = wilson_interval(round(accuracy * n), n, tried=tried)
    level = LIMITS["check"].level(_known(low, chance), _known(high, chance))
    return Finding(
        LEAK,
        level,
        f"The check of the choice finds {_percent(accuracy)} of the answers (95 % interval "
        f"{_ends(low, high)}, corrected for {tried} rounds; chance {_percent(chance)}), and trained "
        f"adversaries find about 5 points more: {_MEANINGS[LEAK][level]}.",
    )


def _marks(
    questions: Sequence[Question],
    evaluation: QuestionEvaluation | None,
    candidates: Iterable[Mapping[str, Any]],
) -> list[Finding]:
    people = (evaluation.people if evaluation else None) or {}
    own = next((one for one in people.get("sets", ()) if one["set"] == people["set"]), None)
    if own is not None:
        return [_read(AMBIGUITY, "ambiguous", own), _read(TRIVIALITY, "trivial", own)]
    expected = expected_marks(questions, candidates)
    if expected is None:
        ask = "People have not read the questions: ask them with `cloze-gen judge new`."
        return [Finding(rule, CARE, ask) for rule in (AMBIGUITY, TRIVIALITY)]
    ambiguity, triviality = expected
    return [
        _expected(AMBIGUITY, ambiguity, "a second answer", "readers find up to twice as many"),
        _expected(TRIVIALITY, triviality, "only absurd impostors", "readers find about as many"),
    ]


def _read(rule: str, fault: str, own: Mapping[str, Any]) -> Finding:
    figure, judges = own[fault], own["judges"]
    level = LIMITS[rule].level(figure["low"], figure["high"])
    readers = "One reader calls" if judges == 1 else f"Most of {judges:,} readers call"
    return Finding(
        rule,
        level,
        f"{readers} {_percent(figure['by_most'])} of {own['items']:,} questions {fault} (95 % "
        f"interval {_ends(figure['low'], figure['high'])}): {_MEANINGS[rule][level]}.",
    )


def _expected(rule: str, share: float, what: str, bias: str) -> Finding:
    level = LIMITS[f"expected {rule}"].level(share, share)
    return Finding(
        rule,
        level,
        f"Models of readers' marks expect {what} in {_percent(share)} of the questions, an estimate "
        f"({bias}): {_MEANINGS[rule][level]}.",
    )


def expected_marks(
    questions: Sequence[Question], candidates: Iterable[Mapping[str, Any]]
) -> tuple[float, float] | None:
    """Mean expected ambiguity and triviality, as `impostor_draws` computes them; None if unknown."""
    words = {one["id"]: {row["word"]: row for row in one["candidates"]} for one in candidates}
    ambiguity, triviality = 0.0, 0.0
    for question in questions:
        known = words.get(question.id, {})
        rows = [known.get(option, {}) for option in question.options if option != question.answer]
        marks = [(row.get("fits_as_well"), row.get("plausible")) for row in rows]
        if any(value is None for pair in marks for value in pair):
            return None
        ambiguity += 1 - math.prod(1 - fits for fits, _ in marks)
        triviality += math.prod(1 - plausible for _, plausible in marks)
    return (ambiguity / len(questions), triviality / len(questions)) if questions else None


# ---- passages


def passage_verdict(
    n: int,
    evaluation: PassageEvaluation | None,
    *,
    judged: str,
    guessable: float = 1.0,
) -> Verdict:
    """`n`: of the test split; `judged`: who guessed the last words, as on the card: ``none (...)`` or
    ``human (...)``; `guessable`: share that a reader is expected to guess.
    """
    rows = list(evaluation.of_set(PASSAGES).values()) if evaluation else []
    simple = [(row.name, row.share) for row in rows if row.kind in _SIMPLE]
    leak = _best("passages", simple, "predicts", "last words", "LAMBADA: at most 7 %")
    count = n if judged.startswith("human") else round(n * guessable)
    noun = "test passages"
    if count < n:
        noun = f"of {n:,} test passages that a reader is expected to guess"
    return Verdict((leak, _guessed(judged), _size(count, noun)))


def _guessed(judged: str) -> Finding:
    ask = (
        "Ask people with `cloze-gen judge new`. In our readings of the 600 novels, two "
        "readers guessed 95 to 97 % from the passage. 41 to 64 % were kept, with two readers of "
        "the sentence alone instead of ten."
    )
    if judged.startswith("human"):
        return Finding(AMBIGUITY, GOOD, "People guessed every last word from its passage.")
    return Finding(
        AMBIGUITY,
        CARE,
        "Not measured: nobody has guessed the last words, and many may be impossible to guess. "
        f"{ask}",
    )


# ---- blanked passages


def blank_verdict(n: int, evaluation: BlankEvaluation | None) -> Verdict:
    """`n`: of the test split."""
    main = evaluation.main if evaluation else ()
    chance = (evaluation.chance if evaluation else None) or 0.0
    surface = [(row.label, row.share) for row in main if row.kind == "surface"]
    alone = evaluation.candidates if evaluation else None
    pairs = [
        (f"{one.name}, {one.input}", (one.auc, one.auc_low, one.auc_high))
        for one in (alone.classifiers if alone else ())
    ]
    leaks = [
        _best("surface", surface, "fills", "blanks", f"chance {_percent(chance)}"),
        _best(
            "candidates", pairs, "tells the answer in",
            "pairs of an answer and a distractor without the passage", "chance 50 %",
        ),
    ]  # fmt: skip
    known = [one for one in leaks if one.level != UNKNOWN]
    leak = max(known, key=lambda one: LEVELS.index(one.level)) if known else leaks[0]
    people = next((row.share for row in main if row.kind == HUMAN), None)
    return Verdict((leak, _filled(people), _size(n, "test passages")))


def _filled(share: tuple[float, float, float] | None) -> Finding:
    if share is None:
        ask = "People have not filled the blanks: ask them with `cloze-gen judge new`."
        return Finding(AMBIGUITY, CARE, ask)
    right, low, high = share
    level = LIMITS["wrong blanks"].level(1 - high, 1 - low)
    return Finding(
        AMBIGUITY,
        level,
        f"People fill {_percent(1 - right)} of the blanks wrongly (95 % interval "
        f"{_ends(1 - high, 1 - low)}; SCDE: 12.9 %): {_MEANINGS[AMBIGUITY][level]}.",
    )


# ---- parts

_SIMPLE = {"random", "rule", "model"}  # kinds of rows of passages


def _best(
    limit: str, rows: Sequence[tuple[str, tuple[float, float, float] | None]], finds: str, what: str, compared: str
) -> Finding:  # fmt: skip
    """The highest of several rows; its interval is widened for their number (Bonferroni)."""
    measured = [(name, share) for name, share in rows if share is not None]
    if not measured:
        return Finding(LEAK, UNKNOWN, "No simple method has been tried on the items.")
    name, (value, low, high) = max(measured, key=lambda one: one[1][0])
    tried = len(measured)
    wider = NormalDist().inv_cdf(1 - 0.025 / tried) / NormalDist().inv_cdf(0.975)
    low, high = max(0.0, value - wider * (value - low)), min(1.0, value + wider * (high - value))
    level = LIMITS[limit].level(low, high)
    return Finding(
        LEAK,
        level,
        f"The best of {tried} simple methods ({name}) {finds} {_percent(value)} of the {what} (95 % "
        f"interval {_ends(low, high)}, corrected for {tried} methods; {compared}): "
        f"{_MEANINGS[LEAK][level]}.",
    )


def _size(n: int, noun: str) -> Finding:
    margin = 0.98 / math.sqrt(n) if n else 1.0
    level = LIMITS["size"].level(margin, margin)
    return Finding(
        SIZE,
        level,
        f"With {n:,} {noun}, an accuracy of 50 % is uncertain by {100 * margin:.1f} points (95 %): "
        f"{_MEANINGS[SIZE][level]}.",
    )


def _known(accuracy: float, chance: float) -> float:
    return (accuracy - chance) / (1 - chance)


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _ends(low: float, high: float) -> str:
    return f"{100 * low:.1f} to {100 * high:.1f} %"
