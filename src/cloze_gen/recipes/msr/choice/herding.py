"""Kernel herding (Welling 2009): choose draws whose explicit feature vectors sum to a target.

Each step searches one random part of the sentences (stochastic greedy, Mirzasoleiman et al. 2015).
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

_PARTS = 8  # largest number of parts
_TURNS = 4  # turns in one part before the next, whose features must be fetched from memory
_LEAST_SENTENCES = 250  # smallest number of sentences in a part


def herd_draws(
    features: np.ndarray, sentence: np.ndarray, *, target: np.ndarray, n: int, rng: np.random.Generator,
    cost: np.ndarray, stratum: np.ndarray, quota: Sequence[int],
) -> np.ndarray:  # fmt: skip
    """Choose at most n draws, one per sentence, with feature vectors that sum to nearly `target`.

    After the greedy choice, each draw may be swapped once. Returns rows of `features`, ascending.

    Args:
        features: float32, shape (draws, features).
        sentence: sentence number of each draw, shape (draws,).
        cost: cost of each draw, added to the squared distance from the target, shape (draws,).
        stratum: class number of each draw, shape (draws,).
        quota: number of draws of each class. If the quotas cannot be met, any class fills the rest.
    """
    n_sentences = len(np.unique(sentence))
    n_parts = min(_PARTS, max(1, n_sentences // _LEAST_SENTENCES))
    part_of = rng.permutation(n_sentences) % n_parts
    part = part_of[np.unique(sentence, return_inverse=True)[1]]
    order = np.argsort(part, kind="stable")  # the draws of a part follow each other
    herd = _Herd(features[order], sentence[order], stratum[order], cost[order], target, quota)
    edges = np.searchsorted(part[order], np.arange(n_parts + 1)).tolist()
    parts = [slice(*ends) for ends in itertools.pairwise(edges)]
    chosen = [
        herd.take_best(parts[turn % n_parts])
        for turn in sorted(
            range(min(n, n_sentences)),
            key=lambda turn: (turn // (n_parts * _TURNS), turn % n_parts),
        )
    ]
    for turn, draw in enumerate(chosen):
        herd.release(draw)
        chosen[turn] = herd.take_best(parts[part[order[draw]]])  # can be the same one
    return np.sort(order[chosen])


class _Herd:
    """The draws that are free, and how far the features of the taken ones are from the target."""

    def __init__(
        self, features: np.ndarray, sentence: np.ndarray, stratum: np.ndarray, cost: np.ndarray,
        target: np.ndarray, quota: Sequence[int],
    ) -> None:  # fmt: skip
        self._features = features
        self._sentence = sentence
        self._stratum = stratum
        self._value_alone = np.einsum("ij,ij->i", features, features) + cost
        self._excess = -target.astype(np.float64)
        self._left = np.array(quota)
        self._is_free = np.ones(len(features), bool)

    def take_best(self, part: slice) -> int:
        """Take the best draw of a wanted class in this part, else in all parts, else of any class."""
        for rows, any_class in ((part, False), (slice(None), False), (slice(None), True)):
            allowed = self._is_free[rows]
            if not any_class:
                allowed = allowed & (self._left[self._stratum[rows]] > 0)
            if allowed.any():
                break
        change = 2.0 * (self._features[rows] @ self._excess.astype(np.float32))
        value = np.where(allowed, self._value_alone[rows] + change, np.inf)
        draw = (rows.start or 0) + int(np.argmin(value))
        self._excess += self._features[draw]
        self._left[self._stratum[draw]] -= 1
        self._is_free[self._sentence == self._sentence[draw]] = False
        return draw

    def release(self, draw: int) -> None:
        self._excess -= self._features[draw]
        self._left[self._stratum[draw]] += 1
        self._is_free[self._sentence == self._sentence[draw]] = True
