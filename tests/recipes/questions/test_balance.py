"""The features that are balanced."""

import numpy as np
import pytest

from cloze_gen.recipes.questions.balance import (
    answer_shares,
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


def test_a_missing_score_is_neither_highest_nor_lowest():
    """Nothing stands above or below it; a tie is shared."""
    highest, lowest = answer_shares([np.array([[np.nan], [1.0]]), np.array([[2.0], [2.0]])])
    assert (highest.tolist(), lowest.tolist()) == ([0.25], [0.25])
