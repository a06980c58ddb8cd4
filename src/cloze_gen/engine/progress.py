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
from typing import Any, TypeVar

from tqdm import tqdm

from cloze_gen.adapters.terminal import shown_on
from cloze_gen.errors import StoreError
from cloze_gen.text_layout import printable

T = TypeVar("T")
LOGS = "logs"  # folder below the output folder
_open: list[tuple[int, float]] = []  # descriptor and start of the logs being kept by this process
_PHASE = re.compile(r"(\d+)/(\d+) (.*?)(?:: (\d+) %)?")


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
    """A listener for a program that prints its phases as `2/5 Sorting` and `2/5 Sorting: 10 %`.

    A terminal shows one bar for all phases, else one line each; other lines go to the log alone.
    """
    with contextlib.ExitStack() as stack:
        bars: list[Any] = []

        def hear(line: str) -> None:
            found = _PHASE.fullmatch(line)
            if found is None:
                note(f"{stage}: {line}")
                return
            number, count = int(found[1]), int(found[2])
            if not bars:
                form = "{desc} |{bar}| {percentage:3.0f} %"
                bar = tqdm(
                    total=100 * count,
                    desc=stage,
                    disable=_no_bar(),
                    leave=False,
                    file=sys.stderr,
                    dynamic_ncols=True,
                    bar_format=form,
                )
                bars.append(stack.enter_context(bar))
            if bars[0].disable and found[4] is None:
                say(f"{stage}: {line}")
            else:
                note(f"{stage}: {line}")
            bars[0].set_description_str(f"{stage}: {number}/{count}", refresh=False)
            bars[0].n = 100 * (number - 1) + int(found[4] or 0)
            bars[0].refresh()

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
