"""Tests of `cloze_gen.evaluation.people`."""

import numpy as np
import pytest

from cloze_gen.errors import FormatError, UsageError
from cloze_gen.evaluation.metrics import wilson_interval
from cloze_gen.evaluation.people import (
    SetVerdicts,
    human_blank_row,
    human_row,
    interval,
    reading_figures,
    reading_table,
    verdicts_on_set,
)
from cloze_gen.judging.study_agreement import ItemVerdicts
from cloze_gen.records.blanked_passage import BlankedPassage
from cloze_gen.records.question import Question
from cloze_gen.rng import derive_rng

# ---- people


QUESTIONS = {
    f"d{n}": Question(
        f"b:{n}:1", "b", ("We", "ran", "."), 1, ("rode", "ran", "swam", "sat", "wept"), 1
    )
    for n in range(4)
}


def response(answer, **marks):
    return {
        "answer": answer,
        "fits_as_well": [],
        "ungrammatical": [],
        "broken": answer is None,
        "trivial": False,
    } | marks


def item(n, *answers, of="mine"):
    return ItemVerdicts(
        f"b:{n}:1", of, f"d{n}", {f"{judge}": one for judge, one in enumerate(answers, 1)}
    )


def test_the_share_of_right_verdicts_by_hand():
    found = SetVerdicts(
        "mine",
        [item(0, response(1), response(1), response(2)), item(1, response(1), response(None))],
        0,
    )
    row = human_row(found, QUESTIONS, seed=1, digest="5d0c1a2b3c")
    assert (row.name, row.kind, row.n, row.chance) == ("human", "human", 2, 0.2)
    assert row.accuracy == pytest.approx(3 / 5)
    assert row.low == pytest.approx(1 / 2)
    assert row.high == pytest.approx(2 / 3)
    assert row.note.startswith(
        "3 judges, 5 verdicts (file 5d0c1a2b); 1 of them marked the question as broken"
    )
    sure = human_row(
        SetVerdicts("mine", [item(0, response(1)), item(1, response(0))], 0),
        QUESTIONS,
        seed=1,
        digest="5d0c1a2b3c",
    )
    assert sure.note == "1 judge, 2 verdicts (file 5d0c1a2b)"


def test_judges_who_say_the_same_add_nothing():
    right = np.array([1] * 30 + [0] * 10)
    one, five = (interval(k * right, np.full(40, k), seed=1) for k in (1, 5))
    low, high = wilson_interval(150, 200)
    assert one == five
    assert high - low < 0.5 * (five[1] - five[0])


def test_the_interval_holds_its_level_where_items_differ():
    """About 19 of 20 studies hold the truth; verdicts taken as independent, far fewer."""
    held = {"items": 0, "verdicts": 0}
    for study in range(200):
        rng = derive_rng(study, "test.people")
        right = rng.binomial(3, rng.choice([0.4, 1.0], size=60))
        bounds = {
            "items": interval(right, np.full(60, 3), seed=study),
            "verdicts": wilson_interval(int(right.sum()), 180),
        }
        held = {name: held[name] + (low <= 0.7 <= high) for name, (low, high) in bounds.items()}
    assert held["items"] >= 182
    assert held["verdicts"] <= 175


def test_where_all_are_right_the_bounds_are_not_a_point():
    all_right = interval(np.full(30, 3), np.full(30, 3), seed=1)
    assert all_right == wilson_interval(30, 30)
    assert interval(np.zeros(30, int), np.full(30, 3), seed=1) == wilson_interval(0, 30)
    assert interval(np.array([2]), np.array([3]), seed=1) == (0.0, 1.0)


def test_faults_by_one_and_by_most_by_hand():
    items = [
        item(
            0,
            response(1, fits_as_well=[2]),
            response(1, fits_as_well=[2, 3]),
            response(1, trivial=True),
        ),
        item(1, response(1, fits_as_well=[0]), response(None)),
        item(2, response(1, ungrammatical=[3]), of="other"),
    ]
    mine, other = reading_figures(items)
    assert (mine["set"], mine["items"], mine["judges"], mine["verdicts"], other["set"]) == (
        "mine",
        2,
        3,
        5,
        "other",
    )
    assert mine["ambiguous"]["by_one"] == pytest.approx((2 / 2 + 1 / 2 + 0 / 1) / 3)
    # of the second item one alone chose an answer, and marked
    assert mine["ambiguous"]["by_most"] == 1.0
    assert mine["broken"]["by_one"] == pytest.approx((0 + 1 / 2 + 0) / 3)
    assert mine["broken"]["by_most"] == 0.0  # one of two are not most
    assert mine["trivial"]["by_one"] == pytest.approx(1 / 3)
    assert (mine["trivial"]["by_most"], mine["ungrammatical"]["by_most"]) == (0.0, 0.0)
    assert (other["ungrammatical"]["by_one"], other["ungrammatical"]["by_most"]) == (1.0, 1.0)
    assert (mine["ambiguous"]["low"], mine["ambiguous"]["high"]) == wilson_interval(2, 2)


