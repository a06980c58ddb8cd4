"""The features that are balanced."""

import numpy as np
import pytest

from cloze_gen.recipes.msr.choice.features import (
    comparable,
    rank_features,
    spelling_vectors,
    value_features,
)


def test_features_of_a_tie_are_shared():
    """An answer that ties for the first two ranks holds half of each."""
    features = rank_features(np.array([[[3.0], [3.0], [1.0]]]))
    assert features[0] == pytest.approx([1 / 6, 1 / 6, -1 / 3])


def test_a_pair_of_scores_has_a_feature():
    """Ranks of the answer that go together more than its impostors' do are seen."""
    together = rank_features(np.array([[[3.0, 3.0], [2.0, 1.0], [1.0, 2.0]]]))
    apart = rank_features(np.array([[[3.0, 1.0], [2.0, 2.0], [1.0, 3.0]]]))
    assert together.shape == (1, 7)
    assert together[0, -1] > 0
    assert apart[0, -1] < 0


def test_value_lines_see_what_ranks_do_not():
    near, far, level = ([[low], [1.0], [1.1], [1.2], [1.3]] for low in (0.9, -3.0, 1.0))
    ranks = rank_features(np.array([near, far]))
    values = value_features(np.array([near, far]))
    assert ranks[0].tolist() == ranks[1].tolist()
    assert np.abs(values[0] - values[1]).max() > 0.3
    assert value_features(np.array([[level[1]] * 5])).tolist() == [[0.0] * values.shape[1]]


def test_value_lines_see_an_answer_that_stands_alone():
    alone, among = np.array([0.0, 1.0, 1.1, 1.2, 1.3]), np.array([0.0, 1.0, 2.5, 3.0, 4.0])
    lines = [value_features(five[None, :, None])[0].reshape(7, 4)[:, 3] for five in (alone, among)]
    assert lines[0][0] > lines[1][0] > 0


def test_words_of_one_ending_are_spelt_alike():
    """More in common with each other than with another word, and a word is itself every time."""
    walked, talked, stones, again = spelling_vectors(["walked", "talked", "stones", "walked"])
    assert walked.tolist() == again.tolist()
    assert walked @ talked > 0.2 > abs(walked @ stones)


def test_scores_become_comparable():
    """A missing value is the median and marked; a column without values is level."""
    scores = np.random.default_rng(7).normal([5.0, -30.0], [0.1, 8.0], (400, 2))
    scores[0, 0] = np.nan
    scores[1, 1] = 1e9
    scaled = comparable(np.column_stack([scores, np.full(400, np.nan)]))
    assert scaled.shape == (400, 4)
    assert scaled[:, 0].std() == pytest.approx(1.0, abs=0.1)
    assert scaled[0, 0] == pytest.approx(0.0, abs=0.1)
    assert scaled[:, 1].max() < 400
    assert scaled[:, 2].tolist() == [0.0] * 400
    assert scaled[:, 3].tolist() == [1.0] + [0.0] * 399
