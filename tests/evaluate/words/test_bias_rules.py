"""Rules that never read the sentence. What each of them chooses is tested with the table's rows, in `stages/evaluation`."""

from __future__ import annotations

import numpy as np

from cloze_gen.evaluate.words.bias_rules import article_scores, frequency_scores, length_scores, position_scores
from cloze_gen.records.question import Question

LONG = Question("b:0:1", "b", ("An", "hour", "."), 1, ("hour", "minute", "day"), 0)
SHORT = Question("b:1:1", "b", ("She", "ran", "."), 1, ("ran", "slept"), 0)


def test_an_item_with_fewer_options_has_no_score_beyond_them() -> None:
    """Every rule gives one number an option, in the options' order, and NaN beyond."""
    items = [LONG, SHORT]
    nan = np.nan
    for scores, expected in (
        (length_scores(items), [[4, 6, 3], [3, 5, nan]]),
        (position_scores(items, 2), [[0, 0, 1], [0, 0, nan]]),
        (frequency_scores(items, {"hour": 0.5, "ran": 0.25}.get), [[0.5, nan, nan], [0.25, nan, nan]]),
        (article_scores(items), [[1, 0, 0], [0, 0, nan]]),
    ):
        np.testing.assert_array_equal(scores, np.array(expected, float))
