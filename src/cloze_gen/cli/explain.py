"""`cloze-gen explain`: which stages of a run would run again, and why."""

from __future__ import annotations

from typing import Any

from cloze_gen.parsing import counted, name_list
from cloze_gen.pipelines.run import RunTask
from cloze_gen.pipelines.stage import Stage

_INPUT = "input "  # begins a change that follows from an earlier stage's


def plan_text(task: RunTask) -> str:
    earlier = _earlier_stages(task)
    lines = [f"{task.run_name}: in {task.out}"]
    for number, stage in enumerate(task.stages, 1):
        if task.pipeline.is_complete(stage):
            state = "on disk"
        elif stage.label not in earlier:
            state = "would run: never ran"
        else:
            changes = "; ".join(_changes(stage, earlier[stage.label]))
            fault = changes or task.store.fault(stage.key) or "its artifact is missing"
            state = f"would run: {fault}"
        lines.append(f"  {number:02} {stage.label:<16} {state}")
    state = "as on disk" if task.complete() else "would be written"
    lines.append(f"     release          {state}")
    return "\n".join(lines)


def was_sample(task: RunTask) -> bool:
    """Whether the set of the run's name is of the embedded sample; True if there is none."""
    return bool((task.written() or {"sample": True})["sample"])


def replaced_text(task: RunTask) -> str:
    """What differs from the set that the run's name has now; empty: nothing, or there is none."""
    earlier = _earlier_stages(task)
    changes = dict.fromkeys(
        change
        for stage in task.stages
        if stage.label in earlier
        for change in _changes(stage, earlier[stage.label])
        if not change.startswith(_INPUT)
    )
    if not changes:
        return ""
    return (
        f"{task.run_name}: this run replaces the set of this name, which differs: "
        f"{'; '.join(changes)}. Use another --name to keep both."
    )


def _earlier_stages(task: RunTask) -> dict[str, dict[str, Any]]:
    """Label -> stage of the run of this name, as it was written."""
    return {stage["label"]: stage for stage in (task.written() or {"stages": []})["stages"]}


def _changes(stage: Stage, old: dict[str, Any]) -> list[str]:
    new = stage.key.described()
    changes = []
    if old["version"] != new["version"]:
        changes.append(f"code version {old['version']} -> {new['version']}")
    before, now = old["settings"], new["settings"]
    changes += [
        f"{name} {before.get(name)!r} -> {now.get(name)!r}" for name in _differing(before, now)
    ]
    if stage.key.stage == "ingest":
        return changes + _changed_books(old["inputs"], new["inputs"])
    return changes + [
        f"{_INPUT}{name} changed" for name in _differing(old["inputs"], new["inputs"])
    ]


def _differing(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    return sorted(name for name in old.keys() | new.keys() if old.get(name) != new.get(name))


def _changed_books(old: dict[str, str], new: dict[str, str]) -> list[str]:
    """The keys are book ids, each followed by its file."""
    books: dict[str, list[str]] = {}
    for name in _differing(old, new):
        change = "added" if name not in old else "removed" if name not in new else "changed"
        books.setdefault(change, []).append(name.partition(" ")[0])
    return [
        f"{counted(len(ids), 'book')} {change} ({name_list(ids)})" for change, ids in books.items()
    ]
