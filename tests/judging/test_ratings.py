"""Which label each judge gave to which unit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from cloze_gen.judging.ratings import QUESTIONS, Asked, Said, by_item, first_verdicts, ratings_of
from cloze_gen.records.judgement import Kind, StudyItem, Task
from tests.judging.conftest import OPTIONS, read_verdict


def asked_of(task: Task, shown: Mapping[str, Any], key: Mapping[str, Any]) -> Asked:
    """A study of one item, `i`."""
    return Asked(task, {"i": StudyItem("i", (), shown, key, "run")}, str.__eq__)


def told(judge: str, said: Mapping[str, Any], *, condition: str = "", kind: Kind = Kind.FIRST) -> Said:
    """A verdict on `i`."""
    return Said("i", judge, kind, condition, said, 3.0)


def test_who_rejects_says_nothing_of_candidates() -> None:
    """Rejecting rates the item; its candidates are rated by those who kept it."""
    asked = asked_of(Task.GROOM, {"candidates": ["a", "b", "c", "d", "e"]}, {})
    said = [told("ann", {"picked": ["a", "b", "c", "d"]}), told("bob", {"rejected": "offensive", "note": ""})]
    found = ratings_of(asked, said)
    assert found["kept"] == {("i",): {"ann": "kept", "bob": "rejected"}}
    assert found["picked"] == {("i", word): {"ann": "left" if word == "e" else "picked"} for word in "abcde"}


def test_the_option_chosen_is_not_asked_whether_it_fits_as_well() -> None:
    """All other options are rated on that; all five on the grammar."""
    asked = asked_of(Task.READ, {"options": list(OPTIONS)}, {"answer": 1})
    found = ratings_of(asked, [told("ann", read_verdict(1, fits_as_well=[0], ungrammatical=[4]))])
    assert found["answer"] == {("i",): {"ann": "2"}}
    assert found["fits as well"] == {("i", n): {"ann": "marked" if n == "1" else "unmarked"} for n in "1345"}
    assert found["ungrammatical"] == {("i", n): {"ann": "marked" if n == "5" else "unmarked"} for n in "12345"}
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
    """One right guess among several is right; no idea is wrong; conditions are questions of their own."""
    asked = asked_of(Task.GUESS, {}, {"target": "lamp"})
    said = [
        told("ann", {"guesses": ["lamp"]}, condition="passage"),
        told("bob", {"guesses": []}, condition="passage"),
        told("cyd", {"guesses": ["oil", "lamp"]}, condition="sentence"),
    ]
    assert ratings_of(asked, said) == {"passage": {("i",): {"ann": "right", "bob": "wrong"}}, "sentence": {("i",): {"cyd": "right"}}}


def test_only_first_verdicts_of_people_are_compared() -> None:
    """Repeats, attention items, adjudications and machines are left out."""
    said = [told("ann", {}, kind=kind) for kind in Kind] + [told("machine", {})]
    assert first_verdicts(said, machines={"machine"}) == [told("ann", {})]


def test_the_later_of_two_first_verdicts_counts() -> None:
    """Whoever is heard twice of an item has one rating of it."""
    asked = asked_of(Task.FILL, {}, {})
    said = [told("ann", {"fills": [1]}), told("ann", {"fills": [2]})]
    assert ratings_of(asked, said)["blank"] == {("i", "1"): {"ann": "3"}}
    assert by_item(said) == {"i": {"ann": {"fills": [2]}}}


@pytest.mark.parametrize("task", list(Task))
def test_every_question_is_there_before_the_first_verdict(task: Task) -> None:
    """Without verdicts all questions of the task have no ratings yet."""
    assert ratings_of(asked_of(task, {}, {}), []) == {question: {} for question in QUESTIONS[task]}
