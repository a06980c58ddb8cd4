"""Files that only grow: whole lines appended, on the disk before anybody is told so, and never taken back."""

from __future__ import annotations

import os
from pathlib import Path


def append_lines(path: Path, text: str, *, torn: str) -> None:
    """Append lines to a file, which is made where there is none; they are on the disk when this returns. Writers hold one lock.

    Args:
        text: whole lines.
        torn: what a line is ended with that a killed writer left without its end.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "ab+", buffering=0) as handle:
        size = handle.seek(0, os.SEEK_END)
        if size:
            handle.seek(-1, os.SEEK_END)
        head = f"{torn}\n" if size and handle.read(1) != b"\n" else ""
        left = memoryview(f"{head}{text}".encode())
        while left:
            left = left[handle.write(left) :]
        os.fsync(handle.fileno())
    if not size:
        _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """Have a new name on the disk too."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
