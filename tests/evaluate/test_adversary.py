"""Tests of `cloze_gen.evaluation.adversary`."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from cloze_gen.errors import UsageError
from cloze_gen.evaluation import adversary
from cloze_gen.evaluation.adversary import (
    Trial,
    adversary_line,
    book_folds,
    item_folds,
    log10_freqs,
    option_features,
    skip_reason,
    try_adversary,
    value_features,
)
from cloze_gen.evaluation.metrics import within_item_ranks
from cloze_gen.evaluation.questions import ADVERSARIES, Baseline, QuestionRow
from cloze_gen.records.question import Question

# ---- adversary


ROW = Baseline("adversary-scores", "adversary-scores", "adversary", "")


@pytest.fixture(autouse=True)
def few_trees(monkeypatch):
    """Enough for what is planted here."""
    monkeypatch.setattr(adversary, "TREES", 30)


def made_questions(n, *, books=3, options=5):
    words = ("ant", "bee", "cow", "dog", "elk")[:options]
    return [
        Question(
            f"b{i % books}:{i}:1",
            f"b{i % books}",
            ("It", words[i % options], "."),
            1,
            words,
            i % options,
        )
        for i in range(n)
    ]


def margins(questions):
    """Five evenly spaced scores a question, the answer at any rank but 0.3 above its place."""
    rng = np.random.default_rng(5)
    scores = np.array([rng.permutation(5).astype(float) for _ in questions]) + rng.normal(
        size=(len(questions), 1)
    )
    scores[np.arange(len(questions)), [question.answer_index for question in questions]] += 0.3
    return scores


def figures(result):
    return sorted((way.family, way.folds, way.round_accuracies) for way in result.variants)


def test_a_margin_that_no_rank_shows_is_found():
    questions = made_questions(200)
    scores = margins(questions)
    ranks = within_item_ranks(scores)[
        np.arange(200), [question.answer_index for question in questions]
    ]
    assert np.bincount(ranks.astype(int)).max() < 60
    result = try_adversary(ROW, value_features([scores]), questions, seed=1)
    assert result.variants[0].accuracy > 0.4
    assert result.variants[0].interval()[0] > 0.2


def test_noise_tells_nothing():
    questions = made_questions(300)
    scores = [np.random.default_rng(place).normal(size=(300, 5)) for place in range(2)]
    row = try_adversary(ROW, value_features(scores), questions, seed=1).row
    assert row.low <= 0.2 <= row.high


def test_the_worst_way_speaks():
    questions = made_questions(60)
    result = try_adversary(ROW, value_features([margins(questions)]), questions, seed=1)
    row = result.row
    assert {(way.family, way.folds) for way in row.variants} == {
        (f, c) for f in ("trees", "logit") for c in ("item", "book")
    }
    assert row.accuracy == max(way.accuracy for way in row.variants) == row.variants[0].accuracy
    assert row.corrected_for == 4
    assert row.low < row.variants[0].low < row.accuracy < row.variants[0].high < row.high
    shares = np.array(
        [
            [line["score"] for line in lines]
            for _, lines in itertools.groupby(result.predictions(), key=lambda line: line["id"])
        ]
    )
    assert shares[
        np.arange(60), [question.answer_index for question in questions]
    ].mean() == pytest.approx(row.accuracy)
    assert np.allclose(shares.sum(axis=1), 1)


def test_one_book_is_tried_by_item_alone():
    """And what is missing is said."""
    questions = made_questions(30, books=1)
    result = try_adversary(ROW, value_features([margins(questions)]), questions, seed=1)
    assert {way.folds for way in result.variants} == {"item"}
    assert "the same book" in result.left_out


def test_no_model_sees_what_it_is_tried_on(monkeypatch):
    questions = made_questions(40, books=4)
    books = np.repeat(
        [question.book_id for question in sorted(questions, key=lambda one: one.id)], 5
    )
    seen = []

    def family(features, item_of_row, is_answer, trained):
        seen.append((set(books[trained]), set(books[~trained])))
        return np.zeros(int((~trained).sum()))

    monkeypatch.setattr(adversary, "FAMILIES", {"none": family})
    try_adversary(ROW, value_features([margins(questions)]), questions, seed=1)
    by_book = seen[15:]  # behind three rounds of five folds by item
    assert [tried for _, tried in by_book] == [{"b0"}, {"b1"}, {"b2"}, {"b3"}]
    assert not any(learnt & tried for learnt, tried in by_book)


def test_the_order_of_the_items_changes_nothing():
    questions, back = made_questions(50), slice(None, None, -1)
    scores = margins(questions)
    one = try_adversary(ROW, value_features([scores]), questions, seed=1)
    other = try_adversary(ROW, value_features([scores[back]]), questions[back], seed=1)
    assert figures(one) == figures(other)
    assert np.array_equal(one.variants[0].chosen, other.variants[0].chosen[back])
    assert figures(one) != figures(try_adversary(ROW, value_features([scores]), questions, seed=2))


@pytest.mark.parametrize(
    ("n", "options", "said"), [(9, 5, "too few"), (20, 1, "only one option"), (10, 2, "")]
)
def test_what_cannot_be_tried_is_told(n, options, said):
    """Too few questions, or nothing to choose from; from ten on every set is tried."""
    questions = made_questions(n, options=options)
    assert said in skip_reason(questions)
    assert bool(skip_reason(questions)) == bool(said)
    if not said:
        assert try_adversary(
            ROW, value_features([np.ones((n, options))]), questions, seed=1
        ).variants


def test_items_of_different_sizes_are_tried():
    """An option that an item lacks is never chosen."""
    questions = [
        replace(one, options=one.options[:2], answer_index=0) if i % 2 else one
        for i, one in enumerate(made_questions(30))
    ]
    scores = np.random.default_rng(1).normal(size=(30, 5))
    scores[1::2, 2:] = np.nan
    result = try_adversary(ROW, value_features([scores]), questions, seed=1)
    assert all(
        np.isnan(way.chosen[1::2, 2:]).all() and not np.isnan(way.chosen[::2]).any()
        for way in result.variants
    )


def test_unknown_answers_are_refused():
    """Nothing can be learnt without them."""
    questions = [replace(one, answer_index=-1) for one in made_questions(12)]
    with pytest.raises(UsageError, match="no known answer"):
        try_adversary(ROW, value_features([np.ones((12, 5))]), questions, seed=1)


def way(right, rounds):
    return Trial("trees", "item", np.array(right), np.zeros((len(right), 2)), rounds)


def test_the_interval_is_wilsons_where_rounds_add_nothing():
    """One round over 100 items, 30 right; three rounds that differ by item give a narrower one."""
    one = way([1.0] * 30 + [0.0] * 70, (0.3,))
    assert one.interval() == pytest.approx((0.2189, 0.3958), abs=0.001)
    shared = way([0.3] * 50 + [0.2] * 25 + [0.4] * 25, (0.3, 0.3, 0.3))
    assert shared.effective_items == 300
    assert 0.24 < shared.interval()[0] < 0.3 < shared.interval()[1] < 0.36


def test_rounds_that_disagree_widen_the_interval():
    """What the draw of the folds moves is in the interval beside the items' luck."""
    items = [1.0] * 30 + [0.0] * 70
    assert way(items, (0.1, 0.3, 0.5)).effective_items < way(items, (0.3, 0.3, 0.3)).effective_items
    assert way([0.0] * 8, (0.0, 0.0)).interval()[0] == 0.0
    assert way([0.0] * 8, (0.0, 0.0)).interval()[1] > 0.3


