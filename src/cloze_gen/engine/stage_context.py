"""The context of a stage: store, engine, and messages on stderr."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from cloze_gen.engine.local import Engine
from cloze_gen.engine.progress import say, track
from cloze_gen.store.artifacts import Store

Shard = TypeVar("Shard")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class StageContext:
    """The context of a stage.

    Attributes:
        strict: a fault of one book ends the run.
        meanwhile: to be called while the stage waits for a program; other stages run.
    """

    store: Store
    engine: Engine
    stage: str
    strict: bool = False
    meanwhile: Callable[[], None] = lambda: None

    def map(
        self, function: Callable[[Shard], Result], shards: Sequence[Shard], *, unit: str
    ) -> Iterator[Result]:
        """Map over the shards with progress; results in order."""
        return self.map_as_they_come(function, shards, unit=unit, total=len(shards))

    def map_as_they_come(
        self, function: Callable[[Shard], Result], shards: Iterable[Shard], *, unit: str, total: int
    ) -> Iterator[Result]:
        """`map` over about `total` shards that are still being produced."""
        yield from track(
            self.engine.map(function, shards), stage=self.stage, unit=unit, total=total
        )

    def say(self, line: str) -> None:
        say(f"{self.stage}: {line}")
