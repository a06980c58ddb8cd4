"""The registry: what a baseline counts as in a set, what it is made from, and which were asked for."""

from __future__ import annotations

import pytest

from cloze_gen.errors import UsageError
from cloze_gen.evaluate.question_set import QuestionSet
from cloze_gen.evaluate.results import joint_tests
from cloze_gen.evaluate.words.baselines import ADVERSARIES, MODELS, as_found, dealt, models_for, pick, tagger_text, word_baselines
from cloze_gen.records.question import Question
from cloze_gen.stages.evaluation.word_scores import Scorer, judge

RULES = {row.name: row for row in word_baselines(3)}


def plain_set(answers: list[int]) -> QuestionSet:
    words = ("aa", "bb", "cc")
    return QuestionSet(tuple(Question(f"b:{i}:1", "b", ("It", words[a], "."), 1, words, a) for i, a in enumerate(answers)))


def test_positions_are_evidence_only_where_they_were_found() -> None:
    """Dealt evenly they stay out of the joint test; found unevenly they are in it, as are the other rules either way."""
    for answers, even in (([0, 1, 2, 2, 1, 0], True), ([0, 0, 0, 2, 1, 0], False)):
        questions = plain_set(answers)
        assert dealt(questions.questions) == even
        rows = [as_found(RULES[name], questions.questions) for name in ("longest", "position-a", "position-b", "position-c")]
        judged = [judge(row, Scorer(questions, {}), questions, seed=1) for row in rows]
        rules = ["longest"] + ([] if even else ["position-a", "position-b", "position-c"])
        assert joint_tests(judged, questions.questions)["rules"] == rules


def test_items_of_different_sizes_are_not_called_dealt() -> None:
    """Two options and three have no deck in common."""
    short = Question("b:9:1", "b", ("It", "aa", "."), 1, ("aa", "bb"), 0)
    assert not dealt((*plain_set([0, 1, 2]).questions, short))


def test_no_model_is_needed_for_what_the_records_tell() -> None:
    """A recorded frequency serves the rules of frequency and the options' classifier; what it does not tell still needs its models."""
    (question,) = plain_set([0]).questions
    told = QuestionSet((question,), ({"option_scores": [{"word": word, "freq": 0.1} for word in question.options]},))
    for name in ("most-frequent", "options-only"):
        assert models_for(RULES[name], told) == ()
        assert models_for(RULES[name], plain_set([0])) == ("counts",)
    assert models_for(RULES["rank-classifier"], told) == MODELS["ranks"]
    assert models_for(RULES["adversary-frequency"], told) == models_for(RULES["adversary-options"], told) == ()
    assert models_for(RULES["adversary-five"], told) == ("index",)
    assert models_for(RULES["adversary-all"], told) == ("index", "3gram", "4gram", "match", "lsa")


def test_baselines_are_picked_by_name_or_kind() -> None:
    """The order stays the table's; a name that is none is told with those there are."""
    rows = list(RULES.values())
    assert [row.name for row in pick(rows, ["lsa", "bias"])] == ["lsa", "odd-tag-out", "majority-tag", "a-an-agreement"]
    assert pick(rows, []) == rows
    assert {row.name for row in pick(rows, ["adversary"])} == set(ADVERSARIES)
    assert pick(rows, ["random"]) == []
    with pytest.raises(UsageError, match=r"'lsi': no such baseline(?s:.*)smoothed-3gram"):
        pick(rows, ["lsi"])


@pytest.mark.parametrize(
    ("tagger", "rows", "said"),
    [
        ({"used": "a-1", "of_run": "b-2"}, ["odd-tag-out", "longest"], "tagger of odd-tag-out: a-1; the run used another: b-2"),
        ({"used": "a-1", "of_run": "a-1"}, ["odd-tag-out"], "tagger of odd-tag-out: a-1, as in the run"),
        ({"used": "a-1", "of_run": ""}, ["adversary-options"], "tagger of adversary-options: a-1; the run used none"),
        ({"used": "a-1", "of_run": None}, ["majority-tag", "odd-tag-out"], "tagger of majority-tag, odd-tag-out: a-1"),
        ({"used": "a-1", "of_run": "b-2"}, ["longest"], ""),
        ({}, ["odd-tag-out"], ""),
    ],
)
def test_the_tagger_is_named_where_a_row_rests_on_it(tagger: dict[str, str | None], rows: list[str], said: str) -> None:
    """With the run's own where that is another."""
    assert tagger_text(tagger, rows) == said
