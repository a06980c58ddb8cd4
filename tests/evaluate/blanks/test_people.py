"""How people fill blanks: measured as the baselines are, several people a passage."""

from __future__ import annotations

import pytest

from cloze_gen.errors import FormatError
from cloze_gen.evaluate.blanks.people import human_blank_row
from cloze_gen.evaluate.people import OfSet
from cloze_gen.judging.item_verdicts import ItemVerdicts
from cloze_gen.records.blanked_passage import BlankedPassage

TWO = BlankedPassage("b:0", ("A.", "B.", "C.", "D."), (1, 3), ("D.", "X.", "B."), (2, 0))
ONE = BlankedPassage("b:9", ("E.", "F."), (1,), ("F.", "Y."), (0,))
PASSAGES = {"two": TWO, "one": ONE}


def item(digest: str, *fills: list[int]) -> ItemVerdicts:
    return ItemVerdicts(PASSAGES[digest].id, "mine", digest, {f"{judge}": {"fills": one} for judge, one in enumerate(fills, 1)}, None)


def test_the_measures_by_hand() -> None:
    """Three verdicts on two passages: two, one and one blank right; one distractor; one list of three has a wrong blank."""
    row = human_blank_row(OfSet("mine", [item("two", [2, 0], [2, 1]), item("one", [0])], 0), PASSAGES, seed=1, digest="5d0c1a2b3c")
    assert (row["name"], row["kind"], row["context"], row["decoder"], row["n"], row["blanks"]) == ("human", "human", "", "", 2, 3)
    assert row["ba"] == pytest.approx((1 + 1 / 2 + 1) / 3)
    assert row["ba_micro"] == pytest.approx(4 / 5)
    assert row["pa"] == pytest.approx(2 / 3)
    assert row["de"] == pytest.approx(1 / 3)
    assert (row["ba_low"], row["ba_high"]) == (pytest.approx(3 / 4), 1.0)
    assert row["note"] == "2 judges, 3 verdicts (file 5d0c1a2b)"


def test_a_second_filler_who_says_the_same_adds_nothing() -> None:
    """The bounds are those of one: passages are drawn, not people."""
    found = [OfSet("mine", [item("two", *[[2, 1]] * n), item("one", *[[0]] * n)], 0) for n in (1, 4)]
    one, four = (human_blank_row(of, PASSAGES, seed=1, digest="") for of in found)
    assert [one[name] for name in ("ba", "ba_low", "ba_high", "de_high")] == [four[name] for name in ("ba", "ba_low", "ba_high", "de_high")]


@pytest.mark.parametrize("fills", [[2], [2, 3]])
def test_answers_to_other_blanks_are_refused(fills: list[int]) -> None:
    """As many as the passage has blanks, among its candidates."""
    with pytest.raises(FormatError, match=r"b:0: .* no answers to its 2 blanks and 3 candidates"):
        human_blank_row(OfSet("mine", [item("two", fills)], 0), PASSAGES, seed=1, digest="")
