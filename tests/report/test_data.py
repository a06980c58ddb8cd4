"""Reading an evaluation."""

from __future__ import annotations

from typing import Any

import pytest

from cloze_gen.errors import FormatError
from cloze_gen.report.data import evaluation_from_record

ROW = {"name": "lsa", "accuracy": 0.5, "low": 0.2, "high": 0.8}


def test_a_row_takes_what_it_lacks_from_the_set() -> None:
    """n, chance and kind have defaults; seconds are read over, so that a clock changes no report."""
    record = {"n": 10, "chance": 0.2, "signature": "s", "baselines": [ROW | {"seconds": 3.5}]}
    evaluation = evaluation_from_record(record, where="here")
    assert evaluation.baselines[0].n == 10
    assert evaluation.of_kind("baseline") == evaluation.baselines
    assert evaluation == evaluation_from_record(record | {"baselines": [ROW | {"seconds": 9}]}, where="here")


def test_an_adversary_tells_its_way() -> None:
    """Family and folds in words; what was left out keeps its reason."""
    adversary = ROW | {"name": "adversary-five", "kind": "adversary", "family": "trees", "folds": "book"}
    record = {"n": 10, "chance": 0.2, "baselines": [ROW, adversary], "left_out": {"lsa": "no corpus"}}
    evaluation = evaluation_from_record(record, where="here")
    assert [row.way for row in evaluation.baselines] == ["", "trees, folds by book"]
    assert evaluation.left_out == {"lsa": "no corpus"}
    assert "50 % (20-80)" in evaluation.adversaries


NOT_EVALUATIONS = [
    {},
    [],
    {"n": 1, "chance": 0.2, "baselines": [{"name": "x"}]},
    {"n": "many", "chance": 1, "baselines": []},
    {"n": 1, "chance": 0.2, "baselines": ["lsa"]},
    {"n": 1, "chance": 0.2, "baselines": [], "left_out": ["lsa"]},
]


@pytest.mark.parametrize("record", NOT_EVALUATIONS)
def test_another_file_is_told_apart(record: Any) -> None:
    """What is no evaluation is named with its place and the command that makes one."""
    with pytest.raises(FormatError, match=r"here: not an evaluation (?s:.*)`cloze-gen evaluate`"):
        evaluation_from_record(record, where="here")
