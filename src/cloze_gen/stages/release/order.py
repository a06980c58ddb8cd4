"""The order of the items in a release: drawn by the seed, each item's place by its own id.

Items in a drawn order are exchangeable: to whoever never saw the files, any order is as likely as the published one. That is what an exact
test for contamination rests on (Oren et al. 2023, arXiv 2310.17623, section 3).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from cloze_gen.rng import derive_rng
from cloze_gen.stages.release.settings import OrderedReleaseSettings, ReleaseSettings

SHUFFLED, CORPUS = "shuffled", "corpus"


def released_places(items: Sequence[Any], *, release: ReleaseSettings, seed: int, split_of: Callable[[Any], str]) -> list[int]:
    """Indices of the items in the order of their release: drawn where its settings ask for that; else as they stand.

    A style whose paper has an order of its own has no such setting.
    """
    if isinstance(release, OrderedReleaseSettings) and release.order == SHUFFLED:
        return shuffled_places(items, seed=seed, split_of=split_of)
    return list(range(len(items)))


def shuffled_places(items: Sequence[Any], *, seed: int, split_of: Callable[[Any], str] = lambda item: "") -> list[int]:
    """Indices of the items in drawn order, split after split. An item more or less moves no other past its neighbours.

    Args:
        items: each with an `id`, which no other of its split has.
        split_of: the split of an item; the splits keep their order.

    >>> from types import SimpleNamespace
    >>> items = [SimpleNamespace(id=name) for name in "abcdef"]
    >>> shuffled_places(items, seed=1)
    [4, 0, 5, 2, 3, 1]
    >>> [one for one in shuffled_places(items, seed=1) if one != 5] == shuffled_places(items[:5], seed=1)
    True
    """
    splits = {split: number for number, split in enumerate(dict.fromkeys(map(split_of, items)))}
    draws = [derive_rng(seed, "release.order", item.id).random() for item in items]
    return sorted(range(len(items)), key=lambda index: (splits[split_of(items[index])], draws[index]))
