"""Figures of a study as lines for a person."""

import re
from dataclasses import replace

import pytest

from cloze_gen.judging.agreement_text import report_lines
from cloze_gen.judging.study_agreement import measure_agreement
from cloze_gen.judging.tasks.task import Judged
from cloze_gen.records.judgement import StudyItem, Task
from tests.judging.conftest import groom_study, read_study

SCRIPT = {"ann": (0.05, 0.1), "bob": (0.1, 0.1), "cyd": (0.25, 0.05), "model": (0.4, 0.4)}


def fill_study():
    """Three judges fill two blanks of twelve passages, mostly rightly."""
    response = [
        Judged(
            StudyItem(f"p:{n}", (), {}, {"answers": [n % 3, 3]}, "run"),
            judge,
            {"fills": [(n + (who == 2)) % 3, 3 + who % 2 * (n % 5 == 0)]},
            seconds=60.0,
        )
        for n in range(12)
        for who, judge in enumerate(("ann", "bob", "cyd"))
    ]
    return Task.FILL, response


def guess_study():
    """Two judges guess from passages, two from sentences."""
    response = [
        Judged(
            StudyItem(f"g:{n}", (), {}, {"target": "lamp"}, "run"),
            judge,
            {"guesses": ["lamp"] if n % (2 + who) == 0 else []},
            condition,
            9.0,
        )
        for n in range(12)
        for condition, judges in (("passage", ("ann", "bob")), ("sentence", ("cyd", "dot")))
        for who, judge in enumerate(judges)
    ]
    return Task.GUESS, response


STUDIES = {
    Task.GROOM: groom_study(SCRIPT, 60, seed=7),
    Task.READ: read_study({"ann": 0.95, "bob": 0.9, "cyd": 0.6, "model": 0.3}, 60, seed=2),
    Task.FILL: fill_study(),
    Task.GUESS: guess_study(),
}


def test_the_figures_are_in_the_lines():
    """Alpha with its interval and meaning, a row for each judge, kappa with its units."""
    task, response = STUDIES[Task.GROOM]
    measured = measure_agreement(task, response, machines={"model"}, seed=1)
    text = "\n".join(report_lines(measured))
    alpha, row, kappa = measured.alphas["kept"], measured.rows[2], measured.kappas["kept"][0]
    assert re.search(
        rf"^kept +{alpha.value:.3f}  {alpha.low:.3f} to {alpha.high:.3f} +60 +60  unreliable$",
        text,
        re.MULTILINE,
    )
    assert re.search(r"^judge +verdicts +median s +rejected, %$", text, re.MULTILINE)
    share = 100 * row.shares["rejected"]
    assert re.search(rf"^cyd +60 +{row.median_seconds:.1f} +{share:.1f}$", text, re.MULTILINE)
    assert f"ann, bob  {kappa.value:.3f} ({kappa.shared})" in text


@pytest.mark.parametrize("task", list(Task))
def test_every_judge_has_a_row(task):
    _, response = STUDIES[task]
    lines = report_lines(measure_agreement(task, response, machines=(), seed=1))
    rows = {line.split("  ")[0] for line in lines}
    assert {one.judge for one in response} <= rows


def test_machines_stand_last_and_by_themselves():
    """Before the line that announces them no machine is named, after it no table is without one."""
    task, response = STUDIES[Task.READ]
    people, machines = "\n".join(
        report_lines(measure_agreement(task, response, machines={"model"}, seed=1))
    ).split("\nModel annotators.")
    assert "model" not in people
    assert re.search(r"^machine +verdicts", machines, re.MULTILINE)
    assert all("model" in table for table in machines.split("\n\n")[1:])
    assert not {"ann", "bob", "cyd"} & {line.split(" ")[0] for line in machines.split("\n")}


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0.8, "reliable"),
        (0.7999, "tentative"),
        (0.667, "tentative"),
        (0.66, "unreliable"),
        (None, "all the same"),
    ],
)
def test_what_alpha_means(value, words):
    """Krippendorff's bounds, the lower end included."""
    task, response = STUDIES[Task.GROOM]
    measured = measure_agreement(task, response, machines={"model"}, seed=1)
    shown = replace(measured, alphas={"kept": replace(measured.alphas["kept"], value=value)})
    assert any(line.startswith("kept ") and line.endswith(words) for line in report_lines(shown))


def test_names_cannot_move_the_cursor():
    """A judge's name with control characters is spelled out."""
    task, response = STUDIES[Task.FILL]
    hostile = [
        replace(one, judge="a\x1b[2Jnn\n") if one.judge == "ann" else one for one in response
    ]
    assert all(
        line.isprintable()
        for line in report_lines(measure_agreement(task, hostile, machines=(), seed=1))
    )
