"""`cloze-gen compare`: the differences between two runs."""

from __future__ import annotations

from pathlib import Path

from cloze_gen.api.evaluator import PREDICTIONS
from cloze_gen.api.run import Run
from cloze_gen.pipelines.styles import style_of_run
from cloze_gen.release.compare import Answered, ComparedItem, RunFacts, comparison_text
from cloze_gen.release.items.blanked_passages import BLANKED_ITEMS
from cloze_gen.release.read_evaluation import evaluation_class, read_evaluation
from cloze_gen.release.report import flat_settings, read_set
from cloze_gen.release.signature import read_signature
from cloze_gen.store.runs import EVALUATION, find_run, linked, read_run
from cloze_gen.store.tables import read_jsonl


def compare_runs(out: Path, left: str, right: str) -> str:
    return comparison_text(_run_facts(find_run(out, left)), _run_facts(find_run(out, right)))


def _run_facts(folder: Path) -> RunFacts:
    run = read_run(folder)
    kind = style_of_run(folder).items
    items, _ = read_set(folder, kind)
    evaluation = read_evaluation(folder, evaluation_class(kind))
    return RunFacts(
        signature=read_signature(folder),
        seed=run["seed"],
        settings=dict(flat_settings(run["settings"])),
        fingerprints={stage["label"]: stage["fingerprint"] for stage in run["stages"]},
        steps=Run(folder).funnel,
        baselines=evaluation.compared if evaluation else (),
        noun=kind.noun,
        items={item.id: ComparedItem(kind.split_of(item), kind.compared(item)) for item in items},
        answered=_answered(folder) if kind is BLANKED_ITEMS else {},
    )


def _answered(folder: Path) -> Answered:
    path = linked(folder, EVALUATION) / PREDICTIONS
    answered: dict[str, dict[str, tuple[int, int, int]]] = {}
    for row in read_jsonl(path) if path.is_file() else ():
        name = f"{row['baseline']}, {row['context']}" if row["context"] else row["baseline"]
        counts = len(row["answers"]), sum(row["right"]), len(row["distractors"])
        answered.setdefault(name, {})[row["id"]] = counts
    return answered
