"""`cloze-gen judge apply`: what judges said becomes a file that the run reads, and the run is made anew of it."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from pathlib import Path

from cloze_gen.adapters.terminal import show
from cloze_gen.commands.plan import task_of_run
from cloze_gen.commands.run import carry_out
from cloze_gen.commands.studies import open_for, run_of, say_if_changed
from cloze_gen.engine.progress import say
from cloze_gen.errors import RefusedError, UsageError
from cloze_gen.formats.verdicts import parse_verdicts
from cloze_gen.pipelines.run import RunTask
from cloze_gen.store.manifest import write_bytes
from cloze_gen.store.runs import read_run
from cloze_gen.studies.asking import Asking
from cloze_gen.studies.study import Study


def apply(out: Path, study: str, *, overrides: Sequence[str], make: bool, workers: int) -> None:
    """Write down what a study's judges said and make its run anew of that; where no stage reads it, say who does.

    Args:
        overrides: more settings of the run.
        make: make the run anew; else tell the command that does.
    Raises:
        UsageError: nobody has said anything, or the run is gone.
        RefusedError: other stages would run again too, so the run was not made.
    """
    opened, asking = open_for(out, study)
    say_if_changed(opened, asking)
    file = write_verdicts(opened, asking)
    if not asking.setting:
        say(f"{opened.facts.name}: no stage reads what people said of finished items; the evaluation shows it beside the baselines:")
        place = str(opened.folder.parent.parent)
        show(shlex.join(["cloze-gen", "evaluate", opened.facts.run, "--out", place, "--people", str(file)]))
        return
    run = run_of(opened)
    own = {asking.setting, *(one.partition("=")[0].strip() for one in overrides)}
    kept = [one for one in read_run(run)["overrides"] if one.partition("=")[0].strip() not in own]
    task = task_of_run(run, overrides=[*kept, f"{asking.setting}={file}", *overrides], workers=workers)
    others = _stages_besides(task, asking) if make else []
    if others or not make:
        show(_command_line(task))
    if others:
        raise RefusedError(
            f"{task.run_name}: not made anew, for more would run again than what people said asks for: {', '.join(others)}. Their verdicts "
            "are written; `cloze-gen explain` says what has changed, and the command above makes the run."
        )
    if make:
        carry_out(task)


def write_verdicts(study: Study, asking: Asking) -> Path:
    """What the judges said until now, in a file named by its content beside the study; one that is there is the same.

    Raises:
        UsageError: nobody has said anything, or the file was changed by hand.
    """
    if not any(case.answers for case in study.standing().cases.values()):
        raise UsageError(f"{study.facts.name}: nobody has judged anything yet. `cloze-gen judge serve {study.facts.name}` asks people.")
    text = asking.verdicts(study)
    verdicts = parse_verdicts(text, task=study.task)
    file = (study.folder / f"verdicts-{verdicts.digest[:12]}.jsonl").resolve()
    if not file.exists():
        write_bytes(file, text.encode())
    elif file.read_bytes() != text.encode():
        raise UsageError(f"{file}: was changed since it was written. Move it elsewhere; the study still has what was said.")
    say(f"{study.facts.name}: {len(verdicts.rows):,} items judged: {verdicts.told}; {file}")
    return file


def _stages_besides(task: RunTask, asking: Asking) -> list[str]:
    """The stages that are not on disk, beside those that read the verdicts and what follows from them."""
    following = set[str]()
    for one in task.stages():
        if one.label == asking.made_anew or any(upstream.label in following for upstream in one.inputs().values()):
            following.add(one.label)
    return [one.label for one in task.stages() if one.label not in following and not one.complete()]


def _command_line(task: RunTask) -> str:
    """The call of `cloze-gen run` that makes a run as this task would."""
    sides = [(f"--{side}", getattr(task, side)) for side in task.of_style.sides if getattr(task, side)]
    options = [*sides, ("--name", task.run_name), ("--out", task.out), ("--seed", str(task.seed))]
    options += [("--set", one) for one in json.loads(task.overrides)]
    return shlex.join(["cloze-gen", "run", task.config or task.style, *(word for option in options for word in option)])
