"""Progress on stderr (a bar on a terminal, else a line a stage), and the log of a run.

Log lines have the seconds since the start and are appended in one write each, so two runs may share
a log.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeVar

from tqdm import tqdm

from cloze_gen.adapters.terminal import shown_on
from cloze_gen.errors import StoreError
from cloze_gen.text_layout import printable

T = TypeVar("T")
LOGS = "logs"  # folder below the output folder
_open: list[tuple[int, float]] = []  # descriptor and start of the logs being kept by this process
_PHASE = re.compile(r"(\d+)/(\d+) .*")


def track(items: Iterable[T], *, stage: str, unit: str, total: int | None) -> Iterator[T]:
    """Pass `items` through, showing stage, unit, total and rate on a terminal."""
    yield from tqdm(
        items,
        desc=stage,
        unit=f" {unit}",
        total=total,
        disable=_no_bar(),
        leave=False,
        file=sys.stderr,
        dynamic_ncols=True,
    )


@contextlib.contextmanager
def phases(stage: str) -> Iterator[Callable[[str], None]]:
    """A listener for a program that prints its phases as `2/5 Sorting`.

    A terminal shows one bar for all phases, else one line each; other lines go to the log alone.
    """
    with tqdm(
        desc=stage,
        disable=_no_bar(),
        leave=False,
        file=sys.stderr,
        dynamic_ncols=True,
        bar_format="{desc} |{bar}| {percentage:3.0f} %",
        total=1,
    ) as bar:

        def hear(line: str) -> None:
            phase = _PHASE.fullmatch(line)
            if phase is None or not bar.disable:
                note(f"{stage}: {line}")
            else:
                say(f"{stage}: {line}")
            if phase is not None:
                bar.set_description_str(f"{stage}: {phase[1]}/{phase[2]}", refresh=False)
                bar.total = int(phase[2])
                bar.n = int(phase[1]) - 1
                bar.refresh()

        yield hear


def _no_bar() -> bool | None:
    """For tqdm: bars on a terminal and in a notebook, whose stderr is no terminal."""
    return False if type(sys.stderr).__module__.startswith("ipykernel.") else None


def say(line: str) -> None:
    """Print one line to stderr, clear of any bar, and to the log."""
    tqdm.write(shown_on(line, sys.stderr), file=sys.stderr)
    sys.stderr.flush()
    note(line)


class Stopwatch:
    """Seconds since it was made; never written into an artifact."""

    def __init__(self) -> None:
        self._start = time.perf_counter()

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self._start


@contextlib.contextmanager
def keeping_log(path: Path, heading: str) -> Iterator[None]:
    """Append to a log at `path` during the block; StoreError if it is no ordinary file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and not path.is_file():
        raise StoreError(
            f"{path}: the log is to be written here, and there is something that is no file. "
            "Move it, then run again."
        )
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
    for descriptor, start in _open:
        for part in line.split("\n"):
            _write(descriptor, f"{time.perf_counter() - start:9.1f} s  {part}")


def _write(descriptor: int, line: str) -> None:
    os.write(descriptor, f"{printable(line)}\n".encode())
