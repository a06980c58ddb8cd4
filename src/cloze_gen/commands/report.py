"""`cloze-gen report`: the report of a finished run, written anew."""

from __future__ import annotations

import os
from pathlib import Path

from cloze_gen.engine.progress import say
from cloze_gen.errors import UsageError
from cloze_gen.pipelines.styles import style_of_run
from cloze_gen.stages.release.documents import REPORT
from cloze_gen.stages.report import stage_artifacts, write_report
from cloze_gen.store.folder_replacement import rewrite_published
from cloze_gen.store.locks import exclusive_lock
from cloze_gen.store.runs import (
    EVALUATION,
    RELEASE,
    RUN_SCHEMA,
    check_as_written,
    find_run,
    lies_in_output,
    run_lock,
)


def report_run(out: Path, run: str) -> Path:
    """`cloze-gen report`: the report of a finished run, with its evaluation if there is one; returns the report's path."""
    folder = find_run(out, run).resolve()
    if not lies_in_output(folder):
        raise UsageError(
            f"{folder}: lies in no output folder (OUT/runs/NAME), so its stages are not at hand and its report is left as it was."
        )
    with exclusive_lock(run_lock(folder)):
        renew_report(folder)
    return folder / RELEASE / REPORT


def renew_report(folder: Path, evaluation: Path | None = None) -> None:
    """Write the report of a finished run anew; the run's folder is exchanged as a whole. The caller holds the run's lock.

    Args:
        evaluation: a folder to link as the run's evaluation first.
    """
    check_as_written(folder)
    stage_artifacts(folder)  # told now, of the folder itself: a copy is only a copy while it is written

    def change(partial: Path) -> None:
        if evaluation is not None:
            (partial / EVALUATION).unlink(missing_ok=True)
            (partial / EVALUATION).symlink_to(os.path.relpath(evaluation, folder))
        write_report(partial, style_of_run(folder))

    for line in rewrite_published(folder, RUN_SCHEMA, change):
        say(f"{folder.name}: {line}")
