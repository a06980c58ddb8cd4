from __future__ import annotations

import numpy as np

from cloze_gen.english.penn_tags import CONTENT_CLASSES
from cloze_gen.recipes.scs.place_counts import count_places, split_keys, sum_counts
from cloze_gen.recipes.scs.places import places_of
from cloze_gen.recipes.scs.token_kinds import Kind, kind_of

TOKENS = "The cat saw the cat .".split()
TAGS = ["DT", "NN", "VBD", "DT", "NN", "."]


def test_a_place_in_a_book_is_the_place_of_a_blank():
    kinds = np.array(
        [Kind.END, *(kind_of(*pair) for pair in zip(TOKENS, TAGS, strict=True)), Kind.END], np.int64
    )
    classes = np.array([-1, -1, 0, 1, -1, 0, -1, -1])
    keys, counts = count_places(
        kinds, classes, np.zeros(8, np.int64), np.array([-1, -1, 0, 1, -1, 0, -1, -1])
    )
    found = {
        (int(row), CONTENT_CLASSES[row], int(use), int(left), int(right)): int(count)
        for row, use, left, right, count in zip(*split_keys(keys), counts, strict=True)
    }
    asked = [place for place in places_of(TOKENS, TAGS) if place is not None]
    assert found == {(CONTENT_CLASSES.index(place.word_class), *place): 1 for place in asked}


def test_sums_do_not_depend_on_how_many_parts_there_are():
    rng = np.random.default_rng(1)
    parts = [(np.unique(rng.integers(0, 50, 20)), None) for _ in range(100)]
    counted = [(keys, np.ones(len(keys), np.int64)) for keys, _ in parts]
    keys, counts = sum_counts(counted)
    expected = np.bincount(np.concatenate([part for part, _ in counted]))
    assert dict(zip(keys.tolist(), counts.tolist(), strict=True)) == {
        i: n for i, n in enumerate(expected.tolist()) if n
    }
    assert [len(array) for array in sum_counts([])] == [0, 0]
