"""A row for each judge."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cloze_gen.judging.judges import judge_rows
from cloze_gen.judging.ratings import Asked, Said
from cloze_gen.judging.shares import Share
from cloze_gen.records.judgement import Kind, StudyItem, Task
from tests.judging.conftest import groom_study, read_study


def test_a_judge_who_rejects_more_is_seen() -> None:
    """Three rates of rejection: shares within Wilson's interval of the script, and the severe judge alone above the others."""
    errors = {"ann": (0.1, 0.1), "bob": (0.1, 0.1), "cyd": (0.4, 0.1)}
    asked, said = groom_study(errors, 400, seed=3)
    rows = {row.judge: row for row in judge_rows(asked, said, judges=errors, others=errors, seed=1)}
    for judge, (rejects_good, keeps_bad) in errors.items():
        low, high = rows[judge].shares["rejected"].interval() or (1.0, 0.0)
        assert low < 0.8 * rejects_good + 0.2 * (1 - keeps_bad) < high
    biases = {judge: row.biases["rejected"] for judge, row in rows.items()}
    assert biases["cyd"].low > 0.15  # type: ignore[operator]
    assert biases["ann"].high < 0  # type: ignore[operator]
    assert sum(bias.value for bias in biases.values()) == pytest.approx(0)


def test_a_bias_is_of_shared_items_alone() -> None:
    """What a judge said of items that nobody else judged changes the share, not the bias."""
    asked, said = read_study({"ann": 0.9, "bob": 0.8}, 60, seed=5)
    items = {**asked.items, **{f"z{n}": replace(asked.items["q:0"], id=f"z{n}") for n in range(30)}}
    alone = [replace(said[0], item=f"z{n}") for n in range(30)]
    people = {"ann", "bob"}
    before = judge_rows(asked, said, judges=["ann"], others=people, seed=1)[0]
    after = judge_rows(replace(asked, items=items), [*said, *alone], judges=["ann"], others=people, seed=1)[0]
    assert after.verdicts == before.verdicts + 30
    assert after.biases == before.biases


def test_a_machine_is_held_against_people() -> None:
    """A machine's bias is that against the mean of the people; theirs do not know of it."""
    asked, said = read_study({"ann": 0.9, "bob": 0.8, "model": 0.3}, 80, seed=5)
    (row,) = judge_rows(asked, said, judges=["model"], others=["ann", "bob"], seed=1)
    people = judge_rows(asked, said, judges=["ann", "bob"], others=["ann", "bob"], seed=1)
    mean = sum(one.shares["right"].value or 0 for one in people) / 2
    assert row.biases["right"].value == pytest.approx((row.shares["right"].value or 0) - mean)
    without = judge_rows(asked, [one for one in said if one.judge != "model"], judges=["ann", "bob"], others=["ann", "bob"], seed=1)
    assert people == without


def test_attention_and_repeats_are_counted_apart() -> None:
    """They add neither to the verdicts nor to the shares; a repeat of what was not answered before counts for nothing."""
    shown = {"candidates": list("abcdef")}
    items = {item: StudyItem(item, (), shown, {}, "run") for item in "ij"}
    items["attention:1"] = StudyItem("attention:1", (), shown, {"expected": {"picked": list("abcd")}}, "attention")
    said = [
        Said("i", "ann", Kind.FIRST, "", {"picked": list("abcd")}, 4.0),
        Said("i", "ann", Kind.REPEAT, "", {"picked": list("abce")}, 90.0),
        Said("j", "ann", Kind.REPEAT, "", {"rejected": "other", "note": ""}, 90.0),
        Said("attention:1", "ann", Kind.ATTENTION, "", {"picked": list("abcd")}, 90.0),
    ]
    (row,) = judge_rows(Asked(Task.GROOM, items, str.__eq__), said, judges=["ann"], others=["ann"], seed=1)
    assert (row.verdicts, row.median_seconds, row.attention) == (1, 4.0, Share(1, 1))
    assert row.repeats == {"verdict": Share(1, 1), "picks": Share(3, 4)}
    assert row.shares == {"rejected": Share(0, 1)}
    assert row.biases == {}


def test_what_was_not_timed_has_no_median() -> None:
    """Imported verdicts say 0 seconds; a median over them would tell of a judge who does not read."""
    asked, said = groom_study({"ann": (0.1, 0.1)}, 6, seed=1)
    untimed = [replace(one, seconds=0.0) for one in said]
    assert judge_rows(asked, untimed, judges=["ann"], others=[], seed=1)[0].median_seconds is None
    timed = judge_rows(asked, [*untimed[:-1], said[-1]], judges=["ann"], others=[], seed=1)[0]
    assert timed.median_seconds == said[-1].seconds
