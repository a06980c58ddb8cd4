"""`cloze-gen doctor --store OUT`: every byte of an output folder beside what its manifests say."""

from __future__ import annotations

import os
from pathlib import Path

from cloze_gen.engine.progress import track
from cloze_gen.errors import DamageError, UsageError
from cloze_gen.store.artifacts import Store, open_artifact
from cloze_gen.store.folder_replacement import find_change
from cloze_gen.store.manifest import MANIFEST
from cloze_gen.store.runs import EVALUATION_FILE, RUN_FILE


def find_faults(out: Path) -> tuple[int, int, list[str]]:
    """Read every artifact, run and evaluation.

    Returns:
        how many were looked at, how many of them are not as they were written, and a sentence for each fault.
    Raises:
        UsageError: there is no store in this folder.
    """
    store = Store(out)
    if not store.store.is_dir():
        raise UsageError(f"{out}: holds no store. Give the --out of a run.")
    artifacts = list(store.artifact_folders())
    published = [*_folders(store.runs), *_folders(store.root / "evaluations")]
    faults = {folder: _artifact_faults(folder) for folder in track(artifacts, stage="store", unit="artifacts", total=len(artifacts))}
    faults |= {folder: _published_faults(folder) for folder in published}
    left = [path for shelf in (store.runs, store.root / "evaluations") if shelf.is_dir() for path in sorted(shelf.glob(".*~replaced-*"))]
    said = [fault for folder in faults for fault in faults[folder]]
    said += [f"{path}: was being replaced when its writer was killed; the next command that writes there settles it." for path in left]
    return len(faults), sum(map(bool, faults.values())), said


def _artifact_faults(folder: Path) -> list[str]:
    try:
        held = open_artifact(folder, deep=True).manifest["holds"]
    except DamageError as error:
        return [error.what]
    gone = [path for name in held if not (path := Path(os.path.normpath(folder / name)) / MANIFEST).is_file()]
    return [f"{folder}: tells of {path.parent}, which is gone." for path in gone]


def _published_faults(folder: Path) -> list[str]:
    change = find_change(folder)
    lost = [path for path in sorted(folder.iterdir()) if path.is_symlink() and path.name[:2].isdigit() and not path.exists()]
    return [*([change] if change else []), *(f"{path}: leads to nothing." for path in lost)]


def _folders(shelf: Path) -> list[Path]:
    """The runs or evaluations of an output folder; a folder that never was one holds neither a manifest nor what every one holds."""
    found = [path for path in sorted(shelf.glob("[!.]*")) if path.is_dir() and not path.is_symlink()] if shelf.is_dir() else []
    return [path for path in found if any((path / name).exists() for name in (MANIFEST, RUN_FILE, EVALUATION_FILE))]