def test_the_best_of_four_is_above_chance_no_more_often_than_one():
    """Of 1,000 sets under chance about 2.5 %, without the correction 10 %."""
    rng = np.random.default_rng(0)
    best = [max(rng.binomial(1, 0.2, size=(4, 400)).mean(axis=1).tolist()) for _ in range(1000)]
    ways = [
        way([1.0] * round(400 * share) + [0.0] * round(400 * (1 - share)), (share,))
        for share in best
    ]
    assert np.mean([one.interval(tried=4)[0] > 0.2 for one in ways]) < 0.04
    assert np.mean([one.interval()[0] > 0.2 for one in ways]) > 0.08


# ---- adversary features


def test_values_are_told_within_their_question():
    found = value_features([np.array([[1.0, 4.0, 2.5], [101.0, 104.0, np.nan]])]).dense
    assert found[:, 0].tolist() == pytest.approx([-1.5, 1.5, 0.0, -1.5, 1.5])
    assert found[:, 1].tolist() == pytest.approx([-3.0, 1.5, -1.5, -3.0, 3.0])
    assert found[:, 2].tolist() == pytest.approx([-1.5, 3.0, 1.5, -3.0, 3.0])
    assert found[:, 3].tolist() == pytest.approx([-1.2247, 1.2247, 0.0, -1.0, 1.0], abs=1e-4)
    assert found[:, 4].tolist() == [2, 0, 1, 1, 0]
    assert np.allclose(
        value_features([np.array([[7.0, 10.0, 8.5], [1.0, 4.0, np.nan]])]).dense, found
    )


