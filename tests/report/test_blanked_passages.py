"""What a report says of blanked passages."""

from __future__ import annotations

from cloze_gen.records.blanked_passage import BlankedPassage, SentenceSource, SetBlankedPassage
from cloze_gen.records.passage import Part
from cloze_gen.report.blanked_passages import SampleCandidate, sample_blanks, statistics_from_record

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
    found = statistics_from_record({"source": "Table 3", "measures": rows})
    assert found.columns == ("All", "Train", "Dev", "Test", "Paper")
    assert [figures for _, figures in found.rows] == [
        ("1,234", "1,000", "0", "7", "48,600"),
        ("319.64", "-", "1.00", "2.00", "-"),
        ("1.28", "0.00", "0.00", "100.00", "1.28"),
    ]
    assert found.rows[2][0] == "beside, %"