def test_the_table_has_two_lines_a_set():
    """By one judge and by most, in percent."""
    lines = reading_table(
        reading_figures([item(0, response(1, fits_as_well=[2])), item(1, response(1))])
    ).splitlines()
    assert lines[1].split() == [
        "mine,",
        "by",
        "one",
        "judge",
        "2",
        "1",
        "50.0",
        "0.0",
        "0.0",
        "0.0",
    ]
    assert lines[2].split() == ["mine,", "by", "majority", "50.0", "0.0", "0.0", "0.0"]


def test_sets_are_told_apart():
    judged = [
        item(0, response(1)),
        item(1, response(1)),
        item(0, response(2), of="other"),
        item(9, response(2), of="other"),
    ]
    assert verdicts_on_set(judged, QUESTIONS, name="", file="f") == SetVerdicts(
        "mine", judged[:2], 0
    )
    found = verdicts_on_set(judged, {"d0"}, name="other", file="f")
    assert (found.name, len(found.items), found.others) == ("other", 1, 1)


def test_a_file_of_other_items_is_told():
    """Which sets it is of, and how many items of each."""
    judged = [item(8, response(1)), item(9, response(1), of="other\x1b")]
    with pytest.raises(
        UsageError,
        match=r"f.jsonl: no verdicts on the items of this set.* 'mine' \(1 items\), 'other\\x1b' \(1 items\)",
    ):
        verdicts_on_set(judged, QUESTIONS, name="", file="f.jsonl")
    with pytest.raises(UsageError, match="on nothing"):
        verdicts_on_set([], QUESTIONS, name="", file="f.jsonl")


# ---- blanks


TWO = BlankedPassage("b:0", ("A.", "B.", "C.", "D."), (1, 3), ("D.", "X.", "B."), (2, 0))
ONE = BlankedPassage("b:9", ("E.", "F."), (1,), ("F.", "Y."), (0,))
PASSAGES = {"two": TWO, "one": ONE}


def item_of_blanks(digest, *fills):
    return ItemVerdicts(
        PASSAGES[digest].id,
        "mine",
        digest,
        {f"{judge}": {"fills": one} for judge, one in enumerate(fills, 1)},
    )


def test_the_measures_by_hand():
    row = human_blank_row(
        SetVerdicts("mine", [item_of_blanks("two", [2, 0], [2, 1]), item_of_blanks("one", [0])], 0),
        PASSAGES,
        seed=1,
        digest="5d0c1a2b3c",
    )
    assert (row.name, row.kind, row.context, row.decoder, row.n, row.blanks) == (
        "human",
        "human",
        "",
        "",
        2,
        3,
    )
    assert row.ba == pytest.approx((1 + 1 / 2 + 1) / 3)
    assert row.ba_micro == pytest.approx(4 / 5)
    assert row.pa == pytest.approx(2 / 3)
    assert row.de == pytest.approx(1 / 3)
    assert (row.ba_low, row.ba_high) == (pytest.approx(3 / 4), 1.0)
    assert row.note == "2 judges, 3 verdicts (file 5d0c1a2b)"


def test_a_second_filler_who_says_the_same_adds_nothing():
    """The bounds are those of one: passages are drawn, not people."""
    found = [
        SetVerdicts(
            "mine", [item_of_blanks("two", *[[2, 1]] * n), item_of_blanks("one", *[[0]] * n)], 0
        )
        for n in (1, 4)
    ]
    one, four = (human_blank_row(of, PASSAGES, seed=1, digest="") for of in found)
    assert [getattr(one, name) for name in ("ba", "ba_low", "ba_high", "de_high")] == [
        getattr(four, name) for name in ("ba", "ba_low", "ba_high", "de_high")
    ]


@pytest.mark.parametrize("fills", [[2], [2, 3]])
def test_answers_to_other_blanks_are_refused(fills):
    """As many as the passage has blanks, among its candidates."""
    with pytest.raises(FormatError, match=r"b:0: .* does not match its 2 blanks and 3 candidates"):
        human_blank_row(
            SetVerdicts("mine", [item_of_blanks("two", fills)], 0), PASSAGES, seed=1, digest=""
        )
