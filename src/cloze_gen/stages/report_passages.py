"""What a report says of a set of passages, read from the run's artifacts, its release and its evaluation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cloze_gen.notation import parse_json
from cloze_gen.records.passage import SetPassage
from cloze_gen.report.paper_table import PassageTable
from cloze_gen.report.passages import PassageEvaluation, PassageFigures, analysis_from_record, sample_passage
from cloze_gen.report.samples import draw_samples
from cloze_gen.stages.tables import ANALYSIS
from cloze_gen.store.artifacts import Artifact


def passage_figures(
    passages: Sequence[SetPassage],
    records: Sequence[Mapping[str, Any]],
    *,
    books: Sequence[Mapping[str, str]],
    analysis: Artifact | None,
    evaluation: PassageEvaluation | None,
    paper: PassageTable | None,
    seed: int,
) -> PassageFigures:
    """Everything of a report that only passages have.

    Args:
        passages: of the set, without those of control.
        records: their lines of `passages.jsonl`.
        books: rows of the table of books.
        analysis: of the stage of this name, where the run has one.
    """
    about = {row["book_id"]: row for row in books}
    drawn = [(passages[i], records[i]) for i in draw_samples(len(passages), seed=seed)]
    return PassageFigures(
        tokens=tuple(len(str(record["text"]).split()) for record in records),
        analysis=None if analysis is None else analysis_from_record(parse_json(analysis.path(ANALYSIS).read_bytes())),
        evaluation=evaluation,
        paper=paper,
        samples=tuple(
            sample_passage(one, record, book=about.get(one.book_id, {}).get("title", ""), file=about.get(one.book_id, {}).get("file", ""))
            for one, record in drawn
        ),
    )
