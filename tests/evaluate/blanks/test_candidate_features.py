"""What candidates show by themselves."""

from __future__ import annotations

import numpy as np

from cloze_gen.evaluate.blanks.candidate_features import features_beside_others, shape_features


def test_lengths_and_frequencies() -> None:
    """Words, letters, letters a word; a digit; words of content; the mean log10 frequency, an unknown word having a small share."""
    freqs = {"the": 0.1, "lamp": 0.001}
    row = shape_features([("The", "lamp", "-", "no.", "7", "!")], lambda word: freqs.get(word, 0.0))[0]
    np.testing.assert_allclose(row[:5], [4, 11, 11 / 4, 1, 1])
    np.testing.assert_allclose(row[5], (-1 - 3 - 8 - 8) / 4, atol=1e-4)
    assert row[6] == 1  # exclamation marks


def test_marks_alone_have_no_mean() -> None:
    """A candidate without a word has features that are numbers."""
    assert np.isfinite(shape_features([("!", "--")], lambda _: 0.0)).all()


def test_beside_the_others() -> None:
    """Ranks of the first feature from 0 to 1, equals sharing theirs; standard scores; 0 where all are alike."""
    found = features_beside_others(np.array([[4.0, 1.0], [2.0, 1.0], [2.0, 1.0]]))
    np.testing.assert_allclose(found[:, 0], [1, 0.25, 0.25])
    np.testing.assert_allclose(found[:, 1], [2**0.5, -(0.5**0.5), -(0.5**0.5)])
    assert not found[:, 2].any()


def test_the_order_of_candidates_leaves_no_trace() -> None:
    """Not even in the last bits: equal candidates of two passages that print them in other orders have equal features."""
    rng = np.random.default_rng(1)
    for _ in range(50):
        features, order = rng.integers(2, size=(7, 5)) * 0.1, rng.permutation(7)
        np.testing.assert_array_equal(features_beside_others(features[order]), features_beside_others(features)[order])
