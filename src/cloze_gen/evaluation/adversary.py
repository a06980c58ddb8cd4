"""Trained adversaries: the accuracy of classifiers that see scores or options, never sentences."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from cloze_gen.evaluation.chance import chance_accuracy
from cloze_gen.evaluation.metrics import (
    best_options,
    clustered_margin,
    score_matrix,
    wilson_interval,
    within_item_ranks,
)
from cloze_gen.evaluation.questions import (
    ADVERSARY,
    AdversaryVariant,
    Baseline,
    QuestionEvaluation,
    QuestionRow,
    answer_indices,
    book_ids,
    check_answers,
    judge_scores,
)
from cloze_gen.models.sentence_cues import fit_conditional_logit
from cloze_gen.records.question import Question
from cloze_gen.rng import derive_rng

# ---- Features of an option

_MIN_FREQ = 1e-8  # share of word tokens
_ENDING_CHARS = (1, 2, 3)
_HASH_BUCKETS = 4096  # 1,040 items have about 20,000 distinct character n-grams
# With word boundaries, so prefixes and suffixes have up to three letters.
_CHAR_NGRAM_SIZES = (1, 2, 3, 4)


@dataclass(frozen=True, slots=True, eq=False)
class Features:
    """Rows are the options of all items; columns of `linear` are of similar size, for one ridge."""

    dense: NDArray[np.float64]
    linear: sparse.csr_array


def value_features(scores: Sequence[NDArray[np.float64]]) -> Features:
    """For every score: value minus the item's mean, gaps to the highest and lowest other option,
    z-score and rank. `linear` adds the products of any two z-scores.
    """
    columns: list[NDArray[np.float64]] = []
    z_scores = []
    present = ~np.isnan(scores[0])
    for values in scores:
        centred = values - np.nanmean(values, axis=1, keepdims=True)
        spread = np.nanstd(values, axis=1, keepdims=True)
        z = np.divide(
            centred, spread, out=np.zeros_like(centred), where=spread > 1e-12 * (1 + np.abs(values))
        )
        ranks = within_item_ranks(values)
        columns += [
            centred,
            values - _extreme_other(values, 1),
            values - _extreme_other(values, -1),
            z,
            ranks,
        ]
        z_scores.append(z[present])
    dense = np.column_stack([column[present] for column in columns])
    products = [a * b for a, b in combinations(z_scores, 2)] + [z**2 for z in z_scores]
    linear = np.column_stack([dense, *products])
    size = linear.std(axis=0)
    return Features(dense, sparse.csr_array(linear / np.where(size > 0, size, 1)))


def log10_freqs(freqs: NDArray[np.float64]) -> NDArray[np.float64]:
    """log10 of word frequencies (shares of word tokens); unknown words count as very rare."""
    return np.log10(np.maximum(freqs, _MIN_FREQ))


def option_features(options: Sequence[Sequence[str]], tags: Sequence[Sequence[str]]) -> Features:
    """Features of the options alone; `tags`: part-of-speech tags of the words in isolation."""
    offered = Counter(word for row in options for word in dict.fromkeys(map(str.casefold, row)))
    known = {tag: place for place, tag in enumerate(sorted({tag for row in tags for tag in row}))}
    shapes, letters, hashed = [], [], []
    for row, row_tags in zip(options, tags, strict=True):
        folded = [word.casefold() for word in row]
        alike = [
            [float(sum(other[part] == word[part] for other in folded) - 1) for word in folded]
            for part in (slice(1), *(slice(-length, None) for length in _ENDING_CHARS))
        ]
        mean_length = sum(map(len, row)) / len(row)
        for option, (word, tag) in enumerate(zip(row, row_tags, strict=True)):
            of_tag = np.zeros(len(known))
            of_tag[known[tag]] = 1
            shares = [
                float(sum(other == tag for other in row_tags) - 1),
                *(counts[option] for counts in alike),
            ]
            shapes.append(
                [
                    *_shape(word),
                    *shares,
                    len(word) - mean_length,
                    np.log2(offered[word.casefold()]),
                    *of_tag,
                ]
            )
            letters.append(
                [
                    float(ord(letter))
                    for letter in (folded[option][:1] + folded[option][-3:].rjust(3)).rjust(4)
                ]
            )
            hashed.append(_hashed(word))
    shape = np.array(shapes)
    size = shape.std(axis=0)
    linear = sparse.hstack(
        [sparse.csr_array(shape / np.where(size > 0, size, 1)), sparse.vstack(hashed)], format="csr"
    )
    return Features(np.column_stack([shape, np.array(letters)]), linear)


def _extreme_other(values: NDArray[np.float64], sign: int) -> NDArray[np.float64]:
    """The highest (`sign` 1) or lowest (-1) score of the other options; own score if there are none."""
    signed = np.where(np.isnan(values), -np.inf, sign * values)
    best = np.sort(signed, axis=1)[:, ::-1]
    second = best[:, 1:2] if values.shape[1] > 1 else best[:, :1]
    leads = np.arange(values.shape[1]) == signed.argmax(axis=1)[:, None]
    found = np.where(leads, second, best[:, :1])
    return sign * np.where(np.isfinite(found), found, signed)


def _shape(word: str) -> list[float]:
    vowels = sum(letter in "aeiouy" for letter in word.casefold())
    marks = [word[:1].isupper(), any(map(str.isdigit, word)), "-" in word, "'" in word]
    return [float(len(word)), vowels / max(1, len(word)), *map(float, marks)]


def ngram_buckets(word: str) -> list[int]:
    """The buckets of the character n-grams of ``<word>``, ascending, each once."""
    marked = f"<{word}>"
    grams = {
        marked[i : i + size] for size in _CHAR_NGRAM_SIZES for i in range(len(marked) - size + 1)
    }
    return sorted({zlib.crc32(gram.encode()) % _HASH_BUCKETS for gram in grams})


def _hashed(word: str) -> sparse.csr_array:
    grams = ngram_buckets(word)
    whole = _HASH_BUCKETS + zlib.crc32(word.casefold().encode()) % _HASH_BUCKETS
    values = np.concatenate((np.full(len(grams), len(grams) ** -0.5), [1.0]))
    return sparse.csr_array(
        (values, (np.zeros(len(values), int), [*grams, whole])), shape=(1, 2 * _HASH_BUCKETS)
    )


# ---- Model families

TREES, LEAVES = 150, 8

# Arguments: features; item of each row, ascending; is each row the answer; is it in the training
# part. Returns the scores of the rows outside the training part.
Family = Callable[
    [Features, NDArray[np.int64], NDArray[np.bool_], NDArray[np.bool_]], NDArray[np.float64]
]


def scores_by_trees(
    features: Features,
    item_of_row: NDArray[np.int64],
    is_answer: NDArray[np.bool_],
    trained: NDArray[np.bool_],
) -> NDArray[np.float64]:
    """P(answer) of every option outside the training part, by gradient-boosted trees."""
    # slow to import
    from sklearn.ensemble import HistGradientBoostingClassifier

    model = HistGradientBoostingClassifier(
        max_iter=TREES, max_leaf_nodes=LEAVES, early_stopping=False, random_state=0
    )
    model.fit(features.dense[trained], is_answer[trained])
    return np.asarray(model.predict_proba(features.dense[~trained])[:, 1])


def scores_by_logit(
    features: Features,
    item_of_row: NDArray[np.int64],
    is_answer: NDArray[np.bool_],
    trained: NDArray[np.bool_],
) -> NDArray[np.float64]:
    """Utility of every option outside the training part, by a conditional logit with ridge 1."""
    items = np.unique(item_of_row[trained], return_inverse=True)[1]
    return np.asarray(
        features.linear[~trained]
        @ fit_conditional_logit(features.linear[trained], items, is_answer[trained])
    )


FAMILIES: Mapping[str, Family] = {"trees": scores_by_trees, "logit": scores_by_logit}


# ---- Folds

FOLD_COUNT = 5
ROUNDS = 3  # fold splits with different seeds; the accuracy is their mean
LEAST_ITEMS = 10  # with fewer, a fold would hold a single question


def item_folds(questions: Sequence[Question], *, seed: int) -> list[NDArray[np.int64]]:
    """The fold of every question in each round: int64, shape (n,); drawn from the item's id."""
    found = []
    for draw in range(ROUNDS):
        drawn = [
            derive_rng(seed, f"evaluate.adversary.items.{draw}", question.id).random()
            for question in questions
        ]
        fold = np.zeros(len(questions), np.int64)
        fold[np.argsort(drawn, kind="stable")] = np.arange(len(questions)) % FOLD_COUNT
        found.append(fold)
    return found


