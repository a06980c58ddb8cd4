"""Trained adversaries find what is there, nothing where there is nothing, and the same each time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from cloze_gen.errors import UsageError
from cloze_gen.evaluate.metrics import within_item_ranks
from cloze_gen.evaluate.results import Baseline
from cloze_gen.evaluate.words import adversary, adversary_families
from cloze_gen.evaluate.words.adversary import AdversaryResult, Way, adversary_row, try_adversary, why_untried
from cloze_gen.evaluate.words.adversary_features import Features, value_features
from cloze_gen.records.question import Question

ROW = Baseline("adversary-five", "adversary-five", "adversary", "")


@pytest.fixture(autouse=True)
def few_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    """Enough for what is planted here."""
    monkeypatch.setattr(adversary_families, "TREES", 30)


def made_questions(n: int, *, books: int = 3, options: int = 5) -> list[Question]:
    words = ("ant", "bee", "cow", "dog", "elk")[:options]
    return [Question(f"b{i % books}:{i}:1", f"b{i % books}", ("It", words[i % options], "."), 1, words, i % options) for i in range(n)]


def margins(questions: list[Question]) -> np.ndarray:
    """Five scores at even distances in each question, the answer at any rank alike but 0.3 above its place."""
    rng = np.random.default_rng(5)
    scores = np.array([rng.permutation(5).astype(float) for _ in questions]) + rng.normal(size=(len(questions), 1))
    scores[np.arange(len(questions)), [question.answer_index for question in questions]] += 0.3
    return scores


def figures(result: AdversaryResult) -> list[tuple[str, str, tuple[float, ...]]]:
    return sorted((way.family, way.folds, way.round_accuracies) for way in result.ways)


def test_a_margin_that_no_rank_shows_is_found() -> None:
    """The answer has each rank as often as any other option, and yet a model of the values picks it far above chance."""
    questions = made_questions(200)
    scores = margins(questions)
    ranks = within_item_ranks(scores)[np.arange(200), [question.answer_index for question in questions]]
    assert np.bincount(ranks.astype(int)).max() < 60
    result = try_adversary(ROW, value_features([scores]), questions, seed=1)
    assert result.ways[0].accuracy > 0.4
    assert result.ways[0].interval()[0] > 0.2


def test_noise_tells_nothing() -> None:
    """Scores that know nothing of the answers: chance lies in the interval of the worst way, and p says so too."""
    questions = made_questions(300)
    scores = [np.random.default_rng(place).normal(size=(300, 5)) for place in range(2)]
    row = adversary_row(try_adversary(ROW, value_features(scores), questions, seed=1), seed=1)
    assert row["low"] <= 0.2 <= row["high"]
    assert row["p_value"] > 0.05


def test_the_worst_way_speaks() -> None:
    """Four ways where there are books, the one that is right most often first; its figures are the row's, and the predictions'."""
    questions = made_questions(60)
    result = try_adversary(ROW, value_features([margins(questions)]), questions, seed=1)
    row = adversary_row(result, seed=1)
    assert {(way["family"], way["folds"]) for way in row["ways"]} == {(f, c) for f in ("trees", "logit") for c in ("item", "book")}
    assert row["accuracy"] == max(way["accuracy"] for way in row["ways"]) == row["ways"][0]["accuracy"]
    assert row["corrected_for"] == 4
    assert row["low"] < row["ways"][0]["low"] < row["accuracy"] < row["ways"][0]["high"] < row["high"]
    assert row["p_value"] == pytest.approx(min(1, 4 * row["ways"][0]["p_value"]))
    shares = result.judged(seed=1).scores
    assert shares[np.arange(60), [question.answer_index for question in questions]].mean() == pytest.approx(row["accuracy"])
    assert np.allclose(shares.sum(axis=1), 1)


def test_one_book_is_tried_by_item_alone() -> None:
    """And what is missing is said."""
    questions = made_questions(30, books=1)
    result = try_adversary(ROW, value_features([margins(questions)]), questions, seed=1)
    assert {way.folds for way in result.ways} == {"item"}
    assert "one book" in result.left_out


def test_no_model_sees_what_it_is_tried_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """A family is handed every row with its answer; the rows of the book that it scores are never among those to train on."""
    questions = made_questions(40, books=4)
    books = np.repeat([question.book_id for question in sorted(questions, key=lambda one: one.id)], 5)
    seen: list[tuple[set[str], set[str]]] = []

    def family(features: Features, item_of_row: np.ndarray, is_answer: np.ndarray, trained: np.ndarray) -> np.ndarray:
        seen.append((set(books[trained]), set(books[~trained])))
        return np.zeros(int((~trained).sum()))

    monkeypatch.setattr(adversary, "FAMILIES", {"none": family})
    try_adversary(ROW, value_features([margins(questions)]), questions, seed=1)
    by_book = seen[15:]  # behind three rounds of five folds by item
    assert [tried for _, tried in by_book] == [{"b0"}, {"b1"}, {"b2"}, {"b3"}]
    assert not any(learnt & tried for learnt, tried in by_book)


def test_the_order_of_the_items_changes_nothing() -> None:
    """Items the other way round: the same choices, item by item, and the same figures to the last digit."""
    questions, back = made_questions(50), slice(None, None, -1)
    scores = margins(questions)
    one = try_adversary(ROW, value_features([scores]), questions, seed=1)
    other = try_adversary(ROW, value_features([scores[back]]), questions[back], seed=1)
    assert figures(one) == figures(other)
    assert np.array_equal(one.ways[0].chosen, other.ways[0].chosen[back])
    assert figures(one) != figures(try_adversary(ROW, value_features([scores]), questions, seed=2))


@pytest.mark.parametrize(("n", "options", "said"), [(9, 5, "too few"), (20, 1, "single option"), (10, 2, "")])
def test_what_cannot_be_tried_is_told(n: int, options: int, said: str) -> None:
    """Too few questions, or nothing to choose from; from ten on every set is tried."""
    questions = made_questions(n, options=options)
    assert said in why_untried(questions)
    assert bool(why_untried(questions)) == bool(said)
    if not said:
        assert try_adversary(ROW, value_features([np.ones((n, options))]), questions, seed=1).ways


def test_items_of_different_sizes_are_tried() -> None:
    """An option that an item lacks is never chosen."""
    questions = [replace(one, options=one.options[:2], answer_index=0) if i % 2 else one for i, one in enumerate(made_questions(30))]
    scores = np.random.default_rng(1).normal(size=(30, 5))
    scores[1::2, 2:] = np.nan
    result = try_adversary(ROW, value_features([scores]), questions, seed=1)
    assert all(np.isnan(way.chosen[1::2, 2:]).all() and not np.isnan(way.chosen[::2]).any() for way in result.ways)


def test_unknown_answers_are_refused() -> None:
    """Nothing can be learnt without them."""
    questions = [replace(one, answer_index=-1) for one in made_questions(12)]
    with pytest.raises(UsageError, match="no known answer"):
        try_adversary(ROW, value_features([np.ones((12, 5))]), questions, seed=1)


def way(right: list[float], rounds: tuple[float, ...]) -> Way:
    return Way("trees", "item", np.array(right), np.zeros((len(right), 2)), rounds, 0.5)


def test_the_interval_is_wilsons_where_rounds_add_nothing() -> None:
    """One round over 100 items, 30 right: the interval of a proportion; three rounds that differ by item alone: a narrower one."""
    one = way([1.0] * 30 + [0.0] * 70, (0.3,))
    assert one.interval() == pytest.approx((0.2189, 0.3958), abs=0.001)
    shared = way([0.3] * 50 + [0.2] * 25 + [0.4] * 25, (0.3, 0.3, 0.3))
    assert shared.effective_items == 300
    assert 0.24 < shared.interval()[0] < 0.3 < shared.interval()[1] < 0.36


def test_rounds_that_disagree_widen_the_interval() -> None:
    """What the draw of the folds moves is in the interval beside the items' luck."""
    items = [1.0] * 30 + [0.0] * 70
    assert way(items, (0.1, 0.3, 0.5)).effective_items < way(items, (0.3, 0.3, 0.3)).effective_items
    assert way([0.0] * 8, (0.0, 0.0)).interval()[0] == 0.0
    assert way([0.0] * 8, (0.0, 0.0)).interval()[1] > 0.3


@pytest.mark.parametrize("tried", [1, 2, 4])
def test_p_and_interval_say_the_same(tried: int) -> None:
    """p falls below 0.05 just where the interval leaves chance out, for however many ways both are corrected."""
    for count in range(10, 45):
        one = way([1.0] * count + [0.0] * (100 - count), (count / 100,))
        low, high = one.interval(tried=tried)
        assert (one.p_value(0.2, tried=tried) > 0.05) == (low <= 0.2 <= high)


def test_the_best_of_four_is_above_chance_no_more_often_than_one() -> None:
    """Of 1,000 sets under chance the interval of the best of four lies above chance in about 2.5 %, without the correction in 10 %."""
    rng = np.random.default_rng(0)
    best = [max(rng.binomial(1, 0.2, size=(4, 400)).mean(axis=1).tolist()) for _ in range(1000)]
    ways = [way([1.0] * round(400 * share) + [0.0] * round(400 * (1 - share)), (share,)) for share in best]
    assert np.mean([one.interval(tried=4)[0] > 0.2 for one in ways]) < 0.04
    assert np.mean([one.interval()[0] > 0.2 for one in ways]) > 0.08
