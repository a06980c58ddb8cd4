"""The lines of a file of verdicts on finished items."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.errors import FormatError
from cloze_gen.evaluation.metrics import wilson_interval
from cloze_gen.judging.agreement import krippendorff_alpha
from cloze_gen.judging.error_rates import ErrorRates
from cloze_gen.judging.study_agreement import (
    Annotated,
    Annotation,
    Share,
    StudyAgreement,
    by_item,
    first_verdicts,
    item_digest,
    judge_rows,
    measure_agreement,
    parse_verdict_row,
    ratings_of,
    verdict_row,
)
from cloze_gen.judging.tasks import TASKS
from cloze_gen.records.judgement import Kind, StudyItem, Task
from tests.judging.conftest import OPTIONS, groom_study, read_study, read_verdict

READ = {"answer": 1, "fits_as_well": [], "ungrammatical": [0], "broken": False, "trivial": False}
ITEMS = {
    Task.READ: StudyItem(
        "b:7:3",
        (),
        {"before": "We ", "after": ".", "options": ["ran", "rode"]},
        {"answer": 1},
        "mine",
    ),
    Task.FILL: StudyItem(
        "b:7",
        (),
        {"parts": ["A.", {"blank": 1}], "candidates": ["B.", "C."]},
        {"answers": [0]},
        "mine",
    ),
}
SAID: dict[Task, dict[str, Any]] = {Task.READ: READ, Task.FILL: {"fills": [1]}}


@pytest.mark.parametrize("task", list(ITEMS))
def test_a_line_comes_back(task: Task) -> None:
    """Judges by their numbers, the set, what the adjudicator decided; and nothing of the key."""
    row = verdict_row(ITEMS[task], {2: SAID[task], 1: SAID[task]}, SAID[task])
    assert list(row) == ["id", "set", "item", "answers", "adjudicated"]
    assert [one["judge"] for one in row["answers"]] == [1, 2]
    found = parse_verdict_row(row, task)
    assert (found.id, found.set_name, found.adjudicated) == (ITEMS[task].id, "mine", SAID[task])
    assert found.responses == {"1": SAID[task], "2": SAID[task]}


def test_an_item_is_known_by_what_was_seen_and_its_key() -> None:
    item = ITEMS[Task.READ]
    others = [
        item_digest({**item.shown, "options": ["rode", "ran"]}, item.key), item_digest(item.shown, {"answer": 0}),
        item_digest({**item.shown, "before": "They "}, item.key),
    ]  # fmt: skip
    digest = item_digest(item.shown, item.key)
    assert digest not in others
    assert digest == item_digest(dict(reversed(item.shown.items())), item.key)


@pytest.mark.parametrize(
    ("change", "response"),
    [
        ({"set": 3}, "`id`, `set` and `item`"),
        ({"answers": []}, "one object per judge"),
        ({"answers": "none"}, "one object per judge"),
        ({"answers": [READ]}, "a different number for each judge"),
        ({"answers": [READ | {"judge": "ann"}]}, "a different number for each judge"),
        (
            {"answers": [READ | {"judge": 1}, READ | {"judge": 1}]},
            "a different number for each judge",
        ),
        ({"answers": [{"judge": 1, "fills": [0]}]}, "expected an object with answer"),
        ({"answers": [READ | {"judge": 1, "answer": None}]}, "mark the question as broken"),
        ({"adjudicated": "ann"}, "expected an object with answer"),
    ],
)
def test_another_line_is_refused(change: dict[str, Any], response: str) -> None:
    """Whatever a hand may have made of the file; the item is named."""
    row = verdict_row(ITEMS[Task.READ], {1: READ}, None) | change
    with pytest.raises(FormatError, match=r"item 'b:7:3': ") as told:
        parse_verdict_row(row, Task.READ)
    assert response in str(told.value)


@pytest.mark.parametrize("fills", [None, "ab", [0, 0], [-1], [True], [0.5]])
def test_fills_are_asked_for(fills: Any) -> None:
    """Different whole numbers, a list of them."""
    row = verdict_row(ITEMS[Task.FILL], {1: {"fills": fills}}, None)
    with pytest.raises(FormatError, match="fills"):
        parse_verdict_row(row, Task.FILL)


# ---- all figures of a study together

SCRIPT = {"ann": (0.05, 0.1), "bob": (0.1, 0.1), "cyd": (0.25, 0.05)}


def plain(value: Any) -> Any:
    """Figures as they compare: arrays as lists."""
    if isinstance(value, ErrorRates):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, dict):
        return {name: plain(one) for name, one in value.items()}
    return value.tolist() if hasattr(value, "tolist") else value


def of_people(measured: StudyAgreement) -> dict[str, Any]:
    """All figures but those of machines."""
    return {
        field.name: plain(getattr(measured, field.name))
        for field in fields(measured)
        if not field.name.startswith("machine")
    }


@pytest.mark.slow
def test_whole_rounds_find_their_script() -> None:
    """300 items by three scripted judges, 15 times: nine of ten intervals hold the rates."""
    asked, many = groom_study(SCRIPT, 10_000, seed=100)
    true_alpha = krippendorff_alpha(ratings_of(asked, many)["kept"], seed=1, draws=2).value
    held = []
    for seed in range(15):
        measured = measure_agreement(*groom_study(SCRIPT, 300, seed=seed), machines=(), seed=1)
        assert (measured.judges, measured.verdicts, measured.items) == (3, 900, 300)
        assert max(measured.rows, key=lambda row: row.biases["rejected"].value).judge == "cyd"
        found = measured.error_rates["kept"]
        assert found.labels == ("kept", "rejected")
        low, high = (
            bound[:, [0, 1], [1, 0]] for bound in (found.confusion_low, found.confusion_high)
        )
        held += [*((low <= list(SCRIPT.values())) & (high >= list(SCRIPT.values()))).ravel()]
        held += [
            found.prior_low[0] <= 0.8 <= found.prior_high[0],
            measured.alphas["kept"].low <= true_alpha <= measured.alphas["kept"].high,
        ]
    assert np.mean(held) >= 0.9


def test_machines_are_never_in_the_figures_of_people() -> None:
    asked, response = groom_study({**SCRIPT, "model": (0.5, 0.5)}, 60, seed=7)
    adjudicating = Annotation(
        "b:3", "model", Kind.ADJUDICATION, "", {"rejected": "other", "note": ""}, 1.0
    )
    people = [one for one in response if one.judge != "model"]
    both = measure_agreement(asked, [*response, adjudicating], machines={"model"}, seed=1)
    alone = measure_agreement(asked, people, machines={"model"}, seed=1)
    assert of_people(both) == of_people(alone)
    assert ([row.judge for row in both.machine_rows], alone.machine_rows) == (["model"], [])
    assert {(one.one, one.other) for one in both.machine_kappas["kept"]} == {
        ("model", judge) for judge in SCRIPT
    }


def test_adjudicated_items_are_no_longer_open() -> None:
    """An adjudicator's verdict changes no other figure, and takes its item off the list."""
    asked, response = groom_study(SCRIPT, 60, seed=7)
    before = measure_agreement(asked, response, machines=(), seed=1)
    item = next(iter(before.open_items))
    after = measure_agreement(
        asked,
        [*response, Annotation(item, "dot", Kind.ADJUDICATION, "", response[0].response, 9.0)],
        machines=(),
        seed=1,
    )
    assert {**before.open_items} == {item: before.open_items[item], **after.open_items}
    assert item not in after.open_items
    assert (before.adjudicated, after.adjudicated) == (0, 1)
    assert before.alpha == after.alpha == before.alphas["picked"].value
    assert [asdict(row) for row in before.rows] == [asdict(row) for row in after.rows]


