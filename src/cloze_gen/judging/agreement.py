"""Agreement beyond chance: Krippendorff's alpha over all judges, Cohen's kappa of each pair. A unit
is ``("msr:1",)`` or, for a candidate, ``("msr:1", "saw")``. The bootstrap draws items by default.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from cloze_gen.rng import derive_rng

DRAWS = 1_000
# largest share of undefined resamples; above it there is no interval
MOST_UNDEFINED = 0.05
_MIDDLE = (2.5, 97.5)  # percentiles


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
    n = len(contributions)
    rng = derive_rng(seed, purpose, record_id)
    sums = [contributions[rng.integers(n, size=n)].sum(axis=0) for _ in range(draws)]
    return np.array(sums)


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
    """Cohen's kappa of two judges; None if they share no unit, or gave all the same label.

    `shared`: number of units that both judged.
    """

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
    labels = sorted({label for label_of in ratings.values() for label in label_of.values()})
    units = 0
    by_item: dict[str, NDArray[np.float64]] = {}
    for unit, label_of in sorted(ratings.items()):
        if len(label_of) > 1:
            units += 1
            contribution = _contribution(label_of, labels)
            by_item[unit[0]] = by_item.get(unit[0], 0.0) + contribution
    if not by_item:
        return Alpha(None, None, None, 0, 0)
    contributions = np.array(list(by_item.values()))
    value = float(_alpha(contributions.sum(axis=0)))
    if np.isnan(value):
        return Alpha(None, None, None, units, len(by_item))
    interval = None
    if len(by_item) > 1:
        sums = resampled_sums(
            contributions, seed=seed, purpose=_PURPOSE, record_id=record_id, draws=draws
        )
        interval = middle(_alpha(sums))
    low, high = interval or (None, None)
    return Alpha(value, low, high, units, len(by_item))


def _contribution(label_of: Mapping[str, str], labels: Sequence[str]) -> NDArray[np.float64]:
    """A unit's disagreement, then its count of each label.

    With m ratings, n_c of them c, the disagreement is sum over c of n_c (m - n_c) / (m - 1).
    """
    m = len(label_of)
    counts_by_label = Counter(label_of.values())
    counts = np.array([counts_by_label[label] for label in labels], np.float64)
    disagreement = (counts * (m - counts)).sum() / (m - 1)
    return np.array([disagreement, *counts])


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
    judges = sorted({judge for label_of in ratings.values() for judge in label_of})
    kappas = []
    for one, other in combinations(judges, 2):
        pairs = [
            (label_of[one], label_of[other])
            for label_of in ratings.values()
            if one in label_of and other in label_of
        ]
        kappas.append(Kappa(one, other, _kappa(pairs), len(pairs)))
    return kappas


def _kappa(pairs: Sequence[tuple[str, str]]) -> float | None:
    n = len(pairs)
    same = sum(one == other for one, other in pairs)
    by_one = Counter(one for one, _ in pairs)
    by_other = Counter(other for _, other in pairs)
    # n^2 p_e as an integer, so that 1 - p_e can be exactly 0
    by_chance = sum(count * by_other[label] for label, count in by_one.items())
    if by_chance == n * n:
        return None
    return (n * same - by_chance) / (n * n - by_chance)
