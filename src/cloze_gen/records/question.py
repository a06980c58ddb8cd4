"""A question: one sentence, one blank, options of which one is right (MSR, SCS)."""

from __future__ import annotations

from dataclasses import dataclass


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
