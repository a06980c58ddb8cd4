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
    features: np.ndarray, group: np.ndarray, *, target: np.ndarray, n: int, passes: int, rng: np.random.Generator,
    cost: np.ndarray | float = 0.0, stratum: np.ndarray | None = None, quota: Sequence[int] = (),
) -> np.ndarray:  # fmt: skip
    """Choose at most n draws, one per group, with feature vectors that sum to nearly `target`.

    Returns rows of `features`, in the order of groups. `passes`: how often each draw may be swapped.

    Args:
        features: float32, shape (draws, features).
        group: sentence number of each draw, ascending, shape (draws,).
        cost: cost of each draw, added to the squared distance from the target, shape (draws,).
        stratum: class number of each draw, shape (draws,).
        quota: number of draws of each class. If the quotas cannot be met, any class fills the rest.
    """
    if not len(features):
        return np.zeros(0, np.int64)
    numbers, group = np.unique(group, return_inverse=True)
    parts = min(_PARTS, max(1, len(numbers) // _LEAST_SENTENCES))
    part_of = rng.permutation(len(numbers)) % parts
    # groups the draws by part, and within a part by sentence
    order = np.argsort(part_of[group], kind="stable")
    cost, stratum = (
        np.broadcast_to(np.asarray(cost, np.float32), len(features))[order],
        None if stratum is None else stratum[order],
    )
    herd = _Herd(
        features[order],
        group[order],
        part_of[group[order]],
        np.asarray(target, np.float64),
        cost,
        stratum,
        np.array(quota),
    )
    turns = sorted(
        range(min(n, len(numbers))), key=lambda turn: (turn // (parts * _TURNS), turn % parts)
    )
    chosen = [herd.take(herd.best(turn % parts)) for turn in turns]
    for _ in range(passes):
        for turn, old in enumerate(chosen):
            herd.release(old)
            # searches the draw's own part, so it can be chosen again
            chosen[turn] = herd.take(herd.best(herd.part_of(old)))
    return np.sort(order[chosen])


class _Herd:
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
        # infinite for draws of a sentence that is already used
        self._taken = np.zeros(len(features), np.float32)
        self._first = {number: row for row, number in reversed(list(enumerate(group.tolist())))}
        self._draws = np.bincount(group)

    def best(self, part: int) -> int:
        """The best draw of a wanted class in this part, else in all parts, else of any class."""
        places = self._parts[part]
        for rows, wanted in (
            (places, True),
            (slice(0, len(self._features)), True),
            (slice(0, len(self._features)), False),
        ):
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

    def release(self, row: int) -> None:
        self._note(row, 0.0, 1)
        self._total -= self._features[row]

    def _values(self, rows: slice) -> np.ndarray:
        return np.asarray(
            self._by_itself[rows]
            + 2.0 * (self._features[rows] @ self._total.astype(np.float32))
            + self._taken[rows]
        )

    def _note(self, row: int, taken: float, quota: int) -> None:
        number = int(self._group[row])
        first = self._first[number]
        self._taken[first : first + self._draws[number]] = taken
        if self._stratum is not None:
            self._left[self._stratum[row]] += quota
