"""Agreement beyond chance: Krippendorff's alpha over all judges, Cohen's kappa of each pair. A unit
is ``("msr:1",)`` or, for a candidate, ``("msr:1", "saw")``. The bootstrap draws items by default.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from cloze_gen.rng import derive_rng

DRAWS = 1_000
# largest share of undefined resamples; above it there is no interval
MOST_UNDEFINED = 0.05
_MIDDLE = (2.5, 97.5)  # percentiles
_MOST_CELLS = 8_000_000  # float64 values in memory at once


def resampled_sums(
    contributions: NDArray[np.float64],
    *,
    seed: int,
    purpose: str,
    record_id: str = "",
    draws: int = DRAWS,
) -> NDArray[np.float64]:
    """Bootstrap sums of contributions.

    `contributions`: shape (groups, values). Returns float64, shape (draws, values). The same seed,
    purpose, id and number of groups always draw the same groups.

    >>> resampled_sums(np.ones((4, 2)), seed=1, purpose="doctest", draws=3).tolist()
    [[4.0, 4.0], [4.0, 4.0], [4.0, 4.0]]
    """
    n = contributions.shape[0]
    rng = derive_rng(seed, purpose, record_id)
    at_once = max(1, min(draws, _MOST_CELLS // n))
    sums = []
    for first in range(0, draws, at_once):
        some = min(at_once, draws - first)
        drawn = rng.integers(n, size=(some, n)) + np.arange(some)[:, None] * n
        times = np.bincount(drawn.ravel(), minlength=some * n).reshape(some, n).astype(np.float64)
        sums.append(times @ contributions)
    return np.concatenate(sums)


def middle(values: NDArray[np.float64]) -> tuple[float, float] | None:
    """The middle 95 % of resampled values; None if more than `MOST_UNDEFINED` of them are NaN.

    >>> middle(np.linspace(0, 1, 1001))
    (0.025, 0.975)
    >>> middle(np.array([1.0, np.nan])) is None
    True
    """
    defined = values[~np.isnan(values)]
    if len(defined) < (1 - MOST_UNDEFINED) * len(values) or len(defined) == 0:
        return None
    low, high = np.percentile(defined, _MIDDLE)
    return float(low), float(high)


# ---- agreement beyond chance

Unit = tuple[str, ...]
# unit -> judge -> label; judges who did not rate the unit are missing
Ratings = Mapping[Unit, Mapping[str, str]]
NO_RATING = -1


@dataclass(frozen=True, slots=True, eq=False)
class RatingTable:
    """Ratings as indices into `labels`, or `NO_RATING`; names are sorted.

    `codes`: shape (units, judges). `items`: shape (units,), a number for each item; items are
    resampled.
    """

    units: tuple[Unit, ...]
    judges: tuple[str, ...]
    labels: tuple[str, ...]
    codes: NDArray[np.int32]
    items: NDArray[np.int64]


def tabulate(ratings: Ratings) -> RatingTable:
    """
    >>> table = tabulate({("b",): {"ann": "no"}, ("a",): {"ann": "yes", "bob": "no"}})
    >>> table.judges, table.labels, table.codes.tolist()
    (('ann', 'bob'), ('no', 'yes'), [[1, 0], [0, -1]])
    """
    units = tuple(sorted(ratings))
    judges = {
        judge: place
        for place, judge in enumerate(
            sorted({judge for labels_by_judge in ratings.values() for judge in labels_by_judge})
        )
    }
    labels = {
        label: place
        for place, label in enumerate(
            sorted(
                {
                    label
                    for labels_by_judge in ratings.values()
                    for label in labels_by_judge.values()
                }
            )
        )
    }
    items = {item: place for place, item in enumerate(sorted({unit[0] for unit in units}))}
    codes = np.full((len(units), len(judges)), NO_RATING, np.int32)
    for row, unit in enumerate(units):
        for judge, label in ratings[unit].items():
            codes[row, judges[judge]] = labels[label]
    return RatingTable(
        units,
        tuple(judges),
        tuple(labels),
        codes,
        np.array([items[unit[0]] for unit in units], np.int64),
    )


RELIABLE = 0.8  # smallest alpha of reliable verdicts; Krippendorff 2004, Content Analysis, p. 241
TENTATIVE = 0.667  # smallest alpha for tentative conclusions; same source
_PURPOSE = "judging.alpha"


@dataclass(frozen=True, slots=True)
class Alpha:
    """Krippendorff's alpha, nominal, with a 95 % bootstrap interval by item.

    None if undefined: no unit has two ratings, or all ratings are the same. `units` and `items`
    count those with two ratings or more.
    """

    value: float | None
    low: float | None
    high: float | None
    units: int
    items: int


@dataclass(frozen=True, slots=True)
class Kappa:
    """Cohen's kappa of two judges; None if they share no unit, or gave all the same label."""

    one: str
    other: str
    value: float | None
    shared: int


