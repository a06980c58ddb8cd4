"""Grooming by people: which focus words judges are asked about, and what becomes of what they say (MSR 2.3)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cloze_gen.formats.verdicts import VerdictFile, verdicts_jsonl
from cloze_gen.judging.consensus import groomed
from cloze_gen.judging.settings import StudySettings
from cloze_gen.recipes.msr.stages.pool import pool_items
from cloze_gen.records.judgement import StudyItem, Task
from cloze_gen.store.runs import stage_artifact
from cloze_gen.studies.agreement import measured
from cloze_gen.studies.asking import Asking
from cloze_gen.studies.study import Study
from cloze_gen.studies.worth import said_by_people


def draw(run: Path, settings: StudySettings) -> list[StudyItem]:
    """The focus words that a study asks about (`stages.pool`)."""
    stages = {name: stage_artifact(run, name) for name in ("focus", "screening", "forward", "grooming")}
    return pool_items(**stages, settings=settings)


def verdicts(study: Study) -> str:
    """What the judges said: of every focus word that somebody judged the verdict, the four, and how many picked each candidate."""
    standing = study.standing()
    rows: list[dict[str, Any]] = []
    for item, said in said_by_people(standing).items():
        found = groomed(said, standing.decided.get(item), candidates=study.store.item(item).shown["candidates"])
        rows.append(
            {
                "id": item, "verdict": found.verdict, "picked": list(found.picked), "votes": dict(found.votes), "judges": found.judges,
                "adjudicated": found.adjudicated,
            }
        )  # fmt: skip
    figures = measured(study, is_right=str.__eq__)
    of = {name: fingerprint for name, fingerprint in study.facts.of.items() if name == GROOMING.of}
    return verdicts_jsonl(VerdictFile(Task.GROOM, of, figures.judges, figures.alpha, figures.adjudicated, rows))


GROOMING = Asking(task=Task.GROOM, of="forward", draw=draw, verdicts=verdicts, made_anew="grooming", setting="grooming.verdicts")
