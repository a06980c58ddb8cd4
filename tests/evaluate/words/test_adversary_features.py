"""What an adversary sees of an option."""

from __future__ import annotations

import numpy as np
import pytest

from cloze_gen.evaluate.words.adversary_features import log10_freqs, option_features, value_features


def test_values_are_told_within_their_question() -> None:
    """Less the mean, to the best other, to the lowest other, z-score, rank; whatever is added to a whole question changes nothing."""
    found = value_features([np.array([[1.0, 4.0, 2.5], [101.0, 104.0, np.nan]])]).dense
    assert found[:, 0].tolist() == pytest.approx([-1.5, 1.5, 0.0, -1.5, 1.5])
    assert found[:, 1].tolist() == pytest.approx([-3.0, 1.5, -1.5, -3.0, 3.0])
    assert found[:, 2].tolist() == pytest.approx([-1.5, 3.0, 1.5, -3.0, 3.0])
    assert found[:, 3].tolist() == pytest.approx([-1.2247, 1.2247, 0.0, -1.0, 1.0], abs=1e-4)
    assert found[:, 4].tolist() == [2, 0, 1, 1, 0]
    assert np.allclose(value_features([np.array([[7.0, 10.0, 8.5], [1.0, 4.0, np.nan]])]).dense, found)


def test_equal_values_tell_nothing() -> None:
    """No gap, no spread, one shared rank; and the linear view divides by no zero."""
    found = value_features([np.full((3, 4), 0.1)])
    assert np.allclose(found.dense[:, :4], 0)
    assert np.isfinite(found.linear.toarray()).all()


def test_two_equal_leaders_have_no_gap() -> None:
    """The best other option of either is the other."""
    assert value_features([np.array([[2.0, 2.0, 1.0]])]).dense[:, 1].tolist() == [0.0, 0.0, -1.0]


def test_the_logit_sees_products() -> None:
    """Of two scores ten columns, their product and two squares."""
    assert value_features([np.eye(3), np.eye(3)[::-1]]).linear.shape == (9, 13)


def test_an_unknown_frequency_is_a_rare_one() -> None:
    """A logarithm of zero is none."""
    assert log10_freqs(np.array([0.0, 1e-4])).tolist() == [-8.0, -4.0]


def test_options_are_told_by_letters_tags_and_each_other() -> None:
    """An option that shares tag and ending with none differs from those that share both; the same word in the same company does not."""
    words, tags = ["running", "singing", "apple"], ["VBG", "VBG", "NN"]
    found = option_features([words, words], [tags, tags])
    assert np.array_equal(found.dense[:3], found.dense[3:])
    shares = found.dense[:3, 6:11]
    assert shares[0].tolist() == [1, 0, 1, 1, 1]
    assert shares[2].tolist() == [0, 0, 0, 0, 0]
    assert (found.linear[[0]] - found.linear[[3]]).nnz == 0
    assert (found.linear[[0]] - found.linear[[1]]).nnz > 0
