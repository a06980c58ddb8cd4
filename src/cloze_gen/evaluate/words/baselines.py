"""The baselines of a word in a blank: what each scores by, what it is made from, and where it is described.

A registry and nothing else: `word_scores` makes the scores, `evaluate.results` judges them. Items of another type have a registry and a
module of scores of their own beside these two.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from cloze_gen.evaluate.chance import positions_dealt
from cloze_gen.evaluate.people import HUMAN
from cloze_gen.evaluate.question_set import QuestionSet
from cloze_gen.evaluate.results import Baseline, answer_indices
from cloze_gen.evaluate.selection import USER, check_known
from cloze_gen.records.question import Question

# Order of the table: the paper's Table 1 first, then its bias tests (2.2), then what it does not report.
TABLE_ORDER = (
    "generating-highest", "generating-lowest", "smoothed-3gram", "smoothed-4gram", "simple-4gram", "lsa",
    "smoothed-3gram-lowest", "smoothed-4gram-lowest", "forward-highest", "forward-lowest", "history-highest", "history-lowest",
)  # fmt: skip
# Score -> the models it is made from, where the questions' own records do not tell it.
MODELS = {
    "generating": ("index",), "history": ("index",), "forward": ("index",), "frequency": ("counts",), "smoothed-3gram": ("3gram",),
    "smoothed-4gram": ("4gram",), "simple-4gram": ("match",), "lsa": ("lsa",), "options-only": ("counts",), "ranks": ("index", "counts"),
}  # fmt: skip
# Score -> its field in the option scores of our own questions.
RECORDED = {"generating": "sentence_log10_prob", "history": "history_log10_prob", "forward": "forward_log10_prob", "frequency": "freq"}
RANKED = ("history", "forward", "generating", "frequency", "length")  # what the classifier of ranks sees
RANDOM = "random"  # the row of answering at random
ADVERSARY = "adversary"  # the kind of what is trained on scores and answers
_NGRAMS = ("smoothed-3gram", "smoothed-4gram", "simple-4gram")
# Adversary -> the scores whose values it is shown; none: the options alone. What tells most comes first.
ADVERSARIES = {
    "adversary-five": RANKED, "adversary-ngrams": (*RANKED, *_NGRAMS), "adversary-all": (*RANKED, *_NGRAMS, "lsa"),
    "adversary-options": (), **{f"adversary-{score}": (score,) for score in RANKED},
}  # fmt: skip
# Score -> the recorded scores that make its models unnecessary.
_RECORDS_FOR = {**{score: (score,) for score in RECORDED}, "options-only": ("frequency",), "ranks": RANKED[:4]}
TAGGED = ("odd-tag-out", "majority-tag", "adversary-options")  # rows that rest on the evaluation's tagger
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def word_baselines(option_count: int) -> list[Baseline]:
    """All baselines for questions of up to `option_count` options, in the order of the table: the adversaries first."""
    pairs = [("generating", "MSR 2.2"), ("history", "MSR 2.2"), ("forward", "MSR 2.2")]
    rows = [Baseline(f"{name}-{end}", name, "balanced", source, end == "lowest") for name, source in pairs for end in ("highest", "lowest")]
    rows += [Baseline(name, name, "baseline", "MSR 4.2") for name in ("smoothed-3gram", "smoothed-4gram")]
    rows += [Baseline(f"{name}-lowest", name, "baseline", "MSR 2.2, another model", True) for name in ("smoothed-3gram", "smoothed-4gram")]
    rows += [Baseline("simple-4gram", "simple-4gram", "baseline", "MSR 4.1"), Baseline("lsa", "lsa", "baseline", "MSR 4.3")]
    rows += [Baseline("most-frequent", "frequency", "balanced", ""), Baseline("least-frequent", "frequency", "balanced", "", True)]
    rows += [Baseline("longest", "length", "balanced", ""), Baseline("shortest", "length", "balanced", "", True)]
    rows += [Baseline(f"position-{letter}", f"position-{letter}", "balanced", "") for letter in LETTERS[:option_count]]
    rows += [Baseline(name, name, "bias", "") for name in ("odd-tag-out", "majority-tag", "a-an-agreement")]
    rows += [Baseline("options-only", "options-only", "classifier", ""), Baseline("rank-classifier", "ranks", "classifier", "")]
    places = {name: place for place, name in enumerate(TABLE_ORDER)}
    adversaries = [Baseline(name, name, ADVERSARY, "") for name in ADVERSARIES]
    return adversaries + sorted(rows, key=lambda row: places.get(row.name, len(places)))


def as_found(baseline: Baseline, questions: Sequence[Question]) -> Baseline:
    """The same baseline for a set that no balanced choice made: there, scores are baselines and rules are biases.

    Where the answers' positions were dealt evenly, the rules of position stay balanced: they can tell nothing.
    """
    if baseline.kind != "balanced" or (baseline.score.startswith("position-") and dealt(questions)):
        return baseline
    return replace(baseline, kind="baseline" if baseline.score in ("generating", "history", "forward") else "bias")


def dealt(questions: Sequence[Question]) -> bool:
    """Whether the answers stand at every position equally often, give or take one; not told of items of different sizes."""
    option_counts = {len(question.options) for question in questions}
    answers = answer_indices(questions)
    return len(option_counts) == 1 and bool((answers >= 0).all()) and positions_dealt(answers, option_count=option_counts.pop())


def models_for(baseline: Baseline, question_set: QuestionSet) -> tuple[str, ...]:
    """The models a baseline is made from, given what the questions' own records tell."""
    scores = ADVERSARIES.get(baseline.score, (baseline.score,))
    return tuple(dict.fromkeys(model for score in scores for model in _models_of(score, question_set)))


def _models_of(score: str, question_set: QuestionSet) -> tuple[str, ...]:
    told = _RECORDS_FOR.get(score, ())
    if told and all(question_set.recorded(RECORDED[one]) is not None for one in told):
        return ()
    return MODELS.get(score, ())


def pick(baselines: Sequence[Baseline], only: Sequence[str]) -> list[Baseline]:
    """The baselines named, by name or kind; all of them without a name.

    Raises:
        UsageError: a name is neither; lists those there are.
    """
    kinds = [*dict.fromkeys(row.kind for row in baselines), USER, HUMAN]
    names = [RANDOM, *(row.name for row in baselines)]
    check_known(only, {*kinds, *names}, noun="questions", choices=f"{', '.join(names)}; the kinds {', '.join(kinds)}")
    return [row for row in baselines if not only or row.name in only or row.kind in only]


def tagger_text(tagger: Mapping[str, Any], rows: Iterable[str]) -> str:
    """One line on the tagger of an evaluation; empty where no row rests on one.

    Args:
        tagger: of ``evaluation.json``: ``used``, and ``of_run``, None of a file and empty where the run used none.
        rows: names of the rows.

    >>> tagger_text({"used": "builtin-1", "of_run": "en-3"}, ["lsa", "odd-tag-out"])
    'tagger of odd-tag-out: builtin-1; the run used another: en-3'
    """
    tagged = [name for name in rows if name in TAGGED]
    if not tagger or not tagged:
        return ""
    used, of_run = str(tagger["used"]), tagger.get("of_run")
    same = {None: "", used: ", as in the run", "": "; the run used none"}.get(of_run, f"; the run used another: {of_run}")
    return f"tagger of {', '.join(tagged)}: {used}{same}"
