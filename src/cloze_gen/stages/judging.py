"""How people are asked about the items of a style, as the commands know it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol


class Export(Protocol):
    """Writes the files that people fill in; the lines tell what was written."""

    def __call__(
        self, run: Path, *, subjects: Sequence[str], condition: str, pages: int, form: str, to: Path | None, again: bool
    ) -> list[str]: ...


@dataclass(frozen=True, slots=True)
class Judging:
    """A style's people. Each function is given a run's folder and returns lines for a person.

    Attributes:
        stage: label of the stage that is made of what they said; it and what follows from it are made anew when answers come in.
        group: the settings group of the same study.
        setting: the setting that names the file of what they said.
        ledger: run -> that file.
        export: see `Export`.
        take: (run, name -> text of files that were filled in).
        withdraw: (run, ids of pages that never come back).
        status: of a run.
        cost: (settings of the group, how many are asked about, run or None).
    """

    stage: str
    group: str
    setting: str
    ledger: Callable[[Path], Path]
    export: Export
    take: Callable[[Path, Mapping[str, str]], list[str]]
    withdraw: Callable[[Path, Sequence[str]], list[str]]
    status: Callable[[Path], list[str]]
    cost: Callable[[Any, int | None, Path | None], list[str]]
