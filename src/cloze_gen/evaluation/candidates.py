"""Classifiers and rules that see only the candidates of blanked passages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cloze_gen.english.cohesion import Opener, Person, SurfaceTies, surface_ties
from cloze_gen.english.content_words import content_words
from cloze_gen.evaluation.blank_baselines import ngrams, words_of
from cloze_gen.evaluation.blanks import CandidateFigures, ClassifierRow, ClozeExample, RuleRow

# ---- Features of a candidate

# Surface features of a sentence.
_COUNTED: Sequence[Callable[[SurfaceTies], float]] = (
    lambda ties: ties.quotation_marks,
    lambda ties: ties.is_half_speech,
    lambda ties: ties.begins_quoted,
    lambda ties: ties.ends_quoted,
    lambda ties: ties.question,
    lambda ties: len(ties.names),
    lambda ties: ties.past,
    lambda ties: ties.present,
    lambda ties: ties.tense,
    *(lambda ties, person=person: person in ties.persons for person in Person),
    *(lambda ties, opener=opener: ties.opener is opener for opener in Opener),
)
_MARKS = ("!", ",", ";", ":", "--", "...")
_MIN_FREQ = 1e-8  # added to word frequencies, so that unknown words have a logarithm
_DECIMALS = 9


def shape_features(
    candidates: Sequence[Sequence[str]], freq_of: Callable[[str], float]
) -> NDArray[np.float64]:
    rows = []
    for tokens in candidates:
        words, ties = words_of(tokens), surface_ties(tokens)
        letters = sum(map(len, words))
        rows.append(
            [
                len(words),
                letters,
                letters / max(1, len(words)),
                sum(any(character.isdigit() for character in word) for word in words),
                len(content_words(tokens)),
                float(np.mean(np.log10([freq_of(word) + _MIN_FREQ for word in words])))
                if words
                else 0.0,
                *(tokens.count(mark) for mark in _MARKS),
                *(float(count(ties)) for count in _COUNTED),
            ]
        )
    return np.asarray(np.round(np.array(rows, np.float64), _DECIMALS), np.float64)


def relative_features(features: NDArray[np.float64]) -> NDArray[np.float64]:
    """Length rank within the passage, and z-score of each feature."""
    spread = features.std(axis=0)
    standard = np.divide(
        features - features.mean(axis=0), spread, out=np.zeros_like(features), where=spread > 0
    )
    length = features[:, 0]
    below = (length[:, None] > length).sum(axis=1) + (
        (length[:, None] == length).sum(axis=1) - 1
    ) / 2
    # Rounded, because the last bits depend on summation order, so they reveal the position.
    return np.column_stack([below / max(1, len(features) - 1), np.round(standard, _DECIMALS)])


# ---- Classifiers

FOLD_COUNT = 5
PAPER = {"f1": 0.38, "distractors": 0.265, "always_distractor_f1": 0.419}  # 5.6; Table 3
_HASH_BUCKETS = 1 << 16
_DRAWS_AT_ONCE = 50
_THRESHOLD = 0.5


def classifier_rows(
    passages: Sequence[ClozeExample], draws: NDArray[np.float64], *, freq_of: Callable[[str], float]
) -> list[ClassifierRow]:
    """Cross-validate each classifier with folds by book, or by passage for a single book.

    Kong et al. 2020, 5.6 (annotation artifacts, after Gururangan et al. 2018): BERT has F1 38 %.
    That is below the 41.9 % of labelling all candidates as distractors, when 26.5 % are. So we also
    report that baseline, and AUC. Use one thread for reproducible trees.
    """
    # slow to import
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.feature_extraction.text import HashingVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import f1_score

    is_distractor = np.concatenate([distractor_mask(one) for one in passages])
    groups = [one.book for one in passages]
    if len(set(groups)) < 2:
        groups = [one.passage.id for one in passages]
    if len(set(groups)) < 2 or not is_distractor.any():
        return []
    passage_of = np.repeat(np.arange(len(passages)), [len(one.candidates) for one in passages])
    folds = _folds(groups)[passage_of]
    vectorizer = HashingVectorizer(
        analyzer=lambda tokens: ngrams(tokens, 2), n_features=_HASH_BUCKETS, alternate_sign=False
    )
    words = vectorizer.transform([tokens for one in passages for tokens in one.candidates])
    shapes = [shape_features(one.candidates, freq_of) for one in passages]
    alone = np.concatenate(shapes)
    relative = np.column_stack(
        [alone, np.concatenate([relative_features(shape) for shape in shapes])]
    )
    regression = LogisticRegression(C=1.0, max_iter=1000)
    trees = HistGradientBoostingClassifier(
        max_iter=100, max_leaf_nodes=15, early_stopping=False, random_state=0
    )
    found = []
    for name, sees, features, model in (
        ("words", "text alone", words, regression),
        ("shape", "text alone", alone, trees),
        ("shape", "beside the other candidates", relative, trees),
    ):
        probs = _cross_validated(model, features, is_distractor, folds)
        low, high = np.percentile(
            bootstrapped_auc(probs, is_distractor, passage_of, draws), _MIDDLE
        )
        area = auc(probs, is_distractor, np.ones((1, len(probs))))[0]
        found.append(
            ClassifierRow(
                name=name, input=sees, auc=float(area), auc_low=float(low), auc_high=float(high),
                f1=float(f1_score(is_distractor, probs >= _THRESHOLD)),
            )
        )  # fmt: skip
    return found


def _folds(groups: Sequence[str]) -> NDArray[np.int64]:
    """The fold of each passage; the largest group first, each into the smallest fold."""
    sizes = Counter(groups)
    loads = [0] * min(FOLD_COUNT, len(sizes))
    fold_of = {}
    for group, size in sorted(sizes.items(), key=lambda pair: (-pair[1], pair[0])):
        fold_of[group] = loads.index(min(loads))
        loads[fold_of[group]] += size
    return np.array([fold_of[group] for group in groups], np.int64)


def _cross_validated(
    model: Any, features: Any, labels: NDArray[np.bool_], folds: NDArray[np.int64]
) -> NDArray[np.float64]:
    """P(distractor) of each candidate, from the other folds."""
    probs = np.zeros(len(labels))
    for fold in np.unique(folds):
        held = folds == fold
        known = labels[~held]
        if known.any() and not known.all():
            model.fit(features[~held], known)
            probs[held] = model.predict_proba(features[held])[:, 1]
        else:
            probs[held] = known.mean()
    return probs


def candidate_figures(
    passages: Sequence[ClozeExample], draws: NDArray[np.float64], *, freq_of: Callable[[str], float]
) -> CandidateFigures:
    is_distractor = np.concatenate([distractor_mask(one) for one in passages])
    share = float(is_distractor.mean())
    return CandidateFigures(
        candidates=len(is_distractor),
        distractors=share,
        always_distractor_f1=2 * share / (1 + share),
        paper=PAPER,
        classifiers=tuple(classifier_rows(passages, draws, freq_of=freq_of)),
    )


def distractor_mask(example: ClozeExample) -> NDArray[np.bool_]:
    return np.isin(np.arange(len(example.candidates)), example.passage.distractors)


def auc(
    scores: NDArray[np.float64], positive: NDArray[np.bool_], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """P(a positive scores above a negative), ties counted as 1/2: shape (m,).

    `weights`: shape (m, n); the result is NaN if a class has no weight.

    >>> auc(np.array([0.1, 0.4, 0.4, 0.8]), np.array([False, True, False, True]),
    ...     np.array([[1, 1, 1, 1], [1, 1, 1, 0.0]])).tolist()
    [0.875, 0.75]
    """
    order = np.argsort(scores, kind="stable")
    starts = np.flatnonzero(np.diff(scores[order], prepend=-np.inf))
    ordered, is_positive = weights[:, order], positive[order]
    above = np.add.reduceat(ordered * is_positive, starts, axis=1)
    below = np.add.reduceat(ordered * ~is_positive, starts, axis=1)
    won = (above * (np.cumsum(below, axis=1) - below / 2)).sum(axis=1)
    pairs = above.sum(axis=1) * below.sum(axis=1)
    return np.divide(won, pairs, out=np.full(len(pairs), np.nan), where=pairs > 0)


def bootstrapped_auc(
    scores: NDArray[np.float64],
    positive: NDArray[np.bool_],
    passage_of: NDArray[np.int64],
    draws: NDArray[np.float64],
) -> NDArray[np.float64]:
    """`auc` of each bootstrap sample of passages that has both classes."""
    blocks = [
        draws[first : first + _DRAWS_AT_ONCE] for first in range(0, len(draws), _DRAWS_AT_ONCE)
    ]
    found = np.concatenate([auc(scores, positive, block[:, passage_of]) for block in blocks])
    return found[~np.isnan(found)]


# ---- Rules

Values = NDArray[np.float64]
_MIDDLE = (2.5, 97.5)  # percentiles


@dataclass(frozen=True, slots=True)
class PassageRule:
    """Ranks candidates by value, highest first; without `grades`, values are only 0 or 1."""

    name: str
    values: Callable[[ClozeExample], Values]
    grades: bool = True


def rule_rows(passages: Sequence[ClozeExample], draws: NDArray[np.float64]) -> list[RuleRow]:
    """Rows of all rules, with two measures each; both are expectations over ties.

    Blank accuracy: the first blank gets the first-ranked candidate, and so on; chance is
    1 / candidates. Distractors: the share of distractors among the candidates that the rule
    selects. A rule with `grades` selects as many as there are distractors, other rules select all
    candidates with value 1. Chance is the share of distractors.
    """
    rules = rules_for(max(len(one.candidates) for one in passages))
    return [_measured(rule, passages, draws) for rule in rules]


def rules_for(most_candidates: int) -> list[PassageRule]:
    return [
        PassageRule(
            "printed first", lambda example: -np.arange(len(example.candidates), dtype=np.float64)
        ),
        *(
            PassageRule(f"printed as {place + 1}", _printed_at(place), grades=False)
            for place in range(most_candidates)
        ),
        PassageRule("longest", _lengths),
        PassageRule("shortest", lambda example: -_lengths(example)),
        PassageRule("nearest to the mean length", _nearness_to_mean),
        PassageRule("questions", lambda example: _tie_values(example, "question"), grades=False),
        PassageRule(
            "speech",
            lambda example: np.minimum(_tie_values(example, "quotation_marks"), 1),
            grades=False,
        ),
        PassageRule("most names", _names),
        PassageRule("fewest names", lambda example: -_names(example)),
    ]


def answer_probs(values: Values, answers: Sequence[int]) -> NDArray[np.float64]:
    """P(each blank, in order, gets its answer), with ties broken at random.

    >>> answer_probs(np.array([5.0, 1.0, 5.0]), [0, 2, 1]).tolist()
    [0.5, 0.5, 1.0]
    """
    in_order = np.sort(values)[::-1][: len(answers)]
    own = values[list(answers)]
    return np.where(own == in_order, 1 / (values == own[:, None]).sum(axis=1), 0.0)


def selection_probs(values: Values, count: int) -> NDArray[np.float64]:
    """P(each candidate is among the first `count`), with ties broken at random.

    >>> selection_probs(np.array([5.0, 1.0, 1.0, 0.0]), 2).tolist()
    [1.0, 0.5, 0.5, 0.0]
    """
    above = (values > values[:, None]).sum(axis=1)
    equal = (values == values[:, None]).sum(axis=1)
    return np.clip((count - above) / equal, 0.0, 1.0)


def _measured(
    rule: PassageRule, passages: Sequence[ClozeExample], draws: NDArray[np.float64]
) -> RuleRow:
    rows = [_measure_passage(rule, one) for one in passages]
    right, named, distractors, expected = np.array(rows, np.float64).T
    ba_low, ba_high = np.percentile(draws @ right / len(right), _MIDDLE)
    ba_chance = float(np.mean([1 / len(one.candidates) for one in passages]))
    total = float(named.sum())
    share = low = high = chance = None
    if total:
        weights = draws @ named
        drawn = (draws @ distractors)[weights > 0] / weights[weights > 0]
        low, high = (float(bound) for bound in np.percentile(drawn, _MIDDLE))
        share, chance = float(distractors.sum() / total), float(expected.sum() / total)
    return RuleRow(
        name=rule.name, ba=float(right.mean()), ba_low=float(ba_low), ba_high=float(ba_high), ba_chance=ba_chance, named=total,
        distractors=share, distractors_low=low, distractors_high=high, distractors_chance=chance,
    )  # fmt: skip


def _measure_passage(rule: PassageRule, example: ClozeExample) -> tuple[float, float, float, float]:
    """Blank accuracy; selected candidates; selected distractors, observed and by chance."""
    values, wrong = rule.values(example), example.passage.distractors
    named = selection_probs(values, len(wrong)) if rule.grades else (values > 0).astype(np.float64)
    right = float(answer_probs(values, example.passage.answers).mean())
    return (
        right,
        float(named.sum()),
        float(named[list(wrong)].sum()),
        float(named.sum()) * len(wrong) / len(values),
    )


def _printed_at(place: int) -> Callable[[ClozeExample], Values]:
    return lambda example: (np.arange(len(example.candidates)) == place).astype(np.float64)


def _lengths(example: ClozeExample) -> Values:
    return np.array([len(words_of(tokens)) for tokens in example.candidates], np.float64)


def _nearness_to_mean(example: ClozeExample) -> Values:
    """Minus the difference, in words, to the mean length of the sentences that are not blanked."""
    blanked = frozenset(example.passage.blanks)
    shown = [
        len(words_of(tokens)) for i, tokens in enumerate(example.sentences) if i not in blanked
    ]
    return -np.abs(_lengths(example) - (np.mean(shown) if shown else 0.0))


def _tie_values(example: ClozeExample, field: str) -> Values:
    return np.array([float(getattr(surface_ties(tokens), field)) for tokens in example.candidates])


def _names(example: ClozeExample) -> Values:
    return np.array([float(len(surface_ties(tokens).names)) for tokens in example.candidates])
