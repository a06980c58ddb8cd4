"""Balancing: no single score reveals the answer (MSR 2.2, last paragraph).

The answer's rank among the options is uniform under each score. Its ranks under two scores
correlate as much as the impostors' do. `herding` chooses draws with features that sum to almost 0.
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


def rank_features(scores: np.ndarray) -> np.ndarray:
    """Feature vectors of draws, float32, shape (draws, scores * options + pairs).

    For each score: the answer's share of each rank (ties shared evenly) minus the uniform share.
    For each pair of scores: the product of the answer's centred ranks minus the options' mean
    product. `scores` has shape (draws, options, scores), with the answer first.

    >>> rank_features(np.array([[[3.0], [2.0], [1.0]]])).round(2)
    array([[ 0.67, -0.33, -0.33]], dtype=float32)
    """
    draws, options, n_scores = scores.shape
    # (draws, options, scores): options that score higher
    above = (scores[:, None, :, :] > scores[:, :, None, :]).sum(axis=2)
    # includes the option itself
    ties = (scores[:, None, :, :] == scores[:, :, None, :]).sum(axis=2)
    places = np.arange(options)[None, :, None]
    answer_above, answer_ties = above[:, None, 0, :], ties[:, None, 0, :]
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
    the options' mean. A conditional logit on these splines learns nothing if they sum to zero.
    `scores` has about unit deviation and shape (draws, options, scores), with the answer first.
    """
    in_order = np.sort(scores, axis=1)
    best, second = in_order[:, -1:], in_order[:, -2:-1]
    above_best_other = np.where(scores == best, scores - second, scores - best)
    centred = scores - scores.mean(axis=1, keepdims=True)
    standardised = centred / (np.sqrt((centred**2).mean(axis=1, keepdims=True)) + _LEAST_DEVIATION)
    values = np.concatenate(
        [
            scores - median_of_sorted(in_order),
            above_best_other,
            scores - in_order[:, :1] - 2.0,
            standardised,
        ],
        axis=2,
    )
    # A spline is the difference of two ramps, each from 0 at one knot to 1 at the next.
    ramps = [np.zeros(values[:, 0].shape, np.float32)]
    for low, high in itertools.pairwise(_KNOTS):
        ramp = np.clip((values - low) / (high - low), 0.0, 1.0)
        ramps.append((ramp[:, 0] - ramp.mean(axis=1)).astype(np.float32))
    ramps.append(ramps[0])
    return np.concatenate([left - right for left, right in itertools.pairwise(ramps)], axis=1)


def median_of_sorted(in_order: np.ndarray) -> np.ndarray:
    """Median of the options, (draws, 1, scores), of scores that ascend along the options."""
    options = in_order.shape[1]
    low, high = in_order[:, (options - 1) // 2], in_order[:, options // 2]
    return np.asarray((low + high) / 2.0)[:, None]


def spelling_vectors(words: Sequence[str]) -> np.ndarray:
    """Hashed, signed affixes of words, float32, shape (words, 128), of about unit length.

    The affixes are the whole word and its first and last one to three letters. Feature hashing
    follows Weinberger et al. 2009.
    """
    row_of = {word: row for row, word in enumerate(dict.fromkeys(words))}
    found = np.zeros((len(row_of), _SPELLING), np.float32)
    for word, row in row_of.items():
        grams = [
            f"={word}",
            *(f"<{word[:size]}" for size in (1, 2, 3)),
            *(f"{word[-size:]}>" for size in (1, 2, 3)),
        ]
        for gram in grams:
            code = zlib.crc32(gram.encode())
            found[row, code % _SPELLING] += (1.0 if code >> 16 & 1 else -1.0) / len(grams) ** 0.5
    return found[[row_of[word] for word in words]]


def answer_shares(scores: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Shares of questions in which the answer scores highest and lowest, each of shape (scores,).

    `scores` has one array of shape (options, scores) per question, with the answer first. Ties
    are shared.
    """
    stacked = np.stack(list(scores))
    answer = stacked[:, :1, :]
    ties = (stacked == answer).sum(axis=1)
    share = 1.0 / np.maximum(ties, 1)  # a missing value (NaN) equals nothing, not even itself
    highest = np.where((stacked > answer).any(axis=1) | (ties == 0), 0.0, share)
    lowest = np.where((stacked < answer).any(axis=1) | (ties == 0), 0.0, share)
    return highest.mean(axis=0), lowest.mean(axis=0)


def named_answer_shares(
    option_scores: Sequence[np.ndarray], names: Sequence[str]
) -> dict[str, float]:
    highest, lowest = answer_shares(option_scores)
    return {
        f"answer_{end}_{name}": round(float(values[i]), 4)
        for i, name in enumerate(names)
        for end, values in (("highest", highest), ("lowest", lowest))
    }
