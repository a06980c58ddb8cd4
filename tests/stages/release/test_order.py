"""The order of a release."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from cloze_gen.stages.release.order import shuffled_places

ITEMS = [SimpleNamespace(id=f"b:{number}", split="test" if number % 3 else "control") for number in range(300)]


def test_splits_stay_together_and_hold_all() -> None:
    """In the order in which they first come, each item once."""
    places = shuffled_places(ITEMS, seed=1, split_of=lambda item: item.split)
    assert sorted(places) == list(range(300))
    assert [ITEMS[place].split for place in places] == ["control"] * 100 + ["test"] * 200


def test_an_item_less_moves_no_other() -> None:
    """Each has a place by its own id and the seed."""
    whole, less = ([one.id for one in (some[place] for place in shuffled_places(some, seed=7))] for some in (ITEMS, ITEMS[:-50]))
    assert [one for one in whole if one in less] == less
    assert less != [one.id for one in ITEMS[:-50]]


def test_places_have_nothing_to_do_with_where_items_stood() -> None:
    """Rank correlation with the corpus's order over 40 seeds is that of chance."""
    found = [np.corrcoef(shuffled_places(ITEMS, seed=seed), range(300))[0, 1] for seed in range(40)]
    assert abs(np.mean(found)) < 0.03
    assert 0.03 < np.std(found) < 0.09
