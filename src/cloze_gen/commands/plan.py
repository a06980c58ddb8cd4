"""What a run would do, stage by stage, and why: `run --dry-run` and `cloze-gen explain`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cloze_gen.errors import UsageError
from cloze_gen.pipelines.build import forget_what_was_read
from cloze_gen.pipelines.run import RunTask
from cloze_gen.pipelines.styles import style_of_run
from cloze_gen.pipelines.task import StageTask, planning
from cloze_gen.store.configs import is_config_file
from cloze_gen.store.runs import RUN_FILE, check_as_written, find_run, read_run
from cloze_gen.store.tables import unescape_cell


def plan_text(task: RunTask) -> str:
    """What would run, stage by stage, and why."""
    before = _earlier(task.folder)
    lines = [*task.ignored_lines(), f"{task.run_name}: in {task.out}"]
    older = task.format_change() if before else None
    with planning():
        for number, stage in enumerate(task.stages(), 1):
            state = "on disk" if stage.complete() else f"would run: {_why(stage, before)}"
            lines.append(f"  {number:02} {stage.label:<16} {state}")
        state = "as on disk" if task.complete() else f"would be written{f': {older}' if older else ''}"
    return "\n".join([*lines, f"     release          {state}"])


def _earlier(folder: Path) -> dict[str, Any] | None:
    """What the run of this name says of itself; None without one, or where it can no longer be read and will be written anew."""
    try:
        check_as_written(folder, RUN_FILE)
        return read_run(folder)
    except UsageError:
        return None


def _why(stage: StageTask, before: dict[str, Any] | None) -> str:
    old = next((one for one in (before or {}).get("stages", []) if one["label"] == stage.label), None)
    if old is None:
        return "never ran"
    new = stage.key.described()
    reasons = []
    if old["version"] != new["version"]:
        reasons.append(f"code version {old['version']} -> {new['version']}")
    if old["seed"] != new["seed"]:
        reasons.append(f"seed {old['seed']} -> {new['seed']}")
    before, now = old["settings"], new["settings"]
    names = [name for name in sorted(before.keys() | now.keys()) if before.get(name) != now.get(name)]
    reasons += [f"{name} {before.get(name)!r} -> {now.get(name)!r}" for name in names]
    reasons += _changed_inputs(stage, old["inputs"], dict(new["inputs"]))
    return "; ".join(reasons) or stage.store.fault(stage.key) or "its artifact is missing"


def _changed_inputs(stage: StageTask, old: dict[str, str], new: dict[str, str]) -> list[str]:
    if stage.stage != "ingest":
        return [f"input {name} changed" for name in sorted(old.keys() | new.keys()) if old.get(name) != new.get(name)]
    groups = {"added": sorted(new.keys() - old.keys()), "removed": sorted(old.keys() - new.keys()),
              "changed": sorted(name for name in old.keys() & new.keys() if old[name] != new[name])}  # fmt: skip
    return [f"{len(books)} books {what} ({', '.join(book.split(' ')[0] for book in books[:3])}{', ...' if len(books) > 3 else ''})"
            for what, books in groups.items() if books]  # fmt: skip


def explain(out: Path, run_name: str, overrides: Sequence[str]) -> str:
    """Which stages of a finished run would run again, with its config, books and code as they are now."""
    folder = find_run(out, run_name)
    return plan_text(task_of_run(folder, overrides=[*read_run(folder)["overrides"], *overrides]))


def task_of_run(folder: Path, *, overrides: Sequence[str], workers: int = 2) -> RunTask:
    """The run that stands in a folder as a Luigi task, with its config, books and seed, and settings of its own or other ones."""
    forget_what_was_read()
    written = read_run(folder)
    config = written["config"]
    if is_config_file(config):
        config = str(folder / unescape_cell(config))
    style = style_of_run(folder)
    links = {} if written["sample"] else {side: folder / f"corpus-{side}" for side in style.sides}
    sides = {side: str(link.resolve()) for side, link in links.items() if link.is_symlink()}  # books that are their own background have one
    return RunTask(style=style.name, config=config, overrides=json.dumps(list(overrides)), out=str(folder.parent.parent),
                   seed=written["seed"], name=written["name"], processes=workers, **sides)  # fmt: skip
