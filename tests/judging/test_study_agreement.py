"""The lines of a file of verdicts on finished items."""

from dataclasses import fields, replace

import pytest

from cloze_gen.errors import FormatError
from cloze_gen.judging.study_agreement import (
    item_digest,
    judge_rows,
    measure_agreement,
    parse_verdict_row,
    ratings_of,
    verdict_row,
)
from cloze_gen.judging.tasks import TASKS
from cloze_gen.judging.tasks.task import Judged
from cloze_gen.records.judgement import StudyItem, Task
from tests.judging.conftest import OPTIONS, groom_study, read_verdict

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
SAID = {Task.READ: READ, Task.FILL: {"fills": [1]}}


@pytest.mark.parametrize("task", list(ITEMS))
def test_a_line_comes_back(task):
    """Judges by their numbers, the set, and of a question its options and answer."""
    row = verdict_row(ITEMS[task], {2: SAID[task], 1: SAID[task]})
    shown = {"options": ["ran", "rode"], "answer": 1} if task is Task.READ else {}
    assert row.keys() == {"id", "set", "item", "answers"} | shown.keys()
    assert shown.items() <= row.items()
    assert [one["judge"] for one in row["answers"]] == [1, 2]
    found = parse_verdict_row(row, task)
    assert (found.id, found.set_name) == (ITEMS[task].id, "mine")
    assert found.responses == {"1": SAID[task], "2": SAID[task]}


def test_an_item_is_known_by_what_was_seen_and_its_key():
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
    ],
)
def test_another_line_is_refused(change, response):
    """Whatever a hand may have made of the file; the item is named."""
    row = verdict_row(ITEMS[Task.READ], {1: READ}) | change
    with pytest.raises(FormatError, match=r"item 'b:7:3': ") as told:
        parse_verdict_row(row, Task.READ)
    assert response in str(told.value)


@pytest.mark.parametrize("fills", [None, "ab", [0, 0], [-1], [True], [0.5]])
def test_fills_are_asked_for(fills):
    """Different whole numbers, a list of them."""
    row = verdict_row(ITEMS[Task.FILL], {1: {"fills": fills}})
    with pytest.raises(FormatError, match="fills"):
        parse_verdict_row(row, Task.FILL)


# ---- all figures of a study together

SCRIPT = {"ann": (0.05, 0.1), "bob": (0.1, 0.1), "cyd": (0.25, 0.05)}


def of_people(measured):
    """All figures but those of machines."""
    return {
        field.name: getattr(measured, field.name)
        for field in fields(measured)
        if not field.name.startswith("machine")
    }


def test_machines_are_never_in_the_figures_of_people():
    task, response = groom_study({**SCRIPT, "model": (0.5, 0.5)}, 60, seed=7)
    people = [one for one in response if one.judge != "model"]
    both = measure_agreement(task, response, machines={"model"}, seed=1)
    alone = measure_agreement(task, people, machines={"model"}, seed=1)
    assert of_people(both) == of_people(alone)
    assert ([row.judge for row in both.machine_rows], alone.machine_rows) == (["model"], [])
    assert {(one.one, one.other) for one in both.machine_kappas["kept"]} == {
        (judge, "model") for judge in SCRIPT
    }


@pytest.mark.parametrize("task", list(Task))
def test_a_study_without_verdicts_has_no_figures(task):
    """Nothing said: every alpha undefined, nobody in the tables."""
    measured = measure_agreement(task, [], machines=(), seed=1)
    assert {question: alpha.value for question, alpha in measured.alphas.items()} == dict.fromkeys(
        TASKS[task].questions
    )
    assert (measured.alpha, measured.judges, measured.rows) == (None, 0, [])


def told(judge, response, shown=(), key=(), **more):
    """A verdict on the item `i`."""
    return Judged(StudyItem("i", (), dict(shown), dict(key), "run"), judge, response, **more)


def test_who_rejects_says_nothing_of_candidates():
    """Rejecting rates the item; its candidates are rated by those who kept it."""
    shown = {"candidates": ["a", "b", "c", "d", "e"]}
    response = [
        told("ann", {"picked": ["a", "b", "c", "d"]}, shown),
        told("bob", {"rejected": "offensive", "note": ""}, shown),
    ]
    found = ratings_of(Task.GROOM, response)
    assert found["kept"] == {("i",): {"ann": "kept", "bob": "rejected"}}
    assert found["picked"] == {
        ("i", word): {"ann": "left" if word == "e" else "picked"} for word in "abcde"
    }


def test_the_option_chosen_is_not_asked_whether_it_fits_as_well():
    """All other options are rated on that; all five on the grammar."""
    verdict = read_verdict(1, fits_as_well=[0], ungrammatical=[4])
    found = ratings_of(Task.READ, [told("ann", verdict, {"options": list(OPTIONS)})])
    assert found["answer"] == {("i",): {"ann": "2"}}
    assert found["fits as well"] == {
        ("i", n): {"ann": "marked" if n == "1" else "unmarked"} for n in "1345"
    }
    assert found["ungrammatical"] == {
        ("i", n): {"ann": "marked" if n == "5" else "unmarked"} for n in "12345"
    }
    assert found["trivial"] == {("i",): {"ann": "no"}}


def test_of_a_broken_sentence_nothing_else_is_said():
    """Whoever calls it broken and gives no answer rates neither options nor triviality."""
    verdict = read_verdict(None, broken=True)
    found = ratings_of(Task.READ, [told("ann", verdict, {"options": list(OPTIONS)})])
    assert found.pop("broken") == {("i",): {"ann": "yes"}}
    assert set(map(len, found.values())) == {0}


def test_blanks_are_rated_one_by_one():
    """A blank's label is the candidate that was put there, counted from 1."""
    found = ratings_of(Task.FILL, [told("ann", {"fills": [2, 0]})])
    assert found == {"blank": {("i", "1"): {"ann": "3"}, ("i", "2"): {"ann": "1"}}}


def test_guesses_are_right_or_wrong_in_their_condition():
    key = {"target": "lamp"}
    response = [
        told("ann", {"guesses": ["lamp"]}, key=key, condition="passage"),
        told("bob", {"guesses": []}, key=key, condition="passage"),
        told("cyd", {"guesses": ["oil", "lamp"]}, key=key, condition="sentence"),
    ]
    assert ratings_of(Task.GUESS, response) == {
        "passage": {("i",): {"ann": "right", "bob": "wrong"}},
        "sentence": {("i",): {"cyd": "right"}},
    }


def test_what_was_not_timed_has_no_median():
    """Imported verdicts say 0 seconds; a median over them would tell of a judge who does not read."""
    task, response = groom_study({"ann": (0.1, 0.1)}, 6, seed=1)
    untimed = [replace(one, seconds=0.0) for one in response]
    assert judge_rows(task, untimed)[0].median_seconds is None
    (timed,) = judge_rows(task, [*untimed[:-1], response[-1]])
    assert timed.median_seconds == response[-1].seconds


def test_shares_are_sums_over_a_judges_verdicts():
    """Of a script in which one judge rejects more, each has a row of their own."""
    task, response = groom_study(SCRIPT, 60, seed=7)
    rows = judge_rows(task, response)
    assert [row.judge for row in rows] == sorted(SCRIPT)
    for row in rows:
        verdicts = [one for one in response if one.judge == row.judge]
        rejected = sum("rejected" in one.verdict for one in verdicts)
        assert (row.verdicts, row.shares) == (60, {"rejected": rejected / 60})
    assert max(rows, key=lambda row: row.shares["rejected"]).judge == "cyd"
