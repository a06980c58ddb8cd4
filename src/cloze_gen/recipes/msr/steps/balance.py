"""Balancing: choose impostors, focus words and sentences so that no simple score tells the right option.

The published set gives 24.3 % to "always the most frequent option" and 26 % to its own model reversed (MSR 2.2, last paragraph). Here the
answer's rank among the five options is made uniform over the set under each balanced score, and the ranks of the answer are made to go
together as the ranks of the impostors do, so that a rule over several scores gains nothing either.

Method. Every item offers some random draws of four impostors, made from the record alone. A draw has a feature vector: how the answer's
rank under each score departs from uniform, and how the product of its ranks under each pair of scores departs from that of an average
option of the same question. The set is chosen greedily, sentence after sentence, so that the running sum of feature vectors stays as near
zero as possible (*kernel herding*, Welling 2009, with an explicit feature map), then improved by exchanging one question at a time.
Objective: the squared length of the summed vector. Cost: n * (1 + passes) products of a (draws x features) matrix with a vector.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

# Weight of a pair's feature beside a rank's: products of centred ranks reach 4, shares 1.
_PAIR_WEIGHT = 0.25


def weighted_draws(weights: np.ndarray, *, n_impostors: int, draws: int, rng: np.random.Generator) -> np.ndarray:
    """Random draws of impostors for one item, without replacement (Efraimidis & Spirakis 2006).

    Args:
        weights: float64, shape (candidates,), not negative: a candidate of weight 0 is drawn only when the others do not suffice.
    Returns:
        int64, shape (draws, n_impostors), each row ascending and without repetition.
    """
    with np.errstate(divide="ignore"):
        arrival = rng.exponential(size=(draws, len(weights))) / weights
    return np.sort(np.argsort(arrival, axis=1, kind="stable")[:, :n_impostors], axis=1)


def matched_weights(answers: Sequence[str], candidates: Sequence[Sequence[str]]) -> dict[str, float]:
    """Weight of each candidate word: how often it is an answer, and half a time more, over how often it is a candidate.

    Drawn by these weights, a word is an impostor about as often, for each time it is an answer, as every other word; else words that fit
    many places would mostly be impostors, and a reader of the options alone could learn which. The half keeps a word in play that is the
    answer of no item here.

    >>> matched_weights(["lamp", "oar"], [["oar", "rug"], ["lamp", "rug"]])
    {'lamp': 1.5, 'oar': 1.5, 'rug': 0.25}
    """
    offered = Counter(word for words in candidates for word in words)
    answered = Counter(answers)
    return {word: (answered[word] + 0.5) / offered[word] for word in sorted(offered)}


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


def herd_draws(features: np.ndarray, group: np.ndarray, *, target: np.ndarray, n: int, passes: int) -> np.ndarray:
    """Choose n draws, at most one a group, whose feature vectors sum to nearly `target`.

    Args:
        features: float32, shape (draws, features).
        group: int64, shape (draws,): number of the sentence of each draw, ascending.
        target: float64, shape (features,): zero, or the sum that chance would give a set of this size (see `choose_balanced`).
        n: how many; fewer come back when there are fewer groups.
        passes: exchanges tried for every chosen draw after the greedy choice.
    Returns:
        int64, shape (<= n,): rows of `features`, in the order of their groups.
    """
    length = np.einsum("ij,ij->i", features, features)
    starts = np.searchsorted(group, np.arange(group[-1] + 2)) if len(group) else np.zeros(1, np.int64)
    blocked = np.zeros(len(features), np.float32)
    total = -np.asarray(target, np.float64)
    chosen: list[int] = []

    def take() -> int:
        best = int(np.argmin(length + 2.0 * (features @ total.astype(np.float32)) + blocked))
        blocked[starts[group[best]] : starts[group[best] + 1]] = np.inf
        return best

    for _ in range(min(n, len(np.unique(group)))):
        chosen.append(take())
        total += features[chosen[-1]]
    for _ in range(passes):
        for i, old in enumerate(chosen):
            total -= features[old]
            blocked[starts[group[old]] : starts[group[old] + 1]] = 0.0
            chosen[i] = take()
            total += features[chosen[i]]
    return np.array(sorted(chosen), np.int64)


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
    highest = np.where((stacked > answer).any(axis=1), 0.0, 1.0 / ties)
    lowest = np.where((stacked < answer).any(axis=1), 0.0, 1.0 / ties)
    return highest.mean(axis=0), lowest.mean(axis=0)
