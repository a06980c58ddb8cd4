"""Who is asked about which item."""

from dataclasses import dataclass
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.judging.assignment import Case, JudgesPerItem, assign_items, assignment_id


@dataclass(frozen=True)
class Alternating:
    """Items of an even number are shown whole, three at a time; the others in part, two at a time."""

    def wanted(self, case):
        return ("part" if int(case.id) % 2 else "whole"), 1

    def outcome(self, case):
        return ""

    def page(self, condition):
        return {"whole": 3, "part": 2}[condition]


def items(n, gap=1):
    return [Case(str(i), (("b", 10 * i, 10 * i + 10 - gap),), {}) for i in range(n)]


@given(
    st.integers(0, 40),
    st.integers(1, 9),
    st.integers(-25, 1),
    st.lists(st.integers(0, 400), max_size=5),
)
def test_a_page_is_dealt(n, most, gap, seen):
    spans = [("b", start, start + 5) for start in seen] + [("c", 0, 1000)]
    cases = items(n, gap)
    dealt = [
        int(one) for one, _ in assign_items(cases, "ann", JudgesPerItem(1), limit=most, seen=spans)
    ]
    shown = [*sorted(seen_one for seen_one in spans if seen_one[0] == "b")]
    free = [
        i
        for i in range(n)
        if all(10 * i + 10 - gap <= start or end <= 10 * i for _, start, end in shown)
    ]
    assert len(dealt) <= most
    assert dealt == sorted(set(dealt) & set(free))
    assert all(10 * one + 10 - gap <= 10 * other for one, other in pairwise(dealt))
    if gap == 1:
        assert dealt == free[:most]


def test_a_page_is_of_one_condition():
    assert assign_items(items(12), "ann", Alternating(), limit=9, seen=[]) == [
        ("0", "whole"),
        ("2", "whole"),
        ("4", "whole"),
    ]
    assert assign_items(items(12), "ann", Alternating(), limit=1, seen=[], condition="part") == [
        ("1", "part"),
        ("3", "part"),
    ]
    assert assign_items(items(12), "ann", Alternating(), limit=9, seen=[("b", 0, 60)])[0] == (
        "6",
        "whole",
    )


def test_nobody_is_asked_twice():
    """Neither who waits to answer, nor who has, nor who is waited for no longer."""
    asked = Case("0", (), {}, pending=(("ann", ""),), late=("bob",))
    assert assign_items([asked], "ann", JudgesPerItem(9), limit=1, seen=[]) == []
    assert assign_items([asked], "bob", JudgesPerItem(9), limit=1, seen=[]) == []
    assert assign_items([asked], "cid", JudgesPerItem(9), limit=1, seen=[]) == [("0", "")]


def test_an_assignment_is_known_by_all_of_it():
    asked = ("secret", "ann", "b:7", "passage")
    others = [
        ("other", *asked[1:]),
        ("secret", "bob", *asked[2:]),
        (*asked[:2], "b:8", "passage"),
        (*asked[:3], ""),
        ("secret\x1fann", "", *asked[2:]),
    ]
    made = [assignment_id(*one) for one in (asked, *others)]
    assert assignment_id(*asked) == made[0]
    assert len(set(made)) == len(made)
    assert all(len(one) == 12 and int(one, 16) >= 0 for one in made)
