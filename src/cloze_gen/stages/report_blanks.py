"""What a report says of a set of blanked passages, read from the run's artifacts, its release and its evaluation."""

from __future__ import annotations

from cloze_gen.notation import parse_json
from cloze_gen.report.blank_evaluation import BlankEvaluation
from cloze_gen.report.blanked_passages import BlankedFigures, statistics_from_record
from cloze_gen.report.paper_table import BlankTable
from cloze_gen.stages.tables import STATISTICS
from cloze_gen.store.artifacts import Artifact


def blanked_figures(*, statistics: Artifact | None, evaluation: BlankEvaluation | None, paper: BlankTable | None) -> BlankedFigures:
    """Everything of a report that only blanked passages have, but for its samples.

    Args:
        statistics: of the stage of this name, where the run has one.
    """
    return BlankedFigures(
        statistics=None if statistics is None else statistics_from_record(parse_json(statistics.path(STATISTICS).read_bytes())),
        evaluation=evaluation,
        paper=paper,
        samples=(),
    )
