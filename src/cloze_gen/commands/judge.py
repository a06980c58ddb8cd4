"""`cloze-gen judge`: pages out to people, their answers in, and the run made anew of what they said."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cloze_gen.adapters.terminal import show
from cloze_gen.commands.plan import task_of_run
from cloze_gen.commands.run import carry_out
from cloze_gen.engine.progress import say
from cloze_gen.errors import UsageError
from cloze_gen.notation import reason, shown
from cloze_gen.pipelines.build import forget_what_was_read
from cloze_gen.pipelines.run import RunTask
from cloze_gen.pipelines.styles import find_style, load_settings, style_names, style_of, style_of_run
from cloze_gen.stages.judging import Judging
from cloze_gen.stages.style import Style
from cloze_gen.store.files import read_regular_text
from cloze_gen.store.runs import find_run, lies_in_output, read_run


def export(out: Path, run: str, **options: Any) -> None:
    """Hand out the next pages (`stages.judging.Export`)."""
    folder, judging = _find(out, run)
    _tell(judging.export(folder, **options))


def take(out: Path, run: str, files: Sequence[Path], *, make: bool, workers: int) -> None:
    """Take the answers of some files, then make the run anew of all that people said.

    Whatever happens after the answers are taken, they stay taken: the command may be given again.

    Args:
        make: make the run anew; else tell the command that does.
    Raises:
        UsageError: a file cannot be read.
        FormatError: a file holds no answers.
    """
    folder, judging = _find(out, run)
    _tell(judging.take(folder, {str(file): _text(file) for file in files}))
    ledger = judging.ledger(folder)
    if not ledger.exists():
        say(f"{folder.name}: no page of it was ever handed out (cloze-gen judge export), so it is left as it was")
        return
    kept = [one for one in read_run(folder)["overrides"] if not one.replace(" ", "").startswith(f"{judging.setting}=")]
    task = task_of_run(folder, overrides=[*kept, f"{judging.setting}={ledger}"], workers=workers)
    others = _stages_besides(task, judging.stage) if make else []
    if others:
        say(
            f"{task.run_name}: not made anew, for more would run again than people's answers ask for: {', '.join(others)}. The answers are "
            f"taken; `cloze-gen explain` says what has changed, and this makes the run:"
        )
    if others or not make:
        show(_command_line(task))
        return
    carry_out(task)


def withdraw(out: Path, run: str, pages: Sequence[str]) -> None:
    """Wait for some pages no longer."""
    folder, judging = _find(out, run)
    _tell(judging.withdraw(folder, pages))


def status(out: Path, run: str) -> None:
    """Tell how the guessing stands."""
    folder, judging = _find(out, run)
    _tell(judging.status(folder))


def cost(out: Path, run: str, *, config: str, passages: int | None, overrides: Sequence[str]) -> None:
    """Tell what guessing costs, of a run or of so many passages.

    Raises:
        UsageError: neither a run nor a number was given.
    """
    if run:
        folder, judging = _find(out, run)
        settings = task_of_run(folder, overrides=[*read_run(folder)["overrides"], *overrides]).all_settings
        _tell(judging.cost(getattr(settings, judging.group), passages, folder))
    elif passages is None:
        raise UsageError("cost of what? Give a run, or --passages N.")
    else:
        forget_what_was_read()
        style = style_of(config)
        judging = _judging(style, config)
        settings = load_settings(style.settings, config, json.dumps(list(overrides)))
        _tell(judging.cost(getattr(settings, judging.group), passages, None))


def _find(out: Path, run: str) -> tuple[Path, Judging]:
    """A run's folder, and its style's people."""
    folder = find_run(out, run)
    folder = folder if lies_in_output(folder) else folder.resolve()
    return folder, _judging(style_of_run(folder), folder.name)


def _judging(style: Style, whose: str) -> Judging:
    if style.judging is None:
        asking = " and ".join(name for name in style_names() if find_style(name).judging)
        raise UsageError(f"{whose}: nobody is asked about {style.items.noun}s of {style.name}; {asking} has people guess.")
    return style.judging


def _text(file: Path) -> str:
    """The text of a file that was filled in."""
    try:
        return read_regular_text(file, encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        said = "not UTF-8; save it as UTF-8 text" if isinstance(error, UnicodeError) else reason(error)
        raise UsageError(f"{shown(str(file), most_chars=300)}: cannot be read as answers ({said}). No answer was taken.") from None


def _tell(lines: Sequence[str]) -> None:
    show("\n".join(lines))


def _stages_besides(task: RunTask, stage: str) -> list[str]:
    """The stages that are not on disk, beside the one of this label and those that follow from it."""
    following = set[str]()
    for one in task.stages():
        if one.label == stage or any(upstream.label in following for upstream in one.inputs().values()):
            following.add(one.label)
    return [one.label for one in task.stages() if one.label not in following and not one.complete()]


def _command_line(task: RunTask) -> str:
    """The call of `cloze-gen run` that makes a run as this task would."""
    sides = [(f"--{side}", getattr(task, side)) for side in task.of_style.sides if getattr(task, side)]
    options = [*sides, ("--name", task.run_name), ("--out", task.out), ("--seed", str(task.seed))]
    options += [("--set", one) for one in json.loads(task.overrides)]
    return shlex.join(["cloze-gen", "run", task.config or task.style, *(word for option in options for word in option)])
