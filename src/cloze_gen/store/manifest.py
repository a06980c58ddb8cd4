"""Manifests of artifacts and of written folders, and checks against them."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from cloze_gen.errors import DamageError, StoreError, UsageError
from cloze_gen.parsing import ParseError, error_text, parse_json, quote
from cloze_gen.store.files import open_regular, stays_within

MANIFEST = "manifest.json"
SCHEMA_VERSION = 4


def read_manifest(path: Path) -> dict[str, Any]:
    """A manifest; DamageError if it is missing or no JSON object."""
    try:
        record = parse_json(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        raise DamageError(f"{path.parent}: nothing finished here (no {path.name}).") from None
    except OSError as error:
        raise _unreadable(path, error) from None
    except ParseError as error:
        raise DamageError(f"{path}: not readable as a manifest ({error}).") from None
    if not isinstance(record, dict):
        raise DamageError(f"{path}: {quote(record)} is no manifest.")
    return record


def _unreadable(path: Path, error: OSError) -> StoreError:
    """A failure of permissions or resources, which is no damage."""
    return StoreError(
        f"{path}: cannot be read now ({error.strerror}). Nothing was changed. Fix this "
        "and run again."
    )


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
    """The first file that is missing or has another size than in the manifest, as the beginning of
    a sentence, or None; `deep` compares every byte.
    """
    for name, facts in sorted(manifest["files"].items()):
        if not stays_within(name):
            return f"{quote(name)}: named in the manifest, but not a file of this folder"
        path = f"{folder}/{name}"  # a `Path` is slow to make, and an artifact may have many files
        try:
            status = os.lstat(path)
        except (FileNotFoundError, NotADirectoryError) as error:
            return f"{name}: missing ({error.strerror})"
        except OSError as error:
            raise _unreadable(Path(path), error) from None
        if not stat.S_ISREG(status.st_mode):
            return f"{name}: no longer a regular file"
        if status.st_size != facts["bytes"]:
            return f"{name}: {status.st_size:,} bytes, {facts['bytes']:,} were written"
        if not deep:
            continue
        try:
            found = file_sha256(Path(path))
        except OSError as error:
            return f"{name}: cannot be read ({error.strerror})"
        if found != facts["sha256"]:
            return f"{name}: changed since it was written (its sha256 is another)"
    return None


def outside_digest(place: str, *, setting: str) -> str:
    """Digest of the content of ``hf:FOLDER`` or ``scores:FILE``, 32 hexadecimal digits; `setting`
    is named in messages.
    """
    kind, _, name = place.partition(":")
    path = Path(name)
    try:
        files = (
            sorted(file for file in path.rglob("*") if file.is_file()) if kind == "hf" else [path]
        )
        lines = [f"{file.relative_to(path)} {file_sha256(file)}" for file in files]
    except OSError as error:
        raise UsageError(
            f"{setting}: {quote(place)} cannot be read ({error_text(error)}). Check the path."
        ) from None
    if not lines:
        raise UsageError(
            f"{setting}: {quote(place)} is not a folder with a model. Download the model "
            "first; cloze-gen does not download models."
        )
    return hashlib.blake2b(
        "\n".join(lines).encode("utf-8", "surrogateescape"), digest_size=16
    ).hexdigest()


def payload_names(folder: Path) -> Iterator[str]:
    """Every plain file below a folder but its manifest, sorted, with `/`."""
    names = (
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and not path.is_symlink()
    )
    yield from sorted(name for name in names if name != MANIFEST)
