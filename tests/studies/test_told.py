"""How a study stands, as its leader is told."""

from __future__ import annotations

from pathlib import Path

from cloze_gen.records.judgement import Judge, Role, Task
from cloze_gen.studies.told import cost_lines
from tests.cases.studies import make_tiny_study, said


def test_a_machine_costs_nobody_an_hour(tmp_path: Path) -> None:
    """Hours and pay are of people: what is left is told at their median, whatever a machine took."""
    study = make_tiny_study(tmp_path / "study", n=4, judges="ann", each=1)
    study.add_judges([Judge("model", Role.MACHINE)])
    for judge, seconds in (("model", 3.0), ("model", 3.0), ("ann", 1800.0)):
        one = study.next_open(judge)
        assert one is not None
        study.take(one, said(Task.READ), verdict_id=f"{judge}-{one.id}", seconds=seconds, source="page")
    told = [line.split() for line in cost_lines(study, usd_per_hour=20.0)]
    assert told == [["verdicts", "hours", "usd"], ["so", "far", "1", "0.50", "10.00"], ["left,", "at", "least", "3", "1.50", "30.00"]]


def test_nothing_is_said_of_hours_before_somebody_was_timed(tmp_path: Path) -> None:
    """Then only how many verdicts are wanted."""
    study = make_tiny_study(tmp_path / "study", n=4, judges="ann", each=2)
    *_, last = cost_lines(study, usd_per_hour=None)
    assert last.startswith("8 verdicts are wanted now. Nobody has been timed yet")