def test_no_errors_are_told_where_there_is_no_truth() -> None:
    """Marks set by chance have no truth to err from; marks that judges share have."""
    asked, response = read_study({"ann": 0.95, "bob": 0.95, "cyd": 0.9}, 120, seed=2)
    assert list(measure_agreement(asked, response, machines=(), seed=1).error_rates) == [
        "fits as well"
    ]


@pytest.mark.parametrize("task", list(Task))
def test_a_study_without_verdicts_has_no_figures(task: Task) -> None:
    """Nothing said: every alpha undefined, nobody in the tables, nothing open."""
    asked = replace(groom_study(SCRIPT, 1, seed=1)[0], task=task)
    measured = measure_agreement(asked, [], machines=(), seed=1)
    assert {question: alpha.value for question, alpha in measured.alphas.items()} == dict.fromkeys(
        TASKS[task].questions
    )
    assert (measured.alpha, measured.judges, measured.rows, measured.open_items) == (
        None,
        0,
        [],
        {},
    )


def asked_of(task: Task, shown: Mapping[str, Any], key: Mapping[str, Any]) -> Annotated:
    """A study of one item, `i`."""
    return Annotated(task, {"i": StudyItem("i", (), shown, key, "run")}, str.__eq__)


def told(
    judge: str, response: Mapping[str, Any], *, condition: str = "", kind: Kind = Kind.FIRST
) -> Annotation:
    """A verdict on `i`."""
    return Annotation("i", judge, kind, condition, response, 3.0)


