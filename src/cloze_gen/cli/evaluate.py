"""`cloze-gen evaluate`: measure baselines on a test set; and `export-requests`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cloze_gen.api.evaluate import evaluate_items, source_of
from cloze_gen.api.evaluator import user_row
from cloze_gen.cli.evaluate_items import analyse_items, check_request
from cloze_gen.engine.progress import say
from cloze_gen.errors import UsageError
from cloze_gen.evaluation.selection import USER
from cloze_gen.parsing import quote
from cloze_gen.pipelines.styles import style_of_run
from cloze_gen.store.files import new_file
from cloze_gen.store.runs import find_run, stage_artifact


def evaluation_text(
    *, items: str, answers: Path | None, out: Path, write_to: Path | None, by_item: bool, only: Sequence[str],
    scores: Sequence[Path], **options: Any,
) -> str:  # fmt: skip
    """The tables of an evaluation, and with `by_item` of an item analysis of the `scores`."""
    rows = [user_row(file)[0] for file in scores]
    if by_item:
        check_request(rows, write_to)
    found = evaluate_items(
        items,
        answers=answers,
        out=out,
        only=only or ([USER] if by_item else ()),
        scores=scores,
        write_to=write_to,
        **options,
    )
    text = str(found)
    if not by_item:
        return text
    source, shape = source_of(items, out)
    analysis = analyse_items(found, source, shape, rows=rows, answers=answers)
    return f"{text}\n{analysis}"


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