def book_folds(questions: Sequence[Question], *, seed: int) -> list[NDArray[np.int64]]:
    """The fold of every question in each round, whole books per fold; empty for a single book.

    Up to five books: one fold per book, one round. Otherwise each book, in random order, goes into
    the smallest fold.
    """
    sizes = Counter(question.book_id for question in questions)
    if len(sizes) < 2:
        return []
    if len(sizes) <= FOLD_COUNT:
        places = {book_id: place for place, book_id in enumerate(sorted(sizes))}
        return [np.array([places[question.book_id] for question in questions], np.int64)]
    found = []
    for draw in range(ROUNDS):
        drawn = sorted(
            sizes,
            key=lambda book_id: (
                derive_rng(seed, f"evaluate.adversary.books.{draw}", book_id).random(),
                book_id,
            ),
        )
        loads, fold_of = [0] * FOLD_COUNT, {}
        for book_id in drawn:
            fold_of[book_id] = loads.index(min(loads))
            loads[fold_of[book_id]] += sizes[book_id]
        found.append(np.array([fold_of[question.book_id] for question in questions], np.int64))
    return found


# ---- Cross-validating an adversary

# Rounding restores ties: scores of options with equal features differ in the last bits.
_DIGITS = 9


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """Results of one model family with one kind of folds, over several rounds.

    Attributes:
        right: share of rounds in which each item is right, shape (n,).
        chosen: share of rounds in which each option is chosen, shape (n, k), padded with NaN.
    """

    family: str
    folds: str
    right: NDArray[np.float64]
    chosen: NDArray[np.float64]
    round_accuracies: tuple[float, ...]

    @property
    def accuracy(self) -> float:
        return float(self.right.mean())

    @property
    def effective_items(self) -> float:
        """Effective number of independent items: p(1 - p) / variance of `accuracy`.

        The variance is that of the items' shares over n, plus that of the rounds' accuracies over
        the number of rounds. The result is between 2 and items x rounds.
        """
        n, rounds, p = len(self.right), len(self.round_accuracies), self.accuracy
        spread = float(self.right.var(ddof=1)) / n + (
            float(np.var(self.round_accuracies, ddof=1)) / rounds if rounds > 1 else 0.0
        )
        if p * (1 - p) == 0:
            return float(n)
        return (
            min(max(p * (1 - p) / spread, 2.0), float(n * rounds))
            if spread > 0
            else float(n * rounds)
        )

    def interval(self, *, tried: int = 1) -> tuple[float, float]:
        """Wilson's 95 % interval with `effective_items`, Bonferroni-corrected for `tried` variants."""
        n = self.effective_items
        return wilson_interval(self.accuracy * n, n, tried=tried)

    def record(self) -> AdversaryVariant:
        low, high = self.interval()
        return AdversaryVariant(
            family=self.family, folds=self.folds, rounds=len(self.round_accuracies), accuracy=self.accuracy, low=low, high=high,
        )  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class AdversaryResult:
    """One adversary: its variants, most accurate first; `left_out`: why variants are missing."""

    baseline: Baseline
    questions: tuple[Question, ...]
    variants: tuple[Trial, ...]
    seed: int
    left_out: str = ""

    @property
    def row(self) -> QuestionRow:
        chance = chance_accuracy([len(question.options) for question in self.questions])
        tried, best = len(self.variants), self.variants[0]
        low, high = best.interval(tried=tried)
        records = tuple(variant.record() for variant in self.variants)
        return QuestionRow(
            name=self.baseline.name, kind=self.baseline.kind, source=self.baseline.source, n=len(self.questions),
            correct=None, chance=chance, family=best.family, folds=best.folds,
            rounds=records[0].rounds, accuracy=best.accuracy, low=low, high=high,
            corrected_for=tried, left_out=self.left_out, variants=records,
            book_margin=clustered_margin(best.right, book_ids(self.questions)),
        )  # fmt: skip

    def predictions(self) -> Iterator[dict[str, Any]]:
        """Of the most accurate variant; an option's score is the share of rounds that chose it."""
        return judge_scores(
            self.baseline, self.variants[0].chosen, self.questions, seed=self.seed
        ).predictions()


