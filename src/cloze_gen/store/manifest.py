"""Manifests and checks of artifacts. A manifest has digests of the files and is protected by the
sha256 of its own text; a verified file is read again only if size, times or inode change.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import secrets
import stat
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from cloze_gen.errors import DamageError, StoreError, UsageError
from cloze_gen.parsing import error_text, quote
from cloze_gen.store.files import open_regular, stays_within

MANIFEST = "manifest.json"
SCHEMA_VERSION = 4
SEAL = "seal"
_PASSING = {
    errno.EMFILE,
    errno.ENFILE,
    errno.ENOMEM,
    errno.EACCES,
    errno.EPERM,
    errno.ESTALE,
    errno.ETIMEDOUT,
}
STORE, NOTES = "store", ".checked"
# A file changed within the clock tick in which it was noted looks unchanged (ticks are 1 to 10 ms);
# a fresh note is not trusted.
_TICK_NS = 50_000_000
_unwritten: dict[Path, dict[str, Any]] = {}


def write_manifest(path: Path, record: Mapping[str, Any]) -> None:
    """Write a record with its checksum; the last file of a folder to be written."""
    write_json(path, {**record, SEAL: _seal(json_text(record))})


def read_manifest(path: Path) -> dict[str, Any]:
    """A checked record; DamageError if missing or changed, StoreError for a transient failure."""
    try:
        text = path.read_text(encoding="utf-8")
        record = json.loads(text)
        changed = record[SEAL] != _seal(_unsealed(text, record[SEAL]))
    except FileNotFoundError:
        raise DamageError(f"{path.parent}: nothing finished here (no {path.name}).") from None
    except (OSError, ValueError, RecursionError, AttributeError, KeyError, TypeError) as error:
        raise_if_transient(path, error)
        reason = (
            str(error) if isinstance(error, OSError | ValueError) else "a required field is missing"
        )
        raise DamageError(f"{path}: not readable as a manifest ({reason}).") from None
    if changed:
        raise DamageError(f"{path}: changed since it was written (its checksum does not match).")
    return dict(record)


def _unsealed(text: str, seal: str) -> str:
    before, line, after = text.partition(f'  "{SEAL}": "{seal}",\n')
    return before + after if line else text.replace(f',\n  "{SEAL}": "{seal}"\n', "\n")


def raise_if_transient(path: Path, error: Exception) -> None:
    """Raise StoreError for a transient failure (resources, permissions), which is no damage."""
    if isinstance(error, OSError) and error.errno in _PASSING:
        raise StoreError(
            f"{path}: cannot be read now ({error.strerror}). Nothing was changed. Fix this "
            "and run again."
        ) from None


def _seal(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def file_sha256(path: Path) -> str:
    with open_regular(path) as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def json_text(value: Any) -> str:
    return json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"


def write_json(path: Path, value: Any) -> None:
    """Write JSON for people, atomically."""
    write_bytes(path, json_text(value).encode("utf-8"))


def write_bytes(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.partial-{os.getpid()}-{secrets.token_hex(4)}")
    try:
        partial.write_bytes(data)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def find_fault(folder: Path, manifest: Mapping[str, Any], *, deep: bool = False) -> str | None:
    """The first file that differs from the manifest, as the beginning of a sentence, or None;
    `deep` reads every byte.
    """
    noted = {} if deep else _read_note(folder, manifest)
    found: dict[str, list[int]] = {}
    for name, facts in sorted(manifest["files"].items()):
        if not stays_within(name):
            return f"{quote(name)}: named in the manifest, but not a file of this folder"
        fault, seen = _file_fault(f"{folder}/{name}", facts, noted.get(name))
        if fault:
            return f"{name}: {fault}"
        found[name] = seen
    strange = next(_unlisted_files(folder, manifest), None)
    if strange:
        return f"{strange}: is in a folder of table parts, but this stage did not write it"
    if found != noted or deep:
        _write_note(folder, manifest, found)
    return None


def _file_fault(
    name: str, facts: Mapping[str, Any], noted: list[int] | None
) -> tuple[str, list[int]]:
    try:
        found = os.lstat(name)
    except OSError as error:
        raise_if_transient(Path(name), error)
        return f"missing ({error.strerror})", []
    if not stat.S_ISREG(found.st_mode):
        return "no longer a regular file", []
    if found.st_size != facts["bytes"]:
        return f"{found.st_size:,} bytes, {facts['bytes']:,} were written", []
    seen = _seen(found)
    if seen == noted:
        return "", seen
    path = Path(name)  # slow to make, and most files are as noted
    try:
        same = file_sha256(path) == facts["sha256"]
    except OSError as error:
        raise_if_transient(path, error)
        return f"cannot be read ({error.strerror})", []
    return ("" if same else "changed since it was written (its sha256 is another)"), seen


def _unlisted_files(folder: Path, manifest: Mapping[str, Any]) -> Iterator[str]:
    """Unlisted files in folders of table parts, which readers of all parts would read too."""
    listed = set(manifest["files"])
    for place in sorted({name.rpartition("/")[0] for name in listed} - {""}):
        kinds = {Path(name).suffix for name in listed if name.rpartition("/")[0] == place}
        with os.scandir(folder / place) as entries:
            names = sorted(entry.name for entry in entries)
        yield from (
            f"{place}/{name}"
            for name in names
            if f"{place}/{name}" not in listed and Path(name).suffix in kinds
        )


def _note_path(folder: Path) -> Path | None:
    """The note of an artifact; None for a folder outside a store."""
    parts = os.path.realpath(folder).split("/")
    for at in (-2, -3):
        if parts[at : at + 1] == [STORE]:
            return Path("/".join(parts[: at + 1]), NOTES, f"{'--'.join(parts[at + 1 :])}.json")
    return None


def drop_note(folder: Path) -> None:
    """Remove the note of an artifact that is removed."""
    path = _note_path(folder)
    if path is not None:
        path.unlink(missing_ok=True)


def _read_note(folder: Path, manifest: Mapping[str, Any]) -> dict[str, list[int]]:
    path = _note_path(folder)
    if path is None:
        return {}
    try:
        note = _unwritten.get(path) or json.loads(path.read_text(encoding="utf-8"))
        if note["manifest"] != manifest[SEAL]:
            return {}
        return {
            name: seen for name, seen in note["files"].items() if seen[2] + _TICK_NS < note["at"]
        }
    except (OSError, ValueError, RecursionError, KeyError, TypeError, IndexError, AttributeError):
        return {}  # no note, or a damaged one: compute the digests again


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
        _unwritten[path] = note  # a read-only store is checked in full once per process


def outside_sha256(store: Path, path: Path) -> str:
    """The sha256 of a file outside the store, cached by size, times and inode."""
    known = noted_sha256(store, path)
    if known:
        return known
    at, before = time.time_ns(), path.stat()
    digest = file_sha256(path)
    if _seen(path.stat()) == _seen(before):
        note, place = (
            {"at": at, "seen": _seen(before), "sha256": digest},
            _outside_note(store, path),
        )
        if store.is_dir():
            _keep_note(place, note)
        else:
            _unwritten[place] = note
    return digest


def noted_sha256(store: Path, path: Path) -> str | None:
    """The cached result of `outside_sha256`; None for a changed or unread file."""
    place, seen = _outside_note(store, path), _seen(path.stat())
    try:
        note = _unwritten.get(place) or json.loads(place.read_text(encoding="utf-8"))
        known = note["seen"] == seen and seen[2] + _TICK_NS < note["at"]
        return str(note["sha256"]) if known else None
    except (OSError, ValueError, RecursionError, KeyError, TypeError, AttributeError):
        return None  # no note, or a damaged one


def outside_digest(given: str, store: Path, *, setting: str, most_bytes: int | None = None) -> str:
    """Digest of the content of ``hf:FOLDER`` or ``scores:FILE``, 32 hexadecimal digits.

    `setting` is named in messages. The store caches it until the size, a time or the inode of a file changes. Without a cached
    digest, at most `most_bytes` are read; above that, a text that reports the size is returned.
    """
    kind, _, place = given.partition(":")
    path = Path(place)
    try:
        files = sorted(one for one in path.rglob("*") if one.is_file()) if kind == "hf" else [path]
        if most_bytes is not None:
            unread = sum(one.stat().st_size for one in files if noted_sha256(store, one) is None)
            if unread > most_bytes:
                return f"not read yet ({unread / 1e9:.1f} GB)"
        lines = [f"{one.relative_to(path)} {outside_sha256(store, one)}" for one in files]
    except OSError as error:
        raise UsageError(
            f"{setting}: {quote(given)} cannot be read ({error_text(error)}). Check the path."
        ) from None
    if not lines:
        raise UsageError(
            f"{setting}: {quote(given)} is not a folder with a model. Download the model "
            "first; cloze-gen does not download models."
        )
    return hashlib.blake2b(
        "\n".join(lines).encode("utf-8", "surrogateescape"), digest_size=16
    ).hexdigest()


def _outside_note(store: Path, path: Path) -> Path:
    name = hashlib.blake2b(os.fsencode(path.resolve()), digest_size=16).hexdigest()
    return store / NOTES / f"outside-{name}.json"


def note_written(folder: Path) -> None:
    """Note the digests of an artifact that has just been written."""
    manifest = read_manifest(folder / MANIFEST)
    _write_note(
        folder, manifest, {name: _seen((folder / name).lstat()) for name in manifest["files"]}
    )


def sweep_notes(store: Path) -> int:
    swept = 0
    for path in sorted((store / NOTES).glob(".*.partial-*")):
        with contextlib.suppress(OSError):  # a read-only store, or one removed meanwhile
            path.unlink()
            swept += 1
    return swept


def _seen(found: os.stat_result) -> list[int]:
    return [found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino]


def payload_names(folder: Path) -> Iterator[str]:
    """Every plain file below a folder but its manifest, sorted, with `/`."""
    names = (
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and not path.is_symlink()
    )
    yield from sorted(name for name in names if name != MANIFEST)
