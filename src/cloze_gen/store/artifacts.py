"""Artifacts: a payload and a manifest, written in a temporary folder that is renamed when complete.

They hold no wall-clock time and no path of the machine: the same run gives the same bytes.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

from cloze_gen.errors import DamageError, StoreError
from cloze_gen.store.fingerprint import StageKey, fingerprint_of
from cloze_gen.store.locks import (
    exclusive_lock,
    partial_folder,
    publish_folder,
    remove_folder,
    remove_stale_temp_dirs,
    shared_lock,
)
from cloze_gen.store.manifest import (
    MANIFEST,
    SCHEMA_VERSION,
    file_sha256,
    find_fault,
    payload_names,
    read_manifest,
    write_json,
)

# stages whose artifacts are kept one a book, in a folder of the stage
KEPT_BY_BOOK = ("books-", "book-", "tags-")
_SHELF = re.compile(r"[a-z0-9_]+-[0-9a-f]{16}")
Reason = TypeVar("Reason", bound=str)


@dataclass(slots=True)
class ArtifactWriter:
    """The artifact being written.

    Attributes:
        folder: temporary; every file below it becomes payload.
        funnel: ``seen``, ``kept`` and ``rejected`` (reason -> count), in the given ``unit``.
        versions: libraries and tools whose version can change the bytes.
        holds: relative folders of one-a-book artifacts that must be whole too.
    """

    folder: Path
    funnel: dict[str, Any] = field(default_factory=dict)
    rows: dict[str, int] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    holds: list[str] = field(default_factory=list)

    def path(self, name: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def note_libraries(self, *names: str) -> None:
        self.versions |= {name: version(name) for name in names}


def funnel(unit: str, *, kept: int, rejected: Mapping[Reason, int]) -> dict[str, Any]:
    """Seen, kept and rejected, reason by reason.

    >>> funnel("words", kept=1, rejected={"too_short": 2, "name": 1})
    {'unit': 'words', 'seen': 4, 'kept': 1, 'rejected': {'name': 1, 'too_short': 2}}
    """
    reasons = {str(reason): rejected[reason] for reason in sorted(rejected)}
    return {"unit": unit, "seen": kept + sum(reasons.values()), "kept": kept, "rejected": reasons}


@dataclass(frozen=True, slots=True)
class Artifact:
    """A finished artifact. It goes to workers as it is; a cache of what they read knows its folder."""

    folder: Path
    manifest: Mapping[str, Any] = field(compare=False, repr=False)

    def path(self, name: str) -> Path:
        path = self.folder / name
        if not path.exists():
            raise DamageError(f"{path}: missing from a finished artifact.")
        return path

    @property
    def funnel(self) -> Mapping[str, Any]:
        return self.manifest.get("funnel", {})

    @property
    def facts(self) -> Mapping[str, Any]:
        return self.manifest.get("facts", {})


class Store:
    """The artifacts and runs of one output folder."""

    def __init__(self, root: Path) -> None:
        self.root = Path(root)
        self.store = self.root / "store"
        self.runs = self.root / "runs"

    def folder(self, key: StageKey) -> Path:
        return self.store / key.folder_name

    def is_complete(self, key: StageKey) -> bool:
        return self.fault(key) is None

    def fault(self, key: StageKey) -> str | None:
        """Why the artifact, or a one-a-book artifact that it holds, cannot be used; None when they
        can, empty when it was never made.
        """
        if not os.path.lexists(self.folder(key)):
            return ""
        try:
            artifact = self.open(key)
            for held in artifact.manifest.get("holds", ()):
                open_artifact(Path(os.path.normpath(artifact.folder / held)))
        except DamageError as error:
            return error.what
        return None

    def open(self, key: StageKey) -> Artifact:
        """The finished artifact of `key`; DamageError if it is missing, damaged, or another's."""
        artifact = open_artifact(self.folder(key))
        found = artifact.manifest["fingerprint"]
        if found != key.fingerprint:
            raise DamageError(
                f"{artifact.folder}: holds the artifact {found}, not {key.fingerprint}."
            )
        return artifact

    def sweep(self) -> int:
        return sum(map(remove_stale_temp_dirs, self.shelves()))

    def shelves(self) -> list[Path]:
        """The folders that artifacts are written into."""
        by_book = (path for stage in KEPT_BY_BOOK for path in self.store.glob(f"{stage}*"))
        return [self.store, *sorted(by_book)]

    @property
    def in_use_lock(self) -> Path:
        """Shared by the commands that read or write artifacts; `clean` needs it alone."""
        return self.store / ".locks" / "in-use"

    def in_use(self) -> contextlib.AbstractContextManager[None]:
        return shared_lock(self.in_use_lock)

    @contextlib.contextmanager
    def writing(
        self,
        key: StageKey,
        *,
        on_wait: Callable[[], None] | None = None,
        say: Callable[[str], None] = lambda line: None,
    ) -> Iterator[ArtifactWriter | None]:
        """Write one artifact, or yield None when another run has just finished it.

        One process at a time writes a stage. One-a-book artifacts take no lock: the loser of a race
        drops its equal copy. A damaged artifact in the place is reported by `say` and replaced.
        """
        target = self.folder(key)
        with contextlib.ExitStack() as stack:
            if not key.item:
                stack.enter_context(
                    exclusive_lock(self.store / ".locks" / target.name, on_wait=on_wait)
                )
            fault = self.fault(key)
            if fault is None:
                yield None
                return
            if fault:
                say(f"{fault} Rebuilding it.")
            folder = stack.enter_context(partial_folder(target))
            writer = ArtifactWriter(folder)
            yield writer
            write_json(folder / MANIFEST, described(writer, key))
            if self.fault(key):
                remove_folder(target)
            publish_folder(folder, target)

    def artifact_folders(self) -> Iterator[Path]:
        for shelf in sorted(self.store.glob("*-*")):
            if not _SHELF.fullmatch(shelf.name):
                continue
            items = (
                sorted(path.parent for path in shelf.glob(f"*/{MANIFEST}"))
                if shelf.name.startswith(KEPT_BY_BOOK)
                else []
            )
            yield from items or [shelf]


