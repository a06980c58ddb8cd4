"""The propensity to be the answer, from the scores alone.

If all options of a question have equal odds p_answer(x) / p_impostor(x), no function of the scores
finds the answer (Rosenbaum & Rubin 1983). *Odds* below are centred: natural log odds minus their
mean over the options of the draw. Models are retrained on each chosen set (adversarial filtering:
Zellers et al. 2018; Le Bras et al. 2020). They score only sentences outside their training folds.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from cloze_gen.recipes.msr.choice.features import distances, ranks
from cloze_gen.rng import derive_rng

Each = Callable[..., Iterable[Any]]  # a function with the interface of `map`

FOLDS = 5
_FORESTS = 2  # number of forests that are averaged
_CHECK_TREES = 30
_COLUMN_SHARE = 0.7  # of the columns that each forest sees
_QUESTION_SHARE = 0.85  # of the questions that each forest is trained on
_LEAST_TRAINED = 10  # questions; of a set with fewer, nothing is learnt
# limit of a model's natural log odds, so that one model cannot outvote the others
_MOST_CERTAIN = 5.0


def option_features(scores: np.ndarray) -> np.ndarray:
    """Features of every option relative to its draw, (draws, options, 6 * scores).

    Blocks, from comparable scores: value, distance from the draw's median, the same in units of the
    mean distance, rank (ties shared), distance from the best other option, distance from the lowest.
    """
    above_median, above_best_other, above_lowest = distances(scores)
    scaled = above_median / (np.abs(above_median).mean(axis=1, keepdims=True) + 0.3)
    above, ties = ranks(scores)
    rank = (scores.shape[1] - above - (ties + 1) / 2).astype(np.float32)
    blocks = [scores, above_median, scaled, rank, above_best_other, above_lowest]
    return np.concatenate(blocks, axis=2)


def folds_by_sentence(sentence: np.ndarray, *, seed: int, purpose: str) -> np.ndarray:
    """The fold of each row, from 0. All rows of a sentence are in one fold."""
    sentences, place = np.unique(sentence, return_inverse=True)
    return (derive_rng(seed, purpose).permutation(len(sentences)) % FOLDS)[place]


@dataclass(frozen=True, slots=True)
class _Fold:
    """Comparable scores to train on and to predict, (draws, options, scores), with the answer first."""

    number: int
    trained: np.ndarray
    predicted: np.ndarray


def _cross_fitted(
    learner: Callable[[_Fold], np.ndarray],
    options: np.ndarray,
    chosen: np.ndarray,
    fold: np.ndarray,
    each: Each,
) -> np.ndarray:
    """What the learner predicts of every option, trained on the chosen draws of the other folds.

    Shape (draws, options); 1 where too little is left to train on.
    """
    predicted = np.ones(options.shape[:2])
    folds = []
    for number in range(FOLDS):
        training = chosen[fold[chosen] != number]
        if len(training) >= _LEAST_TRAINED and (fold == number).any():
            folds.append(_Fold(number, options[training], options[fold == number]))
    for held, prediction in zip(folds, each(learner, folds), strict=True):
        predicted[fold == held.number] = prediction
    return predicted


# ---- the odds that the choice evens out


def cross_fitted_log_odds(
    options: np.ndarray, chosen: np.ndarray, fold: np.ndarray, *,
    seed: int, purpose: str, each: Each = map,
) -> np.ndarray:  # fmt: skip
    """Natural log odds of being the answer, minus their mean in the draw, float32, (draws, options).

    Args:
        options: comparable scores, shape (draws, options, scores), with the answer first.
        chosen: draws to learn from, those of the other folds; `fold`: shape (draws,).
    """
    learner = functools.partial(_log_odds, seed=seed, purpose=purpose)
    odds = _cross_fitted(learner, options, chosen, fold, each)
    return (odds - odds.mean(axis=1, keepdims=True)).astype(np.float32)


def _log_odds(fold: _Fold, *, seed: int, purpose: str) -> np.ndarray:
    # imported here and below because loading takes more than a second
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer, StandardScaler

    rng = derive_rng(seed, purpose, str(fold.number))
    features, is_answer = _one_row_an_option(fold.trained)
    seen, _ = _one_row_an_option(fold.predicted)
    logistic = make_pipeline(
        FunctionTransformer(_curved), StandardScaler(), LogisticRegression(C=0.05, max_iter=200)
    )
    odds = [logistic.fit(features, is_answer).decision_function(seen)]
    n_columns = features.shape[1]
    for _ in range(_FORESTS):
        columns = np.sort(rng.permutation(n_columns)[: round(n_columns * _COLUMN_SHARE)])
        rows = np.repeat(rng.random(len(fold.trained)) < _QUESTION_SHARE, fold.trained.shape[1])
        forest = HistGradientBoostingClassifier(
            max_iter=30,
            learning_rate=0.2,
            max_leaf_nodes=6,
            min_samples_leaf=30,
            l2_regularization=3.0,
            early_stopping=False,
            random_state=int(rng.integers(2**31)),
        )
        forest.fit(features[rows][:, columns], is_answer[rows])
        odds.append(forest.decision_function(seen[:, columns]))
    mean = np.clip(odds, -_MOST_CERTAIN, _MOST_CERTAIN).mean(axis=0)
    return mean.reshape(fold.predicted.shape[:2])


def _one_row_an_option(scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The features of every option, and whether it is the answer."""
    features = option_features(scores)
    is_answer = np.arange(scores.shape[1]) == 0
    return features.reshape(-1, features.shape[2]), np.tile(is_answer, len(scores))


def _curved(flat: np.ndarray) -> np.ndarray:
    """The features, plus squares and products of the distances from the median (second block)."""
    count = flat.shape[1] // 6
    centred = np.clip(flat[:, count : 2 * count], -3, 3)
    left, right = np.triu_indices(count)
    return np.concatenate([flat, centred[:, left] * centred[:, right]], axis=1)


# ---- the check, by a classifier of another family


def found_by_scores(
    options: np.ndarray, sentence: np.ndarray, *, seed: int, purpose: str, each: Each = map
) -> tuple[np.ndarray, np.ndarray]:
    """Whether extremely randomised trees (Geurts et al. 2006) find each answer, from 0 to 1, and the
    log-likelihood of each answer above chance, in nats; each of shape (questions,).

    Trees see other sentences than they predict; each purpose has its own folds. `options` are
    comparable scores, shape (questions, options, scores), with the answer first.
    """
    fold = folds_by_sentence(sentence, seed=seed, purpose=f"{purpose}_folds")
    share = _cross_fitted(_answer_likelihood, options, np.arange(len(options)), fold, each)
    share /= share.sum(axis=1, keepdims=True)
    best = share == share.max(axis=1, keepdims=True)
    return best[:, 0] / best.sum(axis=1), np.log(share[:, 0] * options.shape[1])


def _answer_likelihood(fold: _Fold) -> np.ndarray:
    from sklearn.ensemble import ExtraTreesRegressor  # of 0 and 1: the same splits, in less time

    trees = ExtraTreesRegressor(
        _CHECK_TREES, min_samples_leaf=8, max_features=0.4, random_state=fold.number
    )
    trees.fit(*_one_row_an_option(fold.trained))
    seen, _ = _one_row_an_option(fold.predicted)
    likelihood = trees.predict(seen).reshape(fold.predicted.shape[:2])
    return np.maximum(likelihood, 1e-3)
