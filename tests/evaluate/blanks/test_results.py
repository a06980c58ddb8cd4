"""One baseline's rows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cloze_gen.evaluate.blanks.asked import Direction
from cloze_gen.evaluate.blanks.baselines import RANDOM, BlankBaseline
from cloze_gen.evaluate.blanks.metrics import bootstrap_draws
from cloze_gen.evaluate.blanks.results import context_results, matrix_results, prediction_rows, random_result
from cloze_gen.records.blanked_passage import BlankedPassage

Tell = Callable[..., dict[Direction, np.ndarray]]
TOLD = BlankBaseline("told", "surface")


def test_every_context_and_decoder_is_a_row(passage: BlankedPassage, tell: Tell) -> None:
    """What looks both ways has six contexts, each decoded twice; what looks back alone has two."""
    draws = bootstrap_draws(2, seed=1)
    both = tell((5, 7), P={}, N={}, AP={}, AN={})
    rows = list(context_results(TOLD, [passage] * 2, [both, both], draws, seconds=1.0))
    assert [(row.context, row.decoder) for row in rows] == [
        (context, decoder) for context in ("P", "N", "AP", "AN", "P+N", "AP+AN") for decoder in ("INC", "EXH")
    ]
    back = tell((5, 7), P={}, AP={})
    assert {row.context for row in context_results(TOLD, [passage], [back], draws[:, :1], seconds=1.0)} == {"P", "AP"}


def test_a_context_that_one_passage_lacks_is_no_row(passage: BlankedPassage, tell: Tell) -> None:
    """Rows are of the same passages, or they would not compare."""
    scores = [tell((5, 7), P={}, N={}), tell((5, 7), P={})]
    assert {row.context for row in context_results(TOLD, [passage] * 2, scores, bootstrap_draws(2, seed=1), seconds=0)} == {"P"}


def test_predictions_tell_what_was_chosen(passage: BlankedPassage) -> None:
    """A candidate a blank, in the order of the numbers, which are right, and which are distractors; a guess at random answers nothing."""
    scores = np.zeros((5, 7))
    for blank, candidate in enumerate((4, 5, 0, 3, 2)):
        scores[blank, candidate] = 1.0
    *_, joint = matrix_results(TOLD, [passage], [scores], bootstrap_draws(1, seed=1))
    assert list(prediction_rows(joint, [passage])) == [
        {
            "baseline": "told",
            "id": "b:0",
            "context": "",
            "decoder": "EXH",
            "answers": [4, 5, 0, 3, 2],
            "right": [True, False, True, False, True],
            "distractors": [5, 3],
        }
    ]
    assert list(prediction_rows(random_result(RANDOM, [passage]), [passage])) == []
