"""What a report says, as records: everything read before a line of it is written."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cloze_gen.errors import FormatError
from cloze_gen.evaluate.table import way_text
from cloze_gen.evaluate.words.adversary_line import adversary_line
from cloze_gen.evaluate.words.baselines import tagger_text
from cloze_gen.report.blanked_passages import BlankedFigures
from cloze_gen.report.funnel import FunnelStep
from cloze_gen.report.paper_table import PaperTable
from cloze_gen.report.passages import PassageFigures


@dataclass(frozen=True, slots=True)
class EvaluationRow:
    """One row of an evaluation. Shares are of 1; `low` and `high` bound the 95 % Wilson interval.

    Attributes:
        kind: ``adversary``, ``baseline``, ``balanced`` (rules that the choice of the set levels), ``bias``, ``classifier``, ``random``,
            ``user`` or ``human``, whose bounds are those of a bootstrap over items.
        way: of an adversary, the family and the folds that its figures are of, and of how many it is the best; of people, how many
            they are; empty of others.
    """

    name: str
    kind: str
    accuracy: float
    low: float
    high: float
    n: int
    chance: float
    way: str = ""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A finished `cloze-gen evaluate` of the run's questions.

    Attributes:
        left_out: row -> why it was not computed.
        tagger: which tagger rows rest on, in a line; empty where none does.
    """

    signature: str
    n: int
    chance: float
    baselines: tuple[EvaluationRow, ...]
    left_out: Mapping[str, str] = field(default_factory=dict)
    tagger: str = ""

    @property
    def adversaries(self) -> str:
        """What a trained adversary gets of these questions, a line or two in words."""
        rows = self.of_kind("adversary")
        if rows:
            return adversary_line({row.name: (row.accuracy, row.low, row.high) for row in rows}, chance=self.chance)
        reasons = sorted({why for name, why in self.left_out.items() if name.startswith("adversary-")})
        return f"No adversary was tried{': ' if reasons else ''}{'; '.join(reasons)}."

    def of_kind(self, *kinds: str) -> tuple[EvaluationRow, ...]:
        return tuple(row for row in self.baselines if row.kind in kinds)


@dataclass(frozen=True, slots=True)
class SampleQuestion:
    """One question with the short form of its trace.

    Attributes:
        before, after: the printed sentence on both sides of the blank.
        source: the sentence as the book has it; empty when the record does not say.
        place: where it stands in the raw file.
        facts: (label, value) of whatever else the record tells.
        score_columns, score_rows: one row an option; empty when the record has no scores.
        candidates: (verdict, words) of the retained candidates; empty when the run keeps none.
    """

    id: str
    book: str
    before: str
    after: str
    options: tuple[str, ...]
    answer_index: int
    source: str = ""
    place: str = ""
    facts: tuple[tuple[str, str], ...] = ()
    score_columns: tuple[str, ...] = ()
    score_rows: tuple[tuple[str, ...], ...] = ()
    candidates: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class AuditTable:
    """The books of one side with what ingest and the comparison of contents said of each."""

    side: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    dropped: int


@dataclass(frozen=True, slots=True)
class StageRow:
    """One stage of the run: its link, its fingerprint, and its figures in words."""

    link: str
    fingerprint: str
    figures: str


@dataclass(frozen=True, slots=True)
class ReportData:
    """Everything a report shows.

    Attributes:
        paper: the paper's table of baselines; None where it has none.
        levels: (what, count) from books to kept questions, in the order of the run, for the picture of the funnel.
        steps: the funnel itself, with the reasons.
        answer_freqs, impostor_freqs: proportions of the training corpus's word tokens, one a word; empty when unknown.
        sentence_tokens: length of every printed sentence in tokens.
        answer_positions: how often the answer stands at each place of the options.
        blank_places: where in its sentence the blank stands, 0 = first token, 1 = last.
        books: (book id, title, questions).
        warnings: what a user of the set must know.
        settings: (stage.key, value) as JSON text.
        noun: of one item; what is called a question here is one item, of whatever kind.
        passages, blanked: what only a set of passages, or of blanked passages, has; None of others.
    """

    name: str
    paper: PaperTable | None
    signature: str
    seed: int
    n_questions: int
    n_wanted: int
    n_options: int
    levels: tuple[tuple[str, int], ...]
    steps: tuple[FunnelStep, ...]
    answer_freqs: tuple[float, ...]
    impostor_freqs: tuple[float, ...]
    sentence_tokens: tuple[int, ...]
    answer_positions: tuple[int, ...]
    blank_places: tuple[float, ...]
    books: tuple[tuple[str, str, int], ...]
    evaluation: Evaluation | None
    samples: tuple[SampleQuestion, ...]
    audits: tuple[AuditTable, ...]
    stages: tuple[StageRow, ...]
    settings: tuple[tuple[str, str], ...]
    overrides: tuple[str, ...]
    warnings: tuple[str, ...]
    noun: str = "question"
    passages: PassageFigures | None = None
    blanked: BlankedFigures | None = None


def evaluation_from_record(record: Mapping[str, Any], *, where: str) -> Evaluation:
    """The evaluation of one ``evaluation.json``. Its seconds are left out: the same questions and models give the same report.

    Raises:
        FormatError: a field is missing or of another type; names `where`.

    >>> row = {"name": "lsa", "kind": "baseline", "accuracy": 0.5, "low": 0.2, "high": 0.8, "n": 10, "chance": 0.2}
    >>> evaluation_from_record({"n": 10, "chance": 0.2, "signature": "s", "baselines": [row]}, where="here").baselines[0].name
    'lsa'
    """
    try:
        n, chance = int(record["n"]), float(record["chance"])
        rows: Sequence[Mapping[str, Any]] = record["baselines"]
        baselines = tuple(
            EvaluationRow(
                name=str(row["name"]), kind=str(row.get("kind", "baseline")), accuracy=float(row["accuracy"]), low=float(row["low"]),
                high=float(row["high"]), n=int(row.get("n", n)), chance=float(row.get("chance", chance)),
                way=way_text(row) if "family" in row else str(row.get("note", "")),
            ) for row in rows
        )  # fmt: skip
        if not all(math.isfinite(figure) for row in baselines for figure in (row.accuracy, row.low, row.high, row.chance)):
            raise ValueError("a figure is not finite")
        left_out = {str(name): str(why) for name, why in record.get("left_out", {}).items()}
        tagger = tagger_text(record.get("tagger", {}), [row.name for row in baselines])
        return Evaluation(str(record.get("signature", "")), n, chance, baselines, left_out, tagger)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise FormatError(f"{where}: not an evaluation ({type(error).__name__}: {error}). Run `cloze-gen evaluate` again.") from None
