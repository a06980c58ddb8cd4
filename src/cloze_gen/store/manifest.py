"""Manifests: what a folder of ours holds, with the digest of every file and a seal over the manifest itself.

The seal is the sha256 of the manifest's own text without it, so that a flipped byte is noticed wherever it lies: in the payload, or in what
is said of it.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cloze_gen.errors import DamageError, StoreError
from cloze_gen.store.files import open_regular

MANIFEST = "manifest.json"
SCHEMA_VERSION = 2
SEAL = "seal"
_PASSING = {errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EACCES, errno.EPERM, errno.ESTALE, errno.ETIMEDOUT}


def write_manifest(path: Path, record: Mapping[str, Any]) -> None:
    """Write a record with its seal; the last file of a folder to be written."""
    write_json(path, {**record, SEAL: _seal(json_text(record))})


def read_manifest(path: Path) -> dict[str, Any]:
    """A sealed record back from disk.

    Raises:
        DamageError: it is not there, cannot be read, or is not what was written.
        StoreError: the machine refuses it for the moment.
    """
    try:
        text = path.read_text(encoding="utf-8")
        record = json.loads(text)
        changed = record[SEAL] != _seal(_unsealed(text, record[SEAL]))
    except FileNotFoundError:
        raise DamageError(f"{path.parent}: nothing finished here (no {path.name}).") from None
    except (OSError, ValueError, RecursionError, AttributeError, KeyError, TypeError) as error:
        ask_passing(path, error)
        reason = str(error) if isinstance(error, OSError | ValueError) else "it lacks what every manifest has"
        raise DamageError(f"{path}: not readable as a manifest ({reason}).") from None
    if changed:
        raise DamageError(f"{path}: changed since it was written (its seal does not fit).")
    return dict(record)


def _unsealed(text: str, seal: str) -> str:
    """A manifest's text as it was before it was sealed: every line but the seal's."""
    before, line, after = text.partition(f'  "{SEAL}": "{seal}",\n')
    return before + after if line else text.replace(f',\n  "{SEAL}": "{seal}"\n', "\n")


def ask_passing(path: Path, error: Exception) -> None:
    """Tell a refusal of the moment from damage: what is refused now may be whole, and must not be moved out of the way.

    Raises:
        StoreError: the system is out of something, or does not let this user in.
    """
    if isinstance(error, OSError) and error.errno in _PASSING:
        raise StoreError(f"{path}: cannot be read now ({error.strerror}). Nothing was changed; mend this and run again.") from None


def _seal(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def file_sha256(path: Path) -> str:
    with open_regular(path) as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def json_text(value: Any) -> str:
    """JSON for people: indented, keys sorted, LF."""
    return json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"


def write_json(path: Path, value: Any) -> None:
    """Write JSON for people, under a temporary name first."""
    write_bytes(path, json_text(value).encode("utf-8"))


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file that is whole or not there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.partial-{os.getpid()}-{secrets.token_hex(4)}")
    try:
        partial.write_bytes(data)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
