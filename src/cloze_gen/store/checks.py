"""What is on disk is what was written: sizes always, digests where the file may have changed since they were last looked at.

A digest costs a reading of the file. Beside the store lies a note of every file whose digest was found right, with the size, the times and
the inode it had then; as long as these are the same the file has not been written to. Without a note, or with `deep`, every byte is read.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from cloze_gen.notation import shown
from cloze_gen.store.files import stays_within
from cloze_gen.store.manifest import MANIFEST, SEAL, ask_passing, file_sha256, read_manifest, write_bytes

STORE, NOTES = "store", ".checked"
# A file changed within the clock tick in which it was noted looks unchanged (ticks are 1 to 10 ms); a fresh note is not trusted.
_TICK_NS = 50_000_000
_unwritten: dict[Path, dict[str, Any]] = {}


def find_fault(folder: Path, manifest: Mapping[str, Any], *, deep: bool = False) -> str | None:
    """The first file that is not what the manifest says, as the beginning of a sentence; None when all are.

    Args:
        deep: read every byte, whatever was noted before.
    """
    noted = {} if deep else _read_note(folder, manifest)
    found: dict[str, list[int]] = {}
    for name, facts in sorted(manifest["files"].items()):
        path = folder / name
        if not stays_within(name):
            return f"{shown(name)}: named in the manifest, and no file of this folder"
        fault, seen = _file_fault(path, facts, noted.get(name))
        if fault:
            return f"{name}: {fault}"
        found[name] = seen
    strange = next(_strangers(folder, manifest), None)
    if strange:
        return f"{strange}: lies among the parts of a table and was not written by this stage"
    if found != noted or deep:
        _write_note(folder, manifest, found)
    return None


def _file_fault(path: Path, facts: Mapping[str, Any], noted: list[int] | None) -> tuple[str, list[int]]:
    try:
        found = path.lstat()
    except OSError as error:
        ask_passing(path, error)
        return f"missing ({error.strerror})", []
    if not stat.S_ISREG(found.st_mode):
        return "no plain file any more", []
    if found.st_size != facts["bytes"]:
        return f"{found.st_size:,} bytes, {facts['bytes']:,} were written", []
    seen = _seen(found)
    if seen == noted:
        return "", seen
    try:
        same = file_sha256(path) == facts["sha256"]
    except OSError as error:
        ask_passing(path, error)
        return f"cannot be read ({error.strerror})", []
    return ("" if same else "changed since it was written (its sha256 is another)"), seen


def _strangers(folder: Path, manifest: Mapping[str, Any]) -> Iterator[str]:
    """Files that stand, unlisted, beside listed ones of their kind in a folder of parts: whoever reads all parts would read them too."""
    listed = set(manifest["files"])
    for place in sorted({name.rpartition("/")[0] for name in listed} - {""}):
        kinds = {Path(name).suffix for name in listed if name.rpartition("/")[0] == place}
        with os.scandir(folder / place) as entries:
            names = sorted(entry.name for entry in entries)
        yield from (f"{place}/{name}" for name in names if f"{place}/{name}" not in listed and Path(name).suffix in kinds)


def _note_path(folder: Path) -> Path | None:
    """Where the note of an artifact lies: in its own store; None for a folder that lies in no store."""
    place = folder.resolve()
    for shelf in (place.parent, place.parent.parent):
        if shelf.name == STORE:
            return shelf / NOTES / f"{place.relative_to(shelf).as_posix().replace('/', '--')}.json"
    return None


def _read_note(folder: Path, manifest: Mapping[str, Any]) -> dict[str, list[int]]:
    path = _note_path(folder)
    if path is None:
        return {}
    try:
        note = _unwritten.get(path) or json.loads(path.read_text(encoding="utf-8"))
        if note["manifest"] != manifest[SEAL]:
            return {}
        return {name: seen for name, seen in note["files"].items() if seen[2] + _TICK_NS < note["at"]}
    except (OSError, ValueError, RecursionError, KeyError, TypeError, IndexError, AttributeError):
        return {}  # no note, or a damaged one: the digests are taken again


def _write_note(folder: Path, manifest: Mapping[str, Any], found: Mapping[str, list[int]]) -> None:
    path = _note_path(folder)
    if path is None:
        return
    _keep_note(path, {"manifest": manifest[SEAL], "at": time.time_ns(), "files": found})


def _keep_note(path: Path, note: dict[str, Any]) -> None:
    try:
        write_bytes(path, json.dumps(note, sort_keys=True).encode())
        _unwritten.pop(path, None)
    except OSError:
        _unwritten[path] = note  # a store that may only be read is checked in full once a process


def outside_sha256(store: Path, path: Path) -> str:
    """The sha256 of a file outside the store, read again only when its size, times or inode have changed since it was last read.

    Args:
        store: the store's folder, where the note is kept; until it exists, the note is kept in memory.

    Raises:
        OSError: the file cannot be read.
    """
    known = noted_sha256(store, path)
    if known:
        return known
    at, before = time.time_ns(), path.stat()
    digest = file_sha256(path)
    if _seen(path.stat()) == _seen(before):
        note, place = {"at": at, "seen": _seen(before), "sha256": digest}, _outside_note(store, path)
        if store.is_dir():
            _keep_note(place, note)
        else:
            _unwritten[place] = note
    return digest


def noted_sha256(store: Path, path: Path) -> str | None:
    """What `outside_sha256` found earlier; None where the file was never read, or has changed since.

    Raises:
        OSError: there is no such file.
    """
    place, seen = _outside_note(store, path), _seen(path.stat())
    try:
        note = _unwritten.get(place) or json.loads(place.read_text(encoding="utf-8"))
        known = note["seen"] == seen and seen[2] + _TICK_NS < note["at"]
        return str(note["sha256"]) if known else None
    except (OSError, ValueError, RecursionError, KeyError, TypeError, AttributeError):
        return None  # no note, or a damaged one


def _outside_note(store: Path, path: Path) -> Path:
    name = hashlib.blake2b(os.fsencode(path.resolve()), digest_size=16).hexdigest()
    return store / NOTES / f"outside-{name}.json"


def note_written(folder: Path) -> None:
    """Note the files of an artifact that has just been written with their digests."""
    manifest = read_manifest(folder / MANIFEST)
    _write_note(folder, manifest, {name: _seen((folder / name).lstat()) for name in manifest["files"]})


def sweep_notes(store: Path) -> int:
    """Remove the notes that killed runs only began; returns how many. If a living run's goes with them, it looks at those files again."""
    swept = 0
    for path in sorted((store / NOTES).glob(".*.partial-*")):
        with contextlib.suppress(OSError):  # in a store that may only be read, or gone meanwhile
            path.unlink()
            swept += 1
    return swept


def _seen(found: os.stat_result) -> list[int]:
    return [found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino]


def payload_names(folder: Path) -> Iterator[str]:
    """Every plain file below a folder but its manifest, sorted, with `/`."""
    names = (path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    yield from sorted(name for name in names if name != MANIFEST)