def try_adversary(
    baseline: Baseline, features: Features, questions: Sequence[Question], *, seed: int
) -> AdversaryResult:
    """Cross-validate every model family with every kind of folds, independent of item order.

    SWAG (Zellers et al. 2018) and AFLite (Le Bras et al. 2020) filter items with such classifiers.
    Here they only measure a finished set.
    """
    check_answers(questions)
    order = sorted(
        range(len(questions)),
        key=lambda item: (questions[item].id, questions[item].tokens, questions[item].options),
    )
    sizes = np.array([len(question.options) for question in questions])
    starts = np.cumsum(sizes) - sizes
    rows = np.concatenate([np.arange(starts[item], starts[item] + sizes[item]) for item in order])
    sorted_features = Features(features.dense[rows], features.linear[rows])
    items = [questions[item] for item in order]
    back = np.argsort(order)
    by_folds = {"item": item_folds(items, seed=seed), "book": book_folds(items, seed=seed)}
    variants = [
        _run_variant(name, kind, family, sorted_features, items, folds, back, seed=seed)
        for kind, folds in by_folds.items()
        if folds
        for name, family in FAMILIES.items()
    ]
    left_out = (
        "" if by_folds["book"] else "by book: all questions have the same book, or no book is given"
    )
    best_first = tuple(sorted(variants, key=lambda variant: -variant.accuracy))
    return AdversaryResult(baseline, tuple(questions), best_first, seed, left_out)


