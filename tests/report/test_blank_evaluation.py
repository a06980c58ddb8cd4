"""An evaluation of blanked passages, as records, as a picture and on the page."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from cloze_gen.errors import FormatError
from cloze_gen.recipes.scde.paper_table import SCDE_TABLES
from cloze_gen.report.blank_evaluation import blank_evaluation_from_record, figures_by_context, people, table_rows
from cloze_gen.report.blank_plots import blank_baseline_plot
from cloze_gen.report.blanked_passages import BlankedFigures
from cloze_gen.report.data import ReportData
from cloze_gen.report.html import render_report
from tests.report.test_html import Page

FIGURES = {
    "n": 40, "ba": 0.25, "ba_low": 0.2, "ba_high": 0.3, "ba_micro": 0.24, "pa": 0.025, "pa_low": 0.0, "pa_high": 0.05,
    "de": 1.2, "de_low": 1.1, "de_high": 1.3,
}  # fmt: skip


def row(name: str, context: str, decoder: str, **other: Any) -> dict[str, Any]:
    return {"name": name, "kind": "model", "context": context, "decoder": decoder} | FIGURES | other


RULE = {
    "name": "longest", "ba": 0.15, "ba_low": 0.1, "ba_high": 0.2, "ba_chance": 1 / 7, "named": 80.0, "distractors": 0.3125,
    "distractors_low": 0.2, "distractors_high": 0.4, "distractors_chance": 2 / 7,
}  # fmt: skip
JUDGED = {"name": "words", "sees": "text alone", "auc": 0.517, "auc_low": 0.45, "auc_high": 0.59, "f1": 0.1}
RECORD: dict[str, Any] = {
    "signature": "sig|blanks",
    "n": 40,
    "blanks": 200,
    "baselines": [
        row("random", "", "", kind="random", ba=1 / 7, ba_low=0.1, ba_high=0.2),
        *(row("pmi-2", context, decoder) for context in ("P", "AP+AN") for decoder in ("INC", "EXH")),
        row("<b>mine</b>", "", "EXH", kind="user", ba=0.61, ba_low=0.5, ba_high=0.7),
    ],
    "rules": [RULE],
    "candidates": {"candidates": 280, "distractors": 0.2857, "always_distractor_f1": 0.4444, "paper": {}, "classifiers": [JUDGED]},
}


@pytest.fixture(scope="module")
def shown(data: ReportData) -> str:
    """A page of a run of blanked passages that was evaluated."""
    evaluation = blank_evaluation_from_record(RECORD, where="here")
    figures = BlankedFigures(None, (), evaluation, SCDE_TABLES)
    return render_report(replace(data, noun="passage", paper=None, evaluation=None, samples=(), n_options=0, blanked=figures))


def test_ours_stand_with_the_papers() -> None:
    """A baseline of both with the paper's first figure of it; what the paper alone has below, people and a second PMI_2 among it."""
    evaluation = blank_evaluation_from_record(RECORD, where="here")
    rows = {label: (ours, told) for label, ours, told in table_rows(evaluation, SCDE_TABLES)}
    ours, told = rows["pmi-2"]
    assert ours is not None
    assert told is not None
    assert (ours.context, ours.decoder, told.blank_accuracy, told.table) == ("AP+AN", "EXH", 0.298, "Table 5")
    assert rows["random"][1] is not None
    assert [label for label, (of_ours, _) in rows.items() if of_ours is None] == [
        "People", "Transformer-XL", "COHERE", "INFST", "BERT, as it is", "BERT, finetuned", "PMI_2",
    ]  # fmt: skip
    human = people(SCDE_TABLES)
    assert human is not None
    assert (human.blank_accuracy, human.distractor_error) == (0.871, 0.375)


