"""A set of questions: what its records tell, and the digest that names it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from cloze_gen.evaluate.question_set import QuestionSet
from cloze_gen.records.question import Question

QUESTIONS = (
    Question("a", "b", ("We", "hide", "."), 1, ("hide", "eat", "go"), 0),
    Question("c", "b", ("I", "go", "."), 1, ("see", "go"), 1),
)


def told(*rows: tuple[Any, ...]) -> QuestionSet:
    """The two questions, the option scores of their records written in another order than the options."""
    records = tuple(
        {"option_scores": [{"word": word, "freq": value} for word, value in reversed(list(zip(question.options, row, strict=True)))]}
        for question, row in zip(QUESTIONS, rows, strict=True)
    )
    return QuestionSet(QUESTIONS, records)


def test_recorded_scores_stand_in_the_options_order() -> None:
    """A score is found by its word, whatever the order of the record; places beyond an item's options are NaN."""
    found = told((1, 2.5, 3), (4, 5)).recorded("freq")
    np.testing.assert_array_equal(found, [[1, 2.5, 3], [4, 5, np.nan]])


@pytest.mark.parametrize("value", [None, "0.1", True, float("nan"), float("inf"), 10**400])
def test_a_score_that_is_no_finite_number_leaves_the_records_untold(value: Any) -> None:
    """One of them is enough, for then the models must tell all."""
    assert told((1, 2, 3), (4, value)).recorded("freq") is None
    assert told((1, 2, 3), (4, 5)).recorded("length") is None
    assert QuestionSet(QUESTIONS).recorded("freq") is None


def test_the_digest_is_of_the_questions_alone() -> None:
    """Records do not change it; another answer, option or order of the questions does."""
    digest = QuestionSet(QUESTIONS).digest
    assert told((1, 2, 3), (4, 5)).digest == digest
    for others in ((replace(QUESTIONS[0], answer_index=1), QUESTIONS[1]), QUESTIONS[::-1], QUESTIONS[:1]):
        assert QuestionSet(others).digest != digest
