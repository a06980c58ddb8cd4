"""The choice by each method, and what is reported about it."""

from functools import partial

import numpy as np
import pytest

from cloze_gen.recipes.questions.choice import (
    choice_facts,
    choice_lines,
    choose,
    without_reprints,
)
from cloze_gen.recipes.questions.matched_choice import ChoiceFacts, Round
from cloze_gen.recipes.questions.random_choice import (
    ChoicePlan,
    ChoiceSettings,
    Chosen,
    FitItem,
)
from cloze_gen.recipes.questions.set_size import Leak
from cloze_gen.rng import derive_rng
from tests.recipes.questions.conftest import clear

NAMES = ("surprise", "length")  # no score is called freq
SETTINGS = ChoiceSettings(n_questions=100)


def items_of(n_sentences):
    found = []
    for sentence in range(n_sentences):
        rng = derive_rng(7, "test.items", str(sentence))
        words = tuple(f"w{i}" for i in rng.choice(90, 7, replace=False).tolist())
        item = FitItem(f"b:{sentence}:2", f"b:{sentence}", words[0], words[1:])
        found.append(clear(item, rng.standard_normal((7, len(NAMES)))))
    return found


@pytest.mark.parametrize("method", ["matched", "random"])
def test_each_method_chooses_four_impostors(method):
    items = items_of(40)
    settings = ChoiceSettings(n_questions=20, method=method)
    verdicts, facts, impostors_of = choose(items, ChoicePlan(settings, "msr", NAMES, seed=1))
    chosen = [verdict for verdict in verdicts if isinstance(verdict, Chosen)]
    assert [len(set(one.impostors)) for one in chosen] == [4] * 20
    assert len(set(impostors_of(items[0].item))) == 4
    ends = [f"answer_{end}_{name}" for name in NAMES for end in ("highest", "lowest")]
    assert list(facts.shares) == ([] if method == "random" else ends)


def test_a_reprinted_sentence_is_left_out():
    """Of two sentences alike in print the first with enough candidates may be chosen."""
    few, first, again = items_of(3)
    few = clear(FitItem("a:1:0", "a:1", "w0", ("w1",)), np.zeros((2, len(NAMES))))
    tokens = {"a:1": ("Come", "."), "b:1": ("Come", "!"), "b:2": ('"', "come", ".")}
    left, rejected = without_reprints([few, first, again], tokens)
    assert [one.item.id for one in left] == ["a:1:0", first.item.id]
    assert [(one.id, one.detail) for one in rejected] == [(again.item.id, "b:1")]


def test_what_the_set_gives_away_is_reported():
    leaky = ChoiceFacts(
        [Round(0.4, 0.1)],
        0,
        Leak(0.38, 0.01),
        900,
        shares={"answer_highest_length": 0.31},
        classes={"noun": (50, 40), "verb": (10, 9), "adverb": (2, 0)},
    )
    lines = partial(choice_lines, settings=SETTINGS, n=100)
    check, score, classes = lines(leaky, shares_are_set=True)
    assert check.startswith("warning: ")
    assert "in 38.0% of the questions (chance: 20%, choice.max_leak: 25%)" in check
    assert 'Set choice.n_questions = "auto", or add books' in check
    assert score.startswith("answer_highest_length in 31% of the questions (chance: 20%)")
    assert "classes: noun 40 of 50." in classes
    assert list(lines(leaky, shares_are_set=False)) == [check, score]
    assert not list(lines(ChoiceFacts(shares={"answer_lowest_length": 0.24}), shares_are_set=True))
    facts = choice_facts(leaky, SETTINGS, n=100)
    assert facts["classes"]["verb"] == {"wanted": 10, "chosen": 9}
    assert facts["leak"] == {
        "check": 0.38,
        "error": 0.01,
        "max_leak": 0.25,
        "n": 100,
        "auto": False,
        "sentences": 900,
        "tried": [],
    }


@pytest.mark.parametrize(
    ("tried", "limit"),
    [
        ({300: Leak(0.21, 0.01), 360: Leak(0.24, 0.02)}, "360 would reveal too much (check 24.0%"),
        ({300: Leak(0.21, 0.01)}, "half of the sentences that offer one. Estimate"),
    ],
)
def test_what_limits_the_size_is_printed(tried, limit):
    """The margin counts: 24 +- 2 % is too much, 21 +- 1 % is not."""
    facts = ChoiceFacts([Round(0.2, 0.0)], 0, Leak(0.21, 0.01), 600, tried)
    settings = SETTINGS.model_copy(update={"n_questions": "auto"})
    _, line = choice_lines(facts, settings, n=300, shares_are_set=False)
    assert limit in line
    assert line.endswith("offer a question (600), so twice the books give about 600")


def test_auto_needs_the_check():
    for changed in ({"method": "random"}, {"rounds": 0}):
        with pytest.raises(ValueError, match='n_questions = "auto" needs the check'):
            ChoiceSettings.model_validate({"n_questions": "auto", **changed})