def test_people_stand_with_the_papers(data: ReportData) -> None:
    """In one row with the paper's, drawn as a point beside its line, and how many they were below the table."""
    human = row("human", "", "", kind="human", ba=0.81, ba_low=0.7, ba_high=0.9, note="2 judges, 24 verdicts")
    evaluation = blank_evaluation_from_record(RECORD | {"baselines": [*RECORD["baselines"], human]}, where="here")
    [(ours, told)] = [(ours, told) for label, ours, told in table_rows(evaluation, SCDE_TABLES) if label in {"human", "People"}]
    assert ours is not None
    assert told is not None
    assert (ours.ba, ours.note, told.blank_accuracy) == (0.81, "2 judges, 24 verdicts", 0.871)
    assert ">human<" in blank_baseline_plot(evaluation, SCDE_TABLES)
    page = render_report(replace(data, noun="passage", paper=None, evaluation=None, samples=(), n_options=0,
                                 blanked=BlankedFigures(None, (), evaluation, SCDE_TABLES)))  # fmt: skip
    assert "Human: 2 judges, 24 verdicts." in page


def test_contexts_are_those_of_table_6() -> None:
    """Ours from each context, None where there is none; of the paper's the models that it gives for all six."""
    evaluation = blank_evaluation_from_record(RECORD, where="here")
    assert [(label, [one is not None for one in rows]) for label, rows in evaluation.by_context] == [
        (f"pmi-2 + {decoder}", [True, False, False, False, False, True]) for decoder in ("INC", "EXH")
    ]
    told = dict(figures_by_context(SCDE_TABLES))
    found = [one.blank_accuracy for one in told["PMI_2 + EXH"] if one]
    assert found == pytest.approx([0.247, 0.282, 0.206, 0.133, 0.297, 0.252])
    assert len(told) == 6


@pytest.mark.parametrize(
    "broken",
    [{"baselines": [{"name": "x"}]}, {"n": "many"}, {"baselines": [row("x", "", "", ba=None)]}, {"rules": [{"a": 1}]}, {"blanks": None}],
)
def test_another_record_is_refused(broken: dict[str, Any]) -> None:
    """One message with the file and the command that mends it; a figure that is no number too."""
    with pytest.raises(FormatError, match=r"here: not an evaluation of blanked passages .* Run `cloze-gen evaluate` again"):
        blank_evaluation_from_record(RECORD | broken, where="here")
    with pytest.raises(FormatError):
        blank_evaluation_from_record(json.loads(json.dumps(RECORD).replace("0.61", "NaN")), where="here")


def test_the_page_tells_all(shown: str) -> None:
    """Both tables, the picture, rules and classifiers with their chance and floor; a user's name is text and no markup."""
    page = Page(shown)
    assert not page.open
    assert not page.astray
    text = " ".join("".join(page.text).split())
    for said in (
        "40 passages with 200 blanks", "Evaluated as sig|blanks", "20.0 to 30.0", "1.200", "paper: PMI_2 + EXH", "24.7 / 1.5",
        "<b>mine</b>", "87.1", "Candidates by themselves", "0.517", "28.6 % of the candidates", "44.4", "longest",
    ):  # fmt: skip
        assert said in text, said
    assert "has not been evaluated yet" not in text
    ids = [one["id"] for _, one in page.elements if one.get("id")]
    assert len(ids) == len(set(ids))
    targets = [link["href"] for link in page.all("a") if link["href"]]
    assert "#candidates" in targets


def test_before_an_evaluation_the_papers_stand_alone(data: ReportData) -> None:
    """Its figures, and the command to type."""
    page = render_report(replace(data, noun="passage", paper=None, evaluation=None, blanked=BlankedFigures(None, (), None, SCDE_TABLES)))
    assert "cloze-gen evaluate mine" in page
    assert "BERT, finetuned" in page
    assert "Candidates by themselves" not in page


def test_the_picture_draws_what_there_is() -> None:
    """A row for each baseline of ours and of the paper's but people, who are a line; equal bytes each time."""
    evaluation = blank_evaluation_from_record(RECORD, where="here")
    drawn = blank_baseline_plot(evaluation, SCDE_TABLES)
    assert drawn == blank_baseline_plot(evaluation, SCDE_TABLES)
    for said in ("pmi-2", "INFST", "people, the paper", "chance", "this set, 95 %"):
        assert said in drawn
    assert ">People<" not in drawn
    alone = blank_baseline_plot(evaluation, None)
    assert "the paper" not in alone
    assert "INFST" not in alone
