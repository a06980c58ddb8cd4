"""Rules that answer without reading."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from cloze_gen.evaluate.blanks.asked import AskedBlanks
from cloze_gen.evaluate.blanks.metrics import bootstrap_draws
from cloze_gen.evaluate.blanks.rules import answer_probs, named_probs, rule_results, rules_for


@pytest.fixture
def asked(ask: Callable[..., AskedBlanks]) -> AskedBlanks:
    """Two blanks; candidates of 2, 3, 1 and 5 words, the first two being the answers; shown sentences of 3 words."""
    return ask("a b c / so Ann / why not now ? / d e f", (1, 2), '" Oh " / and so Tom and Sue', book="b")


def rows(*passages: AskedBlanks) -> dict[str, dict[str, float]]:
    return {str(row["name"]): dict(row) for row in rule_results(passages, bootstrap_draws(len(passages), seed=1))}


def test_each_rule_by_hand(asked: AskedBlanks) -> None:
    """The values of each rule for four candidates."""
    values = {rule.name: rule.values(asked).tolist() for rule in rules_for(4)}
    assert values == {
        "printed first": [0, -1, -2, -3],
        "printed as 1": [1, 0, 0, 0],
        "printed as 2": [0, 1, 0, 0],
        "printed as 3": [0, 0, 1, 0],
        "printed as 4": [0, 0, 0, 1],
        "longest": [2, 3, 1, 5],
        "shortest": [-2, -3, -1, -5],
        "nearest to the mean length": [-1, 0, -2, -2],
        "questions": [0, 1, 0, 0],
        "speech": [0, 0, 1, 0],
        "most names": [1, 0, 0, 2],
        "fewest names": [-1, 0, 0, -2],
    }


def test_a_rule_answers_in_its_order(asked: AskedBlanks) -> None:
    """By hand: in the order of print both answers are right; `longest` gives the first blank candidate 4 and the second candidate 2."""
    found = rows(asked)
    assert (found["printed first"]["ba"], found["longest"]["ba"], found["nearest to the mean length"]["ba"]) == (1.0, 0.5, 0.0)
    assert found["printed first"]["ba_chance"] == 0.25


def test_a_rule_names_distractors(asked: AskedBlanks) -> None:
    """A rule that grades names two, of which chance has one; one that tells yes from no all of which it is true."""
    found = rows(asked)
    assert [found[name]["named"] for name in ("longest", "questions", "speech", "printed as 4")] == [2, 1, 1, 1]
    assert [found[name]["distractors"] for name in ("longest", "questions", "speech", "printed as 4")] == [0.5, 0, 1, 1]
    assert found["longest"]["distractors_chance"] == 0.5
    assert found["most names"]["distractors"] == 0.5


def test_a_rule_that_names_none_says_so(ask: Callable[..., AskedBlanks]) -> None:
    """Without questions nothing is told of them."""
    found = rows(ask("a / b / c", (1,), "d"))
    assert found["questions"]["named"] == 0
    assert found["questions"]["distractors"] is found["questions"]["distractors_low"] is None


def test_equals_are_as_likely() -> None:
    """Expectations of drawn orders: the mean over many orders of equals is what is told."""
    values, answers = np.array([2.0, 1.0, 1.0, 1.0, 0.0]), [1, 0, 3]
    rng = np.random.default_rng(4)
    right, named = np.zeros(3), np.zeros(5)
    for _ in range(4000):
        order = np.lexsort((rng.random(5), -values))
        right += order[:3] == answers
        named[order[:2]] += 1
    np.testing.assert_allclose(answer_probs(values, answers), right / 4000, atol=0.03)
    np.testing.assert_allclose(named_probs(values, 2), named / 4000, atol=0.03)


def test_shares_are_of_all_candidates_named(asked: AskedBlanks, ask: Callable[..., AskedBlanks]) -> None:
    """Over two passages three candidates are named, of which one is a distractor: not the mean of the passages' shares."""
    other = ask("a / why ? / who ? / e", (1, 2), "what ? / f")
    found = rows(asked, other)["questions"]
    assert (found["named"], found["distractors"]) == (4, 0.25)
    assert found["distractors_chance"] == 0.5
