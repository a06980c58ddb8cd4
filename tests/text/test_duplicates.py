"""Books that hold each other's text are found by content, and one of them goes."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.text.duplicates import choose_drops, containment, content_sketch, find_overlaps

RNG = np.random.default_rng(7)
WORDS = RNG.integers(1, 2**32, size=60_000, dtype=np.uint64)


def test_overlaps_are_found_in_both_directions() -> None:
    """A part is wholly in its whole, and the whole partly in the part."""
    sketches = {
        "whole": content_sketch(WORDS[:40_000]),
        "part": content_sketch(WORDS[10_000:20_000]),
        "other": content_sketch(WORDS[40_000:]),
    }
    (found,) = find_overlaps(sketches, min_containment=0.5)
    assert (found.book_a, found.book_b) == ("part", "whole")
    assert found.containment_a_in_b == 1
    assert abs(found.containment_b_in_a - 0.25) < 0.05


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(1, 20)), min_size=1, max_size=5))
def test_one_sort_finds_what_comparing_all_pairs_finds(spans: list[tuple[int, int]]) -> None:
    """The inverted sort is an all-pairs comparison, only faster."""
    sketches = {f"b{i}": content_sketch(WORDS[start * 1000 : (start + length) * 1000]) for i, (start, length) in enumerate(spans)}
    found = {(o.book_a, o.book_b): (o.containment_a_in_b, o.containment_b_in_a) for o in find_overlaps(sketches, min_containment=0.1)}
    for a, b in [(a, b) for a in sketches for b in sketches if a < b]:
        both = containment(sketches[a], sketches[b]), containment(sketches[b], sketches[a])
        shared = both[0] * len(sketches[a])
        assert ((a, b) in found) == (shared >= 10 and max(both) >= 0.1)
        if (a, b) in found:
            assert np.allclose(found[a, b], both)


def test_every_dropped_book_is_held_by_a_kept_one() -> None:
    """Of three copies one stays; the reason names it."""
    sketch = content_sketch(WORDS[:9000])
    drops = choose_drops(find_overlaps({"a": sketch, "b": sketch, "c": sketch}, min_containment=0.5), {"a": 5, "b": 9, "c": 5})
    assert drops == {"a": ("b", "100% of its text is in b, 100% of b is in it"), "c": ("b", "100% of its text is in b, 100% of b is in it")}


def test_formulas_and_chance_are_no_overlap() -> None:
    """Runs that many books share, and a handful of common runs, say nothing."""
    formula = WORDS[:3000]
    sketches = {f"b{i:02}": content_sketch(np.concatenate((formula, WORDS[3000 + 500 * i : 3500 + 500 * i]))) for i in range(60)}
    assert find_overlaps(sketches, min_containment=0.5) == []
    assert find_overlaps({"a": content_sketch(WORDS[:100]), "b": content_sketch(WORDS[:100])}, min_containment=0.5) == []
    assert find_overlaps({}, min_containment=0.5) == []
    assert len(content_sketch(WORDS[:7])) == 0
