"""`cloze-gen evaluate`: measure baselines on a test set; and `export-requests`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cloze_gen.api.evaluate import evaluate_items, source_of
from cloze_gen.cli.evaluate_items import analyse_items
from cloze_gen.engine.progress import say
from cloze_gen.errors import UsageError
from cloze_gen.parsing import quote
from cloze_gen.pipelines.style_task import style_of_run
from cloze_gen.store.files import new_file
from cloze_gen.store.runs import find_run, stage_artifact


def evaluation_text(
    *, items: str, answers: Path | None, out: Path, write_to: Path | None, logs: Sequence[str],
    blind: Sequence[str], **baselines: Any,
) -> str:  # fmt: skip
    """The tables of an evaluation, or of an item analysis of `logs`."""
    if blind and not logs:
        raise UsageError("--blind: give the log of the same model on the set itself with --items.")
    if not logs:
        return str(evaluate_items(items, answers=answers, out=out, write_to=write_to, **baselines))
    unused = [name for name in ("train", "only", "scores", "people") if baselines[name]]
    if unused:
        raise UsageError(f"--{unused[0]}: has no effect with --items. Leave it out.")
    source, shape = source_of(items, out)
    return analyse_items(
        source, shape, logs=logs, blind=blind, answers=answers, out=out, write_to=write_to
    )  # fmt: skip


# ---- `cloze-gen export-requests`


def export_requests(out: Path, run: str, to: Path, *, rendering: str) -> str:
    folder = find_run(out, run)
    style = style_of_run(folder)
    if style.requests is None:
        raise UsageError(
            f"{folder.name}: {style.name} has no requests for your own models. Give a run of "
            "lambada-style or scde-style."
        )
    if rendering not in style.requests.renderings:
        raise UsageError(
            f"--rendering {quote(rendering)}: unknown. Give {' or '.join(style.requests.renderings)}."
        )
    lines = style.requests.write(stage_artifact(folder, style.requests.stage), rendering)
    count = 0
    with new_file(to, option="--to") as handle:
        for line in lines:
            handle.write(f"{line}\n".encode())
            count += 1
    say(
        f"{count:,} passages, {rendering}. Next: answer each with {style.requests.answer}, then "
        f"{style.requests.then}."
    )
    return f"written to {to}"
