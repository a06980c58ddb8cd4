"""The log of a run: everything that was said, and what outside programs said, with the seconds since the start.

It lies beside the store, never in it: it tells times. Lines are appended, each in one write, so two runs may share a log.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path

from cloze_gen.columns import printable
from cloze_gen.errors import StoreError

LOGS = "logs"  # folder below the output folder
_open: list[tuple[int, float]] = []  # descriptor and start of the logs being kept by this process


@contextlib.contextmanager
def keeping_log(path: Path, heading: str) -> Iterator[None]:
    """Keep a log at `path` for as long as the block runs; what stands there already stays above.

    Raises:
        StoreError: the place is taken by something that is no ordinary file.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and not path.is_file():
        raise StoreError(f"{path}: the log is to be written here, and there is something that is no file. Move it, then run again.")
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
    try:
        entry = descriptor, time.perf_counter()
        _write(descriptor, f"== {time.strftime('%Y-%m-%d %H:%M:%S UTC', time.gmtime())}  {heading}")
        _open.append(entry)
        try:
            yield
        finally:
            _open.remove(entry)
    finally:
        os.close(descriptor)


def note(line: str) -> None:
    """One line, or several, into the log, if one is kept; nothing is shown."""
    for descriptor, start in _open:
        for part in line.split("\n"):
            _write(descriptor, f"{time.perf_counter() - start:9.1f} s  {part}")


def _write(descriptor: int, line: str) -> None:
    os.write(descriptor, f"{printable(line)}\n".encode())