def test_who_rejects_says_nothing_of_candidates() -> None:
    """Rejecting rates the item; its candidates are rated by those who kept it."""
    asked = asked_of(Task.GROOM, {"candidates": ["a", "b", "c", "d", "e"]}, {})
    response = [
        told("ann", {"picked": ["a", "b", "c", "d"]}),
        told("bob", {"rejected": "offensive", "note": ""}),
    ]
    found = ratings_of(asked, response)
    assert found["kept"] == {("i",): {"ann": "kept", "bob": "rejected"}}
    assert found["picked"] == {
        ("i", word): {"ann": "left" if word == "e" else "picked"} for word in "abcde"
    }


def test_the_option_chosen_is_not_asked_whether_it_fits_as_well() -> None:
    """All other options are rated on that; all five on the grammar."""
    asked = asked_of(Task.READ, {"options": list(OPTIONS)}, {"answer": 1})
    found = ratings_of(asked, [told("ann", read_verdict(1, fits_as_well=[0], ungrammatical=[4]))])
    assert found["answer"] == {("i",): {"ann": "2"}}
    assert found["fits as well"] == {
        ("i", n): {"ann": "marked" if n == "1" else "unmarked"} for n in "1345"
    }
    assert found["ungrammatical"] == {
        ("i", n): {"ann": "marked" if n == "5" else "unmarked"} for n in "12345"
    }
    assert found["trivial"] == {("i",): {"ann": "no"}}


def test_of_a_broken_sentence_nothing_else_is_said() -> None:
    """Whoever calls it broken and gives no answer rates neither options nor triviality."""
    asked = asked_of(Task.READ, {"options": list(OPTIONS)}, {})
    found = ratings_of(asked, [told("ann", read_verdict(None, broken=True))])
    assert found.pop("broken") == {("i",): {"ann": "yes"}}
    assert set(map(len, found.values())) == {0}


def test_blanks_are_rated_one_by_one() -> None:
    """A blank's label is the candidate that was put there, counted from 1."""
    found = ratings_of(asked_of(Task.FILL, {}, {}), [told("ann", {"fills": [2, 0]})])
    assert found == {"blank": {("i", "1"): {"ann": "3"}, ("i", "2"): {"ann": "1"}}}


def test_guesses_are_right_or_wrong_in_their_condition() -> None:
    asked = asked_of(Task.GUESS, {}, {"target": "lamp"})
    response = [
        told("ann", {"guesses": ["lamp"]}, condition="passage"),
        told("bob", {"guesses": []}, condition="passage"),
        told("cyd", {"guesses": ["oil", "lamp"]}, condition="sentence"),
    ]
    assert ratings_of(asked, response) == {
        "passage": {("i",): {"ann": "right", "bob": "wrong"}},
        "sentence": {("i",): {"cyd": "right"}},
    }


def test_only_first_verdicts_of_people_are_compared() -> None:
    """Repeats, attention items, adjudications and machines are left out."""
    response = [told("ann", {}, kind=kind) for kind in Kind] + [told("machine", {})]
    assert first_verdicts(response, machines={"machine"}) == [told("ann", {})]


def test_the_later_of_two_first_verdicts_counts() -> None:
    """Whoever is heard twice of an item has one rating of it."""
    asked = asked_of(Task.FILL, {}, {})
    response = [told("ann", {"fills": [1]}), told("ann", {"fills": [2]})]
    assert ratings_of(asked, response)["blank"] == {("i", "1"): {"ann": "3"}}
    assert by_item(response) == {"i": {"ann": {"fills": [2]}}}


@pytest.mark.parametrize("task", list(Task))
def test_every_question_is_there_before_the_first_verdict(task: Task) -> None:
    """Without verdicts all questions of the task have no ratings yet."""
    assert ratings_of(asked_of(task, {}, {}), []) == {
        question: {} for question in TASKS[task].questions
    }


