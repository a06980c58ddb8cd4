"""Guessing by people: what is asked next, and what the answers come to."""

import itertools
import random
from collections import defaultdict
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.judging.assignment import Answer, Case, assign_items
from cloze_gen.judging.state import StudyState
from cloze_gen.recipes.lambada.guessing import (
    Condition,
    GuessingRule,
    GuessingSettings,
    Verdict,
    is_right,
)
from cloze_gen.records.judgement import Assignment, Judge, Role
from cloze_gen.records.judgement import Verdict as Said

RULE = GuessingRule(GuessingSettings())
OPEN = Case("b:7", (("b", 0, 99),), {"target": "menu"})
ANSWERS = st.lists(st.tuples(st.sampled_from(Condition), st.booleans()), max_size=13).map(
    lambda given: [
        Answer(str(n), str(condition), {"guesses": ["menu" if right else "lamp"]})
        for n, (condition, right) in enumerate(given)
    ]
)


def guess(case, *guesses):
    """The case after the next judge was asked and has answered."""
    condition, count = RULE.wanted(case)
    assert count == 1
    return replace(
        case,
        answers=(
            *case.answers,
            Answer(f"s{len(case.answers)}", condition, {"guesses": list(guesses)}),
        ),
    )


def test_a_passage_is_kept_after_two_readers_and_ten_failures():
    case = guess(guess(OPEN, "menu"), " Menu.")
    for n in range(10):
        assert RULE.outcome(case) == ""
        assert RULE.wanted(case) == ("sentence", 1)
        case = guess(case, *(("lamp", "door", f"x{n}") if n else ()))
    assert RULE.outcome(case) == Verdict.KEPT
    assert RULE.wanted(case)[1] == 0
    assert [given.condition for given in case.answers].count("sentence") == 10


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        (["lamp"], Verdict.MISSED),
        (["menu", "lamp"], Verdict.MISSED_AGAIN),
        (["menu", "menu", "lamp", "menu"], Verdict.GUESSED_ALONE),
        (["menu", "menu", "lamp", "lamp"], ""),
    ],
)
def test_a_passage_falls_in_its_step(answers, expected):
    """The reason tells the step, and nobody else is asked."""
    case = OPEN
    for response in answers:
        case = guess(case, response)
    assert RULE.outcome(case) == expected
    assert (RULE.wanted(case)[1] == 0) == bool(expected)


@given(ANSWERS, st.randoms(use_true_random=False))
def test_the_verdict_hangs_on_no_order(answers, order):
    """Answers in any order give the same verdict, and want the same people."""
    case = replace(OPEN, answers=tuple(answers))
    order.shuffle(answers)
    other = replace(OPEN, answers=tuple(answers))
    assert (RULE.outcome(other), RULE.wanted(other)) == (RULE.outcome(case), RULE.wanted(case))


@given(ANSWERS, st.sampled_from(Condition), st.booleans())
def test_a_late_answer_lifts_nobody_up(answers, condition, right):
    """Whatever somebody says after all: what has fallen stays so, and what is kept falls or stays."""
    before = RULE.outcome(replace(OPEN, answers=tuple(answers)))
    late = Answer("late", str(condition), {"guesses": ["menu" if right else "lamp"]})
    after = RULE.outcome(replace(OPEN, answers=(*answers, late)))
    assert before != Verdict.KEPT or after in {
        Verdict.KEPT,
        Verdict.MISSED_AGAIN,
        Verdict.GUESSED_ALONE,
    }
    assert before in {"", Verdict.KEPT} or after not in {"", Verdict.KEPT}


def test_one_answer_is_awaited_at_a_time():
    rule = GuessingRule(GuessingSettings(sentence_subjects=4))
    assert rule.wanted(replace(OPEN, pending=(("ann", "passage"),))) == ("passage", 0)
    read = replace(
        OPEN,
        answers=tuple(Answer(name, "passage", {"guesses": ["menu"]}) for name in ("ann", "bob")),
    )
    assert rule.wanted(read) == ("sentence", 1)
    assert rule.wanted(replace(read, pending=(("cid", "sentence"),))) == ("sentence", 0)


def test_settings_that_tell_the_rules():
    """What people are asked and how often; not what they said."""
    settings = GuessingSettings(verdicts="said.jsonl", sentence_subjects=4)
    assert settings.rules == {**GuessingSettings().rules, "sentence_subjects": 4}
    assert "verdicts" not in settings.rules
    assert [GuessingRule(settings).page(condition) for condition in Condition] == [10, 20]


@given(
    st.integers(1, 30),
    st.integers(-8, 1),
    st.integers(2, 9),
    st.integers(0, 2**32),
)
def test_nobody_is_on_both_sides(n, gap, people, seed):
    """Nobody sees a passage twice, or two that share text; a page has one condition."""
    order = random.Random(seed)
    rule = GuessingRule(GuessingSettings(sentence_subjects=3))
    cases = {
        f"b:{i}": Case(f"b:{i}", (("b", 10 * i, 10 * i + 10 - gap),), {"target": "menu"})
        for i in range(n)
    }
    names = [f"s{i}" for i in range(people)]
    standing = StudyState(
        rule,
        cases,
        {name: Judge(name, Role.JUDGE) for name in names},
        open=dict.fromkeys(cases),
    )
    for rounds in itertools.count():
        dealt = 0
        for name in order.sample(names, people):
            page = assign_items(
                [standing.cases[one] for one in standing.open],
                name,
                rule,
                limit=99,
                seen=standing.seen_by(name),
            )
            assert len({condition for _, condition in page}) <= 1
            assert len(page) <= (rule.page(page[0][1]) if page else 0)
            standing.add(
                Assignment(f"{name}:{one}", name, one, condition, 1, f"{rounds:09}")
                for one, condition in page
            )
            dealt += len(page)
        due = [one for name in names for one in standing.due(name)]
        order.shuffle(due)
        for one in due:
            if order.random() < 0.05:
                standing.expire(f"{rounds:09}")
            if order.random() < 0.8:
                word = (
                    "menu"
                    if order.random() < (0.8 if one.condition == "passage" else 0.1)
                    else "lamp"
                )
                standing.apply(Said(one.id, one.id, {"guesses": [word]}, 0.0, "page"))
        if not dealt and not due:
            break
    shown = defaultdict(list)
    for one in standing.by_id.values():
        shown[one.judge].append(cases[one.item].spans[0])
    for spans in shown.values():
        assert all(before[2] <= after[1] for before, after in pairwise(sorted(spans)))
    left = [case for case in standing.cases.values() if rule.wanted(case)[1]]
    assert all(
        not assign_items(left, name, rule, limit=1, seen=standing.seen_by(name)) for name in names
    )


@pytest.mark.parametrize(
    ("guessed", "target", "right"),
    [
        ("Menu", "menu", True), ("MENU!", "menu", True), ("\u201cmenu\u201d", "menu", True), ("cafe\u0301", "café", True),
        ("menus", "menu", False), ("men", "menu", False), ("a menu", "menu", False), ("", "menu", False), ("?", "menu", False),
        ("STRASSE", "straße", True),
    ],
)  # fmt: skip
def test_what_is_right(guessed, target, right):
    """Case, blanks and marks around the word do not count; its letters do."""
    assert is_right(guessed, target) is right
