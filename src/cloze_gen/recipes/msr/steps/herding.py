"""Kernel herding: choose draws whose feature vectors sum to a target (Welling 2009, with an explicit feature map).

Sentence after sentence the draw is taken that brings the running sum nearest to the target; then every chosen draw is exchanged for the one
that does best in its place. Objective: the squared distance of the sum from the target. A step asks every draw of some of the sentences,
which costs a product of their (draws x features) matrix with a vector: of few sentences all are asked, of many a part, dealt beforehand and
taken in turn (*stochastic greedy*, Mirzasoleiman et al. 2015: what one step misses, a later one makes good).
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from cloze_gen.rng import derive_rng

_PARTS = 8  # that sentences are dealt into, at most
_LEAST_SENTENCES = 250  # of a part


def herd_draws(
    features: np.ndarray, group: np.ndarray, *, target: np.ndarray, n: int, passes: int, seed: int,
    cost: np.ndarray | float = 0.0, stratum: np.ndarray | None = None, quota: Sequence[int] = (),
) -> np.ndarray:  # fmt: skip
    """Choose n draws, at most one a group, whose feature vectors sum to nearly `target`.

    Args:
        features: float32, shape (draws, features).
        group: int64, shape (draws,): number of the sentence of each draw, ascending.
        target: float64, shape (features,): zero, or the sum that chance would give a set of this size (see `choose_balanced`).
        n: how many; fewer come back when there are fewer groups.
        passes: exchanges tried for every chosen draw after the greedy choice.
        cost: float, shape (draws,): of each draw by itself, added to the squared distance from the target.
        stratum: int64, shape (draws,): number of the class of each draw, of which `quota` may be chosen; where the quotas cannot be met,
            what is missing is taken from any class.
    Returns:
        int64, shape (<= n,): rows of `features`, in the order of their groups.
    """
    if not len(features):
        return np.zeros(0, np.int64)
    numbers, group = np.unique(group, return_inverse=True)
    parts = min(_PARTS, max(1, len(numbers) // _LEAST_SENTENCES))
    part_of = derive_rng(seed, "msr.herding").permutation(len(numbers)) % parts
    order = np.argsort(part_of[group], kind="stable")  # the draws of a part lie together, and in it those of a sentence
    cost, stratum = np.broadcast_to(np.asarray(cost, np.float32), len(features))[order], None if stratum is None else stratum[order]
    herd = _Herd(features[order], group[order], part_of[group[order]], np.asarray(target, np.float64), cost, stratum, np.array(quota))
    chosen = [herd.take(herd.best(turn % parts)) for turn in range(min(n, len(numbers)))]
    for _ in range(passes):
        for turn, old in enumerate(chosen):
            herd.give_back(old)
            chosen[turn] = herd.take(herd.best(herd.part_of(old)))  # where it is found again if nothing is better
    return np.sort(order[chosen])


class _Herd:
    """What is chosen so far, and what a draw would add to the squared distance; draws in the order of parts, then of sentences."""

    def __init__(
        self, features: np.ndarray, group: np.ndarray, part: np.ndarray, target: np.ndarray, cost: np.ndarray,
        stratum: np.ndarray | None, quota: np.ndarray,
    ) -> None:  # fmt: skip
        self._features, self._group = features, group
        self._by_itself = np.einsum("ij,ij->i", features, features) + cost
        edges = np.searchsorted(part, np.arange(int(part.max()) + 2)).tolist()
        self._part, self._parts = part, [slice(*pair) for pair in itertools.pairwise(edges)]
        self._stratum, self._left = stratum, quota
        self._total = -target
        self._taken = np.zeros(len(features), np.float32)  # infinite for the draws of a sentence that has one chosen
        self._first = {number: row for row, number in reversed(list(enumerate(group.tolist())))}
        self._draws = np.bincount(group)

    def best(self, part: int) -> int:
        """The best draw of a part; where it has none left of a class that is still wanted, of all; where no part has one, of any class."""
        places = self._parts[part]
        for rows, wanted in ((places, True), (slice(0, len(self._features)), True), (slice(0, len(self._features)), False)):
            value = self._values(rows)
            if wanted and self._stratum is not None:
                value = np.where(self._left[self._stratum[rows]] > 0, value, np.inf)
            found = int(np.argmin(value))
            if np.isfinite(value[found]):
                break
        return rows.start + found

    def part_of(self, row: int) -> int:
        return int(self._part[row])

    def take(self, row: int) -> int:
        self._note(row, np.inf, -1)
        self._total += self._features[row]
        return row

    def give_back(self, row: int) -> None:
        self._note(row, 0.0, 1)
        self._total -= self._features[row]

    def _values(self, rows: slice) -> np.ndarray:
        return np.asarray(self._by_itself[rows] + 2.0 * (self._features[rows] @ self._total.astype(np.float32)) + self._taken[rows])

    def _note(self, row: int, taken: float, quota: int) -> None:
        number = int(self._group[row])
        first = self._first[number]
        self._taken[first : first + self._draws[number]] = taken
        if self._stratum is not None:
            self._left[self._stratum[row]] += quota
