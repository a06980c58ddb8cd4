"""An evaluation of blanked passages, as records, as a picture and on the page."""

from dataclasses import replace

import pytest

from cloze_gen.evaluation.blanks import BlankEvaluation
from cloze_gen.recipes.scde.paper_table import SCDE_TABLES
from cloze_gen.records.blanked_passage import BlankedPassage, SentenceSource, SetBlankedPassage
from cloze_gen.records.passage import Part
from cloze_gen.release.card import CardTable
from cloze_gen.release.html import render_report
from cloze_gen.release.report_passages import (
    BlankedFigures,
    figures_by_context,
    table_rows,
)
from cloze_gen.release.samples import sample_blanks
from tests.release.conftest import HOSTILE
from tests.release.test_html import Page

FIGURES = {
    "n": 40, "blanks": 200, "ba": 0.25, "ba_low": 0.2, "ba_high": 0.3, "ba_micro": 0.24, "pa": 0.025, "pa_low": 0.0, "pa_high": 0.05,
    "de": 1.2, "de_low": 1.1, "de_high": 1.3,
}  # fmt: skip


def row(name, context, decoder, **other):
    return {"name": name, "kind": "model", "context": context, "decoder": decoder} | FIGURES | other


RULE = {
    "name": "longest", "ba": 0.15, "ba_low": 0.1, "ba_high": 0.2, "ba_chance": 1 / 7, "named": 80.0, "distractors": 0.3125,
    "distractors_low": 0.2, "distractors_high": 0.4, "distractors_chance": 2 / 7,
}  # fmt: skip
JUDGED = {
    "name": "words",
    "input": "text alone",
    "auc": 0.517,
    "auc_low": 0.45,
    "auc_high": 0.59,
    "f1": 0.1,
}
RECORD = {
    "signature": "sig|blanks",
    "n": 40,
    "blanks": 200,
    "baselines": [
        row("random", "", "", kind="random", ba=1 / 7, ba_low=0.1, ba_high=0.2),
        *(
            row("pmi-2", context, decoder)
            for context in ("P", "AP+AN")
            for decoder in ("INC", "EXH")
        ),
        row("<b>mine</b>", "", "EXH", kind="user", ba=0.61, ba_low=0.5, ba_high=0.7),
    ],
    "rules": [RULE],
    "candidates": {
        "candidates": 280,
        "distractors": 0.2857,
        "always_distractor_f1": 0.4444,
        "paper": {},
        "classifiers": [JUDGED],
    },
}


@pytest.fixture(scope="module")
def shown(data):
    """A page of a run of blanked passages that was evaluated."""
    evaluation = BlankEvaluation.from_record(RECORD, where="here")
    figures = BlankedFigures(None, evaluation, SCDE_TABLES)
    return render_report(
        replace(
            data,
            noun="passage",
            paper=None,
            evaluation=None,
            samples=(),
            n_options=0,
            blanked=figures,
        )
    )


def test_rows_are_paired_with_the_paper_s():
    evaluation = BlankEvaluation.from_record(RECORD, where="here")
    rows = {
        label: (ours, of_paper) for label, ours, of_paper in table_rows(evaluation, SCDE_TABLES)
    }
    ours, of_paper = rows["pmi-2"]
    assert ours is not None
    assert of_paper is not None
    assert (ours.context, ours.decoder, of_paper.blank_accuracy, of_paper.table) == (
        "AP+AN",
        "EXH",
        0.298,
        "Table 5",
    )
    assert rows["random"][1] is not None
    assert [label for label, (of_ours, _) in rows.items() if of_ours is None] == [
        "People", "Transformer-XL", "COHERE", "INFST", "BERT, as it is", "BERT, finetuned", "PMI_2",
    ]  # fmt: skip


def test_human_rows_are_paired_with_the_paper_s(data):
    human = row(
        "human",
        "",
        "",
        kind="human",
        ba=0.81,
        ba_low=0.7,
        ba_high=0.9,
        note="2 judges, 24 verdicts",
    )
    evaluation = BlankEvaluation.from_record(
        RECORD | {"baselines": [*RECORD["baselines"], human]}, where="here"
    )
    [(ours, of_paper)] = [
        (ours, of_paper)
        for label, ours, of_paper in table_rows(evaluation, SCDE_TABLES)
        if label in {"human", "People"}
    ]
    assert ours is not None
    assert of_paper is not None
    assert (ours.ba, ours.note, of_paper.blank_accuracy) == (0.81, "2 judges, 24 verdicts", 0.871)
    page = render_report(replace(data, noun="passage", paper=None, evaluation=None, samples=(), n_options=0,
                                 blanked=BlankedFigures(None, evaluation, SCDE_TABLES)))  # fmt: skip
    assert "Human: 2 judges, 24 verdicts." in page
    assert ">human<" in page


def test_contexts_are_those_of_table_6():
    evaluation = BlankEvaluation.from_record(RECORD, where="here")
    assert [
        (label, [one is not None for one in rows]) for label, rows in evaluation.by_context
    ] == [
        (f"pmi-2 + {decoder}", [True, False, False, False, False, True])
        for decoder in ("INC", "EXH")
    ]
    found_rows = dict(figures_by_context(SCDE_TABLES))
    found = [one.blank_accuracy for one in found_rows["PMI_2 + EXH"] if one]
    assert found == pytest.approx([0.247, 0.282, 0.206, 0.133, 0.297, 0.252])
    assert len(found_rows) == 6