def krippendorff_alpha(
    ratings: Ratings, *, seed: int, record_id: str = "", draws: int = DRAWS
) -> Alpha:
    """Alpha of nominal ratings. Judges need not rate all units.

    Krippendorff 2011, Computing Krippendorff's Alpha-Reliability; the example is its B. The
    bootstrap draws items; Hayes & Krippendorff 2007 draw pairs.

    >>> pairs = enumerate(zip("aabbdcccedda", "babbbccceddd"))
    >>> ratings = {(str(unit),): {"ben": one, "gerry": other} for unit, (one, other) in pairs}
    >>> round(krippendorff_alpha(ratings, seed=1).value, 3)
    0.692
    >>> krippendorff_alpha({("1",): {"jon": "a", "han": "a"}}, seed=1).value is None
    True
    """
    table = tabulate(ratings)
    per_unit, pairable = _contributions(table)
    items, places = np.unique(table.items[pairable], return_inverse=True)
    by_item = np.zeros((len(items), per_unit.shape[1]))
    np.add.at(by_item, places, per_unit[pairable])
    value = float(_alpha(by_item.sum(axis=0)))
    counts = len(places), len(items)
    if np.isnan(value):
        return Alpha(None, None, None, *counts)
    sums = resampled_sums(by_item, seed=seed, purpose=_PURPOSE, record_id=record_id, draws=draws)
    low, high = (middle(_alpha(sums)) if len(items) > 1 else None) or (None, None)
    return Alpha(value, low, high, *counts)


def _contributions(table: RatingTable) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Each unit's disagreement, counts of labels, and whether it has two ratings.

    With m ratings, n_c of them c, the disagreement is sum over c of n_c (m - n_c) / (m - 1).
    """
    counts = (
        np.stack([(table.codes == code).sum(axis=1) for code in range(len(table.labels))], axis=1)
        if table.labels
        else None
    )
    if counts is None:
        return np.zeros((len(table.units), 1)), np.zeros(len(table.units), bool)
    m = counts.sum(axis=1, keepdims=True)
    pairable = m[:, 0] > 1
    counts = counts * pairable[:, None]
    disagreement = (counts * (m - counts)).sum(axis=1, keepdims=True) / np.maximum(m - 1, 1)
    return np.hstack([disagreement, counts]).astype(np.float64), pairable


def _alpha(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Alpha of summed contributions: 1 - (n - 1) disagreement / (n^2 - sum of n_c^2), or NaN."""
    disagreement, label_counts = sums[..., 0], sums[..., 1:]
    n = label_counts.sum(axis=-1)
    possible = n**2 - (label_counts**2).sum(axis=-1)
    return np.where(
        possible > 0, 1 - (n - 1) * disagreement / np.where(possible > 0, possible, 1), np.nan
    )


def pairwise_kappas(ratings: Ratings) -> list[Kappa]:
    """Cohen's kappa (1960) of each pair of judges, over the units that both rated.

    >>> same = {(str(unit),): {"ann": label, "bob": label} for unit, label in enumerate("xyxy")}
    >>> pairwise_kappas(same)
    [Kappa(one='ann', other='bob', value=1.0, shared=4)]
    """
    table = tabulate(ratings)
    size = len(table.labels)
    found = []
    for one, other in combinations(range(len(table.judges)), 2):
        both = (table.codes[:, one] != NO_RATING) & (table.codes[:, other] != NO_RATING)
        pairs = table.codes[both, one].astype(np.int64) * size + table.codes[both, other]
        crossed = np.bincount(pairs, minlength=size * size).reshape(size, size)
        found.append(
            Kappa(table.judges[one], table.judges[other], _kappa(crossed), int(both.sum()))
        )
    return found


def _kappa(crossed: NDArray[np.int64]) -> float | None:
    n = int(crossed.sum())
    # n^2 p_e as an integer, so that 1 - p_e can be exactly 0
    by_chance = int(crossed.sum(axis=0) @ crossed.sum(axis=1))
    if n == 0 or by_chance == n * n:
        return None
    return (n * int(np.trace(crossed)) - by_chance) / (n * n - by_chance)
