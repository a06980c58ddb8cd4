"""A sentence of a book, where every recipe begins."""

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


def sentence_of(item_id: str) -> str:
    """The id of the sentence that holds an item, whose own id is ``book:index:position``.

    >>> sentence_of("pg0042:7:12")
    'pg0042:7'
    """
    return item_id.rpartition(":")[0]
