"""Guessing by people: the three steps as a state machine."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.recipes.lambada.steps.guessing import (
    Case,
    GuessingSettings,
    Refusal,
    Verdict,
    answer,
    ask,
    is_right,
    verdict,
    wanted,
    withdraw,
)
from cloze_gen.records.guess_page import Condition

SETTINGS = GuessingSettings()
OPEN = Case("b:7", "menu", "b", 0, 99)


def guess(case: Case, *guesses: str, subject: str = "") -> Case:
    """Ask the next subject and take the answer."""
    subject = subject or f"s{len(case.answers)}"
    asked = ask(case, subject, SETTINGS)
    assert isinstance(asked, Case), asked
    after = answer(asked, subject, guesses, SETTINGS)
    assert isinstance(after, Case), after
    return after


def test_a_passage_is_kept_after_two_readers_and_ten_failures() -> None:
    """Two right guesses from the passage, then ten subjects of three guesses who all fail on the sentence."""
    case = guess(guess(OPEN, "menu"), " Menu.")
    for n in range(10):
        assert verdict(case, SETTINGS) is None
        assert wanted(case, SETTINGS) == (Condition.SENTENCE, 1)
        case = guess(case, "lamp", "door", f"x{n}")
    assert verdict(case, SETTINGS) is Verdict.KEPT
    assert [given.condition for given in case.answers].count(Condition.SENTENCE) == 10


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        (["lamp"], Verdict.MISSED),
        (["menu", "lamp"], Verdict.MISSED_AGAIN),
        (["menu", "menu", "lamp", "menu"], Verdict.GUESSED_ALONE),
        (["menu", "menu", "lamp", "lamp"], None),
    ],
)
def test_a_passage_falls_in_its_step(answers: list[str], expected: Verdict | None) -> None:
    """The reason tells the step."""
    case = OPEN
    for given_guess in answers:
        case = guess(case, given_guess)
    assert verdict(case, SETTINGS) is expected


@given(st.lists(st.tuples(st.sampled_from(Condition), st.booleans()), max_size=13), st.randoms(use_true_random=False))
def test_the_verdict_hangs_on_no_order(given_answers: list[tuple[Condition, bool]], order: random.Random) -> None:
    """Answers taken in any order give the same verdict."""
    from dataclasses import replace

    from cloze_gen.recipes.lambada.steps.guessing import Answer

    answers = [Answer(str(n), condition, ("menu" if right else "lamp",)) for n, (condition, right) in enumerate(given_answers)]
    before = verdict(replace(OPEN, answers=tuple(answers)), SETTINGS)
    order.shuffle(answers)
    assert verdict(replace(OPEN, answers=tuple(answers)), SETTINGS) is before


def test_nobody_sees_an_item_twice() -> None:
    """Neither in both conditions nor again after a page was withdrawn."""
    case = guess(OPEN, "menu", subject="ann")
    assert ask(case, "ann", SETTINGS) is Refusal.SEEN
    both = guess(case, "menu", subject="bob")
    assert ask(both, "bob", SETTINGS) is Refusal.SEEN
    asked = ask(both, "cid", SETTINGS)
    assert isinstance(asked, Case)
    assert ask(withdraw(asked, "cid"), "cid", SETTINGS) is Refusal.SEEN
    assert isinstance(ask(withdraw(asked, "cid"), "dot", SETTINGS), Case)


def test_a_second_answer_is_refused() -> None:
    """The same again changes nothing and says so; another one is refused."""
    case = guess(OPEN, "menu", subject="ann")
    assert answer(case, "ann", ["menu"], SETTINGS) is Refusal.REPEATED
    assert answer(case, "ann", ["lamp"], SETTINGS) is Refusal.ANSWERED


def test_answers_nobody_asked_for_are_refused() -> None:
    """Of a stranger, of somebody waited for no longer, with no guess or too many."""
    asked = ask(OPEN, "ann", SETTINGS)
    assert isinstance(asked, Case)
    assert answer(asked, "bob", ["menu"], SETTINGS) is Refusal.NOT_ASKED
    assert answer(withdraw(asked, "ann"), "ann", ["menu"], SETTINGS) is Refusal.WITHDRAWN
    assert answer(asked, "ann", [], SETTINGS) is Refusal.NO_GUESS
    assert answer(asked, "ann", ["menu", "lamp"], SETTINGS) is Refusal.TOO_MANY


def test_late_answers_of_a_round_are_refused() -> None:
    """Several asked of one sentence: the first right guess decides."""
    settings = GuessingSettings(sentence_subjects_at_once=4)
    case: Case | Refusal = guess(guess(OPEN, "menu"), "menu")
    for subject in "pqrst":
        assert isinstance(case, Case)
        after = ask(case, subject, settings)
        case = after if isinstance(after, Case) else case
    assert isinstance(case, Case)
    assert [subject for subject, _ in case.asked] == ["p", "q", "r", "s"]
    decided = answer(case, "q", ["x", "menu"], settings)
    assert isinstance(decided, Case)
    assert verdict(decided, settings) is Verdict.GUESSED_ALONE
    assert answer(decided, "p", ["menu"], settings) is Refusal.DECIDED
    assert ask(decided, "z", settings) is Refusal.DECIDED


@pytest.mark.parametrize(
    ("guessed", "target", "right"),
    [
        ("Menu", "menu", True), ("MENU!", "menu", True), ("\u201cmenu\u201d", "menu", True), ("cafe\u0301", "café", True),
        ("menus", "menu", False), ("men", "menu", False), ("a menu", "menu", False), ("", "menu", False), ("?", "menu", False),
        ("STRASSE", "straße", True),
    ],
)  # fmt: skip
def test_what_is_right(guessed: str, target: str, right: bool) -> None:
    """Case, blanks and marks around the word do not count; its letters do."""
    assert is_right(guessed, target) is right
