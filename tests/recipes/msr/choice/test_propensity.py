"""The propensity to be the answer: features, cross-fitting, and the check."""

import numpy as np
import pytest

from cloze_gen.recipes.msr.choice.propensity import (
    FOLDS,
    cross_fitted_log_odds,
    folds_by_sentence,
    found_by_scores,
    option_features,
)
from cloze_gen.rng import derive_rng


def fives(n, *, leak):
    """Scores of n questions (5 options, 2 scores); `leak` raises the answer's first score."""
    scores = derive_rng(7, "test.fives").standard_normal((n, 5, 2)).astype(np.float32)
    scores[:, 0, 0] += leak
    return scores


def test_features_follow_the_options():
    """Options in another order have their features in that order: a place tells nothing."""
    scores = fives(20, leak=0.0)
    order = [3, 1, 4, 0, 2]
    assert option_features(scores)[:, order] == pytest.approx(option_features(scores[:, order]))


def test_a_sentence_is_of_one_fold():
    """All draws of a sentence together, folds of about one size."""
    group = np.repeat(np.arange(100), 3)
    fold = folds_by_sentence(group, seed=1, purpose="test.folds")
    assert (fold.reshape(100, 3) == fold.reshape(100, 3)[:, :1]).all()
    assert np.bincount(fold[::3]).tolist() == [100 // FOLDS] * FOLDS


def log_odds(scores, fold):
    return cross_fitted_log_odds(scores, np.arange(len(scores)), fold, seed=1, purpose="test")


def test_a_leak_is_learnt():
    found = log_odds(
        fives(400, leak=1.5), folds_by_sentence(np.arange(400), seed=1, purpose="test.folds")
    )
    assert found.mean(axis=1) == pytest.approx(np.zeros(400), abs=1e-5)
    assert (found.argmax(axis=1) == 0).mean() > 0.5


def test_no_model_has_seen_what_it_predicts():
    """Other answers in one fold change only the predictions for the other folds."""
    scores, fold = (
        fives(300, leak=1.0),
        folds_by_sentence(np.arange(300), seed=1, purpose="test.folds"),
    )
    before = log_odds(scores, fold)
    turned = scores.copy()
    turned[fold == 0] = turned[fold == 0][:, ::-1]  # the last option is called the answer there
    after = log_odds(turned, fold)
    assert after[fold == 0][:, ::-1] == pytest.approx(before[fold == 0], abs=1e-5)
    assert np.abs(after[fold == 1] - before[fold == 1]).max() > 0.01


@pytest.mark.parametrize(("leak", "low", "high"), [(0.0, 0.12, 0.28), (1.5, 0.45, 1.0)])
def test_the_check_finds_a_leak_only_where_there_is_one(leak, low, high):
    found = found_by_scores(fives(400, leak=leak), np.arange(400), seed=1, purpose="test")
    accuracy, gain = (values.mean() for values in found)
    assert low < accuracy < high
    assert (gain > 0.1) == (leak > 0)


def test_nothing_is_learnt_from_a_few_questions():
    few = fives(9, leak=5.0)
    assert not log_odds(few, np.arange(9) % FOLDS).any()
    found, gain = found_by_scores(few, np.arange(9), seed=1, purpose="test")
    assert found == pytest.approx(0.2)
    assert gain == pytest.approx(0.0)
