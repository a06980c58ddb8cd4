"""`cloze-gen explain`: which stages of a run would run again, and why."""

from __future__ import annotations

from typing import Any

from cloze_gen.pipelines.run import RunTask
from cloze_gen.pipelines.stage import Stage
from cloze_gen.store.artifacts import Store

_INPUT = "input "  # begins a change that follows from an earlier stage's


def plan_text(task: RunTask) -> str:
    before = task.written()
    lines = [f"{task.run_name}: in {task.out}"]
    for number, stage in enumerate(task.stages, 1):
        complete = task.pipeline.is_complete(stage)
        state = "on disk" if complete else f"would run: {_why(task.store, stage, before)}"
        lines.append(f"  {number:02} {stage.label:<16} {state}")
    state = "as on disk" if task.complete() else "would be written"
    lines.append(f"     release          {state}")
    return "\n".join(lines)


def was_sample(task: RunTask) -> bool:
    """Whether the set of the run's name is of the embedded sample; True if there is none."""
    return bool((task.written() or {"sample": True})["sample"])


def replaced_text(task: RunTask) -> str:
    """What differs from the set that the run's name has now; empty: nothing, or there is none."""
    before = task.written()
    changes = dict.fromkeys(
        change
        for stage in (task.stages if before else ())
        if (old := _old_stage(stage, before)) and old["fingerprint"] != stage.key.fingerprint
        for change in _changes(stage, old)
        if not change.startswith(_INPUT)
    )
    if not changes:
        return ""
    return (
        f"{task.run_name}: this run replaces the set of this name, which differs: "
        f"{'; '.join(changes)}. Use another --name to keep both."
    )


def _old_stage(stage: Stage, before: dict[str, Any] | None) -> dict[str, Any] | None:
    return next(
        (one for one in (before or {}).get("stages", []) if one["label"] == stage.label), None
    )


def _why(store: Store, stage: Stage, before: dict[str, Any] | None) -> str:
    old = _old_stage(stage, before)
    if old is None:
        return "never ran"
    changes = _changes(stage, old)
    return "; ".join(changes) or store.fault(stage.key) or "its artifact is missing"


def _changes(stage: Stage, old: dict[str, Any]) -> list[str]:
    new = stage.key.described()
    changes = []
    if old["version"] != new["version"]:
        changes.append(f"code version {old['version']} -> {new['version']}")
    changes += _changed_settings(old, new)
    return changes + _changed_inputs(stage, old["inputs"], dict(new["inputs"]))


def _changed_settings(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    """The settings whose values differ."""
    before, now = old["settings"], new["settings"]
    return [
        f"{name} {before.get(name)!r} -> {now.get(name)!r}"
        for name in sorted({*before, *now})
        if before.get(name) != now.get(name)
    ]


def _changed_inputs(stage: Stage, old: dict[str, str], new: dict[str, str]) -> list[str]:
    if stage.key.stage != "ingest":
        return [
            f"{_INPUT}{name} changed"
            for name in sorted(old.keys() | new.keys())
            if old.get(name) != new.get(name)
        ]
    groups = {"added": sorted(new.keys() - old.keys()), "removed": sorted(old.keys() - new.keys()),
              "changed": sorted(name for name in old.keys() & new.keys() if old[name] != new[name])}  # fmt: skip
    return [f"{len(books)} books {what} "
        f"({', '.join(book.split(' ')[0] for book in books[:3])}{', ...' if len(books) > 3 else ''})"
            for what, books in groups.items() if books]  # fmt: skip
