"""Tests of `cloze_gen.evaluation.candidates`."""

import numpy as np
import pytest

from cloze_gen.engine.threads import one_thread
from cloze_gen.evaluation.blanks import bootstrap_draws
from cloze_gen.evaluation.candidates import (
    answer_probs,
    auc,
    bootstrapped_auc,
    candidate_figures,
    classifier_rows,
    relative_features,
    rule_rows,
    rules_for,
    selection_probs,
    shape_features,
)
from cloze_gen.rng import derive_rng

# ---- candidate features


def test_lengths_and_frequencies():
    freqs = {"the": 0.1, "lamp": 0.001}
    row = shape_features(
        [("The", "lamp", "-", "no.", "7", "!")], lambda word: freqs.get(word, 0.0)
    )[0]
    np.testing.assert_allclose(row[:5], [4, 11, 11 / 4, 1, 1])
    np.testing.assert_allclose(row[5], (-1 - 3 - 8 - 8) / 4, atol=1e-4)
    assert row[6] == 1  # exclamation marks


def test_marks_alone_have_no_mean():
    """A candidate without a word has features that are numbers."""
    assert np.isfinite(shape_features([("!", "--")], lambda _: 0.0)).all()


def test_beside_the_others():
    """Ranks from 0 to 1, shared by equals; standard scores; 0 where all are alike."""
    found = relative_features(np.array([[4.0, 1.0], [2.0, 1.0], [2.0, 1.0]]))
    np.testing.assert_allclose(found[:, 0], [1, 0.25, 0.25])
    np.testing.assert_allclose(found[:, 1], [2**0.5, -(0.5**0.5), -(0.5**0.5)])
    assert not found[:, 2].any()


def test_the_order_of_candidates_leaves_no_trace():
    """Not even in the last bits."""
    rng = np.random.default_rng(1)
    for _ in range(50):
        features, order = rng.integers(2, size=(7, 5)) * 0.1, rng.permutation(7)
        np.testing.assert_array_equal(
            relative_features(features[order]), relative_features(features)[order]
        )


# ---- candidate classifier


WORDS = "the a lamp sea went out came in we they was is ship fire wall end so no".split()


def passages(ask, count, *, odd="", longer=False):
    """Passages of six drawn sentences and two distractors drawn likewise, a book for each three."""
    made = []
    for i in range(count):
        rng = derive_rng(1, "test", str(i))

        def drawn(low=4, rng=rng):
            return " ".join(WORDS[j] for j in rng.integers(len(WORDS), size=low + rng.integers(5)))

        distractors = " / ".join(f"{odd} {drawn(30 if longer else 4)}".strip() for _ in range(2))
        made.append(
            ask(
                " / ".join(drawn() for _ in range(6)),
                (1, 3, 4),
                distractors,
                name=f"b{i // 3}:{i}",
                book=f"b{i // 3}",
            )
        )
    return made


def aucs(asked):
    with one_thread():
        found = classifier_rows(asked, bootstrap_draws(len(asked), seed=1), freq_of=lambda _: 0.0)
    assert all(one.auc_low <= one.auc <= one.auc_high for one in found)
    return {(one.name, one.input): one.auc for one in found}


def test_random_distractors_are_not_told(ask):
    """Where distractors are drawn as answers are, none is far from one half."""
    assert all(abs(area - 0.5) < 0.12 for area in aucs(passages(ask, 60)).values())


def test_a_word_of_all_distractors_is_found(ask):
    """In books that it was not trained on."""
    assert aucs(passages(ask, 30, odd="lo"))[("words", "text alone")] > 0.95


def test_longer_distractors_are_found(ask):
    """By their shape, alone and beside the others."""
    found = aucs(passages(ask, 30, longer=True))
    assert found[("shape", "text alone")] > 0.95
    assert found[("shape", "beside the other candidates")] > 0.95


def test_no_book_is_on_both_sides(ask, monkeypatch):
    seen = []
    monkeypatch.setattr(
        "cloze_gen.evaluation.candidates._cross_validated",
        lambda model, features, labels, folds: seen.append(folds) or labels.astype(float),
    )
    asked = passages(ask, 17)
    classifier_rows(asked, bootstrap_draws(17, seed=1), freq_of=lambda _: 0.0)
    fold_of = seen[0].reshape(17, 5)
    assert (fold_of == fold_of[:, :1]).all()
    folds_of_book = {}
    for one, fold in zip(asked, fold_of[:, 0].tolist(), strict=True):
        folds_of_book.setdefault(one.book, set()).add(fold)
    assert all(len(folds) == 1 for folds in folds_of_book.values())
    assert set(fold_of[:, 0]) == {0, 1, 2, 3, 4}


