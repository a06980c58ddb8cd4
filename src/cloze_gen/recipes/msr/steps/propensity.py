"""The propensity to be the answer: what a trained reader of scores alone would say of each of the five options.

Matching on a propensity score (Rosenbaum & Rubin 1983), the score found by models that are asked again of what was chosen (adversarial
filtering: Zellers et al. 2018, SWAG; Le Bras et al. 2020, AFLite). Of five options x1..x5 without order each is the answer with odds
p_answer(x) / p_impostor(x): where these odds are equal the five are exchangeable, and then no function of the scores tells anything.

Cross-fitted: a sentence is scored only by models that were trained without it, so that a model's memory of an answer is no reason to
choose it. Three boosted forests over random columns and one logistic regression on values, squares and products are averaged; none of
them is what `cloze-gen evaluate` reports by, nor are their folds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from cloze_gen.rng import derive_rng

Each = Callable[[Callable[[Any], Any], Sequence[Any]], Iterable[Any]]  # a function over values, as `map`

FOLDS = 5
_BAGS = 3  # forests averaged
_CHECK_TREES = 60
_COLUMN_SHARE, _QUESTION_SHARE = 0.7, 0.85  # what each of them sees
_MOST_CERTAIN = 5.0  # log odds, natural: a single model's certainty must not outvote the others
_CLIPPED = 0.001  # share of the pool's values at either end that are drawn in
_CHUNK = 40_000  # draws whose features are in memory at once: 5 options of 36 numbers each, 29 MB


def comparable(scores: NDArray[np.float64]) -> NDArray[np.float32]:
    """Scores on one scale: every column centred and divided by its deviation; the outermost thousandth and infinities drawn in.

    A value that is missing (NaN) becomes the column's median, and a column is added that says of which options it is missing, for a
    classifier can learn that too.

    Args:
        scores: shape (options, scores).
    Returns:
        shape (options, scores + columns with missing values).
    """
    missing = np.isnan(scores)
    out = np.where(missing, 0.0, scores)
    for column in range(scores.shape[1]):
        known = scores[np.isfinite(scores[:, column]), column]
        if not len(known):
            out[:, column] = np.sign(out[:, column])  # nothing but infinities and gaps: which of them is all there is to know
            continue
        low, high = np.quantile(known, [_CLIPPED, 1 - _CLIPPED])
        out[:, column] = np.clip(np.where(missing[:, column], np.median(known), out[:, column]), low, high)
        out[:, column] = (out[:, column] - known.mean()) / (known.std() or 1.0)
    return np.column_stack([out, missing[:, missing.any(axis=0)]]).astype(np.float32)


def option_features(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    """What the classifiers that choose see of every option, within its five.

    Args:
        scores: comparable ones, shape (draws, options, scores).
    Returns:
        shape (draws, options, 6 * scores): each score's value, its distance from the five's median, that in units of their mean distance,
        its rank (ties shared), its distance from the best other option and from the lowest.
    """
    centred = scores - np.median(scores, axis=1, keepdims=True)
    scaled = centred / (np.abs(centred).mean(axis=1, keepdims=True) + 0.3)
    in_order = np.sort(scores, axis=1)
    best, second, lowest = in_order[:, -1:], in_order[:, -2:-1], in_order[:, :1]
    below = (scores[:, :, None] > scores[:, None]).sum(axis=2) + 0.5 * ((scores[:, :, None] == scores[:, None]).sum(axis=2) - 1)
    ahead = np.where(scores == best, scores - second, scores - best)
    return np.concatenate([scores, centred, scaled, below.astype(np.float32), ahead, scores - lowest], axis=2)


def folds_by_group(group: NDArray[np.int64], *, seed: int, purpose: str) -> NDArray[np.int64]:
    """The fold of each row, 0 .. FOLDS-1: the rows of a group (a sentence) together, the groups dealt evenly."""
    count = int(group.max()) + 1 if len(group) else 0
    dealt = derive_rng(seed, purpose).permutation(count) % FOLDS
    return np.asarray(dealt[group], np.int64)


def cross_fitted_log_odds(
    options_of: Callable[[NDArray[np.int64]], NDArray[np.float32]],
    chosen: NDArray[np.int64],
    fold: NDArray[np.int64],
    *,
    seed: int,
    purpose: str,
    each: Each = map,
) -> NDArray[np.float32]:
    """How much like an answer every option of every draw looks to models trained on the chosen draws of the other folds.

    Args:
        options_of: rows -> comparable scores of their options, shape (rows, options, scores), the answer first.
        chosen: rows of the draws that were chosen.
        fold: of every draw, shape (draws,).
        each: maps a function over folds, as `map` does: perhaps several at once.
    Returns:
        natural log odds less their mean within the draw, shape (draws, options).
    """
    n_options = options_of(chosen[:1]).shape[1]
    out = np.zeros((len(fold), n_options), np.float32)
    trained = [chosen[fold[chosen] != held] for held in range(FOLDS)]
    asked = [np.flatnonzero(fold == held) for held in range(FOLDS)]
    learnt = [held for held in range(FOLDS) if len(trained[held])]
    folds = [_Fold(options_of(trained[held]), options_of(asked[held]), seed, purpose, held) for held in learnt]
    for held, odds in zip(learnt, each(_log_odds, folds), strict=True):
        out[asked[held]] = odds
    return out


@dataclass(frozen=True, slots=True)
class _Fold:
    """What is learnt from some draws and asked of others.

    Attributes:
        trained, asked: comparable scores, shape (draws, options, scores), the answer first.
        held: number of the fold.
    """

    trained: NDArray[np.float32]
    asked: NDArray[np.float32]
    seed: int
    purpose: str
    held: int


def _log_odds(fold: _Fold) -> NDArray[np.float32]:
    """Natural log odds of the options that are asked, less their mean within the draw."""
    import sklearn.ensemble  # noqa: F401 - loaded before its threads are limited, for only those of loaded libraries can be

    out = np.zeros(fold.asked.shape[:2], np.float32)
    with threadpool_limits(limits=1):  # the last digits of a sum depend on how many threads share it
        models = _models(option_features(fold.trained), derive_rng(fold.seed, fold.purpose, str(fold.held)))
        for start in range(0, len(out), _CHUNK):
            seen = option_features(fold.asked[start : start + _CHUNK])
            flat = seen.reshape(-1, seen.shape[2])
            odds = np.mean([model(flat) for model in models], axis=0).reshape(len(seen), -1)
            out[start : start + _CHUNK] = odds - odds.mean(axis=1, keepdims=True)
    return out


def _models(features: NDArray[np.float32], rng: np.random.Generator) -> list[Callable[[NDArray[np.float32]], NDArray[np.float64]]]:
    """Classifiers of the option, each as a function from features to log odds."""
    draws, n_options, columns = features.shape
    is_answer = np.tile(np.arange(n_options) == 0, draws)
    flat = features.reshape(-1, columns)
    found = [_logistic(flat, is_answer)]
    for _ in range(_BAGS):
        some_columns = np.sort(rng.permutation(columns)[: max(1, round(columns * _COLUMN_SHARE))])
        some_rows = np.repeat(rng.random(draws) < _QUESTION_SHARE, n_options)
        if some_rows.any():
            found.append(_forest(flat, is_answer, some_rows, some_columns, seed=int(rng.integers(2**31))))
    return found


def _forest(
    flat: NDArray[np.float32], is_answer: NDArray[np.bool_], rows: NDArray[np.bool_], columns: NDArray[np.int64], *, seed: int
) -> Callable[[NDArray[np.float32]], NDArray[np.float64]]:
    from sklearn.ensemble import HistGradientBoostingClassifier  # here, as below, for it takes more than a second to load

    forest = HistGradientBoostingClassifier(
        max_iter=60,
        learning_rate=0.1,
        max_leaf_nodes=6,
        min_samples_leaf=30,
        l2_regularization=3.0,
        early_stopping=False,
        random_state=seed,
    )  # fmt: skip
    forest.fit(flat[rows][:, columns], is_answer[rows])
    return lambda seen: np.clip(forest.decision_function(seen[:, columns]), -_MOST_CERTAIN, _MOST_CERTAIN)


def _logistic(flat: NDArray[np.float32], is_answer: NDArray[np.bool_]) -> Callable[[NDArray[np.float32]], NDArray[np.float64]]:
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    scaler = StandardScaler().fit(_curved(flat))
    model = LogisticRegression(C=0.05, max_iter=200).fit(scaler.transform(_curved(flat)), is_answer)
    return lambda seen: np.clip(model.decision_function(scaler.transform(_curved(seen))), -_MOST_CERTAIN, _MOST_CERTAIN)


def _curved(flat: NDArray[np.float32]) -> NDArray[np.float32]:
    """The features, and squares and products of the distances from the median (the second of the six blocks)."""
    count = flat.shape[1] // 6
    centred = np.clip(flat[:, count : 2 * count], -3, 3)
    left, right = np.triu_indices(count)
    return np.concatenate([flat, centred[:, left] * centred[:, right]], axis=1)


def told_by_scores(options: NDArray[np.float32], group: NDArray[np.int64], *, seed: int, each: Each = map) -> tuple[float, float]:
    """What a classifier of another family learns of a chosen set and repeats on sentences that it has not seen.

    Extremely randomised trees (Geurts et al. 2006), over folds that no choosing classifier had.

    Args:
        options: comparable scores, shape (questions, options, scores), the answer first.
    Returns:
        accuracy (a share; the option that looks most like an answer is taken), and the answers' mean log-likelihood above chance, in nats:
        0 and less where nothing was learnt.
    """
    fold = folds_by_group(np.unique(group, return_inverse=True)[1], seed=seed, purpose="msr.check_folds")
    share = np.full(options.shape[:2], 1.0 / options.shape[1])
    learnt = [held for held in np.unique(fold).tolist() if (fold != held).any()]
    folds = [_Fold(options[fold != held], options[fold == held], seed, "msr.check", held) for held in learnt]
    for held, told in zip(learnt, each(_likeliness, folds), strict=True):
        share[fold == held] = told
    share /= share.sum(axis=1, keepdims=True)
    best = share == share.max(axis=1, keepdims=True)
    return float((best[:, 0] / best.sum(axis=1)).mean()), float(np.log(share[:, 0] * options.shape[1]).mean())


def _likeliness(fold: _Fold) -> NDArray[np.float64]:
    """How likely each of the options that are asked is to be an answer, by extremely randomised trees; shape (draws, options)."""
    from sklearn.ensemble import ExtraTreesClassifier

    trained, asked = option_features(fold.trained), option_features(fold.asked)
    trees = ExtraTreesClassifier(_CHECK_TREES, min_samples_leaf=8, max_features=0.4, random_state=fold.held)
    with threadpool_limits(limits=1):
        trees.fit(trained.reshape(-1, trained.shape[2]), np.tile(np.arange(trained.shape[1]) == 0, len(trained)))
        told = trees.predict_proba(asked.reshape(-1, asked.shape[2]))[:, 1].reshape(-1, asked.shape[1])
    return np.maximum(told, 1e-3)
