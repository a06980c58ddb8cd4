"""A passage: some sentences of one chapter, the last word of the last of them to be guessed (LAMBADA)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain


@dataclass(frozen=True, slots=True)
class Passage:
    """A context of complete sentences and the target sentence, as the book has them.

    Attributes:
        id: ``book:sentence`` of the target sentence.
        part: ``train``, ``development`` or ``test``: the side of the partition that its book is on.
        sentences: own tokens of every sentence, cased, whole words, marks included; the target sentence last, and whole.
        texts: the same sentences with their own spacing, one each.
        target_at: index of the target among the tokens of the last sentence; only marks stand behind it.
        start, end: character span in the decoded raw file, end exclusive.

    >>> passage = Passage("b:7", "b", "test", (("Ann", "hid", "."), ("I", "saw", "Ann", ".")), ("Ann hid.", "I saw Ann."), 2, 0, 19)
    >>> passage.context, passage.before_target[-2:], passage.target
    (('Ann', 'hid', '.'), ('I', 'saw'), 'Ann')
    """

    id: str
    book_id: str
    part: str
    sentences: tuple[tuple[str, ...], ...]
    texts: tuple[str, ...]
    target_at: int
    start: int
    end: int

    @property
    def context(self) -> tuple[str, ...]:
        """Tokens of all sentences but the last."""
        return tuple(chain.from_iterable(self.sentences[:-1]))

    @property
    def target(self) -> str:
        return self.sentences[-1][self.target_at]

    @property
    def before_target(self) -> tuple[str, ...]:
        """All tokens before the target, in order."""
        return (*self.context, *self.sentences[-1][: self.target_at])

    @property
    def opening(self) -> str:
        """Text of the target sentence before the target, blanks included: `texts[-1]` is `opening`, the target and `closing`."""
        return self.texts[-1][: self._target_end - len(self.target)]

    @property
    def closing(self) -> str:
        """Text behind the target: the marks that end its sentence."""
        return self.texts[-1][self._target_end :]

    @property
    def _target_end(self) -> int:
        end = 0
        for token in self.sentences[-1][: self.target_at + 1]:
            end = self.texts[-1].index(token, end) + len(token)
        return end
