"""From scores to a result, and from results to rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from cloze_gen.errors import UsageError
from cloze_gen.evaluate.metrics import score_matrix
from cloze_gen.evaluate.results import Baseline, joint_tests, judge_scores
from cloze_gen.evaluate.table import prediction_rows, random_row, result_row, table_text
from cloze_gen.records.question import Question

RULE = Baseline("rule", "rule", "bias", "")


def test_a_question_without_answer_is_not_judged() -> None:
    """No accuracy is computed from an unknown answer."""
    with pytest.raises(UsageError, match="--answers"):
        judge_scores(RULE, np.zeros((1, 2)), [Question("a", "a", ("_____",), 0, ("x", "y"), -1)], seed=1)


def test_result_counts_and_rows() -> None:
    """Accuracy, chance and prediction rows follow from scores and answers."""
    items = [Question("a", "a", ("x",), 0, ("x", "y"), 0), Question("b", "a", ("y",), 0, ("x", "y", "z", "w"), 1)]
    result = judge_scores(RULE, score_matrix([[2, 1], [4, 3, 2, 1]]), items, seed=1)
    assert (result.correct_count, result.accuracy, result.chance) == (1, 0.5, 0.375)
    rows = list(prediction_rows(result, items))
    assert len(rows) == 6
    assert [row["word"] for row in rows if row["chosen"]] == ["x", "x"]


def test_the_lowest_score_wins_where_the_baseline_says_so() -> None:
    """A reversed baseline chooses what the other one would choose last, and its scores read the higher the better."""
    items = [Question("a", "a", ("x",), 0, ("x", "y", "z"), 0)]
    result = judge_scores(replace(RULE, reverse=True), np.array([[-5.0, -4.0, -3.0]]), items, seed=1)
    assert result.accuracy == 1
    assert result.scores.tolist() == [[5, 4, 3]]


def test_scores_that_do_not_fit_the_options_are_refused() -> None:
    """One number an option and none beyond them."""
    items = [Question("a", "a", ("x",), 0, ("x", "y"), 0)]
    for scores in ([[1.0, np.nan]], [[1.0, 2.0, 3.0]]):
        with pytest.raises(UsageError, match="rule: question a has 2 options"):
            judge_scores(RULE, np.array(scores), items, seed=1)


def test_only_biases_and_classifiers_are_tested_together() -> None:
    """A p a kind that was run and one of all; nothing is tested where items differ in size or no such rule was run."""
    items = [Question(f"b:{i}:0", "b", ("x",), 0, ("x", "y"), 0) for i in range(20)]
    judged = {kind: judge_scores(replace(RULE, name=kind, kind=kind), np.tile([1.0, 0.0], (20, 1)), items, seed=1)
              for kind in ("bias", "classifier", "balanced", "baseline", "user")}  # fmt: skip
    found = joint_tests(list(judged.values()), items)
    assert found["rules"] == ["bias", "classifier"]
    assert found["bias"] == pytest.approx(found["classifier"]) == pytest.approx(found["together"])
    assert found["bias"] < 0.001, "twenty right of twenty, whether counted once or twice"
    assert set(joint_tests([judged["bias"]], items)) == {"bias", "together", "rules"}
    assert joint_tests([judged["balanced"]], items) == {}
    assert joint_tests([judged["bias"]], [*items, Question("c", "b", ("x",), 0, ("x", "y", "z"), 0)]) == {}


def test_the_table_shows_each_row_once() -> None:
    """A line a row under the heading, with its name and its accuracy in percent."""
    items = [Question("a", "a", ("x",), 0, ("x", "y"), 0)]
    rows = [random_row([2]), result_row(judge_scores(RULE, np.array([[2.0, 1.0]]), items, seed=1))]
    lines = table_text(rows).splitlines()[1:]
    assert [line.split()[:2] for line in lines] == [["random", "50.00"], ["rule", "100.00"]]
