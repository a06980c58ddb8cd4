"""What a report says of a set of blanked passages, read from the run's artifacts, its release and its evaluation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cloze_gen.notation import parse_json
from cloze_gen.records.blanked_passage import SetBlankedPassage
from cloze_gen.report.blank_evaluation import BlankEvaluation
from cloze_gen.report.blanked_passages import BlankedFigures, sample_blanks, statistics_from_record
from cloze_gen.report.paper_table import BlankTable
from cloze_gen.report.samples import draw_samples
from cloze_gen.stages.tables import STATISTICS
from cloze_gen.store.artifacts import Artifact


def blanked_figures(
    passages: Sequence[SetBlankedPassage], *, books: Sequence[Mapping[str, str]], statistics: Artifact | None,
    evaluation: BlankEvaluation | None, paper: BlankTable | None, seed: int,
) -> BlankedFigures:  # fmt: skip
    """Everything of a report that only blanked passages have.

    Args:
        books: rows of the table of books.
        statistics: of the stage of this name, where the run has one.
    """
    about = {row["book_id"]: row for row in books}
    drawn = [(passages[i], about.get(passages[i].book_id, {})) for i in draw_samples(len(passages), seed=seed)]
    return BlankedFigures(
        statistics=None if statistics is None else statistics_from_record(parse_json(statistics.path(STATISTICS).read_bytes())),
        evaluation=evaluation,
        paper=paper,
        samples=tuple(sample_blanks(one, book=book.get("title", ""), file=book.get("file", "")) for one, book in drawn),
    )
