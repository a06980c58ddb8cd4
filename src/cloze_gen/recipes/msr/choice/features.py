"""Balancing: no single score reveals the answer (MSR 2.2, last paragraph).

The answer's rank among the options is nearly uniform under each score. Its ranks under two scores
correlate as much as the impostors' do. `herding` chooses draws with features that sum to a target:
what they sum to in random draws, which is near 0, but not 0. An exactly balanced set would reveal
answers, because in no random set all sums are 0 at once.
"""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Sequence

import numpy as np

# Weight of a pair's feature relative to a rank's: products of centred ranks reach 4, shares 1.
_PAIR_WEIGHT = 0.25
_SPELLING = 128  # dimensions of a word's spelling vector
_LEAST_DEVIATION = 0.02  # in deviations of the pool; avoids division by zero for five equal scores
# Knots of the splines of `value_features`, in standard deviations of the score over the pool.
_KNOTS = (-2.0, -1.0, -0.4, 0.0, 0.4, 1.0, 2.0)
_CLIPPED = 0.001  # share of values clipped at either end


def comparable(values: np.ndarray) -> np.ndarray:
    """Columns centred and divided by their deviation, float32; the outer thousandths are clipped.

    A missing value (NaN) becomes the median. An added column marks the missing values of a column
    that has others.
    """
    values = np.where(np.isnan(values).all(axis=0), 0.0, values)
    missing = np.isnan(values)
    scaled = []
    for column in values.T:
        known = column[~np.isnan(column)]
        low, high = np.quantile(known, [_CLIPPED, 1 - _CLIPPED])
        filled = np.where(np.isnan(column), np.median(known), column)
        scaled.append((np.clip(filled, low, high) - known.mean()) / (known.std() or 1.0))
    return np.column_stack([*scaled, missing[:, missing.any(axis=0)]]).astype(np.float32)


def distances(scores: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """How far each option is above the median of its draw, the best other option, and the lowest.

    Each of the shape of `scores`, (draws, options, scores).
    """
    in_order = np.sort(scores, axis=1)
    best = in_order[:, -1:]
    second = in_order[:, -2:-1]
    above_best_other = np.where(scores == best, scores - second, scores - best)
    above_median = scores - np.median(in_order, axis=1, keepdims=True)
    return above_median, above_best_other, scores - in_order[:, :1]


def ranks(scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How many options score higher than each option, and how many the same, with itself.

    Each of the shape of `scores`, (draws, options, scores).
    """
    above = (scores[:, None] > scores[:, :, None]).sum(axis=2)
    ties = (scores[:, None] == scores[:, :, None]).sum(axis=2)
    return above, ties


def rank_features(scores: np.ndarray) -> np.ndarray:
    """Feature vectors of draws, float32, shape (draws, scores * options + pairs).

    For each score: the answer's share of each rank (ties shared evenly) minus the uniform share.
    For each pair of scores: the product of the answer's centred ranks minus the options' mean
    product. `scores` has shape (draws, options, scores), with the answer first.

    >>> rank_features(np.array([[[3.0], [2.0], [1.0]]])).round(2)
    array([[ 0.67, -0.33, -0.33]], dtype=float32)
    """
    draws, options, n_scores = scores.shape
    above, ties = ranks(scores)
    places = np.arange(options)[None, :, None]
    answer_above = above[:, :1]
    answer_ties = ties[:, :1]
    held = (places >= answer_above) & (places < answer_above + answer_ties)
    shares = np.where(held, 1.0 / answer_ties, 0.0) - 1.0 / options
    centred = above + (ties - 1) / 2.0 - (options - 1) / 2.0
    left, right = np.triu_indices(n_scores, 1)
    products = centred[:, :, left] * centred[:, :, right]
    pairs = (products[:, 0, :] - products.mean(axis=1)) * _PAIR_WEIGHT
    flat = shares.transpose(0, 2, 1).reshape(draws, n_scores * options)
    return np.concatenate([flat, pairs], axis=1).astype(np.float32)


def value_features(scores: np.ndarray) -> np.ndarray:
    """Feature vectors of draws from score values, float32, shape (draws, scores * 4 * 7).

    Four distances of each option, on linear splines: from the median, from the best other option,
    from the lowest, and from the mean in standard deviations. A feature is the answer's value minus
    the options' mean. A conditional logit on these splines learns nothing if they sum to 0.
    `scores` has about unit deviation and shape (draws, options, scores), with the answer first.
    """
    above_median, above_best_other, above_lowest = distances(scores)
    centred = scores - scores.mean(axis=1, keepdims=True)
    standardised = centred / (np.sqrt((centred**2).mean(axis=1, keepdims=True)) + _LEAST_DEVIATION)
    values = np.concatenate(
        [above_median, above_best_other, above_lowest - 2.0, standardised], axis=2
    )
    # A spline is the difference of two ramps, each from 0 at one knot to 1 at the next.
    ramps = [np.zeros(values[:, 0].shape, np.float32)]
    for low, high in itertools.pairwise(_KNOTS):
        ramp = np.clip((values - low) / (high - low), 0.0, 1.0)
        ramps.append((ramp[:, 0] - ramp.mean(axis=1)).astype(np.float32))
    ramps.append(ramps[0])
    return np.concatenate([left - right for left, right in itertools.pairwise(ramps)], axis=1)


def spelling_vectors(words: Sequence[str]) -> np.ndarray:
    """Hashed, signed affixes of words, float32, shape (words, 128), of about unit length.

    The affixes are the whole word and its first and last one to three letters. Feature hashing
    follows Weinberger et al. 2009.
    """
    distinct, row_of_word = np.unique(words, return_inverse=True)
    vectors = np.zeros((len(distinct), _SPELLING), np.float32)
    for vector, word in zip(vectors, distinct.tolist(), strict=True):
        affixes = [f"={word}"]
        for size in (1, 2, 3):
            affixes += [f"<{word[:size]}", f"{word[-size:]}>"]
        for affix in affixes:
            code = zlib.crc32(affix.encode())
            vector[code % _SPELLING] += (1.0 if code >> 16 & 1 else -1.0) / len(affixes) ** 0.5
    return vectors[row_of_word]
