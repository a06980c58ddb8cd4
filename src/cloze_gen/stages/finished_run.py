"""A finished run, as its published files are made from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cloze_gen.store.artifacts import Artifact


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedRun:
    """What a recipe's files are made from.

    Attributes:
        items: of the set, in its order.
        settings: of the style, the groups as attributes.
        artifacts: label of each stage -> its artifact.
    """

    name: str
    items: Sequence[Any]
    seed: int
    settings: Any
    artifacts: Mapping[str, Artifact]


@dataclass(frozen=True, slots=True)
class FromStore:
    """A file of an artifact that a release shows.

    Attributes:
        linked: as a symbolic link into the store, which takes no room and holds on this machine; else as a file of the release's own.
    """

    path: Path
    linked: bool
