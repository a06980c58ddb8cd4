"""Every baseline on one set of questions: what it needs, how it scores, and the table that comes of it."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cloze_gen.engine.progress import Stopwatch
from cloze_gen.errors import UsageError
from cloze_gen.evaluate.bias_rules import (
    article_scores,
    freq_lookup,
    frequency_scores,
    length_scores,
    majority_tag_scores,
    odd_one_out_scores,
    position_scores,
)
from cloze_gen.evaluate.chance import chance_accuracy, correct_count_distribution, joint_p, positions_dealt
from cloze_gen.evaluate.results import TABLE_ORDER, BaselineResult, judge_scores, prediction_rows, table_row
from cloze_gen.evaluate.words.lm_scores import forward_scores, history_scores, lowest, sentence_scores
from cloze_gen.evaluate.words.lsa import lsa_scores
from cloze_gen.evaluate.words.ngram_match import match_scores
from cloze_gen.evaluate.words.option_classifier import book_folds, options_only_scores, rank_scores
from cloze_gen.notation import shown
from cloze_gen.stages.corpus.counts import read_counts
from cloze_gen.stages.evaluation.models import IndexModel, open_evaluation_lm, open_lsa, open_match_index
from cloze_gen.stages.evaluation.question_sets import QuestionSet
from cloze_gen.stages.models.index import open_index
from cloze_gen.store.artifacts import Artifact

Scores = NDArray[np.float64]
RANKED = ("history", "forward", "generating", "frequency", "length")  # what the classifier of ranks sees
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class Baseline:
    """One row of the table.

    Attributes:
        score: name of the scores it chooses by.
        kind: ``baseline``, ``balanced`` (what the making of the set levels), ``artifact``, ``classifier``, ``random`` or ``user``.
        reverse: the lowest score wins.
    """

    name: str
    score: str
    kind: str
    source: str
    reverse: bool = False


# Score -> the models it is made from. `index`, `counts` and what follows from them are not needed where the records tell the scores.
MODELS = {
    "generating": ("index",), "history": ("index",), "forward": ("index",), "frequency": ("counts",), "smoothed-3gram": ("3gram",),
    "smoothed-4gram": ("4gram",), "simple-4gram": ("match",), "lsa": ("lsa",), "options-only": ("counts",), "ranks": ("index", "counts"),
}  # fmt: skip
# Score -> its field in the option scores of our own questions.
_RECORDED = {"generating": "sentence_log10_prob", "history": "history_log10_prob", "forward": "forward_log10_prob", "frequency": "freq"}
_RECORDS_FOR = {**{score: (score,) for score in _RECORDED}, "options-only": ("frequency",), "ranks": RANKED[:4]}


def baselines(option_count: int) -> list[Baseline]:
    """All baselines for questions of up to `option_count` options, in the order of the table."""
    pairs = [("generating", "MSR 2.2"), ("history", "MSR 2.2"), ("forward", "MSR 2.2")]
    rows = [Baseline(f"{name}-{end}", name, "balanced", source, end == "lowest") for name, source in pairs for end in ("highest", "lowest")]
    rows += [Baseline(name, name, "baseline", "MSR 4.2") for name in ("smoothed-3gram", "smoothed-4gram")]
    rows += [Baseline(f"{name}-lowest", name, "baseline", "MSR 2.2, another model", True) for name in ("smoothed-3gram", "smoothed-4gram")]
    rows += [Baseline("simple-4gram", "simple-4gram", "baseline", "MSR 4.1"), Baseline("lsa", "lsa", "baseline", "MSR 4.3")]
    rows += [Baseline("most-frequent", "frequency", "balanced", ""), Baseline("least-frequent", "frequency", "balanced", "", True)]
    rows += [Baseline("longest", "length", "balanced", ""), Baseline("shortest", "length", "balanced", "", True)]
    rows += [Baseline(f"position-{letter}", f"position-{letter}", "balanced", "") for letter in _LETTERS[:option_count]]
    rows += [Baseline(name, name, "artifact", "") for name in ("odd-tag-out", "majority-tag", "a-an-agreement")]
    rows += [Baseline("options-only", "options-only", "classifier", ""), Baseline("rank-classifier", "ranks", "classifier", "")]
    places = {name: place for place, name in enumerate(TABLE_ORDER)}
    return sorted(rows, key=lambda row: places.get(row.name, len(places)))


def as_found(row: Baseline, asked: QuestionSet) -> Baseline:
    """The same row for a set that no balanced choice made: there, scores are baselines and rules are artifacts.

    Where the answers' positions were dealt evenly, the rules of position stay balanced: they can tell nothing.
    """
    if row.kind != "balanced" or (row.score.startswith("position-") and dealt(asked)):
        return row
    return replace(row, kind="baseline" if row.score in ("generating", "history", "forward") else "artifact")


def dealt(asked: QuestionSet) -> bool:
    """Whether the answers stand at every position equally often, give or take one; not told of items of different sizes."""
    option_counts = {len(question.options) for question in asked.questions}
    answers = np.array([question.answer_index for question in asked.questions], np.int64)
    return len(option_counts) == 1 and bool((answers >= 0).all()) and positions_dealt(answers, option_count=option_counts.pop())


def models_for(row: Baseline, asked: QuestionSet) -> tuple[str, ...]:
    """The models a row is made from, given what the questions' own records tell."""
    told = _RECORDS_FOR.get(row.score, ())
    if told and all(asked.recorded(_RECORDED[score]) is not None for score in told):
        return ()
    return MODELS.get(row.score, ())


