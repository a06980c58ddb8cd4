"""Tests of `cloze_gen.evaluation.questions`."""

from dataclasses import replace

import numpy as np
import pytest

from cloze_gen.errors import UsageError
from cloze_gen.evaluation.metrics import score_matrix
from cloze_gen.evaluation.questions import (
    ADVERSARIES,
    Baseline,
    QuestionRow,
    QuestionSet,
    RandomResult,
    answers_balanced,
    judge_scores,
    models_for,
    pick,
    table_text,
    without_balancing,
    word_baselines,
)
from cloze_gen.records.question import Question

# ---- question set


QUESTIONS = (
    Question("a", "b", ("We", "hide", "."), 1, ("hide", "eat", "go"), 0),
    Question("c", "b", ("I", "go", "."), 1, ("see", "go"), 1),
)


def told(*rows):
    """The two questions; the records' scores are in another order than the options."""
    records = tuple(
        {
            "option_scores": [
                {"word": word, "freq": value}
                for word, value in reversed(list(zip(question.options, row, strict=True)))
            ]
        }
        for question, row in zip(QUESTIONS, rows, strict=True)
    )
    return QuestionSet(QUESTIONS, records)


def test_recorded_scores_stand_in_the_options_order():
    found = told((1, 2.5, 3), (4, 5)).recorded("freq")
    np.testing.assert_array_equal(found, [[1, 2.5, 3], [4, 5, np.nan]])


@pytest.mark.parametrize("value", [None, "0.1", True, float("nan"), float("inf"), 10**400])
def test_a_score_that_is_no_finite_number_leaves_the_records_untold(value):
    """One of them is enough, for then the models must tell all."""
    assert told((1, 2, 3), (4, value)).recorded("freq") is None
    assert told((1, 2, 3), (4, 5)).recorded("length") is None
    assert QuestionSet(QUESTIONS).recorded("freq") is None


def test_the_digest_is_of_the_questions_alone():
    """Records do not change it; another answer, option or order of the questions does."""
    digest = QuestionSet(QUESTIONS).digest
    assert told((1, 2, 3), (4, 5)).digest == digest
    for others in (
        (replace(QUESTIONS[0], answer_index=1), QUESTIONS[1]),
        QUESTIONS[::-1],
        QUESTIONS[:1],
    ):
        assert QuestionSet(others).digest != digest


# ---- results


RULE = Baseline("rule", "rule", "bias", "")


def test_a_question_without_answer_is_not_judged():
    """No accuracy is computed from an unknown answer."""
    with pytest.raises(UsageError, match="--answers"):
        judge_scores(
            RULE, np.zeros((1, 2)), [Question("a", "a", ("_____",), 0, ("x", "y"), -1)], seed=1
        )


def test_result_counts_and_rows():
    """Accuracy, chance and prediction rows follow from scores and answers."""
    items = [
        Question("a", "a", ("x",), 0, ("x", "y"), 0),
        Question("b", "a", ("y",), 0, ("x", "y", "z", "w"), 1),
    ]
    result = judge_scores(RULE, score_matrix([[2, 1], [4, 3, 2, 1]]), items, seed=1)
    row = result.row
    assert (row.correct, row.accuracy, row.chance, row.n) == (1, 0.5, 0.375, 2)
    rows = list(result.predictions())
    assert len(rows) == 6
    assert [row["word"] for row in rows if row["chosen"]] == ["x", "x"]


def test_the_lowest_score_wins_where_the_baseline_says_so():
    items = [Question("a", "a", ("x",), 0, ("x", "y", "z"), 0)]
    result = judge_scores(
        replace(RULE, reverse=True), np.array([[-5.0, -4.0, -3.0]]), items, seed=1
    )
    assert result.row.accuracy == 1
    assert result.scores.tolist() == [[5, 4, 3]]


@pytest.mark.parametrize(("high", "said"), [(0.19, True), (0.21, False)])
def test_scores_below_chance_are_suspect(high, said):
    """Only a user's, since rules may well be."""
    rows = [
        QuestionRow(
            name=f"{kind}:x", kind=kind, n=900, chance=0.2, accuracy=0.1, low=0.05, high=high
        )
        for kind in ("user", "bias")
    ]
    assert [line for line in table_text(rows).splitlines() if "below chance" in line] == [
        "user:x is below chance: check that a higher score is better, and the order of the options"
    ] * said


def test_the_table_shows_each_row_once():
    """A line a row under the heading, with its name and its accuracy in percent."""
    items = [Question("a", "a", ("x",), 0, ("x", "y"), 0)]
    rows = [
        RandomResult([2]).row,
        judge_scores(RULE, np.array([[2.0, 1.0]]), items, seed=1).row,
    ]
    lines = table_text(rows).splitlines()[1:]
    assert [line.split()[:2] for line in lines] == [["random", "50.00"], ["rule", "100.00"]]


# ---- baselines


RULES = {row.name: row for row in word_baselines(3)}


def plain_set(answers):
    words = ("aa", "bb", "cc")
    return QuestionSet(
        tuple(
            Question(f"b:{i}:1", "b", ("It", words[a], "."), 1, words, a)
            for i, a in enumerate(answers)
        )
    )


def test_positions_are_evidence_only_where_they_were_found():
    for answers, even in (([0, 1, 2, 2, 1, 0], True), ([0, 0, 0, 2, 1, 0], False)):
        questions = plain_set(answers)
        assert answers_balanced(questions.questions) == even
        rows = [
            without_balancing(RULES[name], questions.questions)
            for name in ("longest", "position-a", "position-b", "position-c")
        ]
        kinds = ["bias", *["balanced" if even else "bias"] * 3]
        assert [row.kind for row in rows] == kinds


def test_items_of_different_sizes_are_not_called_dealt():
    """Two options and three have no deck in common."""
    short = Question("b:9:1", "b", ("It", "aa", "."), 1, ("aa", "bb"), 0)
    assert not answers_balanced((*plain_set([0, 1, 2]).questions, short))


def test_no_model_is_needed_for_what_the_records_tell():
    (question,) = plain_set([0]).questions
    told = QuestionSet(
        (question,),
        ({"option_scores": [{"word": word, "freq": 0.1} for word in question.options]},),
    )
    assert models_for(RULES["most-frequent"], told) == ()
    assert models_for(RULES["most-frequent"], plain_set([0])) == ("counts",)
    assert (
        models_for(RULES["adversary-frequency"], told)
        == models_for(RULES["adversary-options"], told)
        == ()
    )
    assert models_for(RULES["adversary-scores"], told) == ("index",)
    assert models_for(RULES["adversary-scores+ngrams+lsa"], told) == (
        "index",
        "3gram",
        "4gram",
        "text",
        "lsa",
    )


def test_baselines_are_picked_by_name_or_kind():
    """The order stays the table's; a name that is none is told with those there are."""
    rows = list(RULES.values())
    assert [row.name for row in pick(rows, ["lsa", "bias"])] == [
        "lsa",
        "odd-tag-out",
        "majority-tag",
        "a-an-agreement",
    ]
    assert pick(rows, []) == rows
    assert {row.name for row in pick(rows, ["adversary"])} == set(ADVERSARIES)
    assert pick(rows, ["random"]) == []
    with pytest.raises(UsageError, match=r"'lsi': unknown baseline(?s:.*)smoothed-3gram"):
        pick(rows, ["lsi"])
