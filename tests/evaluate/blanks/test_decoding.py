"""Scores to answers."""

from __future__ import annotations

import numpy as np
import pytest

from cloze_gen.evaluate.blanks.decoding import DECODERS, EXH, INC, decode
from cloze_gen.records.blanked_passage import BlankedPassage


def test_left_to_right_is_as_a_reader_reads(passage: BlankedPassage) -> None:
    """The blank numbered second opens the passage: it takes the candidate that both want, and answers come in the order of the numbers."""
    scores = np.zeros((5, 7))
    scores[0, 4], scores[1, 4], scores[0, 5] = 1.0, 0.9, 0.05
    assert decode(passage, scores, INC).tolist() == [5, 4, 0, 1, 2]
    assert decode(passage, scores, EXH).tolist()[0] == 4


@pytest.mark.parametrize("decoder", DECODERS)
def test_a_scorer_that_knows_the_key_is_right(passage: BlankedPassage, decoder: str) -> None:
    """Whatever the order of the blanks, 1 for the answers and 0 for the rest gives the answers."""
    scores = np.zeros((5, 7))
    scores[np.arange(5), passage.answers] = 1.0
    assert tuple(decode(passage, scores, decoder).tolist()) == passage.answers
