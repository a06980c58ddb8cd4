"""A folder that a user names and a command fills: a new one, an empty one, or one that the same command filled before."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from cloze_gen.errors import DamageError, UsageError
from cloze_gen.store.locks import exclusive_lock, sweep_leavings
from cloze_gen.store.manifest import MANIFEST, read_manifest


def check_own_folder(folder: Path, schema: str, *, option: str) -> None:
    """The folder may be filled (`store.folder_replacement`).

    Args:
        schema: what the manifest of a folder that was filled before calls it.
        option: of the command line, that names another folder.
    Raises:
        UsageError: it is no folder, holds other things, or is the one that the command was called in.
    """
    if not folder.exists() and not folder.is_symlink():
        return
    advice = f"Nothing was written; name a new folder with {option}."
    if not folder.is_dir() or folder.is_symlink():
        raise UsageError(f"{folder}: is no folder. {advice}")
    if Path.cwd().is_relative_to(folder.resolve()):
        raise UsageError(f"{folder}: is the folder that this command was called in, or one above it. {advice}")
    try:
        ours = read_manifest(folder / MANIFEST).get("schema") == schema
    except DamageError:
        ours = False
    others = sorted(path.name for path in folder.iterdir())
    if others and not ours:
        raise UsageError(f"{folder}: holds other things ({', '.join(map(repr, others[:3]))}{', ...' if len(others) > 3 else ''}). {advice}")


@contextlib.contextmanager
def own_folder_lock(folder: Path, name: str, *, locks: Path | None = None) -> Iterator[None]:
    """Be the only one who fills this folder; what a killed writer left beside it is swept.

    Args:
        name: of what is written there, the lock's.
        locks: folder of the lock; by default one in the temporary folder, for nothing is to be written beside what was asked for.
    """
    place = hashlib.blake2b(str(folder.resolve()).encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()
    with exclusive_lock((locks or Path(tempfile.gettempdir()) / f"cloze-gen-{os.getuid()}") / f"{name}-{place}"):
        sweep_leavings(folder.parent)
        yield