class Scorer:
    """Option scores by name, each computed once, with the seconds it took (opening its model included)."""

    def __init__(self, asked: QuestionSet, models: Mapping[str, Artifact], *, tagger: str = "builtin") -> None:
        self._asked, self._models, self._tagger = asked, models, tagger
        self._done: dict[str, tuple[Scores, float]] = {}
        self._opened: dict[str, Any] = {}

    def scores(self, name: str) -> tuple[Scores, float]:
        """float64, shape (n, k), and seconds; what one score takes from another is not counted twice."""
        if name not in self._done:
            clock, before = Stopwatch(), sum(seconds for _, seconds in self._done.values())
            found = self._compute(name)
            self._done[name] = found, clock.seconds - (sum(seconds for _, seconds in self._done.values()) - before)
        return self._done[name]

    def _compute(self, name: str) -> Scores:
        told = self._asked.recorded(_RECORDED[name]) if name in _RECORDED else None
        if told is not None:
            return np.asarray(told)
        if name.startswith("position-"):
            return position_scores(self._asked.questions, _LETTERS.index(name[-1]))
        makers: dict[str, Callable[[], Scores]] = {
            "generating": lambda: sentence_scores(self._language_model(), self._asked.questions),
            "history": lambda: history_scores(self._language_model(), self._asked.questions),
            "forward": lambda: forward_scores(self._language_model(), self._asked.questions),
            "smoothed-3gram": lambda: sentence_scores(open_evaluation_lm(self._models["3gram"]), self._asked.questions),
            "smoothed-4gram": lambda: sentence_scores(open_evaluation_lm(self._models["4gram"]), self._asked.questions),
            "simple-4gram": self._match,
            "lsa": self._lsa,
            "frequency": lambda: frequency_scores(self._asked.questions, self._freq_of()),
            "length": lambda: length_scores(self._asked.questions),
            "odd-tag-out": lambda: odd_one_out_scores(self._tags()),
            "majority-tag": lambda: majority_tag_scores(self._tags()),
            "a-an-agreement": lambda: article_scores(self._asked.questions),
            "options-only": lambda: options_only_scores(self._asked.questions, book_folds(self._asked.questions), freq_of=self._freq_of()),
            "ranks": self._ranks,
        }
        return makers[name]()

    def _match(self) -> Scores:
        hashes, vocabulary = open_match_index(self._models["match"])
        return match_scores(hashes, self._asked.questions, vocabulary)

    def _lsa(self) -> Scores:
        vectors, rows = open_lsa(self._models["lsa"])
        return lsa_scores(vectors, self._asked.questions, rows)

    def _ranks(self) -> Scores:
        return rank_scores([self.scores(name)[0] for name in RANKED], self._asked.questions, book_folds(self._asked.questions))

    def _language_model(self) -> IndexModel:
        return self._once("index", lambda: IndexModel(open_index(self._models["index"])))

    def _freq_of(self) -> Callable[[str], float]:
        return self._once("freq", self._read_freqs)

    def _read_freqs(self) -> Callable[[str], float]:
        told = self._asked.recorded(_RECORDED["frequency"])
        if told is not None:
            options = (option for question in self._asked.questions for option in question.options)
            return freq_lookup({option.casefold(): freq for option, freq in zip(options, told[~np.isnan(told)].tolist(), strict=True)})
        table = read_counts(self._models["counts"])
        return freq_lookup({word.casefold(): freq for word, freq in zip(table.words, table.freq.tolist(), strict=True)})

    def _tags(self) -> list[list[str]]:
        return self._once("tags", self._read_tags)

    def _read_tags(self) -> list[list[str]]:
        """The tag of every option in its sentence, the option standing in the gap."""
        from cloze_gen.adapters.spacy_tagger import load_tagger  # here, for spaCy takes a second to load and only two rules need it

        pairs = [(question, option) for question in self._asked.questions for option in question.options]
        tagged = load_tagger(self._tagger).tag(question.blank.filled(option) for question, option in pairs)
        flat = [tags[question.position] for (question, _), tags in zip(pairs, tagged, strict=True)]
        starts = np.cumsum([0, *(len(question.options) for question in self._asked.questions)]).tolist()
        return [flat[start:end] for start, end in pairwise(starts)]

    def _once(self, name: str, open_it: Callable[[], Any]) -> Any:
        if name not in self._opened:
            self._opened[name] = open_it()
        return self._opened[name]


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """A finished row."""

    baseline: Baseline
    result: BaselineResult
    seconds: float


