"""Finding a run and reading what it says of itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from cloze_gen.errors import UsageError
from cloze_gen.store.artifacts import Artifact, Store, open_artifact

RUN_FILE = "run.json"


def run_folders(out: Path) -> list[Path]:
    """The runs of an output folder, the one written last first; of one moment, by name."""
    found = [path for path in Store(out).runs.glob(f"*/{RUN_FILE}") if "~" not in path.parent.name]  # ~: being written
    return [path.parent for path in sorted(found, key=lambda path: (-path.stat().st_mtime_ns, path.parent.name))]


def run_lock(folder: Path) -> Path:
    """The lock file of whoever writes in a run's folder; it lies in the store, for a run may have any name, `.locks` too."""
    return folder.parent.parent / "store" / ".locks" / f"run-{folder.name}"


def find_run(out: Path, run: str) -> Path:
    """A run by its name under `out`, or by its path.

    Raises:
        UsageError: there is none; lists those there are.
    """
    for folder in (Store(out).runs / run, Path(run)):
        if (folder / RUN_FILE).is_file():
            return folder
    known = ", ".join(sorted(folder.name for folder in run_folders(out))) or "none"
    raise UsageError(f"no run {run!r} in {out} (runs there: {known}), and no such folder. Name another with --out.")


def read_run(folder: Path) -> dict[str, Any]:
    try:
        return json.loads((folder / RUN_FILE).read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise UsageError(f"{folder / RUN_FILE}: not readable ({error}); run again to rewrite it.") from None


def find_stage(folder: Path, label: str) -> Artifact | None:
    """The artifact of one of a run's stages, by its label (`corpus train`), its link (`03-corpus-train`) or its number; None without it."""
    for stage in read_run(folder)["stages"]:
        link = f"{stage['number']:02}-{stage['label'].replace(' ', '-')}"
        if label in {stage["label"], stage["label"].replace(" ", "-"), link, str(stage["number"])}:
            return open_artifact(folder / link)
    return None


def stage_artifact(folder: Path, label: str) -> Artifact:
    """As `find_stage`.

    Raises:
        UsageError: the run has no such stage; lists those it has.
    """
    artifact = find_stage(folder, label)
    if artifact is None:
        labels = ", ".join(stage["label"].replace(" ", "-") for stage in read_run(folder)["stages"])
        raise UsageError(f"{folder.name}: no stage {label!r}. Its stages: {labels}.")
    return artifact


def without_folders(value: Any) -> Any:
    """The same value with paths cut to the last name.

    >>> without_folders({"grooming": {"offensive_words": "/home/ann/list.txt", "max_lift": 1.4}, "focus": {"classes": ["noun"]}})
    {'grooming': {'offensive_words': 'list.txt', 'max_lift': 1.4}, 'focus': {'classes': ['noun']}}
    """
    if isinstance(value, dict):
        return {key: without_folders(one) for key, one in value.items()}
    if isinstance(value, list):
        return [without_folders(one) for one in value]
    return value.rstrip("/").rpartition("/")[2] if isinstance(value, str) else value
