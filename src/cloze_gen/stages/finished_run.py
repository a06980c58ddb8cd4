"""A finished run, as its published files are made from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cloze_gen.stages.tables import FEWSHOT
from cloze_gen.store.artifacts import Artifact


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedSet:
    """A finished set, as a recipe's published files are made from it: nothing of it lies in the store.

    Attributes:
        items: of the set, in the order of the release.
        records: of the items, as they are released.
        canary: the set's GUID, which every record bears.
        beside: file of the last stage -> its records, of what is published beside the items (candidates, what fell last).
        release: the settings of the release, of the style's own class.
    """

    name: str
    items: Sequence[Any]
    seed: int
    release: Any
    records: Sequence[dict[str, Any]] = ()
    canary: str = ""
    beside: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)

    @property
    def examples(self) -> list[dict[str, Any]]:
        """Records of the few-shot examples: finished items that are not of the set."""
        return [dict(record) for record in self.beside.get(FEWSHOT, ())]


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedRun:
    """A finished run, as what a release takes from the store is found.

    Attributes:
        settings: of the style, the groups as attributes.
        artifacts: label of each stage -> its artifact.
    """

    published: PublishedSet
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
