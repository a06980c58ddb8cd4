"""The matched choice: the set hides what its pool reveals; sizes and classes."""

from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest

from cloze_gen.recipes.msr.choice.draws import draws_of, offer_draws
from cloze_gen.recipes.msr.choice.features import comparable
from cloze_gen.recipes.msr.choice.matched import Check, MatchedChoice, class_quotas
from cloze_gen.recipes.msr.choice.propensity import found_by_scores
from cloze_gen.recipes.msr.choice.settings import ChoiceSettings
from tests.recipes.msr.choice.small_pools import random_pool


def choose(pool, *, seed=1, say=print, **changed):
    """The draws, the chosen ones, and the check."""
    values = {"n_questions": 80, "draws": 8, "class_shares": {}} | changed
    settings = ChoiceSettings(**values)
    draws = draws_of(pool, offer_draws(pool, settings, seed=seed))
    ctx = SimpleNamespace(engine=SimpleNamespace(map=map), say=say)
    chosen, check = MatchedChoice(pool, draws, settings, seed=seed, ctx=ctx).choose()
    return draws, chosen, check


def gain(pool, rows):
    """How well a classifier finds the answers, on other folds than those that chose the set."""
    options = comparable(pool.scores)[rows]
    return found_by_scores(options, np.arange(len(rows)), seed=5, purpose="test")[1].mean()


@pytest.mark.slow
def test_the_set_hides_what_the_pool_reveals():
    """Only the signs of two scores together reveal the answer, no single rank does."""
    pool = random_pool(400, leak=0.7)
    draws, chosen, check = choose(pool, n_questions=120)
    assert len(set(pool.sentence[pool.item[draws[chosen, 0]]])) == len(chosen) == 120
    first = np.searchsorted(pool.item[draws[:, 0]], np.arange(120))
    assert gain(pool, draws[chosen]) < 0.5 * gain(pool, draws[first])
    assert check.accuracy < 0.3
    assert check.rounds > 2
    answer = pool.scores[draws[chosen]]
    is_highest = answer.argmax(axis=1) == 0
    assert is_highest.mean(axis=0) == pytest.approx(np.full(5, 0.2), abs=0.06)


@pytest.mark.slow
@pytest.mark.parametrize(("bad_luck", "size"), [(0.0, 125), (0.05, 104)])
def test_the_largest_hidden_size_is_taken(monkeypatch, bad_luck, size):
    """Of 150, 125 and 104; the check of the whole search counts, not only that of the trial."""

    def check(self, chosen, rounds):
        return Check(len(chosen) / 1000 + bad_luck * (rounds > 0), 0.01, rounds)

    monkeypatch.setattr(MatchedChoice, "_check", check)
    said = []
    chosen = choose(random_pool(300), n_questions="auto", max_leak=0.15, say=said.append)[1]
    assert len(chosen) == size
    assert [line.partition(":")[0] for line in said] == [
        "tried 125 questions",
        "tried 150 questions",
    ]


def test_few_sentences_are_balanced_without_a_check():
    pool = random_pool(60)
    draws, chosen, check = choose(pool)
    assert sorted(pool.item[draws[chosen, 0]]) == list(range(60))
    assert check is None
    assert len(choose(pool, n_questions="auto")[1]) == 30
    assert (
        choose(pool, n_questions=20, seed=2)[1].tolist() != choose(pool, n_questions=20)[1].tolist()
    )


def test_topicality_is_balanced():
    pool = random_pool(140, topic=3.0)
    draws, chosen, _ = choose(pool, n_questions=30)
    is_highest = pool.topicality[draws].argmax(axis=1) == 0
    assert is_highest.mean() > 0.6
    assert is_highest[chosen].mean() < is_highest.mean() - 0.2


def test_classes_have_their_shares():
    """A quarter of the pool are verbs and half is requested: they give two fifths of theirs."""
    pool = random_pool(100)
    draws, chosen, _ = choose(pool, n_questions=40, class_shares={"noun": 0.5, "verb": 0.5})
    assert Counter(pool.word_class[pool.item[draws[chosen, 0]]]) == {"noun": 30, "verb": 10}


SHARES = {"noun": 0.5, "verb": 0.3, "adjective": 0.2}


@pytest.mark.parametrize(
    ("counts", "shares", "quotas"),
    [
        ({"noun": 500, "verb": 500, "adjective": 500}, SHARES, (20, 50, 30)),
        # two fifths of the adjectives; the other classes fill up by what they have left
        ({"noun": 500, "verb": 500, "adjective": 10}, SHARES, (4, 58, 38)),
        # all are needed
        ({"noun": 10, "verb": 80, "adjective": 10}, SHARES, (10, 10, 80)),
        # a class without a share gets what is left
        ({"noun": 500, "adverb": 500}, {"noun": 0.5}, (29, 71)),
    ],
)
def test_quotas_sum_to_the_set(counts, shares, quotas):
    classes = np.repeat(list(counts), list(counts.values()))
    result = class_quotas(classes, np.arange(len(classes)), shares=shares, n=100)
    assert list(result) == sorted(counts)
    assert tuple(result.values()) == quotas
