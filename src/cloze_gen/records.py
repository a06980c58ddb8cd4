"""The records that pass from step to step: frozen, identified by provenance, able to rebuild their source."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a book.

    Attributes:
        book_id: the book's id (file stem unless its manifest names another).
        index: position among the sentences of its book, from 0.
        start, end: character span in the decoded raw file, end exclusive.
        paragraph: index of its paragraph in the book, from 0.
        kind: ``prose``, ``verse`` or ``heading``.
        text: the sentence after normalizing, with its own spacing.
        tokens: whole-word tokens, in order; each is a substring of `text`.
    """

    book_id: str
    index: int
    start: int
    end: int
    paragraph: int
    kind: str
    text: str
    tokens: tuple[str, ...]

    @property
    def id(self) -> str:
        """``book:index``, unique within a corpus.

        >>> Sentence("1661", 7, 0, 3, 0, "prose", "Oh .", ("Oh", ".")).id
        '1661:7'
        """
        return f"{self.book_id}:{self.index}"


@dataclass(frozen=True, slots=True)
class Rejection:
    """Why a record went no further. `reason` is a key of the funnel; `detail` is for a reader."""

    id: str
    reason: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Blank:
    """A sentence with one of its words taken out.

    Filling the blank with the answer gives back the sentence's tokens exactly.

    >>> blank = Blank("1661:7:1", ("I", "could", "climb", "to", "it", "."), 2)
    >>> blank.answer, blank.filled("swim")
    ('climb', ('I', 'could', 'swim', 'to', 'it', '.'))
    """

    id: str
    tokens: tuple[str, ...]
    position: int

    @property
    def answer(self) -> str:
        return self.tokens[self.position]

    def filled(self, word: str) -> tuple[str, ...]:
        return (*self.tokens[: self.position], word, *self.tokens[self.position + 1 :])


@dataclass(frozen=True, slots=True)
class Question:
    """A finished multiple-choice question of one blank.

    Attributes:
        id: provenance id, ``book:sentence:position``, characters ``[A-Za-z0-9._:-]``.
        tokens: the full sentence with the answer in place.
        position: index of the focus word in `tokens`.
        options: the options in their printed order.
        answer_index: index of the right option.
    """

    id: str
    book_id: str
    tokens: tuple[str, ...]
    position: int
    options: tuple[str, ...]
    answer_index: int

    @property
    def answer(self) -> str:
        return self.options[self.answer_index]

    @property
    def blank(self) -> Blank:
        return Blank(self.id, self.tokens, self.position)