def described(writer: ArtifactWriter, key: StageKey) -> dict[str, Any]:
    files = {
        name: {
            "sha256": file_sha256(writer.folder / name),
            "bytes": (writer.folder / name).stat().st_size,
        }
        for name in payload_names(writer.folder)
    }
    for name, count in writer.rows.items():
        files[name]["rows"] = count
    check_funnel(writer.funnel, key.stage)
    return {
        "schema": f"cloze-gen/{key.stage}",
        "schema_version": SCHEMA_VERSION,
        "fingerprint": key.fingerprint,
        **key.described(),
        "versions": writer.versions,
        "funnel": writer.funnel,
        "facts": writer.facts,
        "files": files,
        "holds": writer.holds,
    }


def check_funnel(funnel: Mapping[str, Any], stage: str) -> None:
    if funnel and funnel["seen"] != funnel["kept"] + sum(funnel["rejected"].values()):
        raise StoreError(
            f"{stage}: the funnel does not add up ({funnel}); this is a bug in cloze-gen; "
            "please report it"
        )


def open_artifact(folder: Path, *, deep: bool = False) -> Artifact:
    """The finished artifact in a folder, or DamageError; `deep` reads every byte."""
    path = folder / MANIFEST
    manifest = read_manifest(path)
    schema = f"{manifest.get('schema')} {manifest.get('schema_version')}"
    if schema != f"cloze-gen/{manifest.get('stage')} {SCHEMA_VERSION}":
        raise DamageError(
            f"{path}: written by another version of cloze-gen ({schema}; this one reads "
            f"version {SCHEMA_VERSION})."
        )
    try:
        has_fingerprint = manifest["fingerprint"] == fingerprint_of(manifest)
        fault = find_fault(folder, manifest, deep=deep)
    except (AttributeError, KeyError, TypeError):
        raise DamageError(f"{path}: not the manifest of an artifact.") from None
    if not has_fingerprint:
        raise DamageError(f"{path}: its fingerprint is not that of its settings and inputs.")
    if fault:
        raise DamageError(f"{folder}: damaged. {fault}.")
    return Artifact(folder, manifest)
