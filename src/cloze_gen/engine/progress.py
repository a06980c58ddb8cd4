"""Progress on stderr: a bar on a terminal, nothing otherwise; one summary line a stage either way."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

from tqdm import tqdm

T = TypeVar("T")


def track(items: Iterable[T], *, stage: str, unit: str, total: int | None) -> Iterator[T]:
    """Pass `items` through, showing stage, unit, total and rate on a terminal."""
    yield from tqdm(items, desc=stage, unit=f" {unit}", total=total, disable=None, leave=False, file=sys.stderr, dynamic_ncols=True)


def say(line: str) -> None:
    """One line to stderr, clear of any bar."""
    tqdm.write(line, file=sys.stderr)
    sys.stderr.flush()


class Stopwatch:
    """Seconds since it was made; wall-clock figures are shown, never written into an artifact."""

    def __init__(self) -> None:
        self._start = time.perf_counter()

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self._start
