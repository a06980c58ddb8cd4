"""Books that hold each other's text are found by content, and one of them goes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.corpus.content_sketch import choose_drops, content_sketch, find_overlaps

RNG = np.random.default_rng(7)
WORDS = RNG.integers(1, 2**32, size=60_000, dtype=np.uint64)


def containment(a, b):
    """Share of sketch `a` that is in sketch `b`."""
    return len(np.intersect1d(a, b)) / max(1, len(a))


def test_overlaps_are_found_in_both_directions():
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
def test_one_product_finds_what_comparing_all_pairs_finds(spans):
    sketches = {
        f"b{i}": content_sketch(WORDS[start * 1000 : (start + length) * 1000])
        for i, (start, length) in enumerate(spans)
    }
    found = {
        (o.book_a, o.book_b): (o.containment_a_in_b, o.containment_b_in_a)
        for o in find_overlaps(sketches, min_containment=0.1)
    }
    for a, b in [(a, b) for a in sketches for b in sketches if a < b]:
        both = containment(sketches[a], sketches[b]), containment(sketches[b], sketches[a])
        shared = both[0] * len(sketches[a])
        assert ((a, b) in found) == (shared >= 10 and max(both) >= 0.1)
        if (a, b) in found:
            assert np.allclose(found[a, b], both)


def test_every_dropped_book_is_held_by_a_kept_one():
    """Of three copies one stays; the reason names it."""
    sketch = content_sketch(WORDS[:9000])
    drops = choose_drops(
        find_overlaps({"a": sketch, "b": sketch, "c": sketch}, min_containment=0.5),
        {"a": 5, "b": 9, "c": 5},
        dict.fromkeys("abc", (False, 0)),
    )
    assert drops == {
        "a": "of b: 100% of its text is in b, 100% of b is in it",
        "c": "of b: 100% of its text is in b, 100% of b is in it",
    }


def test_formulas_and_chance_are_no_overlap():
    """Runs that many books share, and a handful of common runs, say nothing."""
    formula = WORDS[:3000]
    sketches = {
        f"b{i:02}": content_sketch(
            np.concatenate((formula, WORDS[3000 + 500 * i : 3500 + 500 * i]))
        )
        for i in range(60)
    }
    assert find_overlaps(sketches, min_containment=0.5) == []
    assert (
        find_overlaps(
            {"a": content_sketch(WORDS[:100]), "b": content_sketch(WORDS[:100])},
            min_containment=0.5,
        )
        == []
    )
    assert find_overlaps({}, min_containment=0.5) == []
    assert len(content_sketch(WORDS[:7])) == 0


def dropped(spans, sizes=None):
    """Each dropped book and the one that stays for it."""
    sizes = sizes or {book: len(words) for book, words in spans.items()}
    sketches = {book: content_sketch(words) for book, words in spans.items()}
    overlaps = find_overlaps(sketches, min_containment=0.3)
    drops = choose_drops(overlaps, sizes, dict.fromkeys(spans, (False, 0)))
    return {book: detail.removeprefix("of ").split(":")[0] for book, detail in drops.items()}


def misprinted(words, seed, share):
    """A copy with some words replaced and its end cut off."""
    rng = np.random.default_rng(seed)
    copy = words.copy()
    wrong = rng.random(len(copy)) < share
    copy[wrong] = rng.integers(1, 2**32, size=int(wrong.sum()), dtype=np.uint64)
    return copy[: len(copy) - seed]


@pytest.mark.parametrize("count", [2, 50, 51, 52, 500])
def test_of_any_number_of_copies_one_stays(count):
    """However many there are, and whatever else the corpus holds."""
    books = {f"copy{i:03}": WORDS[:9000] for i in range(count)} | {"other": WORDS[20_000:30_000]}
    assert dropped(books) == {f"copy{i:03}": "copy000" for i in range(1, count)}


def test_of_many_editions_the_longest_stays():
    """Copies with a misprint in 300 words, each cut short elsewhere."""
    books = {f"copy{i:02}": misprinted(WORDS[:30_000], 99 - i, 0.003) for i in range(80)}
    assert dropped(books) == {f"copy{i:02}": "copy79" for i in range(79)}


def test_copies_go_with_what_holds_part_of_them():
    """Of a book in three copies, half of which is in a larger one, none stays."""
    books = {f"copy{i}": WORDS[:10_000] for i in range(3)} | {"larger": WORDS[5_000:20_000]}
    assert dropped(books) == {f"copy{i}": "larger" for i in range(3)}


def test_boilerplate_counts_on_neither_side():
    """Two books share all of their text but a formula of 60 books, which is most of each."""
    formula, story = WORDS[:6000], WORDS[6000:8000]
    books = {
        f"b{i:02}": np.concatenate((formula, WORDS[10_000 + 2000 * i :][:2000])) for i in range(20)
    }
    books |= {
        f"c{i:02}": np.concatenate((formula, RNG.integers(1, 2**32, size=2000, dtype=np.uint64)))
        for i in range(40)
    }
    books |= {name: np.concatenate((formula, story)) for name in ("edition1", "edition2")}
    sketches = {book: content_sketch(words) for book, words in books.items()}
    (overlap,) = find_overlaps(sketches, min_containment=0.3)
    assert (overlap.book_a, overlap.book_b) == ("edition1", "edition2")
    assert (overlap.containment_a_in_b, overlap.containment_b_in_a) == (1, 1)


def test_a_formula_of_many_books_ties_none():
    """200 different books that open with the same half of their text are 200 books."""
    books = {
        f"b{i:03}": np.concatenate(
            (WORDS[:2000], RNG.integers(1, 2**32, size=2000, dtype=np.uint64))
        )
        for i in range(200)
    }
    assert dropped(books) == {}
    assert (
        find_overlaps(
            {book: content_sketch(words) for book, words in books.items()}, min_containment=0.01
        )
        == []
    )
