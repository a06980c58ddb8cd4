"""`cloze-gen export-requests`: what a model of somebody else's is asked; a style says what its answers are for."""

from __future__ import annotations

from pathlib import Path

from cloze_gen.engine.progress import say
from cloze_gen.errors import UsageError
from cloze_gen.notation import reason, shown
from cloze_gen.pipelines.styles import style_of_run
from cloze_gen.store.runs import find_run, stage_artifact


def export_requests(out: Path, run: str, to: Path, *, rendering: str) -> str:
    """Write every passage that a model is asked about to a new file; returns what was written.

    Raises:
        UsageError: the run's style asks no models of others, there is no such rendering, or the file is there already.
    """
    folder = find_run(out, run)
    style = style_of_run(folder)
    if style.requests is None:
        raise UsageError(f"{folder.name}: {style.name} asks no models of others; styles of passages do (lambada-style, scde-style).")
    if rendering not in style.requests.renderings:
        raise UsageError(f"--rendering {shown(rendering)}: expected {' or '.join(style.requests.renderings)}")
    lines = style.requests.write(stage_artifact(folder, style.requests.stage), rendering)
    count = 0
    try:
        with open(to, "x", encoding="utf-8", newline="\n") as handle:
            for line in lines:
                handle.write(f"{line}\n")
                count += 1
    except FileExistsError:
        raise UsageError(f"{to}: is there already. Nothing was written; name a new file with --to.") from None
    except OSError as error:
        raise UsageError(f"{to}: cannot be written ({reason(error)})") from None
    say(f"{count:,} passages, {rendering}. Answer each with {style.requests.answer}, then {style.requests.then}.")
    return f"written to {to}"
