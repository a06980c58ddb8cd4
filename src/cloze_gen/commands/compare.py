"""`cloze-gen compare`: two runs side by side."""

from __future__ import annotations

from pathlib import Path

from cloze_gen.pipelines.styles import style_of_run
from cloze_gen.report.compare import RunFacts, comparison_text
from cloze_gen.report.funnel import funnel_steps
from cloze_gen.stages.report import as_questions, flat_settings, read_evaluation, read_records, stage_artifacts
from cloze_gen.stages.signature import read_signature
from cloze_gen.store.runs import (
    find_run,
    read_run,
)


def compare_runs(out: Path, one: str, other: str) -> str:
    """`cloze-gen compare`: two runs, by name or path."""
    return comparison_text(*(read_run_facts(find_run(out, run)) for run in (one, other)))


def read_run_facts(folder: Path) -> RunFacts:
    run = read_run(folder)
    items = style_of_run(folder).items
    return RunFacts(
        name=run["name"],
        signature=read_signature(folder),
        seed=run["seed"],
        settings=dict(flat_settings(run["settings"])),
        fingerprints={stage["label"]: stage["fingerprint"] for stage in run["stages"]},
        steps=funnel_steps((label, artifact.manifest) for label, artifact in stage_artifacts(folder).items()),
        evaluation=read_evaluation(folder),
        questions=as_questions(read_records(folder, items.file)),
    )
