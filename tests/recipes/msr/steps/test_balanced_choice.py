"""The choice over all records: one focus word a sentence, the same set whatever the order, reasons for the rest."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from cloze_gen.recipes.msr.steps.balance import rank_features
from cloze_gen.recipes.msr.steps.balanced_choice import choose_balanced
from cloze_gen.recipes.msr.steps.choice import BALANCED_SCORES, ChoiceReason, ChoiceSettings, Chosen, FitItem, ScoredItem, choose_randomly
from cloze_gen.recipes.msr.steps.impostor_draws import offered_draws
from cloze_gen.records.rejection import Rejection
from cloze_gen.rng import derive_rng
from tests.recipes.msr.steps.conftest import clear

SETTINGS = ChoiceSettings(n_questions=40, draws=6)  # the default slack: the target is not zero
LEVEL = SETTINGS.model_copy(update={"slack": 0.0})
PAIRS_OFF = 2.0  # of the sum of a pair's feature: levelled it is 0.5, of chance 6
QUESTION = 1 / SETTINGS.n_questions + 1e-9  # what a single question moves a share


def choose(items: list[ScoredItem], *, settings: ChoiceSettings, seed: int) -> tuple[list[Chosen | Rejection], dict[str, float]]:
    """The choice among all that the items offer."""
    return choose_balanced(items, offered_draws(items, settings=settings, seed=seed), settings=settings, seed=seed)


def scored_items(n_sentences: int = 120, *, leak: float = 0.2) -> list[ScoredItem]:
    """Two focus words a sentence, eight candidates each; answers score higher than chance by `leak`. One item has too few candidates."""
    found = []
    for sentence in range(n_sentences):
        for position in (2, 5):
            rng = derive_rng(7, "test.scored", f"{sentence}:{position}")
            words = tuple(f"w{i}" for i in rng.choice(60, 9, replace=False).tolist())
            scores = rng.random((9, len(BALANCED_SCORES)))
            scores[0] += leak
            item = FitItem(f"b:{sentence}:{position}", f"b:{sentence}", words[0], words[1:])
            found.append(clear(item, scores))
    few = FitItem("b:999:1", "b:999", "w0", ("w1", "w2"))
    return [*found, clear(few, np.zeros((3, len(BALANCED_SCORES))))]


@pytest.mark.parametrize("draw", ["matched", "uniform"])
@pytest.mark.parametrize(("settings", "off"), [(LEVEL, QUESTION), (SETTINGS, SETTINGS.slack + QUESTION)])
def test_the_set_is_level_and_of_one_word_a_sentence(draw: str, settings: ChoiceSettings, off: float) -> None:
    """Highest and lowest of every score one in five, or the slack off it; each question has four of its own candidates."""
    items = scored_items()
    found, shares = choose(items, settings=settings.model_copy(update={"impostor_draw": draw}), seed=1)
    chosen = [verdict for verdict in found if isinstance(verdict, Chosen)]
    assert len(chosen) == SETTINGS.n_questions
    assert len({choice.id.rpartition(":")[0] for choice in chosen}) == len(chosen)
    candidates = {scored.item.id: set(scored.item.candidates) for scored in items}
    assert all(len(set(choice.impostors)) == 4 and set(choice.impostors) <= candidates[choice.id] for choice in chosen)
    assert list(shares.values()) == pytest.approx([0.2] * len(shares), abs=off)


def summed_features(items: list[ScoredItem], settings: ChoiceSettings) -> np.ndarray:
    """What the feature vectors of the chosen questions sum to."""
    of_item = {one.item.id: one for one in items}
    total = 0.0
    for choice in choose(items, settings=settings, seed=1)[0]:
        if isinstance(choice, Chosen):
            one = of_item[choice.id]
            rows = [0, *(1 + one.item.candidates.index(word) for word in choice.impostors)]
            total = total + rank_features(one.scores[None, rows])[0]
    return np.asarray(total)


def test_no_slack_levels_all() -> None:
    """Shares and pairs alike: with slack the pairs keep the scatter of chance, without they are as level as the shares."""
    items = scored_items()
    level, loose = (np.abs(summed_features(items, settings)) for settings in (LEVEL, SETTINGS))
    shares = len(BALANCED_SCORES) * 5
    assert level[shares:].max() < PAIRS_OFF < loose[shares:].max()
    assert level[:shares].max() < 1.01  # a question's own, and what float32 adds to it


def test_matched_words_are_impostors_as_they_are_answers() -> None:
    """A tenth of the words are most of the answers: matched, they are most of the impostors too, else hardly more than a tenth."""
    items = []
    for one in scored_items():
        rng = derive_rng(7, "test.matched", one.item.id)
        common = f"w{int(rng.integers(6))}"
        others = tuple(f"w{i}" for i in rng.choice(60, 16, replace=False).tolist() if f"w{i}" != common)
        item = FitItem(one.item.id, one.item.sentence_id, common, others)
        items.append(clear(item, rng.random((1 + len(others), len(BALANCED_SCORES)))))
    shares = {}
    for draw in ("matched", "uniform"):
        found, _ = choose(items, settings=SETTINGS.model_copy(update={"impostor_draw": draw}), seed=1)
        words = [int(word[1:]) < 6 for choice in found if isinstance(choice, Chosen) for word in choice.impostors]
        shares[draw] = sum(words) / len(words)
    assert shares["uniform"] < 0.2
    assert shares["matched"] > 2 * shares["uniform"]


def test_the_slack_leaves_the_scatter_of_chance() -> None:
    """With it shares scatter by more than a question, which is all that levelling leaves, and by no more than the slack and a question."""
    loose = SETTINGS.model_copy(update={"slack": 0.08})
    level, scattered = (choose(scored_items(), settings=settings, seed=1)[1].values() for settings in (LEVEL, loose))
    assert max(abs(share - 0.2) for share in level) <= QUESTION
    assert 2 * QUESTION < max(abs(share - 0.2) for share in scattered) <= loose.slack + QUESTION


@pytest.mark.parametrize("asked", [1_040, 10_000])
def test_what_cannot_be_had_is_no_reason_to_leak(asked: int) -> None:
    """A pool of 100 sentences without a leak gives the same set, as level, however many questions are asked for beyond them."""
    items = scored_items(100, leak=0.0)
    enough, more = (SETTINGS.model_copy(update={"n_questions": n}) for n in (100, asked))
    found, shares = choose(items, settings=more, seed=1)
    assert max(abs(share - 0.2) for share in shares.values()) < 0.035
    assert (found, shares) == choose(items, settings=enough, seed=1)


def test_every_item_has_a_verdict_with_its_reason() -> None:
    """Chosen, another of the sentence chosen, beyond the number, or too few candidates: nothing is dropped in silence."""
    items = scored_items()
    found, _ = choose(items, settings=SETTINGS, seed=1)
    assert [verdict.id for verdict in found] == [scored.item.id for scored in items]
    reasons = Counter(str(verdict.reason) for verdict in found if isinstance(verdict, Rejection))
    assert reasons[ChoiceReason.TOO_FEW_CANDIDATES] == 1
    assert reasons[ChoiceReason.OTHER_FOCUS_CHOSEN] == SETTINGS.n_questions
    assert sum(reasons.values()) == len(items) - SETTINGS.n_questions


def test_an_item_without_a_four_to_offer_is_no_question() -> None:
    """Of two focus words a sentence the first has candidates that fit as well or are absurd; the second stands in their stead."""
    items = [
        replace(one, fits_as_well=np.full(8, 0.5)) if number % 4 == 0 else replace(one, plausible=np.zeros(8)) if number % 4 == 2 else one
        for number, one in enumerate(scored_items()[:-1])
    ]
    found, _ = choose(items, settings=SETTINGS, seed=1)
    reason_of = {verdict.id: str(verdict.reason) for verdict in found if isinstance(verdict, Rejection)}
    without = {one.item.id for one in items if one.item.id.endswith(":2")}
    assert {key for key, reason in reason_of.items() if reason == ChoiceReason.NO_FOUR} == without
    assert sum(isinstance(verdict, Chosen) for verdict in found) == SETTINGS.n_questions
    nothing, shares = choose([one for one in items if one.item.id in without], settings=SETTINGS, seed=1)
    assert ({str(verdict.reason) for verdict in nothing if isinstance(verdict, Rejection)}, shares) == ({ChoiceReason.NO_FOUR}, {})


def test_the_order_of_the_items_does_not_matter() -> None:
    """Workers may hand the items over in any order."""
    items = scored_items(40)
    forwards = {v.id: v for v in choose(items, settings=SETTINGS, seed=1)[0]}
    backwards = {v.id: v for v in choose(items[::-1], settings=SETTINGS, seed=1)[0]}
    assert forwards == backwards
    assert forwards != {v.id: v for v in choose(items, settings=SETTINGS, seed=2)[0]}


def test_no_fit_item_gives_reasons_and_no_question() -> None:
    """A corpus too small is told, not a crash."""
    found, shares = choose(scored_items(0), settings=SETTINGS, seed=1)
    assert [str(v.reason) for v in found if isinstance(v, Rejection)] == [ChoiceReason.TOO_FEW_CANDIDATES]
    assert shares == {}


def test_a_random_choice_is_each_records_own() -> None:
    """Taking items away changes no other item's impostors: only the cut to n looks at all."""
    items = [scored.item for scored in scored_items(40)]
    settings = SETTINGS.model_copy(update={"n_questions": 1000})
    whole = {v.id: v for v in choose_randomly(items, settings=settings, seed=1) if isinstance(v, Chosen)}
    part = {v.id: v for v in choose_randomly(items[:20], settings=settings, seed=1) if isinstance(v, Chosen)}
    assert part
    assert all(whole[item_id] == verdict for item_id, verdict in part.items())
