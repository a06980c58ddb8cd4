"""What a tagger is to the rest of the project: whole-word tokens in, Penn tags out.

How a whole word meets a treebank's tokens is `english.treebank`; how tags fold into classes is `english.penn_tags`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class TaggedToken:
    """The tag of a whole word (its host's) and those of its other parts, in order: ``don't`` is ``VBP`` with ``("RB",)``."""

    tag: str
    clitics: tuple[str, ...] = ()


class Tagger(Protocol):
    """What the rest of the project asks of a tagger.

    One call is one book (or one batch of windows): the tags of a call depend on nothing else.
    """

    @property
    def identity(self) -> str:
        """Name and content of the model, for fingerprints."""
        ...

    @property
    def reach(self) -> int | None:
        """Tokens on each side of a word on which its tag can depend at most; None where that is not known."""
        ...

    def tag(self, sentences: Iterable[Sequence[str]]) -> Iterator[list[str]]:
        """One Penn tag for each token of each sentence."""
        ...

    def tag_with_clitics(self, sentences: Iterable[Sequence[str]]) -> Iterator[list[TaggedToken]]:
        """As `tag`, with the tags of the clitics beside."""
        ...
