"""What a report says of a set of blanked passages, as records: the table of its statistics, its evaluation, samples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from cloze_gen.records.blanked_passage import SentenceSource, SetBlankedPassage
from cloze_gen.report.blank_evaluation import BlankEvaluation
from cloze_gen.report.paper_table import BlankTable

_OF_SETS = {"all": "All", "train": "Train", "development": "Dev", "test": "Test", "paper": "Paper"}
_PASSAGES = "passages"  # the measure of which the paper gives the parts too


@dataclass(frozen=True, slots=True)
class Statistics:
    """The set beside the paper's.

    Attributes:
        source: the paper's table.
        columns: of the figures: the whole set, its parts, the paper's.
        rows: (measure, a figure a column, as it is printed).
    """

    source: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class SampleCandidate:
    """One candidate of a sample.

    Attributes:
        blank: number of the blank that it answers, from 1; 0 of a distractor.
        place: where it stands.
    """

    text: str
    blank: int
    place: str


@dataclass(frozen=True, slots=True)
class SampleBlanks:
    """One passage as a reader meets it, and its key.

    Attributes:
        paragraphs: of each its sentences as they are shown, the number of a blank, from 1, in the place of its sentence.
        place: where the passage stands.
    """

    id: str
    book: str
    part: str
    domain: str
    place: str
    paragraphs: tuple[tuple[str | int, ...], ...]
    candidates: tuple[SampleCandidate, ...]


@dataclass(frozen=True, slots=True)
class BlankedFigures:
    """Everything of a report that only sets of blanked passages have.

    Attributes:
        statistics: None of a run that has not measured them.
        evaluation: None before `cloze-gen evaluate`.
        paper: the paper's own figures of models; None where it has none.
    """

    statistics: Statistics | None
    samples: tuple[SampleBlanks, ...]
    evaluation: BlankEvaluation | None = None
    paper: BlankTable | None = None


def statistics_from_record(record: Mapping[str, Any]) -> Statistics:
    """The table of one ``statistics.json``, which the run has written; the paper's passages by part stand behind its count of them.

    >>> row = {"measure": "passages", "unit": "count", "all": 60, "train": 40, "development": 12, "test": 8, "paper": 5959}
    >>> statistics_from_record({"source": "Table 3", "measures": [row], "paper_passages": {"test": 658, "train": 4790}}).rows
    (('passages', ('60', '40', '12', '8', '5,959 (4,790 / 658)')),)
    """
    parts = " / ".join(f"{record['paper_passages'][part]:,}" for part in _OF_SETS if part in record["paper_passages"])
    rows = [
        (f"{row['measure']}, %" if row["unit"] == "share" else row["measure"], [_figure(row.get(of), row["unit"]) for of in _OF_SETS])
        for row in record["measures"]
    ]
    for measure, figures in rows:
        figures[-1] += f" ({parts})" if measure == _PASSAGES else ""
    return Statistics(record["source"], tuple(_OF_SETS.values()), tuple((measure, tuple(figures)) for measure, figures in rows))


def _figure(value: float | None, unit: str) -> str:
    """As Table 3 prints it.

    >>> _figure(5959, "count"), _figure(4.99, "mean"), _figure(None, "mean")
    ('5,959', '4.99', '-')
    """
    if value is None:
        return "-"
    return f"{value:,.0f}" if unit == "count" else f"{100 * value if unit == 'share' else value:,.2f}"


def sample_blanks(one: SetBlankedPassage, *, book: str = "", file: str = "") -> SampleBlanks:
    """One passage for the report.

    Args:
        book: title of its book, or its id; `file`: name of its raw file.
    """
    passage = one.passage
    numbers = {place: number for number, place in enumerate(passage.blanks, 1)}
    answered = {answer: number for number, answer in enumerate(passage.answers, 1)}
    shown = (numbers.get(place, sentence) for place, sentence in enumerate(passage.sentences))
    paragraphs = groupby(zip(one.paragraphs, shown, strict=True), key=lambda pair: pair[0])
    places = (_place(source, one) for source in one.candidate_sources)
    return SampleBlanks(
        id=one.id,
        book=book or one.book_id,
        part=str(one.part),
        domain=one.domain,
        place=", ".join(part for part in (file, f"characters {one.sources[0].start:,} to {one.sources[-1].end:,}") if part),
        paragraphs=tuple(tuple(sentence for _, sentence in of_paragraph) for _, of_paragraph in paragraphs),
        candidates=tuple(
            SampleCandidate(text, answered.get(i, 0), place) for i, (text, place) in enumerate(zip(passage.candidates, places, strict=True))
        ),
    )


def _place(source: SentenceSource, one: SetBlankedPassage) -> str:
    """A sentence by its number and, where it is of another book than the passage, that book; how far it stands from the passage."""
    if source.book_id != one.book_id:
        return f"sentence {source.index} of {source.book_id}"
    first, last = one.sources[0].index, one.sources[-1].index
    if source.index < first:
        return f"sentence {source.index}, {first - source.index} before the passage"
    return f"sentence {source.index}" + (f", {source.index - last} behind the passage" if source.index > last else "")
