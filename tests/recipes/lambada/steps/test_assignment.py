"""Whatever order answers come in, and however often, the verdicts are the same."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.recipes.lambada.steps.assignment import assign, hand_out, replay, take_answers
from cloze_gen.recipes.lambada.steps.guessing import Case, GuessingSettings, Verdict, verdict
from cloze_gen.records.guess_page import Condition, Event, Origin, Page, PageAnswer
from cloze_gen.rng import stable_fraction

SETTINGS = GuessingSettings(sentence_subjects=3, sentence_subjects_at_once=2, passages_per_page=4, sentences_per_page=3)
CASES = {f"b:{n}": Case(f"b:{n}", "menu", "b", 10 * n, 10 * n + 9) for n in range(12)}
SUBJECTS = [f"s{n}" for n in range(8)]


def answered(page: Page) -> list[PageAnswer]:
    """What a subject says of a page: right more often than not with the passage, seldom without."""
    least = 0.2 if page.condition is Condition.PASSAGE else 0.6
    words = ["menu" if stable_fraction("says", f"{page.subject}{one}") > least else "lamp" for one in page.passage_ids]
    return [PageAnswer(page.id, item, (word,), page.subject) for item, word in enumerate(words, 1)]


def whole_study(order: random.Random | None) -> tuple[list[Event], dict[str, Verdict | None]]:
    """Rounds of pages until nobody is asked any more; the answers of a round in some order, some of them twice."""
    events: list[Event] = [Origin("3cc3")]
    cases, pages = dict(CASES), dict[str, Page]()
    while True:
        dealt = [page for one in Condition for page in assign(cases.values(), SUBJECTS, one, settings=SETTINGS)]
        if not dealt:
            return events, {one: verdict(case, SETTINGS) for one, case in cases.items()}
        cases |= hand_out(cases, dealt, SETTINGS)
        pages |= {page.id: page for page in dealt}
        answers = [given for page in dealt for given in answered(page)]
        if order is not None:
            answers += order.sample(answers, len(answers) // 3)
            order.shuffle(answers)
        changed, taken, _ = take_answers(cases, pages, answers, SETTINGS)
        cases |= changed
        events += [*dealt, *taken]


IN_ORDER = whole_study(None)[1]


@given(st.randoms(use_true_random=False))
def test_verdicts_hang_on_no_order(order: random.Random) -> None:
    """Answers of a round shuffled and repeated: the same verdicts; and replayed from the ledger, the same again."""
    assert {*IN_ORDER.values()} >= {Verdict.KEPT, Verdict.MISSED, Verdict.GUESSED_ALONE}
    events, verdicts = whole_study(order)
    assert verdicts == IN_ORDER
    again, _ = replay(CASES, events, SETTINGS)
    assert {one: verdict(case, SETTINGS) for one, case in again.items()} == IN_ORDER


def test_pages_are_no_longer_dealt_under_other_rules() -> None:
    """A ledger of two readers is not replayed with three: what was to be guessed from the sentence no longer is."""
    events, _ = whole_study(None)
    with pytest.raises(ValueError, match="is not to be guessed from the sentence"):
        replay(CASES, events, SETTINGS.model_copy(update={"passage_subjects": 3}))
