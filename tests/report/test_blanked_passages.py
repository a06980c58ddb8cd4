"""What a report says of blanked passages."""

from __future__ import annotations

from dataclasses import replace

from cloze_gen.records.blanked_passage import BlankedPassage, SentenceSource, SetBlankedPassage
from cloze_gen.records.passage import Part
from cloze_gen.report.blanked_passages import BlankedFigures, SampleCandidate, sample_blanks, statistics_from_record
from cloze_gen.report.data import ReportData
from cloze_gen.report.html import render_report
from tests.report.conftest import HOSTILE
from tests.report.test_html import Page

PASSAGE = BlankedPassage(
    "b:4", ("We left.", "It rained.", "So?", "No."), (1, 3), ("No.", "Jane sang.", "It rained.", "We ran.", "Who?"), (2, 0)
)
SOURCES = tuple(SentenceSource("b", index, 10 * index, 10 * index + 9) for index in (4, 5, 6, 7))
CANDIDATES = (SOURCES[3], SentenceSource("b", 1, 10, 19), SOURCES[1], SentenceSource("b", 9, 90, 99), SentenceSource("c", 9, 90, 99))
ONE = SetBlankedPassage(PASSAGE, Part.TEST, "war", (2, 2, 3, 3), SOURCES, CANDIDATES)


def test_a_sample_is_what_a_reader_meets() -> None:
    """Paragraph by paragraph, a number where a sentence was; the whole passage's place."""
    sample = sample_blanks(ONE, book="A Book", file="b.txt")
    assert sample.paragraphs == (("We left.", 1), ("So?", 2))
    assert sample.place == "b.txt, characters 40 to 79"
    assert (sample.book, sample.part, sample.domain) == ("A Book", "test", "war")


def test_the_key_tells_each_candidate_s_place() -> None:
    """The blank that it answers; how far a distractor stands from the passage, or of which other book it is."""
    assert sample_blanks(ONE).candidates == (
        SampleCandidate("No.", 2, "sentence 7"),
        SampleCandidate("Jane sang.", 0, "sentence 1, 3 before the passage"),
        SampleCandidate("It rained.", 1, "sentence 5"),
        SampleCandidate("We ran.", 0, "sentence 9, 2 behind the passage"),
        SampleCandidate("Who?", 0, "sentence 9 of c"),
    )


def test_figures_are_printed_as_the_paper_prints_them() -> None:
    """Counts whole, means and shares in percent with two decimals, a dash where nobody gives one."""
    rows = [
        {"measure": "vocabulary", "unit": "count", "all": 1234, "train": 1000, "development": 0, "test": 7, "paper": 48600},
        {"measure": "words", "unit": "mean", "all": 319.636, "train": None, "development": 1, "test": 2, "paper": None},
        {"measure": "beside", "unit": "share", "all": 0.01276, "train": 0, "development": 0, "test": 1, "paper": 0.0128},
    ]
    found = statistics_from_record({"source": "Table 3", "measures": rows, "paper_passages": {}})
    assert found.columns == ("All", "Train", "Dev", "Test", "Paper")
    assert [figures for _, figures in found.rows] == [
        ("1,234", "1,000", "0", "7", "48,600"),
        ("319.64", "-", "1.00", "2.00", "-"),
        ("1.28", "0.00", "0.00", "100.00", "1.28"),
    ]
    assert found.rows[2][0] == "beside, %"


def of_blanked(data: ReportData, one: SetBlankedPassage, **statistics: object) -> ReportData:
    """A report of one blanked passage."""
    row = {"measure": "passages", "unit": "count", "all": 1, "train": 0, "development": 0, "test": 1, "paper": 5959}
    table = statistics_from_record(
        {"source": "Kong et al. 2020, Table 3", "measures": [row | statistics], "paper_passages": {"train": 4790}}
    )
    figures = BlankedFigures(table, (sample_blanks(one, book="A Book", file="b.txt"),))
    return replace(
        data, noun="passage", paper=None, evaluation=None, samples=(), n_options=0, answer_freqs=(), impostor_freqs=(), sentence_tokens=(),
        answer_positions=(), blank_places=(), levels=(("books", 1), ("passages", 40)), blanked=figures,
    )  # fmt: skip


def test_a_page_of_blanked_passages_shows_them_as_a_reader_meets_them(data: ReportData) -> None:
    """Its sections, the table beside the paper's, a sample with numbered blanks whose key is folded away; nothing of questions."""
    shown = Page(render_report(of_blanked(data, ONE)))
    assert [one["id"] for one in shown.all("section")] == [
        "funnel",
        "distributions",
        "statistics",
        "baselines",
        "samples",
        "books",
        "settings",
    ]
    assert shown.astray == shown.open == []
    text = " ".join("".join(shown.text).split())
    assert "question" not in text.lower()
    for said in (
        "Kong et al. 2020, Table 3",
        "5,959 (4,790)",
        "We left. 1",
        "So? 2",
        "c, blank 1",
        "b, distractor",
        "3 before the passage",
    ):
        assert said in text
    assert [one["aria-label"] for one in shown.all("span") if one.get("class") == "blank"] == ["blank 1", "blank 2"]
    assert all(one.get("scope") in {"col", "row"} for one in shown.all("th"))


def test_hostile_blanked_passages_stay_text(data: ReportData) -> None:
    """A book's text, its genre, a candidate and a measure's name hold no element."""
    script, braces, block, image, marks, dollars = HOSTILE
    passage = BlankedPassage(script, (script, image, braces), (1,), (block, image, marks), (1,))
    one = replace(ONE, passage=passage, domain=dollars, paragraphs=(1, 1, 1), sources=SOURCES[:3], candidate_sources=SOURCES[:3])
    shown, harmless = (Page(render_report(of_blanked(data, any_, measure=name))) for any_, name in ((one, script), (ONE, "passages")))
    assert shown.astray == shown.open == []
    assert {tag for tag, _ in shown.elements} <= {tag for tag, _ in harmless.elements}
    assert not any(name.startswith("on") for _, attributes in shown.elements for name in attributes)
    assert "<script>alert(1)</script>" in "".join(shown.text)
    assert "49" not in "".join(shown.text).split("Sample passages")[-1].split("Books")[0]
