"""Which passages make the set, and in which order their candidates stand."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.recipes.scde.steps.assembly import draw_set, order_candidates

IDS = st.sets(st.text("abcdef:0123456789", min_size=1, max_size=6), max_size=20)
SIZES = st.dictionaries(st.text("abcdef", min_size=1, max_size=4), st.tuples(st.integers(1, 5), st.integers(0, 3)), max_size=40)


@given(IDS, st.integers(1, 25))
def test_the_set_is_as_large_as_it_may_be(ids: set[str], most: int) -> None:
    """Of the passages there are, in whatever order they come; a larger set holds the smaller."""
    found = draw_set(ids, most)
    assert found <= ids
    assert len(found) == min(most, len(ids))
    assert draw_set(sorted(ids, reverse=True), most) == found
    assert found <= draw_set(ids, most + 1)


@given(IDS, st.text("xyz", min_size=1), st.integers(1, 25))
def test_one_passage_more_moves_at_most_one(ids: set[str], more: str, most: int) -> None:
    """Whoever comes in is the new one, and one at most goes out for it."""
    before, after = draw_set(ids, most), draw_set(ids | {more}, most)
    assert after - before <= {more}
    assert len(before - after) <= 1


def test_the_set_is_no_slice_of_the_alphabet() -> None:
    """Half of many passages, first letters of either half alike."""
    ids = [f"{letter}:{i}" for letter in "az" for i in range(300)]
    kept = Counter(name[0] for name in draw_set(ids, 300))
    assert abs(kept["a"] - 150) < 35


@given(SIZES, st.integers(0, 2**32))
def test_each_candidate_stands_in_one_place(sizes: dict[str, tuple[int, int]], seed: int) -> None:
    """Of every passage an order of all its candidates, in the order of the passages; another seed's may differ, the same never."""
    orders = order_candidates(sizes, seed)
    assert list(orders) == list(sizes)
    assert all(sorted(order) == list(range(sum(sizes[name]))) for name, order in orders.items())
    assert order_candidates(sizes, seed) == orders


def test_places_fall_to_distractors_evenly() -> None:
    """Each of the 21 pairs of places in as many passages of a size, give or take one, whatever passages of other sizes there are."""
    sizes = {f"p{i}": (5, 2) if i % 3 else (4, 2) for i in range(160)}
    orders = order_candidates(sizes, 1)
    for size, hands in (((5, 2), 21), ((4, 2), 15)):
        own = [orders[name] for name in sizes if sizes[name] == size]
        dealt = Counter(tuple(place for place, who in enumerate(order) if who >= size[0]) for order in own)
        assert len(dealt) == hands
        assert max(dealt.values()) - min(dealt.values()) <= 1


def test_no_answer_has_a_place_of_its_own() -> None:
    """Each of five answers stands first among the answers in a fifth of the passages, each of two distractors in half."""
    orders = order_candidates({f"p{i}": (5, 2) for i in range(1000)}, 1).values()
    first = Counter(next(who for who in order if who < 5) for order in orders)
    assert all(abs(first[who] - 200) < 4 * 160**0.5 for who in range(5))
    ahead = sum(order.index(5) < order.index(6) for order in orders)
    assert abs(ahead - 500) < 4 * 250**0.5


def test_who_stands_where_among_the_answers_is_the_passages_own() -> None:
    """A passage more moves distractors about, and no answer past another."""
    few, more = (order_candidates({f"p{i}": (5, 2) for i in range(count)}, 1) for count in (20, 21))
    for name, order in few.items():
        assert [who for who in order if who < 5] == [who for who in more[name] if who < 5]