def test_the_page_is_complete(shown):
    page = Page(shown)
    assert not page.open
    assert not page.astray
    text = " ".join("".join(page.text).split())
    for part in (
        "40 passages with 200 blanks", "The evaluation is of sig|blanks", "20.0 to 30.0", "1.200", "paper: PMI_2 + EXH", "24.7 / 1.5",
        "<b>mine</b>", "87.1", "Candidates without the passage", "0.517", "28.6 % of the candidates", "44.4", "longest",
    ):  # fmt: skip
        assert part in text, part
    assert "Not measured yet" not in text
    ids = [one["id"] for _, one in page.elements if one.get("id")]
    assert len(ids) == len(set(ids))
    targets = [link["href"] for link in page.all("a") if link["href"]]
    assert "#candidates" in targets


def test_without_an_evaluation_the_paper_s_figures_remain(data):
    """Its figures, and the command to type."""
    page = render_report(
        replace(
            data,
            noun="passage",
            paper=None,
            evaluation=None,
            blanked=BlankedFigures(None, None, SCDE_TABLES),
        )
    )
    assert "cloze-gen evaluate mine" in page
    assert "BERT, finetuned" in page
    assert "Candidates without the passage" not in page


def test_the_pictures_draw_what_there_is(shown, data):
    """A row of the paper has a diamond, one of ours an interval, and all have chance."""
    for part in ('class="ours"', 'class="paper"', 'class="chance"', "Open diamonds"):
        assert part in shown
    figures = BlankedFigures(None, BlankEvaluation.from_record(RECORD, where="here"), None)
    alone = render_report(replace(data, noun="passage", paper=None, evaluation=None, samples=(), n_options=0, blanked=figures))  # fmt: skip
    assert 'class="paper"' not in alone
    assert "INFST" not in alone


# ---- reports of blanked passages

PASSAGE = BlankedPassage(
    "b:4",
    ("We left.", "It rained.", "So?", "No."),
    (1, 3),
    ("No.", "Jane sang.", "It rained.", "We ran.", "Who?"),
    (2, 0),
)
SOURCES = tuple(SentenceSource("b", index, 10 * index, 10 * index + 9) for index in (4, 5, 6, 7))
CANDIDATES = (
    SOURCES[3],
    SentenceSource("b", 1, 10, 19),
    SOURCES[1],
    SentenceSource("b", 9, 90, 99),
    SentenceSource("c", 9, 90, 99),
)
ONE = SetBlankedPassage(PASSAGE, Part.TEST, "war", (2, 2, 3, 3), SOURCES, CANDIDATES)


def of_blanked(data, one, measure="passages"):
    """A report of one blanked passage."""
    table = CardTable(
        "Statistics", "Kong et al. 2020, Table 3", ("measure", "All"), ((measure, "5,959 (4,790)"),)
    )
    sample = sample_blanks(one, book="A Book", file="b.txt")
    return replace(
        data, noun="passage", paper=None, evaluation=None, samples=(sample,), n_options=0, answer_freqs=(), impostor_freqs=(), sentence_tokens=(),
        answer_positions=(), blank_places=(), blanked=BlankedFigures(table),
    )  # fmt: skip


def test_a_page_of_blanked_passages_shows_them_as_a_reader_meets_them(data):
    shown = Page(render_report(of_blanked(data, ONE)))
    assert [one["id"] for one in shown.all("section")] == [
        "samples",
        "verdict",
        "funnel",
        "distributions",
        "statistics",
        "baselines",
        "books",
        "settings",
    ]
    assert shown.astray == shown.open == []
    text = " ".join("".join(shown.text).split())
    assert "question" not in text.lower()
    for part in (
        "Kong et al. 2020, Table 3",
        "5,959 (4,790)",
        "We left. 1",
        "So? 2",
        "c, blank 1",
        "b, distractor",
        "3 before the passage",
    ):
        assert part in text
    assert [one["aria-label"] for one in shown.all("span") if one.get("class") == "blank"] == [
        "blank 1",
        "blank 2",
    ]
    assert all(one.get("scope") in {"col", "row"} for one in shown.all("th"))


def test_hostile_blanked_passages_stay_text(data):
    """A book's text, its genre, a candidate and a measure's name hold no element."""
    script, braces, block, image, marks, dollars = HOSTILE
    passage = BlankedPassage(script, (script, image, braces), (1,), (block, image, marks), (1,))
    one = replace(
        ONE,
        passage=passage,
        domain=dollars,
        paragraphs=(1, 1, 1),
        sources=SOURCES[:3],
        candidate_sources=SOURCES[:3],
    )
    shown, harmless = (
        Page(render_report(of_blanked(data, any_, measure=name)))
        for any_, name in ((one, script), (ONE, "passages"))
    )
    assert shown.astray == shown.open == []
    assert {tag for tag, _ in shown.elements} <= {tag for tag, _ in harmless.elements}
    assert not any(name.startswith("on") for _, attributes in shown.elements for name in attributes)
    assert "<script>alert(1)</script>" in "".join(shown.text)
    assert "49" not in "".join(shown.text).split("drawn with seed")[1].split("Verdict")[0]
