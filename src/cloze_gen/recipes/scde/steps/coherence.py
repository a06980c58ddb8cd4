"""Coherence: how well a sentence goes with what stands around a blank, by a model that no report uses. Ours; the paper's distractors are
written by teachers.

A sentence goes with a blank as well as it goes behind the sentence before it and before the sentence behind it, both by the directions in
which the words of adjacent sentences of the training novels go together (`stats/adjacent_sentences`). What the report measures a set with
(PMI, TF-IDF, LSA, the language model, cohesion) has no part in it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from cloze_gen.settings import MOST_COUNTED, SettingsGroup, types_of
from cloze_gen.stats.cues import neighbours


class CoherenceSettings(SettingsGroup):
    """Settings of the model of adjacent sentences."""

    vocabulary: int = Field(20_000, ge=10, le=1_000_000, description="the commonest words, in small letters, that it knows")
    dimensions: int = Field(100, ge=1, le=2000, description="directions in which the words of adjacent sentences go together")
    max_pairs: int = Field(400_000, ge=1, le=MOST_COUNTED, description="pairs of adjacent sentences it learns from, spread over all novels")

    def memory_bytes(self, words: int) -> int:
        """Of the SVD: four matrices, a row a word, float64."""
        return 4 * 8 * min(self.vocabulary, types_of(words)) * self.dimensions


def coherence(behind: NDArray[np.float64], before: NDArray[np.float64], blanks: NDArray[np.int64]) -> NDArray[np.float64]:
    """How well each candidate goes with each blank: the mean over the sides on which the passage has a sentence.

    Args:
        behind: shape (sentences, candidates): how well each candidate stands behind each sentence; `before`: before it.
        blanks: shape (draws, blanks): places of the sentences that are blanked together.
    Returns:
        Shape (draws, blanks, candidates), between -1 and 1.

    >>> behind, before = np.array([[0.2], [0.0], [0.0]]), np.array([[0.0], [0.0], [0.6]])
    >>> coherence(behind, before, np.array([[1], [0]]))[:, :, 0].round(2).tolist()
    [[0.4], [0.0]]
    """
    last, following = (side[:, :, 0] for side in neighbours(blanks, len(behind), 1))
    sides = (last >= 0).astype(np.int64) + (following >= 0)
    total = np.where((last >= 0)[:, :, None], behind[last], 0.0) + np.where((following >= 0)[:, :, None], before[following], 0.0)
    return np.asarray(total / np.maximum(sides, 1)[:, :, None])
