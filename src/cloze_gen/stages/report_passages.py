"""What a report says of a set of passages, read from the run's artifacts, its release and its evaluation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cloze_gen.notation import parse_json
from cloze_gen.report.paper_table import PassageTable
from cloze_gen.report.passages import PassageEvaluation, PassageFigures, analysis_from_record
from cloze_gen.stages.tables import ANALYSIS
from cloze_gen.store.artifacts import Artifact


def passage_figures(
    records: Sequence[Mapping[str, Any]], *, analysis: Artifact | None, evaluation: PassageEvaluation | None, paper: PassageTable | None
) -> PassageFigures:
    """Everything of a report that only passages have, but for its samples.

    Args:
        records: lines of `passages.jsonl`, of the set without its control.
        analysis: of the stage of this name, where the run has one.
    """
    return PassageFigures(
        tokens=tuple(len(str(record["text"]).split()) for record in records),
        analysis=None if analysis is None else analysis_from_record(parse_json(analysis.path(ANALYSIS).read_bytes())),
        evaluation=evaluation,
        paper=paper,
        samples=(),
    )
