"""All figures of a study together."""

from __future__ import annotations

from dataclasses import asdict, fields, replace
from typing import Any

import numpy as np
import pytest

from cloze_gen.judging.agreement import krippendorff_alpha
from cloze_gen.judging.error_rates import ErrorRates
from cloze_gen.judging.ratings import QUESTIONS, Said, ratings_of
from cloze_gen.judging.study_agreement import StudyAgreement, measure_agreement
from cloze_gen.records.judgement import Kind, Task
from tests.judging.conftest import groom_study, read_study

SCRIPT = {"ann": (0.05, 0.1), "bob": (0.1, 0.1), "cyd": (0.25, 0.05)}


def plain(value: Any) -> Any:
    """Figures as they compare: arrays as lists."""
    if isinstance(value, ErrorRates):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, dict):
        return {name: plain(one) for name, one in value.items()}
    return value.tolist() if hasattr(value, "tolist") else value


def of_people(measured: StudyAgreement) -> dict[str, Any]:
    """All figures but those of machines."""
    return {field.name: plain(getattr(measured, field.name)) for field in fields(measured) if not field.name.startswith("machine")}


@pytest.mark.slow
def test_whole_rounds_find_their_script() -> None:
    """300 items groomed by three scripted judges, 15 times: in nine cases of ten the intervals hold the script's rates, how many items are
    good, and alpha of the script; the severe judge always stands out.
    """
    asked, many = groom_study(SCRIPT, 10_000, seed=100)
    true_alpha = krippendorff_alpha(ratings_of(asked, many)["kept"], seed=1, draws=2).value
    held = []
    for seed in range(15):
        measured = measure_agreement(*groom_study(SCRIPT, 300, seed=seed), machines=(), seed=1)
        assert (measured.judges, measured.verdicts, measured.items) == (3, 900, 300)
        assert max(measured.rows, key=lambda row: row.biases["rejected"].value).judge == "cyd"
        found = measured.error_rates["kept"]
        assert found.labels == ("kept", "rejected")
        low, high = (bound[:, [0, 1], [1, 0]] for bound in (found.confusion_low, found.confusion_high))
        held += [*((low <= list(SCRIPT.values())) & (high >= list(SCRIPT.values()))).ravel()]
        held += [
            found.prior_low[0] <= 0.8 <= found.prior_high[0],
            measured.alphas["kept"].low <= true_alpha <= measured.alphas["kept"].high,
        ]
    assert np.mean(held) >= 0.9


def test_machines_are_never_in_the_figures_of_people() -> None:
    """With a machine's verdicts and without: every figure of people is the same, and the machine has its own."""
    asked, said = groom_study({**SCRIPT, "model": (0.5, 0.5)}, 60, seed=7)
    adjudicating = Said("b:3", "model", Kind.ADJUDICATION, "", {"rejected": "other", "note": ""}, 1.0)
    people = [one for one in said if one.judge != "model"]
    both = measure_agreement(asked, [*said, adjudicating], machines={"model"}, seed=1)
    alone = measure_agreement(asked, people, machines={"model"}, seed=1)
    assert of_people(both) == of_people(alone)
    assert ([row.judge for row in both.machine_rows], alone.machine_rows) == (["model"], [])
    assert {(one.one, one.other) for one in both.machine_kappas["kept"]} == {("model", judge) for judge in SCRIPT}


def test_adjudicated_items_are_no_longer_open() -> None:
    """An adjudicator's verdict changes no other figure, and takes its item off the list."""
    asked, said = groom_study(SCRIPT, 60, seed=7)
    before = measure_agreement(asked, said, machines=(), seed=1)
    item = next(iter(before.open_items))
    after = measure_agreement(asked, [*said, Said(item, "dot", Kind.ADJUDICATION, "", said[0].said, 9.0)], machines=(), seed=1)
    assert {**before.open_items} == {item: before.open_items[item], **after.open_items}
    assert item not in after.open_items
    assert (before.adjudicated, after.adjudicated) == (0, 1)
    assert before.alpha == after.alpha == before.alphas["picked"].value
    assert [asdict(row) for row in before.rows] == [asdict(row) for row in after.rows]


def test_no_errors_are_told_where_there_is_no_truth() -> None:
    """Marks set by chance have no truth to err from; marks that judges share have."""
    asked, said = read_study({"ann": 0.95, "bob": 0.95, "cyd": 0.9}, 120, seed=2)
    assert list(measure_agreement(asked, said, machines=(), seed=1).error_rates) == ["fits as well"]


@pytest.mark.parametrize("task", list(Task))
def test_a_study_without_verdicts_has_no_figures(task: Task) -> None:
    """Nothing said: every alpha undefined, nobody in the tables, nothing open."""
    asked = replace(groom_study(SCRIPT, 1, seed=1)[0], task=task)
    measured = measure_agreement(asked, [], machines=(), seed=1)
    assert {question: alpha.value for question, alpha in measured.alphas.items()} == dict.fromkeys(QUESTIONS[task])
    assert (measured.alpha, measured.judges, measured.rows, measured.open_items) == (None, 0, [], {})