def skip_reason(questions: Sequence[Question]) -> str:
    if len(questions) < LEAST_ITEMS:
        return (
            f"{len(questions)} questions are too few for cross-validation; at least "
            f"{LEAST_ITEMS} are needed"
        )
    return (
        "a question has only one option; adversaries need at least 2"
        if min(len(question.options) for question in questions) < 2
        else ""
    )


def _run_variant(
    name: str, kind: str, family: Family, features: Features, items: Sequence[Question], rounds: Sequence[NDArray[np.int64]],
    back: NDArray[np.int64], *, seed: int,
) -> Trial:  # fmt: skip
    """`items` are sorted; `back` restores the order of the set."""
    answers, ids = answer_indices(items), [item.id for item in items]
    right = np.zeros(len(items))
    chosen = score_matrix([0.0] * len(item.options) for item in items)
    accuracies = []
    for fold_of_item in rounds:
        scores = _cross_validated(family, features, items, fold_of_item)
        choices = best_options(scores, ids, seed=seed)
        right += choices == answers
        chosen[np.arange(len(items)), choices] += 1
        accuracies.append(float((choices == answers).mean()))
    count = len(rounds)
    return Trial(
        name,
        kind,
        right[back] / count,
        chosen[back] / count,
        tuple(accuracies),
    )


