"""The closed vocabulary and its classes."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.networks.word_classes import class_bounds, close_ids


def test_words_beyond_the_bound_are_one() -> None:
    """Whatever their number; the end of a sentence and the last word inside keep theirs."""
    assert close_ids(np.array([0, 1, 5, 6, 7, 100], np.uint32), 5).tolist() == [0, 1, 5, 6, 6, 6]


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=200), st.integers(1, 20))
def test_every_word_has_one_class(counts: list[int], n_classes: int) -> None:
    """The classes follow each other without gap, from the first word to the last, none empty, and none too many."""
    bounds = class_bounds(np.sort(np.array(counts))[::-1], n_classes)
    assert bounds[0] == 0
    assert bounds[-1] == len(counts)
    assert (np.diff(bounds) > 0).all()
    assert len(bounds) - 1 <= n_classes


def test_classes_of_a_natural_text_grow_with_rarity() -> None:
    """Counts that fall as one over the rank give, of 10,000 words, classes of 2 to 200: their roots' sum grows as the root of the rank."""
    sizes = np.diff(class_bounds(10**9 // np.arange(1, 10_001), 100))
    assert sizes[0] == 2
    assert abs(sizes[-1] - 200) <= 2
    assert abs(sizes[49] - 100) <= 2
