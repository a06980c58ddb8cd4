"""`cloze-gen doctor --store OUT`: every byte of an output folder beside what its manifests say."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from cloze_gen.engine.progress import track
from cloze_gen.errors import DamageError, UsageError
from cloze_gen.store.artifacts import Store, open_artifact
from cloze_gen.store.manifest import MANIFEST
from cloze_gen.store.published import find_change, leavings


def check_store(out: Path) -> tuple[int, list[str]]:
    """Read every artifact, run and evaluation.

    Returns:
        how many were looked at, and a sentence for each that is not as it was written.
    Raises:
        UsageError: there is no store in this folder.
    """
    store = Store(out)
    if not store.store.is_dir():
        raise UsageError(f"{out}: holds no store. Give the --out of a run.")
    artifacts = list(store.artifact_folders())
    faults = [
        fault for folder in track(artifacts, stage="store", unit="artifacts", total=len(artifacts)) for fault in _artifact_fault(folder)
    ]
    published = [path for shelf in (store.runs, store.root / "evaluations") for path in _published_folders(shelf)]
    faults += [change for folder in published if (change := find_change(folder)) is not None]
    unsettled = [left for folder in published for left in leavings(folder)]
    faults += [
        f"{left}: a run's folder that was being replaced when its writer was killed; the next run of this name settles it."
        for left in unsettled
    ]
    return len(artifacts) + len(published), faults


def _artifact_fault(folder: Path) -> Iterator[str]:
    try:
        open_artifact(folder, deep=True)
    except DamageError as error:
        yield error.what


def _published_folders(shelf: Path) -> list[Path]:
    return sorted(path.parent for path in shelf.glob(f"[!.]*/{MANIFEST}")) if shelf.is_dir() else []