def _cross_validated(
    family: Family, features: Features, items: Sequence[Question], fold_of_item: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Out-of-fold scores of every option: float64, shape (n, k)."""
    item_of_row = np.repeat(np.arange(len(items)), [len(item.options) for item in items])
    is_answer = np.concatenate(
        [np.arange(len(item.options)) == item.answer_index for item in items]
    )
    out = np.zeros(len(item_of_row))
    for fold in np.unique(fold_of_item):
        trained = (fold_of_item != fold)[item_of_row]
        out[~trained] = family(features, item_of_row, is_answer, trained)
    rows = np.split(np.round(out, _DIGITS), np.flatnonzero(np.diff(item_of_row)) + 1)
    return score_matrix(row.tolist() for row in rows)


# ---- Text of the result

# accuracy, low, high: shares of 1; 95 % interval corrected for the number of variants
Figure = tuple[float, float, float]
# Adversary -> its features; the line begins with the first adversary that has a row.
FEATURE_NAMES = {
    "adversary-scores": "the five scores (history, forward, sentence, frequency, length)",
    "adversary-scores+ngrams": "the five scores and the n-gram baseline scores",
    "adversary-scores+ngrams+lsa": "the five scores, the n-gram baseline scores and the LSA score",
    "adversary-options": "the options alone", "adversary-length": "option length", "adversary-frequency": "option frequency",
    "adversary-history": "the history score", "adversary-forward": "the forward score", "adversary-focus-model": "the sentence score",
}  # fmt: skip
# Adversary -> the scores it adds to the first one.
_ADDED_SCORES = {
    "adversary-scores+ngrams": "n-gram baseline scores",
    "adversary-scores+ngrams+lsa": "LSA scores",
}


def adversary_line(rows: Iterable[QuestionRow], *, chance: float) -> str:
    """A summary of the adversaries; empty without any.

    >>> row = QuestionRow(name="adversary-scores", kind="adversary", accuracy=0.31, low=0.28,
    ...     high=0.34, n=9, chance=0.2)
    >>> adversary_line([row], chance=0.2)  # doctest: +NORMALIZE_WHITESPACE
    'A classifier trained on the five scores (history, forward, sentence, frequency, length) finds
    the answer in 31 % of questions (95 % interval 28-34); chance is 20 %. This is as if 14 % of the
    answers were known and the others guessed.'
    """
    figures = {row.name: row.share for row in rows}
    first = next((name for name in FEATURE_NAMES if name in figures), None)
    if first is None:
        return ""
    accuracy, low, high = _percents(figures[first])
    head = (
        f"A classifier trained on {FEATURE_NAMES[first]} finds the answer in {accuracy} % of "
        f"questions (95 % interval {low}-{high}); chance is {100 * chance:.0f} %. "
    )
    more = [
        f" With {added} added: {_percent(figures[name])}."
        for name, added in _ADDED_SCORES.items()
        if name in figures and first == "adversary-scores"
    ]
    return f"{head}{_meaning(figures[first], chance)}{''.join(more)}"


def adversary_text(evaluation: QuestionEvaluation) -> str:
    line = adversary_line(evaluation.of_kind(ADVERSARY), chance=evaluation.chance)
    if line:
        return line
    reasons = sorted(
        {why for name, why in evaluation.left_out.items() if name.startswith("adversary-")}
    )
    return f"No adversary was measured{': ' if reasons else ''}{'; '.join(reasons)}."


def _percents(figure: Figure) -> tuple[str, str, str]:
    accuracy, low, high = (f"{100 * share:.0f}" for share in figure)
    return accuracy, low, high


def _percent(figure: Figure) -> str:
    accuracy, low, high = _percents(figure)
    return f"{accuracy} % ({low}-{high})"


def _meaning(figure: Figure, chance: float) -> str:
    accuracy, low, high = figure
    if high < chance:
        return (
            "This is below chance, so the scores reveal no answers. The set is balanced as a "
            "whole, but its parts are not."
        )
    if low <= chance:
        return "This does not differ from chance for these questions."
    known = f"{100 * (accuracy - chance) / (1 - chance):.0f} %"
    return f"This is as if {known} of the answers were known and the others guessed."
