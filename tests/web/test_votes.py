"""What others said, as counts."""

from __future__ import annotations

from cloze_gen.records.judgement import Task
from cloze_gen.web.votes import told_votes

NOTHING = {"fits_as_well": [], "ungrammatical": [], "broken": False, "trivial": False}


def test_grooming_counts_who_picked_and_tells_why_others_did_not() -> None:
    """A candidate that nobody picked has no words; a note stands with its reason."""
    votes = [{"picked": [0, 1, 2, 3]}, {"picked": [0, 4, 5, 6]}, {"rejected": "offensive", "note": "scorns"}]
    told = told_votes(Task.GROOM, votes)
    assert told.n == 3
    assert told.of_place[0] == "picked by 2 of 3"
    assert 7 not in told.of_place
    assert told.more == ["rejected: It may offend, or takes sides. (scorns)"]


def test_reading_counts_answers_and_marks() -> None:
    """... of each option, and what was said of the whole; who says broken may have no answer."""
    votes = [{**NOTHING, "answer": 1, "fits_as_well": [2]}, {**NOTHING, "answer": 2}, {**NOTHING, "answer": None, "broken": True}]
    told = told_votes(Task.READ, votes)
    assert told.of_place == {1: "chosen by: 1", 2: "chosen by: 1, fits as well: 1"}
    assert told.more == ["broken: 1"]


def test_filling_counts_by_blank() -> None:
    """The candidates of a blank, the commonest first, under the letters that the judge sees."""
    told = told_votes(Task.FILL, [{"fills": [2, 0]}, {"fills": [2, 1]}, {"fills": [3, 1]}])
    assert told.more == ["blank 1: C 2, D 1", "blank 2: B 2, A 1"]