def test_equal_values_tell_nothing():
    """No gap, no spread, one shared rank; and the linear view divides by no zero."""
    found = value_features([np.full((3, 4), 0.1)])
    assert np.allclose(found.dense[:, :4], 0)
    assert np.isfinite(found.linear.toarray()).all()


def test_two_equal_leaders_have_no_gap():
    """The best other option of either is the other."""
    assert value_features([np.array([[2.0, 2.0, 1.0]])]).dense[:, 1].tolist() == [0.0, 0.0, -1.0]


def test_the_logit_sees_products():
    """Of two scores ten columns, their product and two squares."""
    assert value_features([np.eye(3), np.eye(3)[::-1]]).linear.shape == (9, 13)


def test_an_unknown_frequency_is_a_rare_one():
    """A logarithm of zero is none."""
    assert log10_freqs(np.array([0.0, 1e-4])).tolist() == [-8.0, -4.0]


def test_options_are_told_by_letters_tags_and_each_other():
    words, tags = ["running", "singing", "apple"], ["VBG", "VBG", "NN"]
    found = option_features([words, words], [tags, tags])
    assert np.array_equal(found.dense[:3], found.dense[3:])
    shares = found.dense[:3, 6:11]
    assert shares[0].tolist() == [1, 0, 1, 1, 1]
    assert shares[2].tolist() == [0, 0, 0, 0, 0]
    assert (found.linear[[0]] - found.linear[[3]]).nnz == 0
    assert (found.linear[[0]] - found.linear[[1]]).nnz > 0


# ---- adversary folds


def made_questions_of_adversary_folds(n, books):
    return [
        Question(f"b{i % books}:{i}:1", f"b{i % books}", ("It", "a", "."), 1, ("a", "b"), 0)
        for i in range(n)
    ]


@pytest.mark.parametrize(
    ("books", "folds", "rounds"), [(1, 0, 0), (2, 2, 1), (5, 5, 1), (12, 5, 3)]
)
def test_no_book_is_in_two_folds(books, folds, rounds):
    """One book has no folds; up to five are a fold each, once; more are dealt anew in each round."""
    items = made_questions_of_adversary_folds(60, books)
    found = book_folds(items, seed=1)
    assert len(found) == rounds
    for fold_of_item in found:
        assert len(set(fold_of_item.tolist())) == folds
        assert (
            len({(item.book_id, int(fold)) for item, fold in zip(items, fold_of_item, strict=True)})
            == books
        )
    assert len({tuple(one) for one in found}) == rounds, "rounds differ"


def test_folds_of_items_are_even_and_of_the_item():
    items = made_questions_of_adversary_folds(52, 3)
    found = item_folds(items, seed=1)
    assert all(sorted(np.bincount(one)) == [10, 10, 10, 11, 11] for one in found)
    assert len({tuple(one) for one in [*found, *item_folds(items, seed=2)]}) == 6
    assert all(
        np.array_equal(one, other[::-1])
        for one, other in zip(found, item_folds(items[::-1], seed=1), strict=True)
    )


# ---- adversary line


def rows(names, share):
    accuracy, low, high = share
    figures = {"accuracy": accuracy, "low": low, "high": high}
    return [QuestionRow(name=name, kind="adversary", n=9, chance=0.2, **figures) for name in names]


@pytest.mark.parametrize(
    ("figure", "said"),
    [
        ((0.15, 0.13, 0.18), ". This is below chance"),
        ((0.45, 0.2, 0.6), ". This does not differ from chance"),
        ((0.25, 0.22, 0.28), ". This is as if 6 % of the answers were known"),
        ((0.60, 0.57, 0.63), ". This is as if 50 % of the answers were known"),
    ],
)
def test_the_line_follows_the_interval(figure, said):
    line = adversary_line(rows(["adversary-scores"], figure), chance=0.2)
    assert f"in {100 * figure[0]:.0f} % of questions (" in line
    assert said in line


def test_further_scores_go_on_behind_the_five():
    one = (0.5, 0.4, 0.6)
    line = adversary_line(
        rows(
            [
                "adversary-scores",
                "adversary-scores+ngrams",
                "adversary-scores+ngrams+lsa",
                "adversary-length",
            ],
            one,
        ),
        chance=0.2,
    )
    assert "in 50 % of questions (95 % interval 40-60)" in line
    assert line.count(" added: 50 % (40-60)") == 2
    assert "With LSA scores added" in line
    for name in ADVERSARIES:
        assert adversary_line(rows([name], one), chance=0.2).count("50 %") == 1
    assert adversary_line(rows(["lsa"], one), chance=0.2) == ""
