"""The propensity of a sentence to be an answer, from its visible traits (Rosenbaum & Rubin 1983).

Several rounds re-estimate the odds on the drawn distractors and multiply them (adversarial
filtering: Zellers et al. 2018, SWAG; Le Bras et al. 2020, AFLite).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from cloze_gen.english.cohesion import SurfaceTies
from cloze_gen.word_tokens import is_word

_MIN_COUNT = 30  # sentences that must have a trait for it to be used
# Inverse precision of the prior, which limits each round. At 0.1 the weights are mostly noise.
_STRENGTH = 0.01
_SHRINKAGE = 30.0  # of the ridge regression, in sentences
_LEAST, _MOST = -3.0, 3.0  # bounds of the sum over rounds, so that no candidate is certain
_MANY = 4  # larger counts share one trait
# Bounds of counts of words and marks, denser at frequent sentence lengths.
_STEPS = (1, 2, 3, 5, 7, 9, 11, 14, 17, 21, 26, 33, 45)


def traits(tokens: Sequence[str], ties: SurfaceTies) -> frozenset[str]:
    """Names of surface traits of a sentence: words, counts by kind, beginning and end.

    >>> from cloze_gen.english.cohesion import surface_ties
    >>> sorted(traits(["He", "left", "."], surface_ties(["He", "left", "."])))[:5]
    ['commas 0', 'content words 1', 'ends .', 'first he', 'marks 1']
    """
    words = [token.casefold() for token in tokens if is_word(token)]
    found = {f"word {word}" for word in words} | {f"person {person}" for person in ties.persons}
    numbers = {
        "words": _step(len(words)),
        "content words": _step(len(ties.stems)),
        "past": min(ties.past, _MANY),
        "present": min(ties.present, _MANY),
        "names": min(len(ties.names), _MANY),
        "persons": min(len(ties.persons), _MANY),
        "commas": min(tokens.count(","), _MANY),
        "marks": _step(sum(not is_word(token) for token in tokens)),
        "mean half letters": round(2 * sum(map(len, words)) / max(1, len(words))),
        "tense": ties.tense,
        "opener": ties.opener,
        "first": words[0] if words else "",
        "ends": tokens[-1] if tokens else "",
    }
    return frozenset(found | {f"{name} {value}" for name, value in numbers.items()})


def _step(number: int) -> int:
    """The smallest bound that is at least the number, so that similar numbers share a trait."""
    return next((bound for bound in (0, *_STEPS) if number <= bound), _STEPS[-1] + 1)


@dataclass(frozen=True, slots=True)
class Expectation:
    """Expected value of a measure given the traits: a sum over traits.

    >>> Expectation({"ends ?": 0.5}, 1.0).of([frozenset({"ends ?", "names 0"}), frozenset()]).tolist()
    [1.5, 1.0]
    """

    weights: Mapping[str, float] = field(default_factory=dict)
    start: float = 0.0

    def of(self, candidates: Iterable[Iterable[str]]) -> NDArray[np.float64]:
        weights = self.weights
        known = (sorted(trait for trait in one if trait in weights) for one in candidates)
        return np.array(
            [self.start + sum(map(weights.__getitem__, one)) for one in known], np.float64
        )


@dataclass(frozen=True, slots=True)
class Propensity:
    """Natural log odds of being an answer: a sum over traits and rounds.

    >>> Propensity({"ends ?": 0.5}).log_odds([frozenset({"ends ?", "names 0"}), frozenset()]).tolist()
    [0.5, 0.0]
    """

    weights: Mapping[str, float] = field(default_factory=dict)

    def log_odds(self, candidates: Iterable[Collection[str]]) -> NDArray[np.float64]:
        return np.clip(Expectation(self.weights).of(candidates), _LEAST, _MOST)

    def __add__(self, other: Propensity) -> Propensity:
        names = {**self.weights, **other.weights}
        return Propensity(
            {name: self.weights.get(name, 0.0) + other.weights.get(name, 0.0) for name in names}
        )


def learn(answers: Sequence[Collection[str]], distractors: Sequence[Collection[str]]) -> Propensity:
    """Logistic regression on traits, both sides weighted equally; empty if a side is empty."""
    if not answers or not distractors:
        return Propensity()
    columns, table = _table((*answers, *distractors))
    if not columns:
        return Propensity()
    labels = np.repeat([1, 0], [len(answers), len(distractors)])
    # imported here and below because loading takes over a second
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=_STRENGTH, class_weight="balanced", max_iter=300).fit(
        table, labels
    )
    return Propensity(dict(zip(columns, model.coef_[0].tolist(), strict=True)))


def learn_expectation(
    candidates: Sequence[Collection[str]], values: Sequence[float]
) -> Expectation:
    """Ridge regression of a measure on traits; its residual is uncorrelated with them.

    >>> found = learn_expectation([["names 0"], ["names 1"]] * 40, [1.0, 3.0] * 40)
    >>> found.of([["names 0"], ["names 1"]]).round(1).tolist()
    [1.4, 2.6]
    """
    columns, table = _table(candidates)
    if not columns:
        return Expectation(start=float(np.mean(values)) if len(values) else 0.0)
    from sklearn.linear_model import Ridge

    model = Ridge(alpha=_SHRINKAGE).fit(table, np.asarray(values, np.float64))
    return Expectation(
        dict(zip(columns, model.coef_.tolist(), strict=True)), float(model.intercept_)
    )


def _table(candidates: Sequence[Collection[str]]) -> tuple[dict[str, int], csr_array]:
    """Columns of the frequent traits; and counts, shape (candidates, traits)."""
    counts = Counter(trait for one in candidates for trait in one)
    columns = {
        trait: i
        for i, trait in enumerate(
            sorted(trait for trait, count in counts.items() if count >= _MIN_COUNT)
        )
    }
    rows = [sorted(columns[trait] for trait in one if trait in columns) for one in candidates]
    bounds = np.concatenate(([0], np.cumsum([len(row) for row in rows])))
    places = np.array([column for row in rows for column in row], np.int64)
    table = csr_array((np.ones(len(places)), places, bounds), shape=(len(rows), len(columns)))
    table.sum_duplicates()
    return columns, table


def separability(
    model: Propensity, answers: Sequence[Collection[str]], distractors: Sequence[Collection[str]]
) -> float:
    """Area under the ROC curve of a model on new data; 0.5 means no separation."""
    scores = np.concatenate((model.log_odds(answers), model.log_odds(distractors)))
    from sklearn.metrics import roc_auc_score

    return float(roc_auc_score(np.repeat([1, 0], [len(answers), len(distractors)]), scores))
