"""Progress on stderr: a bar on a terminal, nothing otherwise; one summary line a stage either way."""

from __future__ import annotations

import contextlib
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from tqdm import tqdm

from cloze_gen.adapters.terminal import columns_of, shown_on
from cloze_gen.engine.logbook import note

T = TypeVar("T")
_PHASE = re.compile(r"(\d+)/(\d+) (.*?)(?:: (\d+) %)?")


def track(items: Iterable[T], *, stage: str, unit: str, total: int | None) -> Iterator[T]:
    """Pass `items` through, showing stage, unit, total and rate on a terminal."""
    yield from tqdm(items, desc=stage, unit=f" {unit}", total=total, disable=None, leave=False, file=sys.stderr, dynamic_ncols=True)


@contextlib.contextmanager
def phases(stage: str) -> Iterator[Callable[[str], None]]:
    """A listener for a program that tells its phases as `2/5 Sorting` and `2/5 Sorting: 10 %`.

    On a terminal all phases together are one bar; elsewhere each is one line. Whatever else the program says goes to the log alone.
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
                bar = tqdm(total=100 * count, desc=stage, disable=None, leave=False, file=sys.stderr, dynamic_ncols=True, bar_format=form)
                bars.append(stack.enter_context(bar))
            if bars[0].disable and found[4] is None:
                say(f"{stage}: {line}")
            else:
                note(f"{stage}: {line}")
            bars[0].set_description_str(f"{stage}: {number}/{count}", refresh=False)
            bars[0].n = 100 * (number - 1) + int(found[4] or 0)
            bars[0].refresh()

        yield hear


def say(line: str) -> None:
    """One line to stderr, clear of any bar, and to the log."""
    tqdm.write(shown_on(line, sys.stderr, columns=columns_of(sys.stderr)), file=sys.stderr)
    sys.stderr.flush()
    note(line)


class Stopwatch:
    """Seconds since it was made; wall-clock figures are shown, never written into an artifact."""

    def __init__(self) -> None:
        self._start = time.perf_counter()

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self._start
