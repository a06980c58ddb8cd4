"""Balancing: choose impostors, focus words and sentences so that no simple score tells the right option.

The published set gives 24.3 % to "always the most frequent option" and 26 % to its own model reversed (MSR 2.2, last paragraph). Here the
answer's rank among the five options is made uniform over the set under each balanced score, and the ranks of the answer are made to go
together as the ranks of the impostors do, so that a rule over several scores gains nothing either.

Method. Every item offers some random draws of four impostors, made from the record alone. A draw has a feature vector: how the answer's
rank under each score departs from uniform, and how the product of its ranks under each pair of scores departs from that of an average
option of the same question. The set is chosen greedily, sentence after sentence, so that the running sum of feature vectors stays as near
zero as possible, then improved by exchanging one question at a time (`herding`).
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import numpy as np

# Weight of a pair's feature beside a rank's: products of centred ranks reach 4, shares 1.
_PAIR_WEIGHT = 0.25
_SPELLING = 128  # numbers that stand for a word's spelling
_LEAST_DEVIATION = 0.02  # of five scores, in those over the pool: five alike have a place on the lines too
# Where the broken lines of `value_features` break, in deviations of the score over the pool.
_KNOTS = np.array([-2.0, -1.0, -0.4, 0.0, 0.4, 1.0, 2.0])


def rank_features(scores: np.ndarray) -> np.ndarray:
    """Feature vectors of draws.

    Args:
        scores: float64, shape (draws, options, scores); the answer is option 0.
    Returns:
        float32, shape (draws, scores * options + pairs): per score the answer's share of each rank (ties shared evenly) minus the uniform
        share, then per pair of scores the product of the answer's centred ranks minus the mean product over the options.

    >>> rank_features(np.array([[[3.0], [2.0], [1.0]]])).round(2)
    array([[ 0.67, -0.33, -0.33]], dtype=float32)
    """
    draws, options, n_scores = scores.shape
    above = (scores[:, None, :, :] > scores[:, :, None, :]).sum(axis=2)  # (draws, options, scores): options that score higher
    ties = (scores[:, None, :, :] == scores[:, :, None, :]).sum(axis=2)  # itself among them
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
    """Feature vectors of draws by the scores' values: what levelled ranks leave in the margins.

    Each option's distance from the five's median, from the best other option and from the lowest, and its distance from their mean in
    their own deviations, is spread over broken lines (linear splines); a draw's features are the answer's less the mean of all its
    options'. Where their sum over a set is zero, a conditional logit on these lines learns nothing: its likelihood is flat at no weight
    at all. The last of the four is for answers that stand alone: retained candidates score alike, and an answer may score far below them.

    Args:
        scores: of about unit deviation, shape (draws, options, scores); the answer is option 0.
    Returns:
        float32, shape (draws, scores * 4 * 7).
    """
    in_order = np.sort(scores, axis=1)
    best, second = in_order[:, -1:], in_order[:, -2:-1]
    ahead = np.where(scores == best, scores - second, scores - best)
    centred = scores - scores.mean(axis=1, keepdims=True)
    alone = centred / (np.sqrt((centred**2).mean(axis=1, keepdims=True)) + _LEAST_DEVIATION)
    values = np.concatenate([scores - np.median(scores, axis=1, keepdims=True), ahead, scores - in_order[:, :1] - 2.0, alone], axis=2)
    found = []
    for unit in np.eye(len(_KNOTS)):
        line = np.interp(values, _KNOTS, unit)
        found.append((line[:, 0] - line.mean(axis=1)).astype(np.float32))
    return np.concatenate(found, axis=1)


def spelling_vectors(words: Sequence[str]) -> np.ndarray:
    """Words as vectors of what an eye sees of them: the whole word, its first and its last one to three letters, hashed and signed.

    Words that share an ending share a direction, so that a set in which the answers' vectors sum to the impostors' gives no word and
    no ending more often to answers (Weinberger et al. 2009: the signed hash keeps inner products in the mean).

    Returns:
        float32, shape (words, 128), each of length 1 but for collisions.
    """
    found = np.zeros((len(words), _SPELLING), np.float32)
    for row, word in enumerate(words):
        grams = [f"={word}", *(f"<{word[:size]}" for size in (1, 2, 3)), *(f"{word[-size:]}>" for size in (1, 2, 3))]
        for gram in grams:
            code = zlib.crc32(gram.encode())
            found[row, code % _SPELLING] += (1.0 if code >> 16 & 1 else -1.0) / len(grams) ** 0.5
    return found


def answer_shares(scores: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """In what share of the questions the answer has the highest and the lowest score, ties shared.

    Args:
        scores: one array of shape (options, scores) a question; the answer is option 0.
    Returns:
        two float64 arrays of shape (scores,), shares from 0 to 1: of the highest and of the lowest.
    """
    stacked = np.stack(list(scores))
    answer = stacked[:, :1, :]
    ties = (stacked == answer).sum(axis=1)
    share = 1.0 / np.maximum(ties, 1)  # of a missing value (NaN) there is none, and nothing is above or below it
    highest = np.where((stacked > answer).any(axis=1) | (ties == 0), 0.0, share)
    lowest = np.where((stacked < answer).any(axis=1) | (ties == 0), 0.0, share)
    return highest.mean(axis=0), lowest.mean(axis=0)
