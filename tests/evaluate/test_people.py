"""What people make of questions: counted by hand, and an interval that knows that judges share their items."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cloze_gen.errors import UsageError
from cloze_gen.evaluate.metrics import wilson_interval
from cloze_gen.evaluate.people import OfSet, human_row, interval, of_set, reading_figures, reading_table
from cloze_gen.judging.item_verdicts import ItemVerdicts
from cloze_gen.records.question import Question
from cloze_gen.rng import derive_rng

QUESTIONS = {f"d{n}": Question(f"b:{n}:1", "b", ("We", "ran", "."), 1, ("rode", "ran", "swam", "sat", "wept"), 1) for n in range(4)}


def said(answer: int | None, **marks: Any) -> dict[str, Any]:
    return {"answer": answer, "fits_as_well": [], "ungrammatical": [], "broken": answer is None, "trivial": False} | marks


def item(n: int, *answers: dict[str, Any], of: str = "mine", adjudicated: dict[str, Any] | None = None) -> ItemVerdicts:
    return ItemVerdicts(f"b:{n}:1", of, f"d{n}", {f"{judge}": one for judge, one in enumerate(answers, 1)}, adjudicated)


def test_the_share_of_first_verdicts_by_hand() -> None:
    """Of five verdicts on two items three are right; who called one broken and chose nothing is not, and that is said."""
    found = OfSet("mine", [item(0, said(1), said(1), said(2)), item(1, said(1), said(None))], 0)
    row = human_row(found, QUESTIONS, seed=1, digest="5d0c1a2b3c")
    assert (row["name"], row["kind"], row["n"], row["chance"]) == ("human", "human", 2, 0.2)
    assert row["accuracy"] == pytest.approx(3 / 5)
    assert row["low"] == pytest.approx(1 / 2)
    assert row["high"] == pytest.approx(2 / 3)
    assert row["note"].startswith("3 judges, 5 verdicts (file 5d0c1a2b); 1 of them called the question broken")
    sure = human_row(OfSet("mine", [item(0, said(1)), item(1, said(0))], 0), QUESTIONS, seed=1, digest="5d0c1a2b3c")
    assert sure["note"] == "1 judge, 2 verdicts (file 5d0c1a2b)"


def test_an_adjudicator_changes_no_share_of_right_answers() -> None:
    """First verdicts alone are counted: the paper's people had nobody to ask."""
    without, decided = ([item(0, said(1)), item(1, said(0), adjudicated=one)] for one in (None, said(1)))
    rows = [human_row(OfSet("mine", one, 0), QUESTIONS, seed=1, digest="") for one in (without, decided)]
    assert rows[0] == rows[1]


def test_judges_who_say_the_same_add_nothing() -> None:
    """The bounds of five judges who always agree are those of one; Wilson's of all their verdicts would be less than half as wide."""
    right = np.array([1] * 30 + [0] * 10)
    one, five = (interval(k * right, np.full(40, k), seed=1) for k in (1, 5))
    low, high = wilson_interval(150, 200)
    assert one == five
    assert high - low < 0.5 * (five[1] - five[0])


def test_the_interval_holds_its_level_where_items_differ() -> None:
    """Three judges, items that are hard or easy for all of them: about 19 of 20 studies hold the truth; taken one by one, far fewer do."""
    held = {"items": 0, "verdicts": 0}
    for study in range(200):
        rng = derive_rng(study, "test.people")
        right = rng.binomial(3, rng.choice([0.4, 1.0], size=60))
        bounds = {"items": interval(right, np.full(60, 3), seed=study), "verdicts": wilson_interval(int(right.sum()), 180)}
        held = {name: held[name] + (low <= 0.7 <= high) for name, (low, high) in bounds.items()}
    assert held["items"] >= 182
    assert held["verdicts"] <= 175


