"""The propensity to be the answer: the probability of being the answer, from the scores alone.

If all options have equal odds p_answer(x) / p_impostor(x), no function of the scores finds the
answer (Rosenbaum & Rubin 1983). Models are retrained on each chosen set (adversarial filtering:
Zellers et al. 2018; Le Bras et al. 2020). They score only sentences outside their training folds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cloze_gen.recipes.msr.choice.features import median_of_sorted
from cloze_gen.rng import derive_rng

# a function with the interface of `map`
Each = Callable[[Callable[[Any], Any], Sequence[Any]], Iterable[Any]]

FOLDS = 5
_BAGS = 2  # number of forests that are averaged
_CHECK_TREES = 30
# shares of columns and questions that each forest is trained on
_COLUMN_SHARE, _QUESTION_SHARE = (0.7, 0.85)
_MOST_CERTAIN = (
    5.0  # limit of a model's natural log odds, so that one model cannot outvote the others
)
_CLIPPED = 0.001  # share of values clipped at either end
_CHUNK = 40_000  # draws with features in memory at once: 5 options of 36 numbers each, 29 MB


def comparable(scores: NDArray[np.float64]) -> NDArray[np.float32]:
    """Columns centred and divided by their deviation; outer thousandths and infinities are clipped.

    A missing value (NaN) becomes the median. An added column marks the options with missing values.
    """
    missing = np.isnan(scores)
    out = np.where(missing, 0.0, scores)
    for column in range(scores.shape[1]):
        known = scores[np.isfinite(scores[:, column]), column]
        if not len(known):
            out[:, column] = np.sign(out[:, column])  # only infinities and NaN: use their signs
            continue
        low, high = np.quantile(known, [_CLIPPED, 1 - _CLIPPED])
        out[:, column] = np.clip(
            np.where(missing[:, column], np.median(known), out[:, column]), low, high
        )
        out[:, column] = (out[:, column] - known.mean()) / (known.std() or 1.0)
    return np.column_stack([out, missing[:, missing.any(axis=0)]]).astype(np.float32)


def option_features(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    """Features of every option relative to its draw, (draws, options, 6 * scores).

    Blocks, from comparable scores: value, distance from the draw's median, the same in units of the
    mean distance, rank (ties shared), distance from the best other option, distance from the lowest.
    """
    in_order = np.sort(scores, axis=1)
    centred = scores - median_of_sorted(in_order)
    scaled = centred / (np.abs(centred).mean(axis=1, keepdims=True) + 0.3)
    best, second, lowest = in_order[:, -1:], in_order[:, -2:-1], in_order[:, :1]
    below = (scores[:, :, None] > scores[:, None]).sum(axis=2) + 0.5 * (
        (scores[:, :, None] == scores[:, None]).sum(axis=2) - 1
    )
    above_best_other = np.where(scores == best, scores - second, scores - best)
    return np.concatenate(
        [scores, centred, scaled, below.astype(np.float32), above_best_other, scores - lowest],
        axis=2,
    )


def folds_by_group(group: NDArray[np.int64], *, seed: int, purpose: str) -> NDArray[np.int64]:
    """The fold of each row, from 0. All rows of a sentence are in one fold."""
    count = int(group.max()) + 1 if len(group) else 0
    fold_of_sentence = derive_rng(seed, purpose).permutation(count) % FOLDS
    return np.asarray(fold_of_sentence[group], np.int64)


def cross_fitted_log_odds(
    options_of: Callable[[NDArray[np.int64]], NDArray[np.float32]],
    chosen: NDArray[np.int64],
    fold: NDArray[np.int64],
    *,
    seed: int,
    purpose: str,
    each: Each = map,
) -> NDArray[np.float32]:
    """Natural log odds of being the answer, minus their mean in the draw, (draws, options).

    The models are trained on the `chosen` rows of the other folds. `options_of` maps rows to
    comparable scores, shape (rows, options, scores), with the answer first. `fold`: shape (draws,).
    """
    n_options = options_of(chosen[:1]).shape[1]
    out = np.zeros((len(fold), n_options), np.float32)
    trained = [chosen[fold[chosen] != held] for held in range(FOLDS)]
    predicted = [np.flatnonzero(fold == held) for held in range(FOLDS)]
    trained_folds = [held for held in range(FOLDS) if len(trained[held])]
    folds = [
        _Fold(options_of(trained[held]), options_of(predicted[held]), seed, purpose, held)
        for held in trained_folds
    ]
    for held, odds in zip(trained_folds, each(_log_odds, folds), strict=True):
        out[predicted[held]] = odds
    return out


@dataclass(frozen=True, slots=True)
class _Fold:
    """Comparable scores to train on and to predict, (draws, options, scores), with the answer first."""

    trained: NDArray[np.float32]
    predicted: NDArray[np.float32]
    seed: int
    purpose: str
    held: int


def _log_odds(fold: _Fold) -> NDArray[np.float32]:
    out = np.zeros(fold.predicted.shape[:2], np.float32)
    models = _models(
        option_features(fold.trained), derive_rng(fold.seed, fold.purpose, str(fold.held))
    )
    for start in range(0, len(out), _CHUNK):
        seen = option_features(fold.predicted[start : start + _CHUNK])
        flat = seen.reshape(-1, seen.shape[2])
        odds = np.mean([model(flat) for model in models], axis=0).reshape(len(seen), -1)
        out[start : start + _CHUNK] = odds - odds.mean(axis=1, keepdims=True)
    return out


def _models(
    features: NDArray[np.float32], rng: np.random.Generator
) -> list[Callable[[NDArray[np.float32]], NDArray[np.float64]]]:
    draws, n_options, columns = features.shape
    is_answer = np.tile(np.arange(n_options) == 0, draws)
    flat = features.reshape(-1, columns)
    found = [_logistic(flat, is_answer)]
    for _ in range(_BAGS):
        some_columns = np.sort(rng.permutation(columns)[: max(1, round(columns * _COLUMN_SHARE))])
        some_rows = np.repeat(rng.random(draws) < _QUESTION_SHARE, n_options)
        if some_rows.any():
            found.append(
                _forest(flat, is_answer, some_rows, some_columns, seed=int(rng.integers(2**31)))
            )
    return found


def _forest(
    flat: NDArray[np.float32],
    is_answer: NDArray[np.bool_],
    rows: NDArray[np.bool_],
    columns: NDArray[np.int64],
    *,
    seed: int,
) -> Callable[[NDArray[np.float32]], NDArray[np.float64]]:
    # imported here and below because loading takes more than a second
    from sklearn.ensemble import HistGradientBoostingClassifier

    forest = HistGradientBoostingClassifier(
        max_iter=30,
        learning_rate=0.2,
        max_leaf_nodes=6,
        min_samples_leaf=30,
        l2_regularization=3.0,
        early_stopping=False,
        random_state=seed,
    )  # fmt: skip
    forest.fit(flat[rows][:, columns], is_answer[rows])
    return lambda seen: np.clip(
        forest.decision_function(seen[:, columns]), -_MOST_CERTAIN, _MOST_CERTAIN
    )


def _logistic(
    flat: NDArray[np.float32], is_answer: NDArray[np.bool_]
) -> Callable[[NDArray[np.float32]], NDArray[np.float64]]:
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    scaler = StandardScaler().fit(_curved(flat))
    model = LogisticRegression(C=0.05, max_iter=200).fit(scaler.transform(_curved(flat)), is_answer)
    return lambda seen: np.clip(
        model.decision_function(scaler.transform(_curved(seen))), -_MOST_CERTAIN, _MOST_CERTAIN
    )


def _curved(flat: NDArray[np.float32]) -> NDArray[np.float32]:
    """The features, plus squares and products of the distances from the median (second block)."""
    count = flat.shape[1] // 6
    centred = np.clip(flat[:, count : 2 * count], -3, 3)
    left, right = np.triu_indices(count)
    return np.concatenate([flat, centred[:, left] * centred[:, right]], axis=1)


def found_by_scores(
    options: NDArray[np.float32],
    group: NDArray[np.int64],
    *,
    seed: int,
    purposes: Sequence[str],
    each: Each = map,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Whether extremely randomised trees (Geurts et al. 2006) find each answer, from 0 to 1, and the
    log-likelihood of each answer above chance, in nats; each of shape (purposes, questions).

    Trees see other sentences than they predict; each purpose has its own folds. `options` are
    comparable scores, shape (questions, options, scores), with the answer first.
    """
    sentence = np.unique(group, return_inverse=True)[1]
    cuts = [
        (
            place,
            fold == held,
            _Fold(options[fold != held], options[fold == held], seed, purpose, held),
        )
        for place, purpose in enumerate(purposes)
        for fold in [folds_by_group(sentence, seed=seed, purpose=f"{purpose}_folds")]
        for held in np.unique(fold).tolist()
        if (fold != held).any()
    ]
    share = np.full((len(purposes), *options.shape[:2]), 1.0 / options.shape[1])
    found = each(_answer_likelihood, [fold for _, _, fold in cuts])
    for (place, held_out, _), likelihood in zip(cuts, found, strict=True):
        share[place, held_out] = likelihood
    share /= share.sum(axis=2, keepdims=True)
    best = share == share.max(axis=2, keepdims=True)
    return best[..., 0] / best.sum(axis=2), np.log(share[..., 0] * options.shape[1])


def _answer_likelihood(fold: _Fold) -> NDArray[np.float64]:
    from sklearn.ensemble import ExtraTreesRegressor  # of 0 and 1: the same splits, in less time

    trained, predicted = option_features(fold.trained), option_features(fold.predicted)
    trees = ExtraTreesRegressor(
        _CHECK_TREES, min_samples_leaf=8, max_features=0.4, random_state=fold.held
    )
    trees.fit(
        trained.reshape(-1, trained.shape[2]),
        np.tile(np.arange(trained.shape[1]) == 0, len(trained)),
    )
    found = trees.predict(predicted.reshape(-1, predicted.shape[2]))
    found = found.reshape(-1, predicted.shape[1])
    return np.maximum(found, 1e-3)