def test_a_judge_who_rejects_more_is_seen() -> None:
    errors = {"ann": (0.1, 0.1), "bob": (0.1, 0.1), "cyd": (0.4, 0.1)}
    asked, response = groom_study(errors, 400, seed=3)
    rows = {
        row.judge: row for row in judge_rows(asked, response, judges=errors, others=errors, seed=1)
    }
    for judge, (rejects_good, keeps_bad) in errors.items():
        low, high = rows[judge].shares["rejected"].interval() or (1.0, 0.0)
        assert low < 0.8 * rejects_good + 0.2 * (1 - keeps_bad) < high
    biases = {judge: row.biases["rejected"] for judge, row in rows.items()}
    assert biases["cyd"].low > 0.15  # type: ignore[operator]
    assert biases["ann"].high < 0  # type: ignore[operator]
    assert sum(bias.value for bias in biases.values()) == pytest.approx(0)


def test_a_bias_is_of_shared_items_alone() -> None:
    """What a judge said of items that nobody else judged changes the share, not the bias."""
    asked, response = read_study({"ann": 0.9, "bob": 0.8}, 60, seed=5)
    items = {**asked.items, **{f"z{n}": replace(asked.items["q:0"], id=f"z{n}") for n in range(30)}}
    alone = [replace(response[0], item=f"z{n}") for n in range(30)]
    people = {"ann", "bob"}
    before = judge_rows(asked, response, judges=["ann"], others=people, seed=1)[0]
    after = judge_rows(
        replace(asked, items=items), [*response, *alone], judges=["ann"], others=people, seed=1
    )[0]
    assert after.verdicts == before.verdicts + 30
    assert after.biases == before.biases


def test_a_machine_is_held_against_people() -> None:
    """A machine's bias is that against the mean of the people; theirs do not know of it."""
    asked, response = read_study({"ann": 0.9, "bob": 0.8, "model": 0.3}, 80, seed=5)
    (row,) = judge_rows(asked, response, judges=["model"], others=["ann", "bob"], seed=1)
    people = judge_rows(asked, response, judges=["ann", "bob"], others=["ann", "bob"], seed=1)
    mean = sum(one.shares["right"].value or 0 for one in people) / 2
    assert row.biases["right"].value == pytest.approx((row.shares["right"].value or 0) - mean)
    without = judge_rows(
        asked,
        [one for one in response if one.judge != "model"],
        judges=["ann", "bob"],
        others=["ann", "bob"],
        seed=1,
    )
    assert people == without


def test_attention_and_repeats_are_counted_apart() -> None:
    shown = {"candidates": list("abcdef")}
    items = {item: StudyItem(item, (), shown, {}, "run") for item in "ij"}
    items["attention:1"] = StudyItem(
        "attention:1", (), shown, {"expected": {"picked": list("abcd")}}, "attention"
    )
    response = [
        Annotation("i", "ann", Kind.FIRST, "", {"picked": list("abcd")}, 4.0),
        Annotation("i", "ann", Kind.REPEAT, "", {"picked": list("abce")}, 90.0),
        Annotation("j", "ann", Kind.REPEAT, "", {"rejected": "other", "note": ""}, 90.0),
        Annotation("attention:1", "ann", Kind.ATTENTION, "", {"picked": list("abcd")}, 90.0),
    ]
    (row,) = judge_rows(
        Annotated(Task.GROOM, items, str.__eq__), response, judges=["ann"], others=["ann"], seed=1
    )
    assert (row.verdicts, row.median_seconds, row.attention) == (1, 4.0, Share(1, 1))
    assert row.repeats == {"verdict": Share(1, 1), "picks": Share(3, 4)}
    assert row.shares == {"rejected": Share(0, 1)}
    assert row.biases == {}


def test_what_was_not_timed_has_no_median() -> None:
    """Imported verdicts say 0 seconds; a median over them would tell of a judge who does not read."""
    asked, response = groom_study({"ann": (0.1, 0.1)}, 6, seed=1)
    untimed = [replace(one, seconds=0.0) for one in response]
    assert judge_rows(asked, untimed, judges=["ann"], others=[], seed=1)[0].median_seconds is None
    timed = judge_rows(asked, [*untimed[:-1], response[-1]], judges=["ann"], others=[], seed=1)[0]
    assert timed.median_seconds == response[-1].seconds


@given(st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_interval_is_wilsons(pair: tuple[int, int]) -> None:
    """The same that stands beside accuracies, and it holds the share."""
    share = Share(*pair)
    low, high = share.interval() or (2.0, 2.0)
    assert (low, high) == pytest.approx(wilson_interval(*pair))
    assert low <= pair[0] / pair[1] <= high


def test_nothing_of_nothing_has_no_share() -> None:
    """Neither a value nor an interval, where an interval from 0 to 1 would look like one."""
    assert (Share(0, 0).value, Share(0, 0).interval()) == (None, None)