def test_where_all_are_right_the_bounds_are_not_a_point() -> None:
    """Thirty items, all right by three judges: as wide as thirty answers of one judge; of one item nothing is known."""
    all_right = interval(np.full(30, 3), np.full(30, 3), seed=1)
    assert all_right == wilson_interval(30, 30)
    assert interval(np.zeros(30, int), np.full(30, 3), seed=1) == wilson_interval(0, 30)
    assert interval(np.array([2]), np.array([3]), seed=1) == (0.0, 1.0)


def test_faults_by_one_and_by_most_by_hand() -> None:
    """Ann marks both items ambiguous, Bob one, Cara, who read one, none; most found one of two so, and one broken."""
    items = [
        item(0, said(1, fits_as_well=[2]), said(1, fits_as_well=[2, 3]), said(1, trivial=True)),
        item(1, said(1, fits_as_well=[0]), said(None)),
        item(2, said(1, ungrammatical=[3]), of="other"),
    ]
    mine, other = reading_figures(items)
    assert (mine["set"], mine["items"], mine["judges"], mine["verdicts"], other["set"]) == ("mine", 2, 3, 5, "other")
    assert mine["ambiguous"]["by_one"] == pytest.approx((2 / 2 + 1 / 2 + 0 / 1) / 3)
    assert mine["ambiguous"]["by_most"] == 1.0  # of the second item one alone chose an answer, and marked
    assert mine["broken"]["by_one"] == pytest.approx((0 + 1 / 2 + 0) / 3)
    assert mine["broken"]["by_most"] == 0.0  # one of two are not most
    assert mine["trivial"]["by_one"] == pytest.approx(1 / 3)
    assert (mine["trivial"]["by_most"], mine["ungrammatical"]["by_most"]) == (0.0, 0.0)
    assert (other["ungrammatical"]["by_one"], other["ungrammatical"]["by_most"]) == (1.0, 1.0)
    assert (mine["ambiguous"]["low"], mine["ambiguous"]["high"]) == wilson_interval(2, 2)


def test_an_adjudicator_decides_what_most_found() -> None:
    """What was decided stands for the judges' own marks, not for what a single one finds."""
    [figures] = reading_figures([item(0, said(1, fits_as_well=[2]), said(1, fits_as_well=[2]), adjudicated=said(1, ungrammatical=[0]))])
    assert figures["adjudicated"] == 1
    assert (figures["ambiguous"]["by_one"], figures["ambiguous"]["by_most"]) == (1.0, 0.0)
    assert (figures["ungrammatical"]["by_one"], figures["ungrammatical"]["by_most"]) == (0.0, 1.0)


def test_the_table_has_two_lines_a_set() -> None:
    """By one judge and by most, in percent."""
    lines = reading_table(reading_figures([item(0, said(1, fits_as_well=[2])), item(1, said(1))])).splitlines()
    assert lines[1].split() == ["mine,", "by", "one", "judge", "2", "1", "50.0", "0.0", "0.0", "0.0"]
    assert lines[2].split() == ["mine,", "by", "most", "50.0", "0.0", "0.0", "0.0"]


def test_sets_are_told_apart() -> None:
    """The set with most of the items is the one that is evaluated; of equals the one of its name; what is gone from it is counted."""
    judged = [item(0, said(1)), item(1, said(1)), item(0, said(2), of="other"), item(9, said(2), of="other")]
    assert of_set(judged, QUESTIONS, name="", file="f") == OfSet("mine", judged[:2], 0)
    found = of_set(judged, {"d0"}, name="other", file="f")
    assert (found.name, len(found.items), found.others) == ("other", 1, 1)


def test_a_file_of_other_items_is_told() -> None:
    """Which sets it is of, and how many items of each."""
    judged = [item(8, said(1)), item(9, said(1), of="other\x1b")]
    with pytest.raises(UsageError, match=r"f.jsonl: tells of none of these items .* 'mine' \(1 items\), 'other\\x1b' \(1 items\)"):
        of_set(judged, QUESTIONS, name="", file="f.jsonl")
    with pytest.raises(UsageError, match="of nothing"):
        of_set([], QUESTIONS, name="", file="f.jsonl")
