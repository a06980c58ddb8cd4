"""The features that are balanced, the balanced choice and the random one."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from cloze_gen.recipes.questions.balance import (
    answer_shares,
    choose_balanced,
    rank_features,
    spelling_vectors,
    value_features,
)
from cloze_gen.recipes.questions.impostor_draws import offered_draws
from cloze_gen.recipes.questions.random_choice import (
    ChoiceReason,
    ChoiceSettings,
    Chosen,
    FitItem,
    ScoredItem,
    choose_randomly,
)
from cloze_gen.records.rejection import Rejection
from cloze_gen.rng import derive_rng
from tests.recipes.questions.conftest import SCORE_NAMES, clear, plan_of


def test_features_of_a_tie_are_shared() -> None:
    """An answer that ties for the first two ranks holds half of each."""
    features = rank_features(np.array([[[3.0], [3.0], [1.0]]]))
    assert features[0] == pytest.approx([1 / 6, 1 / 6, -1 / 3])


def test_a_pair_of_scores_has_a_feature() -> None:
    """Ranks of the answer that go together more than its impostors' do are seen."""
    together = rank_features(np.array([[[3.0, 3.0], [2.0, 1.0], [1.0, 2.0]]]))
    apart = rank_features(np.array([[[3.0, 1.0], [2.0, 2.0], [1.0, 3.0]]]))
    assert together.shape == (1, 7)
    assert together[0, -1] > 0
    assert apart[0, -1] < 0


def test_value_lines_see_what_ranks_do_not() -> None:
    near, far, level = ([[low], [1.0], [1.1], [1.2], [1.3]] for low in (0.9, -3.0, 1.0))
    ranks = rank_features(np.array([near, far]))
    values = value_features(np.array([near, far]))
    assert ranks[0].tolist() == ranks[1].tolist()
    assert np.abs(values[0] - values[1]).max() > 0.3
    assert value_features(np.array([[level[1]] * 5])).tolist() == [[0.0] * values.shape[1]]


def test_value_lines_see_an_answer_that_stands_alone() -> None:
    alone, among = np.array([0.0, 1.0, 1.1, 1.2, 1.3]), np.array([0.0, 1.0, 2.5, 3.0, 4.0])
    lines = [value_features(five[None, :, None])[0].reshape(7, 4)[:, 3] for five in (alone, among)]
    assert lines[0][0] > lines[1][0] > 0


def test_words_of_one_ending_are_spelt_alike() -> None:
    """More in common with each other than with another word, and a word is itself every time."""
    walked, talked, stones, again = spelling_vectors(["walked", "talked", "stones", "walked"])
    assert walked.tolist() == again.tolist()
    assert walked @ talked > 0.2 > abs(walked @ stones)


SETTINGS = ChoiceSettings(
    n_impostors=4, n_questions=40, draws=6
)  # the default tolerance: the target is not zero
LEVEL = SETTINGS.model_copy(update={"rank_tolerance": 0.0})
PAIRS_OFF = 2.0  # of the sum of a pair's feature: levelled it is 0.5, of chance 6
QUESTION = 1 / SETTINGS.n_questions + 1e-9  # what a single question moves a share


def choose(
    items: list[ScoredItem], *, settings: ChoiceSettings, seed: int
) -> tuple[list[Chosen | Rejection], dict[str, float]]:
    """The choice among all that the items offer."""
    plan = plan_of(settings, seed=seed)
    return choose_balanced(items, offered_draws(items, plan), plan)


def scored_items(n_sentences: int = 120, *, leak: float = 0.2) -> list[ScoredItem]:
    """Two focus words a sentence, eight candidates each; `leak` raises the answers' scores."""
    found = []
    for sentence in range(n_sentences):
        for position in (2, 5):
            rng = derive_rng(7, "test.scored", f"{sentence}:{position}")
            words = tuple(f"w{i}" for i in rng.choice(60, 9, replace=False).tolist())
            scores = rng.random((9, len(SCORE_NAMES)))
            scores[0] += leak
            item = FitItem(f"b:{sentence}:{position}", f"b:{sentence}", words[0], words[1:])
            found.append(clear(item, scores))
    few = FitItem("b:999:1", "b:999", "w0", ("w1", "w2"))
    return [*found, clear(few, np.zeros((3, len(SCORE_NAMES))))]


@pytest.mark.parametrize("draw", ["matched", "uniform"])
@pytest.mark.parametrize(
    ("settings", "off"), [(LEVEL, QUESTION), (SETTINGS, SETTINGS.rank_tolerance + QUESTION)]
)
def test_the_set_is_level_and_of_one_word_a_sentence(
    draw: str, settings: ChoiceSettings, off: float
) -> None:
    items = scored_items()
    found, shares = choose(
        items, settings=settings.model_copy(update={"impostor_draw": draw}), seed=1
    )
    chosen = [verdict for verdict in found if isinstance(verdict, Chosen)]
    assert len(chosen) == SETTINGS.n_questions
    assert len({choice.id.rpartition(":")[0] for choice in chosen}) == len(chosen)
    candidates = {scored.item.id: set(scored.item.candidates) for scored in items}
    assert all(
        len(set(choice.impostors)) == 4 and set(choice.impostors) <= candidates[choice.id]
        for choice in chosen
    )
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
    """With a tolerance the pairs keep the scatter of chance."""
    items = scored_items()
    level, loose = (np.abs(summed_features(items, settings)) for settings in (LEVEL, SETTINGS))
    shares = len(SCORE_NAMES) * 5
    assert level[shares:].max() < PAIRS_OFF < loose[shares:].max()
    assert level[:shares].max() < 1.01  # a question's own, and what float32 adds to it


