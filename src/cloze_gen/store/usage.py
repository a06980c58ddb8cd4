"""What runs use of a store, and its removal where none does.

Only whole artifacts of ours are removed, under a lock that every run shares.
"""

from __future__ import annotations

import functools
import os
import stat
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cloze_gen.errors import DamageError, StoreError, UsageError
from cloze_gen.parsing import quote
from cloze_gen.store.artifacts import Store, open_artifact
from cloze_gen.store.locks import exclusive_lock, remove_folder, remove_stale_temp_dirs, temp_dirs
from cloze_gen.store.manifest import MANIFEST, read_manifest
from cloze_gen.store.runs import read_run, run_folders


@dataclass(frozen=True, slots=True)
class Unused:
    """A folder that no run uses; `kept`: why it is not removed, or empty."""

    path: Path
    n_bytes: int
    kept: str = ""


class Usage:
    """The runs of an output folder and the artifacts that they use.

    Raises DamageError or UsageError where a run, and so what it uses, cannot be read.
    """

    def __init__(self, out: Path) -> None:
        self.store = Store(out)
        self.size = functools.cache(size_of)
        self._held = functools.cache(self._held_by)

    def used_by(self, run: Path) -> set[Path]:
        """The artifacts of a run, with those of single books that they name."""
        used = {self.store.store / stage["folder"] for stage in read_run(run)["stages"]}
        return used.union(*map(self._held, sorted(used)))

    def sizes(self) -> dict[Path, tuple[int, int]]:
        """Run -> bytes that go with it, and bytes of artifacts that other runs use too."""
        used = {run: self.used_by(run) for run in run_folders(self.store.root)}
        n_runs = Counter(artifact for artifacts in used.values() for artifact in artifacts)
        sizes = {}
        for run, artifacts in used.items():
            alone = sum(self.size(artifact) for artifact in artifacts if n_runs[artifact] == 1)
            shared = sum(self.size(artifact) for artifact in artifacts if n_runs[artifact] > 1)
            sizes[run] = (alone + size_of(run), shared)
        return sizes

    def unused(self) -> Iterator[Unused]:
        """Artifacts that no run uses, and what killed writers left."""
        used = set().union(*map(self.used_by, run_folders(self.store.root)))
        for folder in self.store.artifact_folders():
            if folder not in used and (_not_a_folder(folder) or any(folder.iterdir())):
                yield Unused(folder, self.size(folder), _not_ours(folder))
        for shelf in (*self.store.shelves(), self.store.runs):
            yield from (Unused(path, size_of(path)) for path in temp_dirs(shelf))

    def _held_by(self, artifact: Path) -> frozenset[Path]:
        held = read_manifest(artifact / MANIFEST).get("holds", ())
        return frozenset(Path(os.path.normpath(artifact / name)) for name in held)


def find_unused(out: Path, *, removes: bool) -> list[Unused]:
    """What no run uses; with `removes` it is removed.

    Raises:
        UsageError: no store.
        StoreError: another command is at work, whose artifacts no run uses yet.
    """
    usage = Usage(out)
    if not usage.store.store.is_dir():
        raise UsageError(f"{out}: has no folder `store`. Give an output folder with --out.")

    def refuse() -> None:
        raise StoreError(
            f"{out}: another command works with this output folder. Nothing was removed. Run again "
            "when it has finished."
        )

    with exclusive_lock(usage.store.in_use_lock, on_wait=refuse):
        found = list(usage.unused())
        for one in found if removes else ():
            if one.path in temp_dirs(one.path.parent):
                remove_stale_temp_dirs(one.path.parent)
            elif not one.kept:
                with exclusive_lock(usage.store.store / ".locks" / one.path.name, on_wait=refuse):
                    remove_folder(one.path)
                if one.path.parent != usage.store.store and not any(one.path.parent.iterdir()):
                    one.path.parent.rmdir()
        return found


def size_of(folder: Path) -> int:
    """Bytes of the files below a folder; links are not followed."""
    return sum(
        (Path(place) / name).lstat().st_size
        for place, _, files in os.walk(folder)
        for name in files
        if not (Path(place) / name).is_symlink()
    )


def _not_a_folder(path: Path) -> bool:
    return path.is_symlink() or not path.is_dir()


def _not_ours(folder: Path) -> str:
    """Why a folder is not, or not only, an artifact as it was written; empty if it is."""
    if _not_a_folder(folder) or folder.parent.is_symlink():
        return "not a folder"
    try:
        manifest = open_artifact(folder).manifest
    except DamageError as error:
        return f"not an artifact as it was written: {error.what}"
    if f"{manifest['stage']}-{manifest['fingerprint']}" not in folder.parts[-2:]:
        return "the artifact of another folder"
    for place, folders, files in os.walk(folder):
        here = Path(place)
        for name in sorted((*folders, *files)):
            inside = (here / name).relative_to(folder).as_posix()
            mode = (here / name).lstat().st_mode
            ours = inside == MANIFEST or inside in manifest["files"]
            if not (stat.S_ISDIR(mode) or (stat.S_ISREG(mode) and ours)):
                return f"contains {quote(inside)}, which is not part of the artifact"
    return ""
