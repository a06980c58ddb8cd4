"""A sentence of a book."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a book.

    Attributes:
        index: among the sentences of its book, from 0; `paragraph` likewise.
        start, end: characters in the text of the book, end exclusive.
        kind: ``prose``, ``verse`` or ``heading``.
        tokens: whole words, in order; each is a substring of `text`.
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
    """The id of the sentence of an item, whose own id is ``book:index:position``.

    >>> sentence_of("pg0042:7:12")
    'pg0042:7'
    """
    return item_id.rpartition(":")[0]


# ---- spans


# ---- rejections
