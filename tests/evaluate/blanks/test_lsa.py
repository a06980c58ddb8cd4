"""Coherence by vectors of sentences."""

from __future__ import annotations

import numpy as np

from cloze_gen.evaluate.blanks.asked import Direction
from cloze_gen.evaluate.blanks.lsa import LsaScorer
from tests.evaluate.blanks.conftest import Ask

VECTORS = np.array([[2, 0], [0, 1], [0, 0]], np.float32)
SCORER = LsaScorer(VECTORS, {"sea": 0, "fire": 1, "void": 2})


def test_cosines_of_summed_vectors(ask: Ask) -> None:
    """`Sea fire` is (2, 1), `sea` (2, 0): cosine 2 / sqrt(5); unknown and zero words change nothing, and alone they are like nothing."""
    found = SCORER.scores(ask("Sea fire ! / sea void whale / end", (1,), "void / fire"))
    np.testing.assert_allclose(found[Direction.P], [[2 / np.sqrt(5), 0, 1 / np.sqrt(5)]])


def test_several_sentences_have_the_mean_of_their_cosines(ask: Ask) -> None:
    """Not the cosine with their sum, in which the longer would count for more."""
    found = SCORER.scores(ask("sea sea sea / fire / sea / end", (2,)))
    np.testing.assert_allclose(found[Direction.AP], [[1 / 2]])
