"""A passage: some whole sentences of one chapter, of which the last word of the last is to be guessed (LAMBADA)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from itertools import chain


class Part(StrEnum):
    """What a novel serves for: its text trains models, or its passages are items of one of the two sets."""

    TRAIN = "train"
    DEVELOPMENT = "development"
    TEST = "test"


class Split(StrEnum):
    """Where in a set a passage stands: of the development or the test novels, or of the control set, which nothing has filtered."""

    VALIDATION = "validation"
    TEST = "test"
    CONTROL = "control"


SPLIT_OF = {Part.DEVELOPMENT: Split.VALIDATION, Part.TEST: Split.TEST}


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage and the word to be guessed.

    The texts before, at and behind the target are the target sentence exactly.

    >>> sentences = (("Who", "called", "?"), ("It", "was", "Jane", ".", '"'))
    >>> passage = Passage("emma:7", "emma", Part.TEST, sentences, ("Who called?", 'It was Jane."'), 2, 40, 65)
    >>> passage.context, passage.before_target, passage.target
    (('Who', 'called', '?'), ('Who', 'called', '?', 'It', 'was'), 'Jane')
    >>> passage.opening, passage.closing
    ('It was ', '."')

    Attributes:
        id: of the target sentence, ``book:index``.
        part: the part of the corpus that its novel belongs to.
        sentences: the tokens of each sentence as the book has them, the target sentence last and whole, with its final marks.
        texts: the same sentences with their own spacing, one each.
        target_at: index of the target in the last sentence.
        start, end: character span of the whole passage in the decoded raw file, end exclusive.
    """

    id: str
    book_id: str
    part: Part
    sentences: tuple[tuple[str, ...], ...]
    texts: tuple[str, ...]
    target_at: int
    start: int
    end: int

    @property
    def context(self) -> tuple[str, ...]:
        """The tokens of all sentences but the last."""
        return tuple(chain.from_iterable(self.sentences[:-1]))

    @property
    def target_sentence(self) -> tuple[str, ...]:
        return self.sentences[-1]

    @property
    def target(self) -> str:
        return self.sentences[-1][self.target_at]

    @property
    def before_target(self) -> tuple[str, ...]:
        """All tokens that a reader is shown, in order."""
        return (*self.context, *self.sentences[-1][: self.target_at])

    @property
    def opening(self) -> str:
        """Text of the target sentence before the target, blanks included; with the target and `closing` it is the last of `texts`."""
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


@dataclass(frozen=True, slots=True)
class SetPassage:
    """A passage of a finished set.

    Attributes:
        domain: genre of its novel; empty where it is not known.
    """

    passage: Passage
    split: Split
    domain: str

    @property
    def id(self) -> str:
        """Of the passage; within one split none stands twice, but the control set may hold what another split holds."""
        return self.passage.id

    @property
    def book_id(self) -> str:
        return self.passage.book_id
