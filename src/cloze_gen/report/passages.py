"""What a report says of a set of passages, as records: lengths, the analysis, both sets' baselines, samples."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cloze_gen.errors import FormatError
from cloze_gen.formats.lambada.rendering import cased_context
from cloze_gen.records.passage import SetPassage
from cloze_gen.report.paper_table import PassageTable

_FIGURES = ("accuracy", "low", "high", "perplexity", "median_rank", "coverage")
SETS = ("passages", "control")  # as `evaluation.json` calls them


@dataclass(frozen=True, slots=True)
class SetRow:
    """One baseline on one of the two sets; None where a figure has no meaning, or nobody told it. Shares are of 1.

    Attributes:
        kind: ``random``, ``rule``, ``model`` or ``user``.
        low, high: bounds of the 95 % interval of `accuracy`.
        note: why it was not measured, if it was not.
    """

    name: str
    of_set: str
    kind: str
    n: int
    accuracy: float | None
    low: float | None
    high: float | None
    perplexity: float | None
    median_rank: float | None
    coverage: float | None
    note: str = ""


@dataclass(frozen=True, slots=True)
class PassageEvaluation:
    """A finished `cloze-gen evaluate` of the run's passages."""

    signature: str
    rows: tuple[SetRow, ...]

    def of_set(self, name: str) -> dict[str, SetRow]:
        """Baseline -> its row, of one of the `SETS`."""
        return {row.name: row for row in self.rows if row.of_set == name}


@dataclass(frozen=True, slots=True)
class Measure:
    """One row of the analysis: of the kept, of the random sample, and the paper's of both; None where nobody gives one."""

    name: str
    is_share: bool
    kept: float | None
    random: float | None
    paper_kept: float | None
    paper_random: float | None


@dataclass(frozen=True, slots=True)
class Analysis:
    """What the passages of the set are like, beside a random sample of those that no model guesses.

    Attributes:
        back_kept, back_random: passages by how many sentences before its own the target stands last, from 0; last those where it stands in
            none.
    """

    source: str
    n_kept: int
    n_random: int
    measures: tuple[Measure, ...]
    back_kept: tuple[int, ...]
    back_random: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SamplePassage:
    """One passage with the short form of its trace.

    Attributes:
        before, target, behind: its text as the book has it; `behind` is not shown to who guesses.
        scores: (committee member, P(target | passage)).
        signals: (what it is, value) of what it was ranked by.
    """

    id: str
    book: str
    split: str
    domain: str
    before: str
    target: str
    behind: str
    published: str
    place: str
    verdict: str
    scores: tuple[tuple[str, str], ...]
    signals: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class PassageFigures:
    """Everything of a report that only sets of passages have.

    Attributes:
        tokens: of each passage, in the published form up to the target.
        paper: the paper's own table of baselines; None where it has none.
    """

    tokens: tuple[int, ...]
    analysis: Analysis | None
    evaluation: PassageEvaluation | None
    paper: PassageTable | None
    samples: tuple[SamplePassage, ...]


def passage_evaluation_from_record(record: Mapping[str, Any], *, where: str) -> PassageEvaluation:
    """The evaluation of one ``evaluation.json`` of passages. Its seconds are left out: equal passages and models give an equal report.

    Raises:
        FormatError: a field is missing or of another type; names `where`.

    >>> row = {"name": "n-gram", "set": "control", "kind": "model", "n": 10, "accuracy": 0.2, "low": 0.1, "high": 0.3, "perplexity": None}
    >>> passage_evaluation_from_record({"signature": "s", "baselines": [row]}, where="here").of_set("control")["n-gram"].accuracy
    0.2
    """
    try:
        rows = tuple(
            SetRow(
                name=str(row["name"]), of_set=str(row["set"]), kind=str(row["kind"]), n=int(row["n"]), note=str(row.get("note") or ""),
                **{name: _figure(row.get(name)) for name in _FIGURES},
            ) for row in record["baselines"]
        )  # fmt: skip
        return PassageEvaluation(str(record.get("signature", "")), rows)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        told = f"{type(error).__name__}: {error}"
        raise FormatError(f"{where}: not an evaluation of passages ({told}). Run `cloze-gen evaluate` again.") from None


def _figure(value: Any) -> float | None:
    if value is None:
        return None
    if not math.isfinite(float(value)):
        raise ValueError("a figure is not finite")
    return float(value)


def analysis_from_record(record: Mapping[str, Any]) -> Analysis:
    """The analysis of one ``analysis.json``, which the run has written."""
    measures = (
        Measure(row["measure"], row["unit"] == "share", row["kept"], row["random"], row["paper_kept"], row["paper_random"])
        for row in record["measures"]
    )
    back = record["sentences_back"]
    sizes = record["sets"]
    return Analysis(record["source"], sizes["kept"], sizes["random"], tuple(measures), tuple(back["kept"]), tuple(back["random"]))


def sample_passage(one: SetPassage, record: Mapping[str, Any], *, book: str = "", file: str = "") -> SamplePassage:
    """One passage for the report.

    Args:
        record: its line of ``passages.jsonl``.
        book: title of the novel, or its id; `file`: name of its raw file.
    """
    passage = one.passage
    span = f"characters {passage.start:,} to {passage.end:,}"
    return SamplePassage(
        id=one.id,
        book=book or one.book_id,
        split=str(one.split),
        domain=one.domain,
        before=cased_context(passage),
        target=passage.target,
        behind=passage.closing,
        published=str(record["text"]),
        place=", ".join(part for part in (file, span) if part),
        verdict=str(record.get("verdict", "")),
        scores=tuple((member, f"{10**log10_prob:.3g}") for member, log10_prob in record.get("scores", {}).items()),
        signals=tuple((name.replace("_", " "), f"{value:.4g}") for name, value in record.get("signals", {}).items()),
    )
