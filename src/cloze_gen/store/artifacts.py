"""Artifacts: a payload and a manifest, written in one step.

The manifest is written last inside a temporary folder and the folder is renamed when whole, so a folder with a name is a finished
artifact. It holds no wall-clock time and no path of the machine: the same run gives the same bytes.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cloze_gen.errors import StoreError
from cloze_gen.store.keys import StageKey
from cloze_gen.store.locks import exclusive_lock, partial_folder, publish_folder, sweep_leavings

MANIFEST = "manifest.json"
SCHEMA_VERSION = 1


@dataclass(slots=True)
class ArtifactWriter:
    """The artifact being written: a folder for its payload, and what its manifest will say.

    Attributes:
        folder: temporary folder; every file below it becomes payload.
        funnel: ``seen``, ``kept`` and ``rejected`` (reason -> count), in the unit named by ``unit``.
        rows: payload file -> number of rows, for files that have rows.
        facts: further figures for a reader (e.g. the model's n-gram counts).
        versions: libraries and tools whose version can change the bytes.
    """

    folder: Path
    funnel: dict[str, Any] = field(default_factory=dict)
    rows: dict[str, int] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)

    def path(self, name: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path


@dataclass(frozen=True, slots=True)
class Artifact:
    """A finished artifact on disk."""

    folder: Path
    manifest: Mapping[str, Any]

    def path(self, name: str) -> Path:
        path = self.folder / name
        if not path.exists():
            raise StoreError(f"{path}: missing from a finished artifact. Delete the folder {self.folder} and run again to rebuild it.")
        return path

    @property
    def funnel(self) -> Mapping[str, Any]:
        return self.manifest.get("funnel", {})

    @property
    def facts(self) -> Mapping[str, Any]:
        return self.manifest.get("facts", {})


class Store:
    """The artifacts below one output folder.

    Layout: ``store/<stage>-<fingerprint>/`` (payload and manifest), ``runs/<name>/`` (links and the release).
    """

    def __init__(self, root: Path) -> None:
        self.root = Path(root)
        self.store = self.root / "store"
        self.runs = self.root / "runs"

    def folder(self, key: StageKey) -> Path:
        return self.store / key.folder_name

    def is_complete(self, key: StageKey) -> bool:
        return (self.folder(key) / MANIFEST).is_file()

    def open(self, key: StageKey) -> Artifact:
        """The finished artifact of `key`.

        Raises:
            StoreError: it is not there, or its manifest is not readable.
        """
        return open_artifact(self.folder(key))

    def sweep(self) -> int:
        """Remove what killed runs left in the store."""
        swept = sweep_leavings(self.store)
        for shelf in sorted(self.store.glob("book-*")) + sorted(self.store.glob("tags-*")):
            swept += sweep_leavings(shelf)
        return swept

    @contextlib.contextmanager
    def writing(self, key: StageKey, *, on_wait: Callable[[], None] | None = None) -> Iterator[ArtifactWriter | None]:
        """Write one artifact, or yield None when another run has just finished it.

        Only one process at a time writes a given stage; artifacts kept one a book take no such lock (the loser of a race
        lets its equal copy go).
        """
        target = self.folder(key)
        with contextlib.ExitStack() as stack:
            if not key.item:
                stack.enter_context(exclusive_lock(self.store / ".locks" / target.name, on_wait=on_wait))
            if self.is_complete(key):
                yield None
                return
            # Artifacts appear whole, so a folder without a manifest is not ours to keep. Asked again: another run may just have finished.
            if target.exists() and not self.is_complete(key):
                shutil.rmtree(target)
            folder = stack.enter_context(partial_folder(target))
            writer = ArtifactWriter(folder)
            yield writer
            write_manifest(writer, key)
            publish_folder(folder, target)


def write_manifest(writer: ArtifactWriter, key: StageKey) -> None:
    """Describe the payload; the last file to be written."""
    files = {
        path.relative_to(writer.folder).as_posix(): {"sha256": file_sha256(path), "bytes": path.stat().st_size}
        for path in sorted(writer.folder.rglob("*"))
        if path.is_file()
    }
    for name, count in writer.rows.items():
        files[name]["rows"] = count
    check_funnel(writer.funnel, key.stage)
    manifest = {
        "schema": f"cloze-gen/{key.stage}",
        "schema_version": SCHEMA_VERSION,
        "fingerprint": key.fingerprint,
        **key.described(),
        "versions": writer.versions,
        "funnel": writer.funnel,
        "facts": writer.facts,
        "files": files,
    }
    write_json(writer.folder / MANIFEST, manifest)


def check_funnel(funnel: Mapping[str, Any], stage: str) -> None:
    """seen = kept + the sum of the rejected by reason, always."""
    if funnel and funnel["seen"] != funnel["kept"] + sum(funnel["rejected"].values()):
        raise StoreError(f"{stage}: the funnel does not add up ({funnel}); this is a fault of cloze-gen, please report it")


def open_artifact(folder: Path) -> Artifact:
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise StoreError(f"{folder}: no finished artifact here (no {MANIFEST}). Run the pipeline again.") from None
    except json.JSONDecodeError as error:
        raise StoreError(f"{folder / MANIFEST}: not readable as JSON ({error}). Delete the folder and run again.") from None
    return Artifact(folder, manifest)


def file_sha256(path: Path) -> str:
    with open(path, "rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def write_json(path: Path, value: Any) -> None:
    """Write JSON for people: indented, keys sorted, LF; under a temporary name first."""
    text = json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file that is whole or not there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.partial-{os.getpid()}")
    try:
        partial.write_bytes(data)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
