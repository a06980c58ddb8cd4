"""How many questions of each class of word: shares as asked for, as far as the pool of groomed focus words can fill them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

# Of a class's sentences, taken at most while other classes have more to choose from: what is taken to the last is not chosen any more.
_MOST_OF_CLASS = 0.4


@dataclass(frozen=True, slots=True, eq=False)
class Quotas:
    """How many of each class are to be chosen.

    Attributes:
        wanted: class -> questions as asked for; empty where nothing is asked.
        most: class -> questions to be chosen; sums to the size of the set, or to what there is.
        names: the classes, in the order of their numbers.
        class_of_item: int64, shape (items,): number of the class of each item.
    """

    wanted: Mapping[str, int] = field(default_factory=dict)
    most: Mapping[str, int] = field(default_factory=dict)
    names: tuple[str, ...] = ()
    class_of_item: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))

    @property
    def quota(self) -> list[int]:
        """`most` in the order of the names."""
        return [self.most[name] for name in self.names]


def class_quotas(classes: Sequence[str], sentences: Sequence[str], *, shares: Mapping[str, float], n: int) -> Quotas:
    """How many questions of each class, of n.

    A class that cannot fill its share leaves the rest to the others, to each by what it has left; so does one that would have to give
    more than two fifths of its sentences while the others have more left.

    Args:
        classes, sentences: of each item, the coarse class of its answer and its sentence.
        shares: class -> share of the questions; what they leave of 1 is open to all classes.

    >>> found = class_quotas(["noun"] * 90 + ["verb"] * 10, [str(i) for i in range(100)], shares={"noun": 0.5, "verb": 0.5}, n=40)
    >>> found.wanted, found.most
    ({'noun': 20, 'verb': 20}, {'noun': 36, 'verb': 4})
    """
    if not shares or set(classes) <= {"other"}:  # nothing was asked, or nothing was tagged
        return Quotas()
    names = tuple(sorted({*classes, *shares}))
    there = {name: len({sentence for one, sentence in zip(classes, sentences, strict=True) if one == name}) for name in names}
    wanted = {name: round(shares[name] * n) for name in names if name in shares}
    most = dict.fromkeys(names, 0)
    given = {name: min(wanted.get(name, 0), int(_MOST_OF_CLASS * there[name])) for name in names}
    most.update(given)
    for limit in ({name: int(_MOST_OF_CLASS * there[name]) for name in names}, there):
        _share_out(most, limit, n - sum(most.values()))
    number = {name: i for i, name in enumerate(names)}
    return Quotas(wanted, most, names, np.array([number[name] for name in classes], np.int64))


def _share_out(most: dict[str, int], limit: Mapping[str, int], rest: int) -> None:
    """Give what is still to be chosen to the classes, by what each has left below its limit; ties by name."""
    free = {name: max(0, limit[name] - most[name]) for name in most}
    rest = max(0, min(rest, sum(free.values())))
    if not rest:
        return
    exact = {name: rest * free[name] / sum(free.values()) for name in most}
    for name in most:
        most[name] += int(exact[name])
    missing = rest - sum(int(value) for value in exact.values())
    for name in sorted(most, key=lambda one: (int(exact[one]) - exact[one], one))[:missing]:
        most[name] += 1