def judge(row: Baseline, scorer: Scorer, asked: QuestionSet, *, seed: int) -> Judged:
    scores, seconds = scorer.scores(row.score)
    return judge_given(row, lowest(scores) if row.reverse else scores, asked, seed=seed, seconds=seconds)


def judge_given(row: Baseline, scores: Scores, asked: QuestionSet, *, seed: int, seconds: float) -> Judged:
    return Judged(row, judge_scores(row.name, row.source, scores, asked.questions, seed=seed), seconds)


def random_row(asked: QuestionSet) -> dict[str, Any]:
    """Answering at random: the exact expectation, and the middle 95 % of what it would score on these questions."""
    counts = [len(question.options) for question in asked.questions]
    n, chance = len(counts), chance_accuracy(counts)
    below = np.cumsum(correct_count_distribution(counts))
    low, high = (int(np.searchsorted(below, share)) / n for share in (0.025, 0.975))
    return {"name": "random", "kind": "random", "source": "exact expectation", "accuracy": chance, "low": low, "high": high, "n": n,
            "correct": None, "chance": chance, "p_value": 1.0, "expected": chance, "seconds": 0.0}  # fmt: skip


def result_row(judged: Judged) -> dict[str, Any]:
    row = table_row(judged.result, seconds=round(judged.seconds, 3))
    return {"name": row.pop("baseline"), "kind": judged.baseline.kind, **row}


def joint_tests(rows: Sequence[Judged], asked: QuestionSet) -> dict[str, Any]:
    """Whether the rules that no choice balanced, and the classifiers, are together no better and no worse than chance.

    Returns:
        one p a group, and the rules tested; empty where the items differ in their number of options or no such rule was run.
    """
    tested = [row for row in rows if row.baseline.kind in ("artifact", "classifier")]
    option_counts = {len(question.options) for question in asked.questions}
    if len(option_counts) != 1 or not tested:
        return {}
    answers, option_count = np.array([question.answer_index for question in asked.questions], np.int64), option_counts.pop()
    groups = {kind: [row for row in tested if row.baseline.kind == kind] for kind in ("artifact", "classifier")} | {"together": tested}
    found: dict[str, Any] = {kind: _joint(group, answers, option_count) for kind, group in groups.items() if group}
    return found | {"rules": [row.baseline.name for row in tested]}


def _joint(rows: Sequence[Judged], answers: NDArray[np.int64], option_count: int) -> float:
    return joint_p(np.stack([row.result.choices for row in rows]), answers, option_count=option_count)


def table_text(rows: Iterable[Mapping[str, Any]]) -> str:
    """The table as printed."""
    lines = [f"{'baseline':<24} {'accuracy':>8}  {'95 % interval':>15} {'n':>6} {'chance':>7} {'seconds':>8}"]
    for row in rows:
        interval = f"{100 * row['low']:.2f} - {100 * row['high']:.2f}"
        lines.append(f"{row['name']:<24} {100 * row['accuracy']:>6.2f} %  {interval:>15} {row['n']:>6} {100 * row['chance']:>5.1f} % "
                     f"{row['seconds']:>8.2f}")  # fmt: skip
    return "\n".join(lines)


def predictions(rows: Iterable[Judged], asked: QuestionSet) -> Iterable[dict[str, Any]]:
    for row in rows:
        yield from prediction_rows(row.result, asked.questions)


def pick(rows: Sequence[Baseline], only: Sequence[str]) -> list[Baseline]:
    """The rows named, by name or kind; all of them without a name.

    Raises:
        UsageError: a name is neither; lists those there are.
    """
    known = {row.name for row in rows} | {row.kind for row in rows} | {"random", "user"}
    unknown = sorted(set(only) - known)
    if unknown:
        names = textwrap.fill(", ".join(["random", *(row.name for row in rows)]), 140)
        raise UsageError(f"--only {shown(unknown[0])}: no such baseline. Known are the kinds baseline, balanced, artifact, classifier, "
                         f"user, and\n{names}")  # fmt: skip
    return [row for row in rows if not only or row.name in only or row.kind in only]
