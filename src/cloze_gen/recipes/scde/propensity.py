"""The propensity of a sentence to be an answer, from its visible traits (Rosenbaum & Rubin 1983).

Several rounds re-estimate the odds on the drawn distractors and multiply them (adversarial
filtering: Zellers et al. 2018, SWAG; Le Bras et al. 2020, AFLite).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from scipy.sparse import csr_array

from cloze_gen.english.cohesion import SurfaceTies
from cloze_gen.word_tokens import is_word

_MIN_COUNT = 30  # sentences that must have a trait for it to be used
# Inverse precision of the prior, which limits each round. At 0.1 the weights are mostly noise.
_STRENGTH = 0.01
_SHRINKAGE = 30.0  # of the ridge regression, in sentences
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
    named = {f"word {word}" for word in words} | {f"person {person}" for person in ties.persons}
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
    return frozenset(named | {f"{name} {value}" for name, value in numbers.items()})


def _step(number: int) -> int:
    """The smallest bound that is at least the number, so that similar numbers share a trait."""
    return next((bound for bound in (0, *_STEPS) if number <= bound), _STEPS[-1] + 1)


def trait_table(sentences: pa.ListArray) -> tuple[list[str], csr_array]:
    """The names of all traits, sorted; and 1.0 where a sentence has one, (sentences, traits).

    >>> names, table = trait_table(pa.array([["ends ?", "commas 0"], [], ["ends ?"]]))
    >>> names, table.toarray().tolist()
    (['commas 0', 'ends ?'], [[1.0, 1.0], [0.0, 0.0], [0.0, 1.0]])
    """
    coded = sentences.flatten().dictionary_encode()
    order = pc.sort_indices(coded.dictionary)
    column = np.argsort(order).astype(np.int32)[coded.indices]
    bounds = np.concatenate(([0], np.cumsum(pc.list_value_length(sentences))))
    table = csr_array(
        (np.ones(len(column)), column, bounds), shape=(len(sentences), len(coded.dictionary))
    )
    return coded.dictionary.take(order).to_pylist(), table


def log_odds(table: csr_array, is_answer: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Shape (traits,): natural log odds of being an answer, by logistic regression.

    Both sides weigh the same; traits of few sentences get 0.
    """
    often = _often(table)
    weights = np.zeros(table.shape[1])
    if len(often):
        weights[often] = _classifier().fit(table[:, often], is_answer).coef_[0]
    return weights


def separability(table: csr_array, is_answer: NDArray[np.bool_], books: NDArray[Any]) -> float:
    """Area under the ROC curve on books that did not train the classifier; at least two books.

    0.5 if no trait is frequent.
    """
    from sklearn.model_selection import GroupKFold, cross_val_score

    often = _often(table)
    if not len(often):
        return 0.5
    areas = cross_val_score(
        _classifier(),
        table[:, often],
        is_answer,
        groups=books,
        cv=GroupKFold(2),
        scoring="roc_auc",
    )
    return float(areas.mean())


def residual(
    values: NDArray[np.float64], table: csr_array, is_train: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Values minus what their traits predict, by ridge regression on the training rows."""
    from sklearn.linear_model import Ridge

    often = _often(table[is_train])
    if not len(often):
        return values
    shown = table[:, often]
    model = Ridge(alpha=_SHRINKAGE).fit(shown[is_train], values[is_train])
    return np.asarray(values - model.predict(shown))


def _often(table: csr_array) -> NDArray[np.int64]:
    return np.flatnonzero(table.sum(axis=0) >= _MIN_COUNT)


def _classifier() -> Any:
    from sklearn.linear_model import LogisticRegression  # loading takes over a second

    return LogisticRegression(C=_STRENGTH, class_weight="balanced", max_iter=300)
