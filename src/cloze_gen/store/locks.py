"""Locks that the kernel releases when a process ends (`flock`), and folders renamed when complete. A
writer locks its temporary folder, so that only those of killed writers are removed.
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

# no run or stage has `~` in its name, so a user's folder is never taken for a temporary one
_STALE = re.compile(r"\..+~partial-[0-9a-f]{8}")


@contextlib.contextmanager
def exclusive_lock(path: Path, *, on_wait: Callable[[], None] | None = None) -> Iterator[None]:
    """Hold `path` as a lock file; calls `on_wait` before waiting for another process."""
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
def shared_lock(path: Path) -> Iterator[None]:
    """Hold `path` together with others, against those who want it by `exclusive_lock`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "ab") as handle:
        fcntl.flock(handle, fcntl.LOCK_SH)
        yield


@contextlib.contextmanager
def partial_folder(target: Path, *, mode: int = 0o777) -> Iterator[Path]:
    """A temporary folder next to `target`, removed on exit unless it was renamed."""
    target.parent.mkdir(parents=True, exist_ok=True)
    while True:
        folder = target.parent / f".{target.name}~partial-{secrets.token_hex(4)}"
        folder.mkdir(mode=mode)
        try:
            descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        except FileNotFoundError:  # another run may remove it between mkdir and open
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
    """Rename a whole folder; False where another run was first with the same bytes."""
    try:
        partial.rename(target)
    except OSError:
        if not target.is_dir():
            raise
        return False
    return True


def remove_folder(folder: Path) -> None:
    """Remove a folder, or what is in its place, as a whole: a kill leaves a temporary folder, never
    half of it.
    """
    with partial_folder(folder) as partial, contextlib.suppress(FileNotFoundError):
        folder.rename(partial / folder.name)


def temp_dirs(folder: Path) -> list[Path]:
    """Temporary folders of writers, living or killed, directly below `folder`."""
    found = sorted(folder.iterdir()) if folder.is_dir() else []
    return [
        path
        for path in found
        if _STALE.fullmatch(path.name) and path.is_dir() and not path.is_symlink()
    ]


def remove_stale_temp_dirs(folder: Path) -> int:
    """Remove temporary folders of killed writers directly below `folder`; returns how many."""
    return sum(_removed_unless_owned(path) for path in temp_dirs(folder))


def _removed_unless_owned(folder: Path) -> bool:
    """Remove a folder that no living writer holds, holding it meanwhile."""
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
