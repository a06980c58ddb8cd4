"""The propensity to be the answer: features, cross-fitting, and the check."""

import numpy as np
import pytest

from cloze_gen.recipes.questions.propensity import (
    FOLDS,
    comparable,
    cross_fitted_log_odds,
    folds_by_group,
    found_by_scores,
    option_features,
)
from cloze_gen.rng import derive_rng


def fives(n, *, leak):
    """Scores of n questions (5 options, 2 scores); `leak` raises the answer's first score."""
    scores = derive_rng(7, "test.fives").standard_normal((n, 5, 2)).astype(np.float32)
    scores[:, 0, 0] += leak
    return scores


def test_scores_become_comparable_whatever_is_missing():
    scores = derive_rng(7, "test.scores").normal([5.0, -30.0], [0.1, 8.0], (400, 2))
    scores[0, 0], scores[1, 1], scores[2, 1] = np.nan, np.inf, -np.inf
    found = comparable(scores)
    assert found.shape == (400, 3)
    assert np.isfinite(found).all()
    assert found[:, :2].std(axis=0) == pytest.approx([1.0, 1.0], abs=0.1)
    assert found[:, 2].tolist() == [1.0] + [0.0] * 399
    assert found[0, 0] == pytest.approx(0.0, abs=0.1)
    assert found[1, 1] == found[:, 1].max()
    assert found[2, 1] == found[:, 1].min()


def test_a_score_of_which_nothing_is_known_is_borne():
    """No finite value at all: nothing breaks."""
    assert np.isfinite(comparable(np.array([[np.nan, -np.inf]] * 6))).all()


def test_features_follow_the_options():
    """Options in another order have their features in that order: a place tells nothing."""
    scores = fives(20, leak=0.0)
    order = [3, 1, 4, 0, 2]
    assert option_features(scores)[:, order] == pytest.approx(option_features(scores[:, order]))


def test_a_sentence_is_of_one_fold():
    """All draws of a sentence together, folds of about one size."""
    group = np.repeat(np.arange(100), 3)
    fold = folds_by_group(group, seed=1, purpose="test.folds")
    assert (fold.reshape(100, 3) == fold.reshape(100, 3)[:, :1]).all()
    assert np.bincount(fold[::3]).tolist() == [100 // FOLDS] * FOLDS


def log_odds(scores, fold):
    return cross_fitted_log_odds(
        lambda rows: scores[rows], np.arange(len(scores)), fold, seed=1, purpose="test.odds"
    )


def test_what_tells_the_answer_is_found():
    found = log_odds(
        fives(400, leak=1.5), folds_by_group(np.arange(400), seed=1, purpose="test.folds")
    )
    assert found.mean(axis=1) == pytest.approx(np.zeros(400), abs=1e-5)
    assert (found.argmax(axis=1) == 0).mean() > 0.5


def test_no_model_has_seen_whom_it_judges():
    """Other answers in one fold change only the predictions for the other folds."""
    scores, fold = (
        fives(300, leak=1.0),
        folds_by_group(np.arange(300), seed=1, purpose="test.folds"),
    )
    before = log_odds(scores, fold)
    turned = scores.copy()
    turned[fold == 0] = turned[fold == 0][:, ::-1]  # the last option is called the answer there
    after = log_odds(turned, fold)
    assert after[fold == 0][:, ::-1] == pytest.approx(before[fold == 0], abs=1e-5)
    assert np.abs(after[fold == 1] - before[fold == 1]).max() > 0.01


@pytest.mark.parametrize(("leak", "low", "high"), [(0.0, 0.12, 0.28), (1.5, 0.45, 1.0)])
def test_the_check_tells_a_leak_from_none(leak, low, high):
    found = found_by_scores(fives(400, leak=leak), np.arange(400), seed=1, purposes=["check"])
    told, gain = (one.mean() for one in found)
    assert low < told < high
    assert (gain > 0.1) == (leak > 0)
