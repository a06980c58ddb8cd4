"""Candidates that share words with their context."""

from __future__ import annotations

import numpy as np

from cloze_gen.evaluate.blanks.asked import Direction
from cloze_gen.evaluate.blanks.overlap import OverlapScorer, TfIdfScorer
from tests.evaluate.blanks.conftest import Ask


def test_shared_words_of_content_for_how_many_there_are(ask: Ask) -> None:
    """One of two and one shared: 1 / sqrt(2 * 1); function words are none; before, where nothing stands, NaN."""
    found = OverlapScorer().scores(ask("Harbour walls fell . / The ship reached Harbour ! / Ships", (1,), "the harbour / the and"))
    np.testing.assert_allclose(found[Direction.P], [[1 / np.sqrt(3 * 3), 1 / np.sqrt(3 * 1), 0]])
    assert np.isnan(OverlapScorer().scores(ask("Tea . / Rum .", (0,)))[Direction.P]).all()


def test_all_before_has_each_word_once(ask: Ask) -> None:
    """`lamp` three times before the blank is one word that is shared."""
    found = OverlapScorer().scores(ask("lamp lamp / lamp oil / lamp / end", (2,)))
    np.testing.assert_allclose(found[Direction.AP], [[1 / np.sqrt(2)]])


def test_rare_words_weigh_more(ask: Ask) -> None:
    """By hand: `the` is in 9 of 9 sentences and weighs nothing, `sea` in 4 weighs ln 2, `kelp` in none ln 10."""
    scorer = TfIdfScorer({"the": 9, "sea": 4}, sentences=9)
    found = scorer.scores(ask("the sea kelp , / the sea / end", (1,), "the kelp / the"))
    length = np.hypot(np.log(2), np.log(10))
    np.testing.assert_allclose(found[Direction.P], [[np.log(2) / length, np.log(10) / length, 0]])
