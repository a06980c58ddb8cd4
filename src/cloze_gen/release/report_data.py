"""The contents of a report as records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from cloze_gen.evaluation.questions import QuestionEvaluation
from cloze_gen.records.rejection import FunnelStep
from cloze_gen.release.paper_figures import PaperTable
from cloze_gen.release.report_passages import BlankedFigures, PassageFigures
from cloze_gen.release.samples import Sample
from cloze_gen.release.verdict import Verdict


@dataclass(frozen=True, slots=True)
class AuditTable:
    side: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    dropped: int


@dataclass(frozen=True, slots=True)
class StageRow:
    link: str
    fingerprint: str
    figures: str


@dataclass(frozen=True, slots=True)
class ReportData:
    """Everything a report shows.

    Attributes:
        legends: reason -> the line that explains it.
        answer_freqs, impostor_freqs: share of the training corpus's word tokens, or empty.
        answer_positions: how often the answer is at each place of the options.
        blank_places: place of the blank in its sentence, 0 = first token, 1 = last.
        kind_label: name of the samples' first filter.
        noun: name of an item; "question" in field names means any item.
    """

    name: str
    paper: PaperTable | None
    signature: str
    seed: int
    n_questions: int
    n_wanted: int
    n_options: int
    steps: tuple[FunnelStep, ...]
    answer_freqs: tuple[float, ...]
    impostor_freqs: tuple[float, ...]
    sentence_tokens: tuple[int, ...]
    answer_positions: tuple[int, ...]
    blank_places: tuple[float, ...]
    books: tuple[tuple[str, str, int], ...]
    evaluation: QuestionEvaluation | None
    samples: tuple[Sample, ...]
    audits: tuple[AuditTable, ...]
    stages: tuple[StageRow, ...]
    settings: tuple[tuple[str, str], ...]
    overrides: tuple[str, ...]
    warnings: tuple[str, ...]
    noun: str = "question"
    kind_label: str = "Word class"
    passages: PassageFigures | None = None
    blanked: BlankedFigures | None = None
    legends: Mapping[str, str] = field(default_factory=dict)
    verdict: Verdict | None = None
