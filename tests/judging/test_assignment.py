"""Who is asked about which item."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.judging.assignment import Case, EachJudged, assignment_id, deal
from cloze_gen.records.judgement import Kind


@dataclass(frozen=True)
class Alternating:
    """Items of an even number are shown whole, three at a time; the others in part, two at a time."""

    def wanted(self, case: Case) -> tuple[str, int]:
        return ("part" if int(case.id) % 2 else "whole"), 1

    def outcome(self, case: Case) -> str:
        return ""

    def page(self, condition: str) -> int | None:
        return {"whole": 3, "part": 2}[condition]


def items(n: int, gap: int = 1) -> list[Case]:
    return [Case(str(i), (("b", 10 * i, 10 * i + 10 - gap),), {}) for i in range(n)]


@given(st.integers(0, 40), st.integers(1, 9), st.integers(-25, 1), st.lists(st.integers(0, 400), max_size=5))
def test_a_page_is_dealt(n: int, most: int, gap: int, seen: list[int]) -> None:
    """No longer than it may be, in the order of the items, of none that share text with each other or with what the judge has seen; and
    nothing that would do is passed over."""
    spans = [("b", start, start + 5) for start in seen] + [("c", 0, 1000)]
    cases = items(n, gap)
    dealt = [int(one) for one, _ in deal(cases, "ann", EachJudged(1), most=most, seen=spans)]
    shown = [*sorted(seen_one for seen_one in spans if seen_one[0] == "b")]
    free = [i for i in range(n) if all(10 * i + 10 - gap <= start or end <= 10 * i for _, start, end in shown)]
    assert len(dealt) <= most
    assert dealt == sorted(set(dealt) & set(free))
    assert all(10 * one + 10 - gap <= 10 * other for one, other in pairwise(dealt))
    if gap == 1:
        assert dealt == free[:most]


def test_a_page_is_of_one_condition() -> None:
    """The first item tells which, or whoever asks; the rule tells how long it is, whatever the study says."""
    assert deal(items(12), "ann", Alternating(), most=9, seen=[]) == [("0", "whole"), ("2", "whole"), ("4", "whole")]
    assert deal(items(12), "ann", Alternating(), most=1, seen=[], condition="part") == [("1", "part"), ("3", "part")]
    assert deal(items(12), "ann", Alternating(), most=9, seen=[("b", 0, 60)])[0] == ("6", "whole")


def test_nobody_is_asked_twice() -> None:
    """Neither who waits to answer, nor who has, nor who is waited for no longer."""
    asked = Case("0", (), {}, asked=(("ann", ""),), withdrawn=("bob",))
    assert deal([asked], "ann", EachJudged(9), most=1, seen=[]) == []
    assert deal([asked], "bob", EachJudged(9), most=1, seen=[]) == []
    assert deal([asked], "cid", EachJudged(9), most=1, seen=[]) == [("0", "")]


def test_an_assignment_is_known_by_all_of_it() -> None:
    """The same again for the same, another for another study, judge, item, condition or kind; of 12 digits, none of them the item's."""
    asked = ("secret", "ann", "b:7", "passage", Kind.FIRST)
    others = [("other", *asked[1:]), ("secret", "bob", *asked[2:]), (*asked[:2], "b:8", *asked[3:]), (*asked[:3], "", Kind.FIRST),
              (*asked[:4], Kind.REPEAT), ("secret\x1fann", "", *asked[2:])]  # fmt: skip
    made = [assignment_id(*one) for one in (asked, *others)]
    assert assignment_id(*asked) == made[0]
    assert len(set(made)) == len(made)
    assert all(len(one) == 12 and int(one, 16) >= 0 for one in made)
