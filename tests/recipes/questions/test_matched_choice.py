"""The matched choice: what gave the answer away no longer does; shares of the classes of words."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from cloze_gen.recipes.questions.impostor_draws import offered_draws
from cloze_gen.recipes.questions.matched_choice import ChoiceFacts, choose_matched, class_quotas
from cloze_gen.recipes.questions.propensity import found_by_scores
from cloze_gen.recipes.questions.random_choice import (
    ChoiceReason,
    ChoiceSettings,
    Chosen,
    FitItem,
)
from cloze_gen.recipes.questions.set_size import sizes_of
from cloze_gen.records.rejection import Rejection
from cloze_gen.rng import derive_rng
from tests.recipes.questions.conftest import SCORE_NAMES, clear, plan_of

SETTINGS = ChoiceSettings(n_questions=80, draws=8, rounds=1, class_shares={})
CLASSES = ("noun", "noun", "noun", "verb")


def pool(n_sentences, *, leak=0.7):
    """Ten candidates a focus word; an option with two scores of unlike sign is more often right."""
    found = []
    for sentence in range(n_sentences):
        rng = derive_rng(7, "test.pool", str(sentence))
        words = tuple(f"w{i}" for i in rng.choice(90, 11, replace=False).tolist())
        scores = rng.standard_normal((11, len(SCORE_NAMES)))
        scores[:, 3] = np.exp(scores[:, 3])
        scores[0, 1] = (
            -np.sign(scores[0, 0]) * abs(scores[0, 1]) if rng.random() < leak else scores[0, 1]
        )
        item = FitItem(
            f"b:{sentence}:2", f"b:{sentence}", words[0], words[1:], CLASSES[sentence % 4]
        )
        found.append(clear(item, scores))
    return found


def choose(items, *, settings, seed):
    """The choice among all that the items offer."""
    plan = plan_of(settings, seed=seed)
    return choose_matched(items, offered_draws(items, plan), plan)


def chosen_of(items, **changed):
    verdicts, facts = choose(items, settings=SETTINGS.model_copy(update=changed), seed=1)
    return [verdict for verdict in verdicts if isinstance(verdict, Chosen)], facts


def gain(items, chosen):
    """What the check learns of a set, by other folds than those that chose it."""
    of_item = {one.item.id: one for one in items}
    rows = [
        [0, *(1 + of_item[one.id].item.candidates.index(word) for word in one.impostors)]
        for one in chosen
    ]
    scores = np.stack([of_item[one.id].scores[row] for one, row in zip(chosen, rows, strict=True)])
    _, found = found_by_scores(
        scores.astype(np.float32), np.arange(len(chosen)), seed=5, purposes=["msr.check"]
    )
    return float(found.mean())


@pytest.mark.slow
def test_what_told_the_answer_tells_less():
    """Only the signs of two scores together reveal the answer, no single rank does."""
    items = pool(400)
    chosen, facts = chosen_of(items, n_questions=120, rounds=2)
    at_random = [Chosen(one.item.id, one.item.candidates[:4]) for one in items[:120]]
    assert gain(items, chosen) < 0.5 * gain(items, at_random)
    assert facts.kept is not None
    assert facts.rounds[facts.kept].gain == min(one.gain for one in facts.rounds)
    assert facts.leak is not None
    assert facts.leak.accuracy < 0.3
    assert facts.shares == pytest.approx(dict.fromkeys(facts.shares, 0.2), abs=0.05)


@pytest.mark.slow
def test_the_order_of_the_items_does_not_matter():
    """Workers may hand the items over in any order; another seed gives another set."""
    items = pool(150)
    forwards, backwards = chosen_of(items), chosen_of(items[::-1])
    assert sorted(forwards[0], key=lambda one: one.id) == sorted(
        backwards[0], key=lambda one: one.id
    )
    assert forwards[1] == backwards[1]
    assert forwards[0] != [
        one for one in choose(items, settings=SETTINGS, seed=2)[0] if isinstance(one, Chosen)
    ]


@pytest.mark.slow
def test_a_chosen_size_gives_the_set_of_that_number():
    """Its answers stay hidden, or it is the smallest size."""
    items = pool(300)
    chosen, facts = chosen_of(items, n_questions="auto", max_leak=0.01)
    assert facts.leak is not None
    assert len(chosen) == sizes_of(300)[0]
    assert facts.leak.accuracy > 0.01
    assert sorted(facts.tried) == sizes_of(300)[1:2]
    given, same = chosen_of(items, n_questions=len(chosen))
    assert (given, same.leak, same.tried) == (chosen, facts.leak, {})


def test_a_size_of_an_uncheckable_pool_is_half_of_it():
    chosen, facts = chosen_of(pool(60), n_questions="auto")
    assert (len(chosen), facts.leak, facts.tried) == (30, None, {})


def test_too_few_sentences_are_levelled_and_no_more():
    """With 60 questions no classifier is trained, and the facts record it."""
    chosen, facts = chosen_of(pool(60))
    assert len(chosen) == 60
    assert (facts.rounds, facts.kept, facts.leak) == ((), None, None)
    assert facts.shares


def test_topic_is_levelled_though_no_classifier_sees_it():
    items = []
    for place, one in enumerate(pool(140)):
        topicality = derive_rng(3, "test.topics", one.item.id).standard_normal(11)
        topicality[0] += 3.0 * (place % 4 > 0)
        items.append(replace(one, topicality=topicality))
    of_item = {one.item.id: one for one in items}
    chosen, _ = chosen_of(items, n_questions=30, rounds=0)

    def best(one):
        item = of_item[one.id]
        places = [1 + item.item.candidates.index(word) for word in one.impostors]
        return bool(item.topicality[0] > item.topicality[places].max())

    at_random = np.mean([best(Chosen(one.item.id, one.item.candidates[:4])) for one in items])
    assert at_random > 0.6
    assert np.mean([best(one) for one in chosen]) < at_random - 0.2


def test_classes_have_their_shares():
    """A quarter of the pool are verbs and half is requested: they give two fifths of theirs."""
    items = pool(100)
    chosen, facts = chosen_of(items, n_questions=40, class_shares={"noun": 0.5, "verb": 0.5})
    class_of = {one.item.id: one.item.word_class for one in items}
    assert Counter(class_of[one.id] for one in chosen) == {"noun": 30, "verb": 10}
    assert facts.classes == {"noun": (20, 30), "verb": (20, 10)}


def test_every_item_has_a_verdict_and_missing_scores_are_borne():
    """Nothing is dropped in silence; an infinite or missing score stops nothing."""
    items = pool(60)
    items[3].scores[2, 1], items[4].scores[0, 4] = -np.inf, np.nan
    few = clear(FitItem("b:999:1", "b:999", "w0", ("w1", "w2")), np.zeros((3, len(SCORE_NAMES))))
    found, _ = choose(
        [*items, few], settings=SETTINGS.model_copy(update={"n_questions": 40}), seed=1
    )
    assert [verdict.id for verdict in found] == [one.item.id for one in [*items, few]]
    reasons = Counter(str(verdict.reason) for verdict in found if isinstance(verdict, Rejection))
    assert reasons == {ChoiceReason.BEYOND_N: 20, ChoiceReason.TOO_FEW_CANDIDATES: 1}


def test_an_item_without_a_four_to_offer_is_no_question():
    items = pool(30)
    items[3], items[7] = (
        replace(items[3], fits_as_well=np.full(10, 0.5)),
        replace(items[7], plausible=np.zeros(10)),
    )
    found, _ = choose(items, settings=SETTINGS, seed=1)
    rejected = {
        verdict.id: str(verdict.reason) for verdict in found if isinstance(verdict, Rejection)
    }
    assert rejected == {items[place].item.id: ChoiceReason.NO_FOUR for place in (3, 7)}
    nothing, facts = choose([items[3]], settings=SETTINGS, seed=1)
    assert nothing == [Rejection(items[3].item.id, ChoiceReason.NO_FOUR)]
    assert facts == ChoiceFacts()


def test_no_fit_item_gives_reasons_and_no_question():
    """A corpus too small is told, not a crash."""
    few = clear(FitItem("b:999:1", "b:999", "w0", ("w1", "w2")), np.zeros((3, len(SCORE_NAMES))))
    found, facts = choose([few], settings=SETTINGS, seed=1)
    assert [str(verdict.reason) for verdict in found if isinstance(verdict, Rejection)] == [
        ChoiceReason.TOO_FEW_CANDIDATES
    ]
    assert facts == ChoiceFacts()


SHARES = {"noun": 0.5, "verb": 0.3, "adjective": 0.2}


def quotas_of(counts, *, n, shares=SHARES):
    """What is to be chosen of each class, every item in a sentence of its own."""
    classes = [name for name, count in counts.items() for _ in range(count)]
    return dict(
        class_quotas(classes, [str(i) for i in range(len(classes))], shares=shares, n=n).most
    )


def test_shares_are_filled_where_the_pool_can():
    """Each class as asked for."""
    assert quotas_of({"noun": 500, "verb": 500, "adjective": 500}, n=100) == {
        "noun": 50,
        "verb": 30,
        "adjective": 20,
    }


def test_what_a_class_cannot_fill_goes_to_the_others():
    """No more than two fifths of the ten adjectives, and the set is as large as asked for."""
    found = quotas_of({"noun": 500, "verb": 500, "adjective": 10}, n=100)
    assert found["adjective"] == 4
    assert sum(found.values()) == 100
    assert found["noun"] > 50
    assert found["verb"] > 30


def test_all_are_taken_where_all_are_needed():
    """A pool of the set's own size gives all it has, whatever was asked."""
    assert quotas_of({"noun": 10, "verb": 80, "adjective": 10}, n=100) == {
        "noun": 10,
        "verb": 80,
        "adjective": 10,
    }


def test_a_class_that_is_not_named_gets_what_is_left():
    """Half is asked of nouns; the rest goes to what there is."""
    found = quotas_of({"noun": 500, "adverb": 500}, n=100, shares={"noun": 0.5})
    assert found["noun"] >= 50
    assert found["adverb"] > 0
    assert sum(found.values()) == 100


@pytest.mark.parametrize(("classes", "shares"), [(["other"] * 9, SHARES), (["noun"] * 9, {})])
def test_nothing_asked_or_nothing_tagged_is_no_quota(classes, shares):
    """Without tags there are no classes to share among."""
    assert not class_quotas(classes, [str(i) for i in range(9)], shares=shares, n=5).most
