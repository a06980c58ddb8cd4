"""The interface of a tagger: whole-word tokens in, Penn tags out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class TaggedToken:
    """A word's tag (its host's) and those of its clitics: ``don't`` is ``VBP`` with ``("RB",)``."""

    tag: str
    clitics: tuple[str, ...] = ()


class Tagger(Protocol):
    """A tagger. The tags of a call depend on its own sentences only."""

    @property
    def identity(self) -> str:
        """Name and content of the model, for fingerprints."""
        ...

    @property
    def reach(self) -> int | None:
        """Tokens on each side on which a tag can depend; None if unknown."""
        ...

    def tag(self, sentences: Iterable[Sequence[str]]) -> Iterator[list[str]]:
        """One Penn tag for each token of each sentence."""
        ...

    def tag_at(self, places: Iterable[tuple[Sequence[str], int]]) -> Iterator[TaggedToken]:
        """The tag of one token of each sentence, with those of its clitics."""
        ...
