"""What can be said of an item, and what can not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from cloze_gen.errors import FormatError
from cloze_gen.formats.judging.packet import PacketRow
from cloze_gen.formats.judging.said import checked, packet_named, seconds_told

BLANK = {"answer": 0, "fits_as_well": [], "ungrammatical": [], "broken": False, "trivial": False}
BAD_PICKS: list[Any] = [
    3, "owl", [1, 2, 3], [1, 2, 3, 3], [1, 2, 3, 4, 5], [0, 1, 2, 3], [1, 2, 3, 11], [1, 2, 3, True], [1, 2, 3, 4.0], ["owl", 1, 2, 3],
    [1, 2, 3, "nobody"], [1, 2, 3, [4]], [1, 2, 3, 10**400],
]  # fmt: skip


@pytest.mark.parametrize(
    ("task", "said", "whole"),
    [
        ("groom", {"picked": ["sea", 1, "'Tis", 3]}, {"picked": [1, 2, 3, 5]}),
        ("groom", {"rejected": "other"}, {"rejected": "other", "note": ""}),
        ("groom", {"rejected": "other", "note": None}, {"rejected": "other", "note": ""}),
        ("guess", {"guesses": [" menu ", "soup"]}, {"guesses": ["menu", "soup"]}),
        ("guess", {"guesses": []}, {"guesses": []}),
        ("guess", {"guesses": ["", " - "]}, {"guesses": []}),
        ("read", {"answer": 0}, BLANK),
        ("read", {"answer": 0, "fits_as_well": [3, 0], "ungrammatical": [4, 2]}, {**BLANK, "fits_as_well": [3], "ungrammatical": [2, 4]}),
        ("read", {"answer": "B", "fits_as_well": ["b", " d"], "ungrammatical": ["e", 2]},
         {**BLANK, "answer": 1, "fits_as_well": [3], "ungrammatical": [2, 4]}),
        ("read", {"answer": None, "broken": True}, {**BLANK, "answer": None, "broken": True}),
        ("fill", {"fills": [3, 0]}, {"fills": [3, 0]}),
    ],
)  # fmt: skip
def test_a_verdict_comes_out_whole(rows: dict[str, PacketRow], task: str, said: dict[str, Any], whole: dict[str, Any]) -> None:
    """Fields that may be left out are filled in, words become places; once whole, it stays as it is."""
    assert checked(rows[task], said, where="a") == whole
    assert checked(rows[task], whole, where="a") == whole


@pytest.mark.parametrize(
    ("task", "said"),
    [
        *((task, said) for task in ("groom", "guess", "read", "fill") for said in (None, [], "x", {}, {"what": 1})),
        *(("groom", {"picked": picked}) for picked in BAD_PICKS),
        ("groom", {"picked": [1, 2, 3, 4], "rejected": "other"}), ("groom", {"rejected": "because"}), ("groom", {"rejected": ["other"]}),
        ("groom", {"rejected": "other", "note": "x" * 201}), ("groom", {"rejected": "other", "note": 3}),
        ("groom", {"picked": [1, 2, 3, 4], "note": "why"}), ("read", {"answer": 0, "ungrammatical": [0]}),
        ("read", {"answer": 0, "fits_as_well": [1], "trivial": True}),
        *(("guess", {"guesses": guesses}) for guesses in ("menu", [3], ["x" * 101], ["a", "b", "c", "d"], None)),
        *(("read", {"answer": answer}) for answer in (5, -1, "f", "ab", "", True, None, 1.0)),
        *(("read", {"answer": 0, "fits_as_well": value}) for value in (1, "b", [5], ["f"], None, [[]])),
        *(("read", {"answer": 0, "ungrammatical": value}) for value in (1, "b", [5], ["f"], None, [[]])),
        *(("read", {"answer": 0, field: value}) for field in ("broken", "trivial") for value in (1, "yes", None)),
        ("read", {"answer": 9, "broken": True}), ("read", {"answer": 0, "fits": []}),
        *(("fill", {"fills": fills}) for fills in ([0], [0, 1, 2], [0, 0], [0, 4], [-1, 0], ["0", 1], "01", [0, None])),
    ],
)  # fmt: skip
def test_what_can_not_be_said_is_refused(rows: dict[str, PacketRow], task: str, said: Any) -> None:
    """Named with its place, on one line of bounded length, whatever it is."""
    with pytest.raises(FormatError, match=r"^bob, line 7: ") as error:
        checked(rows[task], said, where="bob, line 7")
    assert len(str(error.value)) < 300
    assert "\n" not in str(error.value)


def test_a_refusal_counts_as_the_packet_does(rows: dict[str, PacketRow]) -> None:
    """Candidates from 1, as they were handed out; and four of them, each once."""
    for picked, says in (
        ([0, 1, 2, 3], "0 is no candidate.*from 1 to 10"),
        ([1, 2, 3, 11], "11 is no candidate"),
        ([1, 2, 3, 3, 4], "four different"),
    ):
        with pytest.raises(FormatError, match=says):
            checked(rows["groom"], {"picked": picked}, where="a")


@pytest.mark.parametrize(
    ("assignment", "judge"), [("nobody", None), (3, None), (None, None), (["read"], None), ("read", "ann"), ("read", 3)]
)
def test_somebody_elses_assignment_is_refused(packet_of: Callable[[str], PacketRow | None], assignment: Any, judge: Any) -> None:
    """As is one that the study never dealt."""
    with pytest.raises(FormatError, match=r"^f, row 2: "):
        packet_named(assignment, judge, packet_of, where="f, row 2")


def test_a_verdict_may_leave_its_judge_out(packet_of: Callable[[str], PacketRow | None]) -> None:
    """The assignment tells whose it is."""
    assert [packet_named("read", judge, packet_of, where="").judge for judge in ("bo", "", None)] == ["bo"] * 3


def test_seconds_are_a_number_from_0() -> None:
    """Neither a text nor NaN nor less than nothing."""
    assert [seconds_told(value, where="") for value in (None, 0, 4, 2.5)] == [None, 0.0, 4.0, 2.5]
    for value in (-1, "4", True, float("nan"), float("inf"), 10**400, [4]):
        with pytest.raises(FormatError, match="seconds"):
            seconds_told(value, where="f")
