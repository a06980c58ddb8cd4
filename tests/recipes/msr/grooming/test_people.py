"""Verdicts of people in the place of a machine's."""

import numpy as np
import pytest

from cloze_gen.errors import FormatError, UsageError
from cloze_gen.judging.verdicts import VerdictFile, verdicts_jsonl
from cloze_gen.recipes.msr.grooming.people import (
    JudgingReason,
    check_items,
    judge_by_people,
    judge_items,
    read_groomed,
)
from cloze_gen.records.judgement import Task
from tests.recipes.msr.fakes import Books, Space, Tags, make_item, make_table


def write_verdicts(folder, *rows):
    path = folder / "verdicts.jsonl"
    path.write_text(verdicts_jsonl(VerdictFile(Task.GROOM, {}, 1, None, rows)), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    "row",
    [
        {},
        {"verdict": ["fit"]},
        {"verdict": "good"},
        {"verdict": "fit", "picked": [1]},
        {"picked": ["a"]},
    ],
)
def test_a_row_of_another_shape_is_refused(row, tmp_path):
    """The message names the item."""
    path = write_verdicts(tmp_path, {"id": "b:7", "picked": [], **row})
    with pytest.raises(FormatError, match="'b:7' has no valid verdict"):
        read_groomed(path)


def test_a_file_without_verdicts_is_refused(tmp_path):
    """It would count as people who rejected every focus word."""
    with pytest.raises(FormatError, match="has no verdicts"):
        read_groomed(write_verdicts(tmp_path))


LINE = "He drank the wine of Spain ."


def test_the_judges_verdicts_on_items():
    items = [make_item(LINE, word) for word in ("wine", "drank", "Spain", "of")]
    verdicts = {
        items[0].id: {"verdict": "fit", "picked": []},
        items[1].id: {"verdict": str(JudgingReason.DISAGREED), "picked": []},
        items[2].id: {"verdict": "broken_sentence", "picked": []},
    }
    judge_items(items, verdicts)
    assert [str(item.fault) for item in items] == [
        "fit",
        "judges_disagree",
        "judges_say_broken_sentence",
        "not_judged",
    ]


def test_the_judges_picks_are_the_verdicts():
    """Measures and tags decide nothing; a picked word counts as plausible without a second answer."""
    table = make_table((LINE, "wine", ["beer", "rug"]), (LINE, "drank", ["rug"]))
    verdicts = {table.items[0].id: {"picked": ["rug"]}, table.items[1].id: {"picked": []}}
    words = Space(similar={"rug": 0.5}, topical={"beer": 0.25, "wine": 0.75})
    judge_by_people(table, verdicts, Books(), words, Tags(wine="NN", rug="NN", beer="VB"))
    not_picked = JudgingReason.NOT_PICKED
    assert table.verdict.tolist() == [not_picked, "fit", not_picked]
    assert table.tag.tolist() == ["VB", "NN", "NN"]
    assert (table.items[0].window_tag, table.items[0].topicality) == ("NN", 0.75)
    assert table.measures[0, :2].tolist() == [0, 0.25]
    assert np.isnan(table.measures[0, 2:]).all()
    assert table.measures[1].tolist() == [0.5, 0, 0, 0, 1]


def test_a_pick_that_is_no_candidate_is_refused():
    items = [make_item(LINE, "wine", ["beer"]), make_item(LINE, "drank", ["rug"])]
    verdicts = {item.id: {"verdict": "fit", "picked": ["rug"]} for item in items}
    with pytest.raises(UsageError, match=f"judges of {items[0].id} picked 'rug'"):
        judge_items(items, verdicts)


def test_verdicts_on_items_of_another_run_are_refused():
    rows = [{"id": item, "verdict": "fit", "picked": []} for item in ("b:1:2", "c:1:2")]
    people = VerdictFile(Task.GROOM, {}, 2, None, rows)
    check_items(people, ["b:1:2", "c:1:2"])
    with pytest.raises(UsageError, match="1 of 2 judged focus words"):
        check_items(people, ["b:1:2"])
