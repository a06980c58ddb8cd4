"""Which passages make the set, and in which order their candidates stand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable

from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.recipes.scde.steps.assembly import AssemblySettings, choose_set, order_candidates
from cloze_gen.rng import stable_fraction

PLACED = st.tuples(st.integers(0, 3), st.integers(-4, 4).map(float))
PASSAGES = st.dictionaries(st.text("abcdef:0123456789", min_size=1, max_size=6), PLACED, max_size=20)
SIZES = st.dictionaries(st.text("abcdef", min_size=1, max_size=4), st.tuples(st.integers(1, 5), st.integers(0, 3)), max_size=40)


Passages = dict[str, tuple[Hashable, float]]


def chosen(passages: Passages, most: int, drawn_from: float = 1000) -> frozenset[str]:
    return choose_set(passages, AssemblySettings(n_passages=most, drawn_from=drawn_from))


def by_hash(passages: Passages) -> list[str]:
    return sorted(passages, key=lambda name: (stable_fraction("scde.set", name), name))


@given(PASSAGES, st.integers(1, 25), st.sampled_from([1, 1.5, 1000]))
def test_the_set_is_as_large_as_it_may_be(passages: Passages, most: int, drawn_from: float) -> None:
    """Of the passages there are, in whatever order they come."""
    found = chosen(passages, most, drawn_from)
    assert found <= set(passages)
    assert len(found) == min(most, len(passages))
    assert chosen(dict(reversed(passages.items())), most, drawn_from) == found


@given(PASSAGES, st.integers(1, 25))
def test_drawn_from_as_many_as_are_wanted_the_hashes_decide(passages: Passages, most: int) -> None:
    """The first of their order, whatever tempts, so that a larger set holds the smaller."""
    assert chosen(passages, most, 1) == set(by_hash(passages)[:most])


@given(PASSAGES, st.integers(1, 12))
def test_only_those_drawn_can_be_taken(passages: Passages, most: int) -> None:
    """Of half as many again as are wanted, the first in the order of their hashes, those that all are chosen from are the same."""
    drawn = by_hash(passages)[: -(-3 * most // 2)]
    assert chosen(passages, most, 1.5) == chosen({name: passages[name] for name in drawn}, most)


@given(PASSAGES, st.integers(1, 25))
def test_the_most_tempting_of_every_kind_come_first(passages: Passages, most: int) -> None:
    """Turn by turn each kind gives its most tempting that is left; the last turn takes the most tempting of what is offered."""
    left = {kind: [name for name in by_hash(passages) if passages[name][0] == kind] for kind, _ in passages.values()}
    wanted: list[str] = []
    while any(left.values()):
        best = [max(names, key=lambda name: passages[name][1]) for names in left.values() if names]
        wanted += sorted(best, key=lambda name: (-passages[name][1], by_hash(passages).index(name)))
        left = {kind: [name for name in names if name not in best] for kind, names in left.items()}
    assert chosen(passages, most) == set(wanted[:most])


def test_kinds_are_equally_frequent() -> None:
    """One that rivals seldom fill is in the set as often as others while it lasts, though its distractors tempt less."""
    many: Passages = {f"often{i}": ("often", 1.0 + i) for i in range(90)} | {f"seldom{i}": ("seldom", -i) for i in range(12)}
    assert Counter(many[name][0] for name in chosen(many, 20)) == {"often": 10, "seldom": 10}
    assert Counter(many[name][0] for name in chosen(many, 40)) == {"often": 28, "seldom": 12}


@given(PASSAGES, st.text("xyz", min_size=1), PLACED, st.integers(1, 25), st.sampled_from([(1, 1), (1.5, 2), (1000, 1)]))
def test_one_passage_more_moves_few(
    passages: Passages, more: str, placed: tuple[Hashable, float], most: int, drawn: tuple[float, int]
) -> None:
    """One goes out for it, and where it also leaves another undrawn one more, for which one comes in."""
    drawn_from, moved = drawn
    before, after = chosen(passages, most, drawn_from), chosen(passages | {more: placed}, most, drawn_from)
    assert len(before - after) <= moved
    assert len(after - before - {more}) <= moved - 1


def test_the_set_is_no_slice_of_the_alphabet() -> None:
    """Half of many passages that tempt alike, first letters of either half alike."""
    ids: Passages = {f"{letter}:{i}": ((0, 1), 0.0) for letter in "az" for i in range(300)}
    kept = Counter(name[0] for name in chosen(ids, 300))
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
