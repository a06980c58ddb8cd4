"""Sorts more rows than memory holds (Knuth 1998, vol. 3, 5.4): runs that fit are sorted and saved,
then merged in ranges of keys that fit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import DTypeLike

KEY = "key"
_SAMPLED = 4096  # rows of a run for each key that is kept in memory
_SORT: Literal["stable"] = "stable"  # a timsort: what comes in ascending stretches is merged
_MERGED_ROWS = 1 << 22  # four million rows of 16 bytes, with what sorting them takes, are 200 MB


@dataclass(slots=True)
class _Run:
    """Rows `start` to `start + rows` of the files; `taken` are merged already."""

    start: int
    rows: int
    sampled: np.ndarray
    taken: int = 0


class SortedRuns:
    """Columns of rows, sorted by a column `key` of unique values.

    Args:
        folder: empty; gets a file a column, deleted by the caller.
        merged_rows: approximate rows of all runs that are sorted at once.
    """

    def __init__(
        self, folder: Path, types: Mapping[str, DTypeLike], *, merged_rows: int = _MERGED_ROWS
    ) -> None:
        self._folder, self._merged_rows = folder, merged_rows
        self._types = {name: np.dtype(kind) for name, kind in types.items()}
        self._runs: list[_Run] = []
        self._rows = 0

    def add(self, columns: Mapping[str, np.ndarray]) -> None:
        """Sort and save some rows, shape (n,) a column, as a run."""
        order = columns[KEY].argsort(kind=_SORT)
        for name, kind in self._types.items():
            with open(self._folder / name, "ab") as handle:
                columns[name][order].astype(kind, copy=False).tofile(handle)
        self._runs.append(_Run(self._rows, len(order), columns[KEY][order[::_SAMPLED]]))
        self._rows += len(order)

    def ranges(self) -> Iterator[dict[str, np.ndarray]]:
        """All rows in order, a range at a time; once, after all `add` calls."""
        sampled = np.sort(self._joined(run.sampled for run in self._runs))
        for bound in (*sampled[:: max(1, self._merged_rows // _SAMPLED)][1:], None):
            spans = [self._take(run, bound) for run in self._runs]
            keys = self._joined(key for _, key in spans)
            order = keys.argsort(kind=_SORT)
            others = (name for name in self._types if name != KEY)
            columns = {
                name: self._joined(
                    (self._read(name, first, len(key)) for first, key in spans), name
                )
                for name in others
            }
            yield {name: column[order] for name, column in {KEY: keys, **columns}.items()}

    def _take(self, run: _Run, bound: np.generic | None) -> tuple[int, np.ndarray]:
        """The file row of a run's next row, and its keys below `bound`, which are then taken."""
        first = run.start + run.taken
        end = (
            run.rows
            if bound is None
            else min(run.rows, int(run.sampled.searchsorted(bound)) * _SAMPLED)
        )
        key = self._read(KEY, first, end - run.taken)
        key = key if bound is None else key[: int(key.searchsorted(bound))]
        run.taken += len(key)
        return first, key

    def _read(self, name: str, first: int, rows: int) -> np.ndarray:
        kind = self._types[name]
        return np.fromfile(self._folder / name, kind, rows, offset=first * kind.itemsize)

    def _joined(self, parts: Iterable[np.ndarray], name: str = KEY) -> np.ndarray:
        return np.concatenate([np.zeros(0, self._types[name]), *parts])