def test_matched_words_are_impostors_as_they_are_answers() -> None:
    """A tenth of the words are most of the answers, and if matched most of the impostors."""
    items = []
    for one in scored_items():
        rng = derive_rng(7, "test.matched", one.item.id)
        common = f"w{int(rng.integers(6))}"
        others = tuple(
            f"w{i}" for i in rng.choice(60, 16, replace=False).tolist() if f"w{i}" != common
        )
        item = FitItem(one.item.id, one.item.sentence_id, common, others)
        items.append(clear(item, rng.random((1 + len(others), len(SCORE_NAMES)))))
    shares = {}
    for draw in ("matched", "uniform"):
        found, _ = choose(
            items, settings=SETTINGS.model_copy(update={"impostor_draw": draw}), seed=1
        )
        words = [
            int(word[1:]) < 6
            for choice in found
            if isinstance(choice, Chosen)
            for word in choice.impostors
        ]
        shares[draw] = sum(words) / len(words)
    assert shares["uniform"] < 0.2
    assert shares["matched"] > 2 * shares["uniform"]


def test_the_slack_leaves_the_scatter_of_chance() -> None:
    loose = SETTINGS.model_copy(update={"rank_tolerance": 0.08})
    level, scattered = (
        choose(scored_items(), settings=settings, seed=1)[1].values() for settings in (LEVEL, loose)
    )
    assert max(abs(share - 0.2) for share in level) <= QUESTION
    assert (
        2 * QUESTION
        < max(abs(share - 0.2) for share in scattered)
        <= loose.rank_tolerance + QUESTION
    )


@pytest.mark.parametrize("asked", [1_040, 10_000])
def test_what_cannot_be_had_is_no_reason_to_leak(asked: int) -> None:
    """More questions than 100 clean sentences can give: the set stays as level."""
    items = scored_items(100, leak=0.0)
    enough, more = (SETTINGS.model_copy(update={"n_questions": n}) for n in (100, asked))
    found, shares = choose(items, settings=more, seed=1)
    assert max(abs(share - 0.2) for share in shares.values()) < 0.035
    assert (found, shares) == choose(items, settings=enough, seed=1)


def test_every_item_has_a_verdict_with_its_reason() -> None:
    items = scored_items()
    found, _ = choose(items, settings=SETTINGS, seed=1)
    assert [verdict.id for verdict in found] == [scored.item.id for scored in items]
    reasons = Counter(str(verdict.reason) for verdict in found if isinstance(verdict, Rejection))
    assert reasons[ChoiceReason.TOO_FEW_CANDIDATES] == 1
    assert reasons[ChoiceReason.OTHER_FOCUS_CHOSEN] == SETTINGS.n_questions
    assert sum(reasons.values()) == len(items) - SETTINGS.n_questions


def test_an_item_without_a_four_to_offer_is_no_question() -> None:
    """The sentence's second focus word is used instead."""
    items = [
        replace(one, fits_as_well=np.full(8, 0.5))
        if number % 4 == 0
        else replace(one, plausible=np.zeros(8))
        if number % 4 == 2
        else one
        for number, one in enumerate(scored_items()[:-1])
    ]
    found, _ = choose(items, settings=SETTINGS, seed=1)
    reason_of = {
        verdict.id: str(verdict.reason) for verdict in found if isinstance(verdict, Rejection)
    }
    without = {one.item.id for one in items if one.item.id.endswith(":2")}
    assert {key for key, reason in reason_of.items() if reason == ChoiceReason.NO_FOUR} == without
    assert sum(isinstance(verdict, Chosen) for verdict in found) == SETTINGS.n_questions
    nothing, shares = choose(
        [one for one in items if one.item.id in without], settings=SETTINGS, seed=1
    )
    assert (
        {str(verdict.reason) for verdict in nothing if isinstance(verdict, Rejection)},
        shares,
    ) == ({ChoiceReason.NO_FOUR}, {})


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
    assert [str(v.reason) for v in found if isinstance(v, Rejection)] == [
        ChoiceReason.TOO_FEW_CANDIDATES
    ]
    assert shares == {}


def test_a_random_choice_is_each_records_own() -> None:
    """Taking items away changes no other item's impostors: only the cut to n looks at all."""
    items = [scored.item for scored in scored_items(40)]
    settings = SETTINGS.model_copy(update={"n_questions": 1000})
    whole = {v.id: v for v in choose_randomly(items, plan_of(settings)) if isinstance(v, Chosen)}
    part = {
        v.id: v for v in choose_randomly(items[:20], plan_of(settings)) if isinstance(v, Chosen)
    }
    assert part
    assert all(whole[item_id] == verdict for item_id, verdict in part.items())


def test_a_missing_score_is_neither_highest_nor_lowest() -> None:
    """Nothing stands above or below it; a tie is shared."""
    highest, lowest = answer_shares([np.array([[np.nan], [1.0]]), np.array([[2.0], [2.0]])])
    assert (highest.tolist(), lowest.tolist()) == ([0.25], [0.25])
