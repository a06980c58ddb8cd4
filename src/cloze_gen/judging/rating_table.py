"""Ratings, nominal labels that judges gave to units, and the same as numbers: what every measure of agreement reads.

A unit is a tuple whose first part is the item that it is of: ``("msr:1",)`` where the item itself is rated, ``("msr:1", "saw")`` where one
of its candidates is. Units of one item are not independent of each other (who picks one candidate has one pick less for the others), so an
item is what the bootstrap draws, unless told otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Unit = tuple[str, ...]
Ratings = Mapping[Unit, Mapping[str, str]]  # unit -> judge -> label; who did not rate a unit is missing there
NOT_SAID = -1


@dataclass(frozen=True, slots=True, eq=False)
class RatingTable:
    """Ratings as numbers.

    Attributes:
        units, judges, labels, group_names: sorted, so that nothing depends on the order in which verdicts came in.
        codes: int32, shape (units, judges): place of the label in `labels`; `NOT_SAID` where there is none.
        groups: int64, shape (units,): place in `group_names` of the group that a unit is resampled with.
    """

    units: tuple[Unit, ...]
    judges: tuple[str, ...]
    labels: tuple[str, ...]
    group_names: tuple[str, ...]
    codes: NDArray[np.int32]
    groups: NDArray[np.int64]


def item_of(unit: Unit) -> str:
    """The item that a unit is of.

    >>> item_of(("msr:1", "saw"))
    'msr:1'
    """
    return unit[0]


def tabulate(ratings: Ratings, group_of: Callable[[Unit], str] = item_of) -> RatingTable:
    """Ratings as numbers.

    >>> table = tabulate({("b",): {"ann": "no"}, ("a",): {"ann": "yes", "bob": "no"}})
    >>> table.judges, table.labels, table.codes.tolist()
    (('ann', 'bob'), ('no', 'yes'), [[1, 0], [0, -1]])
    """
    units = tuple(sorted(ratings))
    judges = {judge: place for place, judge in enumerate(sorted({judge for said in ratings.values() for judge in said}))}
    labels = {label: place for place, label in enumerate(sorted({label for said in ratings.values() for label in said.values()}))}
    named = [group_of(unit) for unit in units]
    groups = {name: place for place, name in enumerate(sorted(set(named)))}
    codes = np.full((len(units), len(judges)), NOT_SAID, np.int32)
    for row, unit in enumerate(units):
        for judge, label in ratings[unit].items():
            codes[row, judges[judge]] = labels[label]
    return RatingTable(
        units, tuple(judges), tuple(labels), tuple(groups), codes, np.array([groups[name] for name in named], np.int64).reshape(-1)
    )