def test_without_distractors_nothing_is_told(ask):
    """Nor of a single passage."""
    without = [ask("a / b / c", (1,), name=f"b:{i}") for i in range(4)]
    assert classifier_rows(without, bootstrap_draws(4, seed=1), freq_of=lambda _: 0.0) == []
    assert (
        classifier_rows(passages(ask, 1), bootstrap_draws(1, seed=1), freq_of=lambda _: 0.0) == []
    )
    found = candidate_figures(without, bootstrap_draws(4, seed=1), freq_of=lambda _: 0.0)
    assert (found.distractors, found.classifiers) == (0, ())


def test_the_floor_is_told(ask):
    """Two distractors of five: to call all of them distractors has F1 2 * 0.4 / 1.4."""
    draws = bootstrap_draws(1, seed=1)
    found = candidate_figures(passages(ask, 1), draws, freq_of=lambda _: 0.0)
    assert (found.candidates, found.distractors) == (5, 0.4)
    assert round(found.always_distractor_f1, 4) == 0.5714


def test_auc_counts_pairs():
    """As counted pair by pair, whatever the weights, ties counting one half."""
    rng = np.random.default_rng(2)
    scores, positive, weights = (
        rng.integers(5, size=40).astype(float),
        rng.random(40) < 0.3,
        rng.integers(3, size=(4, 40)).astype(float),
    )
    expected = []
    for row in weights:
        pairs = [
            (row[i] * row[j], (scores[i] > scores[j]) + 0.5 * (scores[i] == scores[j]))
            for i in np.flatnonzero(positive)
            for j in np.flatnonzero(~positive)
        ]
        expected.append(
            sum(weight * won for weight, won in pairs) / sum(weight for weight, _ in pairs)
        )
    np.testing.assert_allclose(auc(scores, positive, weights), expected)


def test_samples_of_one_class_are_left_out():
    """Of four samples of two passages, the one that holds neither distractor tells nothing."""
    draws = np.array([[1.0, 1.0], [2.0, 0.0], [0.0, 2.0], [1.0, 1.0]])
    found = bootstrapped_auc(
        np.array([0.1, 0.9, 0.3]), np.array([False, True, False]), np.array([0, 0, 1]), draws
    )
    assert found.tolist() == [1.0, 1.0, 1.0]


# ---- rules


@pytest.fixture
def asked(ask):
    """Two blanks; candidates of 2, 3, 1 and 5 words, answers first; sentences of 3 words."""
    return ask(
        "a b c / so Ann / why not now ? / d e f", (1, 2), '" Oh " / and so Tom and Sue', book="b"
    )


def rows(*passages):
    return {
        row.name: dict(row) for row in rule_rows(passages, bootstrap_draws(len(passages), seed=1))
    }


def test_each_rule_by_hand(asked):
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


def test_a_rule_answers_in_its_order(asked):
    """By hand: print order has both right; `longest` gives candidate 4, then candidate 2."""
    found = rows(asked)
    assert (
        found["printed first"]["ba"],
        found["longest"]["ba"],
        found["nearest to the mean length"]["ba"],
    ) == (1.0, 0.5, 0.0)
    assert found["printed first"]["ba_chance"] == 0.25


def test_a_rule_names_distractors(asked):
    found = rows(asked)
    assert [
        found[name]["named"] for name in ("longest", "questions", "speech", "printed as 4")
    ] == [2, 1, 1, 1]
    assert [
        found[name]["distractors"] for name in ("longest", "questions", "speech", "printed as 4")
    ] == [0.5, 0, 1, 1]
    assert found["longest"]["distractors_chance"] == 0.5
    assert found["most names"]["distractors"] == 0.5


def test_a_rule_that_names_none_says_so(ask):
    """Without questions nothing is told of them."""
    found = rows(ask("a / b / c", (1,), "d"))
    assert found["questions"]["named"] == 0
    assert found["questions"]["distractors"] is found["questions"]["distractors_low"] is None


def test_equals_are_as_likely():
    """Expectations of drawn orders: the mean over many orders of equals is what is told."""
    values, answers = np.array([2.0, 1.0, 1.0, 1.0, 0.0]), [1, 0, 3]
    rng = np.random.default_rng(4)
    right, named = np.zeros(3), np.zeros(5)
    for _ in range(4000):
        order = np.lexsort((rng.random(5), -values))
        right += order[:3] == answers
        named[order[:2]] += 1
    np.testing.assert_allclose(answer_probs(values, answers), right / 4000, atol=0.03)
    np.testing.assert_allclose(selection_probs(values, 2), named / 4000, atol=0.03)


def test_shares_are_of_all_candidates_named(asked, ask):
    """Over passages, not the mean of the passages' shares."""
    other = ask("a / why ? / who ? / e", (1, 2), "what ? / f")
    found = rows(asked, other)["questions"]
    assert (found["named"], found["distractors"]) == (4, 0.25)
    assert found["distractors_chance"] == 0.5
