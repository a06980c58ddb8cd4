"""Kernel herding (Welling 2009): choose draws whose explicit feature vectors sum to a target.

Each step searches one random part of the sentences (stochastic greedy, Mirzasoleiman et al. 2015).
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

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
    sentences, place = np.unique(sentence, return_inverse=True)
    n_parts = min(_PARTS, max(1, len(sentences) // _LEAST_SENTENCES))
    part = (rng.permutation(len(sentences)) % n_parts)[place]
    order = np.argsort(part, kind="stable")  # the draws of a part follow each other
    features = features[order]
    herd = _Herd(
        features=features,
        sentence=sentence[order],
        stratum=stratum[order],
        value_alone=np.einsum("ij,ij->i", features, features) + cost[order],
        excess=-target.astype(np.float64),
        left=np.array(quota),
        is_free=np.ones(len(features), bool),
    )
    edges = np.searchsorted(part[order], np.arange(n_parts + 1)).tolist()
    parts = [slice(*ends) for ends in itertools.pairwise(edges)]
    chosen = [
        herd.take_best(parts[turn % n_parts])
        for turn in sorted(
            range(min(n, len(sentences))),
            key=lambda turn: (turn // (n_parts * _TURNS), turn % n_parts),
        )
    ]
    for turn, draw in enumerate(chosen):
        herd.release(draw)
        chosen[turn] = herd.take_best(parts[part[order[draw]]])  # can be the same one
    return np.sort(order[chosen])


@dataclass(slots=True)
class _Herd:
    """The draws, those that are free, and what the taken ones lack.

    Attributes:
        value_alone: squared length of the features of each draw, plus its cost.
        excess: sum of the features of the taken draws minus the target.
        left: number of draws of each class that are still wanted.
        is_free: whether no draw of the sentence is taken.
    """

    features: np.ndarray
    sentence: np.ndarray
    stratum: np.ndarray
    value_alone: np.ndarray
    excess: np.ndarray
    left: np.ndarray
    is_free: np.ndarray

    def take_best(self, part: slice) -> int:
        """Take the best draw of a wanted class in this part, else in all parts, else of any class."""
        for rows, any_class in ((part, False), (slice(None), False), (slice(None), True)):
            allowed = self.is_free[rows]
            if not any_class:
                allowed = allowed & (self.left[self.stratum[rows]] > 0)
            if allowed.any():
                break
        change = 2.0 * (self.features[rows] @ self.excess.astype(np.float32))
        value = np.where(allowed, self.value_alone[rows] + change, np.inf)
        draw = (rows.start or 0) + int(np.argmin(value))
        self.excess += self.features[draw]
        self.left[self.stratum[draw]] -= 1
        self.is_free[self.sentence == self.sentence[draw]] = False
        return draw

    def release(self, draw: int) -> None:
        self.excess -= self.features[draw]
        self.left[self.stratum[draw]] += 1
        self.is_free[self.sentence == self.sentence[draw]] = True
