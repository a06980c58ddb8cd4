"""Scores of a user's own model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cloze_gen.errors import FormatError
from cloze_gen.evaluate.results import Baseline, judge_scores
from cloze_gen.evaluate.user_scores import parse_user_scores
from cloze_gen.formats.msr.machine import parse_machine
from cloze_gen.records.question import Question

PUBLISHED = Path(__file__).parents[2] / "data" / "published" / "msr-dev"
ITEMS = [Question("a", "b", ("We", "hide", "."), 1, ("hide", "eat"), 0), Question("c", "b", ("I", "go", "."), 1, ("see", "go"), 1)]
LINES = "<s> We hide </s>\t-1.5\n<s> We eat </s>\t-2\n<s> I see </s>\t-3\n<s> I go </s>\t-4\n"


def test_both_forms_give_the_same_scores() -> None:
    """JSON Lines in any order, and lm output in the order of the questions."""
    records = '{"id": "c", "scores": [-3, -4]}\n{"id": "a", "scores": [-1.5, -2]}\n'
    assert parse_user_scores(records, ITEMS).tolist() == parse_user_scores(LINES, ITEMS).tolist() == [[-1.5, -2], [-3, -4]]


def log(*samples: tuple[str, list[str], int, list[float]]) -> str:
    """As lm-evaluation-harness keeps what a model said of the options."""
    return "".join(
        json.dumps({"doc": {"id": item_id, "choices": choices, "gold": gold}, "resps": [[[str(one), "False"]] for one in scores]}) + "\n"
        for item_id, choices, gold, scores in samples
    )


@pytest.mark.parametrize("choices", [(["hide.", "eat."], ["see.", "go."]), (["A", "B"], ["A", "B"])])
def test_a_log_of_a_harness_is_read(choices: tuple[list[str], list[str]]) -> None:
    """Of both tasks, in any order; documents of other questions are passed over."""
    text = log(("c", choices[1], 1, [-3, -4]), ("other", ["x"], 0, [-9]), ("a", choices[0], 0, [-1.5, -2]))
    assert parse_user_scores(text, ITEMS).tolist() == [[-1.5, -2], [-3, -4]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (log(("a", ["A", "B"], 0, [-1, -2])), "mine: no scores for 1 of 2 questions, the first is c"),
        (log(("a", ["A", "B"], 1, [-1, -2])), "mine, line 1: the options of a are others here"),
        (log(("a", ["A", "B"], 0, [-1, -2, -3])), "mine, line 1: 3 answers for the 2 options of a"),
    ],
)
def test_a_log_of_another_set_is_named(text: str, message: str) -> None:
    """Ids that are missing, other options, other answers."""
    with pytest.raises(FormatError, match=message):
        parse_user_scores(text, ITEMS, name="mine")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        ('{"id": "a", "scores": [1, 2], "scores": [2, 1]}', r"line 1: not JSON \(the key 'scores' is there twice\)"),
        (LINES.replace("eat", "ate"), "line 2"),
        (LINES.replace("-3", "nan"), "line 3"),
        (LINES + LINES, "8 lines for 4 options"),
        ('{"id": "a", "scores": [1, 2]}', "the first is c"),
        ('{"id": "a", "scores": [1, 2, 3]}', "3 scores for the 2 options"),
        ('{"id": "a", "scores": [1, true]}', "no.* finite number|not a finite number"),
    ],
)
def test_what_does_not_fit_is_named(text: str, message: str) -> None:
    """A wrong file is one readable error."""
    with pytest.raises(FormatError, match=message):
        parse_user_scores(text, ITEMS)


@pytest.mark.realdata
def test_published_sample_output_is_right_in_189_of_520() -> None:
    """`sample.lm_output.txt` gives exactly 36.35 %."""
    if not PUBLISHED.is_dir():
        pytest.skip("the published MSR questions are not beside the project (../shared/published/msr-dev)")
    files = [(PUBLISHED / f"Holmes.machine_format.{part}.txt").read_text() for part in ("questions", "answers")]
    items = parse_machine(*files)
    result = judge_scores(
        Baseline("sample", "user", "user", ""), parse_user_scores((PUBLISHED / "sample.lm_output.txt").read_text(), items), items, seed=1
    )
    assert (result.correct_count, result.n, result.expected) == (189, 520, 189 / 520)
