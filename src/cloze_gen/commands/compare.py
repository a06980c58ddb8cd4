"""`cloze-gen compare`: two runs side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cloze_gen.commands.evaluation_folder import PREDICTIONS
from cloze_gen.formats.lambada.rendering import cased_text
from cloze_gen.pipelines.styles import style_of_run
from cloze_gen.records.passage import SetPassage
from cloze_gen.report.compare import ComparedPassage, RunFacts, comparison_text
from cloze_gen.report.compare_answers import Answered, AnsweredPassage
from cloze_gen.report.data import EvaluationRow
from cloze_gen.report.funnel import funnel_steps
from cloze_gen.stages.items.blanked_passages import BLANKED_ITEMS
from cloze_gen.stages.items.kind import ItemKind
from cloze_gen.stages.items.passages import PASSAGE_ITEMS
from cloze_gen.stages.items.questions import QUESTION_ITEMS
from cloze_gen.stages.read_evaluation import read_blank_evaluation, read_evaluation, read_passage_evaluation
from cloze_gen.stages.release.signature import read_signature
from cloze_gen.stages.report import (
    flat_settings,
    read_set,
    stage_artifacts,
)
from cloze_gen.store.runs import EVALUATION, find_run, linked, read_run
from cloze_gen.store.tables import read_jsonl


def compare_runs(out: Path, one: str, other: str) -> str:
    """`cloze-gen compare`: two runs, by name or path."""
    return comparison_text(*(read_run_facts(find_run(out, run)) for run in (one, other)))


def read_run_facts(folder: Path) -> RunFacts:
    run = read_run(folder)
    kind = style_of_run(folder).items
    items, records = read_set(folder, kind)
    return RunFacts(
        name=run["name"],
        signature=read_signature(folder),
        seed=run["seed"],
        settings=dict(flat_settings(run["settings"])),
        fingerprints={stage["label"]: stage["fingerprint"] for stage in run["stages"]},
        steps=funnel_steps((label, artifact.manifest) for label, artifact in stage_artifacts(folder).items()),
        baselines=_baselines(folder, kind),
        noun=kind.noun,
        questions=items if kind is QUESTION_ITEMS else (),
        passages=_compared(items, records) if kind is PASSAGE_ITEMS else (),
        blanked=items if kind is BLANKED_ITEMS else (),
        answered=_answered(folder) if kind is BLANKED_ITEMS else {},
    )


def _compared(passages: Sequence[SetPassage], records: Sequence[Mapping[str, Any]]) -> list[ComparedPassage]:
    pairs = zip(passages, records, strict=True)
    return [
        ComparedPassage(one.id, str(one.split), one.passage.target, cased_text(one.passage), record.get("scores", {}))
        for one, record in pairs
    ]


def _baselines(folder: Path, kind: ItemKind) -> Sequence[EvaluationRow]:
    if kind is BLANKED_ITEMS:
        return _blank_baselines(folder)
    return _passage_baselines(folder) if kind is PASSAGE_ITEMS else _question_baselines(folder)


def _question_baselines(folder: Path) -> Sequence[EvaluationRow]:
    evaluation = read_evaluation(folder)
    return evaluation.baselines if evaluation else ()


def _passage_baselines(folder: Path) -> list[EvaluationRow]:
    """The accuracies of a run of passages, the set in the name; what nobody measured is left out."""
    evaluation = read_passage_evaluation(folder)
    return [
        EvaluationRow(f"{row.name}, {row.of_set}", row.kind, row.accuracy, row.low, row.high, row.n, 0.0)
        for row in (evaluation.rows if evaluation else ())
        if row.accuracy is not None and row.low is not None and row.high is not None
    ]


def _blank_baselines(folder: Path) -> list[EvaluationRow]:
    """The blank accuracies of a run of blanked passages, the context in the name: the rows of the main table."""
    evaluation = read_blank_evaluation(folder)
    rows = evaluation.main if evaluation else ()
    return [EvaluationRow(_named(row.name, row.context), row.kind, row.ba, row.ba_low, row.ba_high, row.n, 0.0) for row in rows]


def _answered(folder: Path) -> Answered:
    """How the baselines answered its passages, of its evaluation, which `read_blank_evaluation` has found whole."""
    path = linked(folder, EVALUATION) / PREDICTIONS
    found: dict[str, dict[str, AnsweredPassage]] = {}
    for row in read_jsonl(path) if path.is_file() else ():
        one = AnsweredPassage(len(row["answers"]), sum(row["right"]), len(row["distractors"]))
        found.setdefault(_named(row["baseline"], row["context"]), {})[row["id"]] = one
    return found


def _named(baseline: str, context: str) -> str:
    return f"{baseline}, {context}" if context else baseline
