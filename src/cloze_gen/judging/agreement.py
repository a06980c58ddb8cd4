"""How far judges agree beyond chance: Krippendorff's alpha of all together, Cohen's kappa of every two."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from cloze_gen.judging.rating_table import NOT_SAID, Ratings, RatingTable, Unit, item_of, tabulate
from cloze_gen.judging.resampling import DRAWS, middle, resampled_sums

RELIABLE = 0.8  # from here on verdicts may be relied on; Krippendorff 2004, Content Analysis, p. 241
TENTATIVE = 0.667  # from here on they bear tentative conclusions; the same place
_PURPOSE = "judging.alpha"


@dataclass(frozen=True, slots=True)
class Alpha:
    """Krippendorff's alpha, nominal.

    Attributes:
        value: 1 is full agreement, 0 that of chance, less than 0 systematic disagreement; None where it is not defined: no unit has two
            ratings, or all ratings are alike, so that there is nothing to tell apart.
        low, high: 95 % bootstrap interval by group; None where `value` is, or where there are too few groups to tell.
        units: with two ratings or more; the others say nothing of agreement.
        groups: that these units lie in.
        ratings: of these units.
        judges: who gave them.
    """

    value: float | None
    low: float | None
    high: float | None
    units: int
    groups: int
    ratings: int
    judges: int


@dataclass(frozen=True, slots=True)
class Kappa:
    """Cohen's kappa of two judges.

    Attributes:
        value: None where they share no unit, or said the same single label of all.
        shared: units that both rated.
    """

    one: str
    other: str
    value: float | None
    shared: int


def krippendorff_alpha(
    ratings: Ratings, *, seed: int, record_id: str = "", group_of: Callable[[Unit], str] = item_of, draws: int = DRAWS
) -> Alpha:
    """Alpha of nominal ratings by any number of judges, each of whom may have rated any of the units.

    Args:
        seed, record_id: of the bootstrap.
        group_of: what a unit is resampled with; by default its item, so that the candidates of one sentence are drawn together.
    Source:
        Krippendorff 2011, Computing Krippendorff's Alpha-Reliability; the example is its B, two observers and five labels. The interval is
        the bootstrap's over groups of units (Hayes & Krippendorff 2007 draw pairs instead, though those of a unit belong together).

    >>> ratings = {(str(unit),): {"ben": one, "gerry": other} for unit, (one, other) in enumerate(zip("aabbdcccedda", "babbbccceddd"))}
    >>> round(krippendorff_alpha(ratings, seed=1).value, 3)
    0.692
    >>> krippendorff_alpha({("1",): {"jon": "a", "han": "a"}}, seed=1).value is None
    True
    """
    table = tabulate(ratings, group_of)
    per_unit, pairable = _contributions(table)
    groups = np.unique(table.groups[pairable])
    told = int(per_unit[:, 1:].sum()), int((table.codes[pairable] != NOT_SAID).any(axis=0).sum()) if len(groups) else 0
    if not len(groups):
        return Alpha(None, None, None, 0, 0, 0, 0)
    places = np.searchsorted(groups, table.groups[pairable])
    into = sparse.csr_array((np.ones(len(places)), (places, np.arange(len(places)))), shape=(len(groups), len(places)))
    by_group = np.asarray(into @ per_unit[pairable])
    value = float(_alpha(by_group.sum(axis=0)))
    if np.isnan(value):
        return Alpha(None, None, None, len(places), len(groups), *told)
    sums = resampled_sums(by_group, seed=seed, purpose=_PURPOSE, record_id=record_id, draws=draws)
    low, high = (middle(_alpha(sums)) if len(groups) > 1 else None) or (None, None)
    return Alpha(value, low, high, len(places), len(groups), *told)


def _contributions(table: RatingTable) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Of each unit its disagreement and how often each label was given, and whether it has two ratings: then only do they count.

    The disagreement of a unit with m ratings, n_c of them c, is what lies beside the diagonal of its coincidences:
    sum over c of n_c (m - n_c) / (m - 1).
    """
    counts = np.stack([(table.codes == code).sum(axis=1) for code in range(len(table.labels))], axis=1) if table.labels else None
    if counts is None:
        return np.zeros((len(table.units), 1)), np.zeros(len(table.units), bool)
    m = counts.sum(axis=1, keepdims=True)
    pairable = m[:, 0] > 1
    counts = counts * pairable[:, None]
    disagreement = (counts * (m - counts)).sum(axis=1, keepdims=True) / np.maximum(m - 1, 1)
    return np.hstack([disagreement, counts]).astype(np.float64), pairable


def _alpha(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Alpha of summed contributions, shape (..., 1 + labels): 1 - (n - 1) disagreement / (n^2 - sum of n_c^2); NaN where undefined."""
    disagreement, label_counts = sums[..., 0], sums[..., 1:]
    n = label_counts.sum(axis=-1)
    possible = n**2 - (label_counts**2).sum(axis=-1)
    return np.where(possible > 0, 1 - (n - 1) * disagreement / np.where(possible > 0, possible, 1), np.nan)


def pairwise_kappas(ratings: Ratings) -> list[Kappa]:
    """Cohen's kappa of every two judges over the units that both rated, in the order of their names.

    Source: Cohen 1960: (p_o - p_e) / (1 - p_e), p_e the product of the two judges' own shares of each label.

    >>> same = {(str(unit),): {"ann": label, "bob": label} for unit, label in enumerate("xyxy")}
    >>> pairwise_kappas(same)
    [Kappa(one='ann', other='bob', value=1.0, shared=4)]
    """
    table = tabulate(ratings)
    size = len(table.labels)
    found = []
    for one, other in combinations(range(len(table.judges)), 2):
        both = (table.codes[:, one] != NOT_SAID) & (table.codes[:, other] != NOT_SAID)
        pairs = table.codes[both, one].astype(np.int64) * size + table.codes[both, other]
        crossed = np.bincount(pairs, minlength=size * size).reshape(size, size)
        found.append(Kappa(table.judges[one], table.judges[other], _kappa(crossed), int(both.sum())))
    return found


def _kappa(crossed: NDArray[np.int64]) -> float | None:
    n = int(crossed.sum())
    by_chance = int(crossed.sum(axis=0) @ crossed.sum(axis=1))  # n^2 p_e: in whole numbers, so that 1 - p_e is 0 exactly where it is
    if n == 0 or by_chance == n * n:
        return None
    return (n * int(np.trace(crossed)) - by_chance) / (n * n - by_chance)
