"""Locks the kernel gives back by itself (`flock`), and folders that are whole or not there.

A folder is written under a temporary name and renamed when whole. The writer holds a lock on the temporary folder, so a later run can tell
a killed writer's leavings (lock free: swept) from a living one's work (lock held: left alone).
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

# `~` stands in no run's and no stage's name, so nothing of a user's is ever taken for leavings.
_LEAVING = re.compile(r"\..+~partial-[0-9a-f]{8}")


@contextlib.contextmanager
def exclusive_lock(path: Path, *, on_wait: Callable[[], None] | None = None) -> Iterator[None]:
    """Hold `path` as a lock file; waits for another process, after telling `on_wait` so."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "ab") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if on_wait is not None:
                on_wait()
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield


@contextlib.contextmanager
def partial_folder(target: Path, *, mode: int = 0o777) -> Iterator[Path]:
    """A temporary folder beside `target`, removed again on any exit unless it was renamed away.

    Args:
        mode: who may do what in it, before the umask.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    while True:
        folder = target.parent / f".{target.name}~partial-{secrets.token_hex(4)}"
        folder.mkdir(mode=mode)
        try:
            descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        except FileNotFoundError:  # swept by another run between mkdir and open
            continue
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        if folder.is_dir():
            break
        os.close(descriptor)
    try:
        yield folder
    finally:
        if folder.is_dir():
            shutil.rmtree(folder)
        os.close(descriptor)


def publish_folder(partial: Path, target: Path) -> bool:
    """Give a whole folder its name. If another run was first, ours (the same bytes) is let go and the answer is no."""
    try:
        partial.rename(target)
    except OSError:
        if not target.is_dir():
            raise
        return False
    return True


def sweep_leavings(folder: Path) -> int:
    """Remove what killed writers left directly below `folder`; returns how many. Living writers' work stays."""
    swept = 0
    if not folder.is_dir():
        return swept
    for path in sorted(folder.iterdir()):
        if _LEAVING.fullmatch(path.name) and path.is_dir() and not path.is_symlink():
            swept += _removed_unless_owned(path)
    return swept


def _removed_unless_owned(folder: Path) -> bool:
    """Remove a folder that no living writer holds; the lock is kept meanwhile, so that no writer begins in it."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder, ignore_errors=True)
    except BlockingIOError:
        return False
    finally:
        os.close(descriptor)
    return True
