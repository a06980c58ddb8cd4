"""A question: one sentence, one blank, options of which one is right (MSR, SCS)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ModelWrapValidatorHandler, model_validator

from cloze_gen.json_lines import Index, Text, Words, require, require_index
from cloze_gen.parsing import quote


@dataclass(frozen=True, slots=True)
class Blank:
    """A sentence with one word removed; `filled` with the answer is exactly the sentence.

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
    """A multiple-choice question of one blank; options are in printed order.

    Attributes:
        id: provenance id, ``book:sentence:position``, characters ``[A-Za-z0-9._:-]``.
        tokens: the full sentence with the answer at `position`.
    """

    id: Text
    book_id: Text
    tokens: Words
    position: Index
    options: Words
    answer_index: Index

    @model_validator(mode="wrap")
    @classmethod
    def _hold_together(cls, record: Any, build: ModelWrapValidatorHandler[Question]) -> Question:
        question = build(record)
        require_index(question, "position", "tokens")
        require_index(question, "answer_index", "options")
        options, answer = question.options, question.answer
        require(len(options) >= 2, "a question needs at least two options")
        require(len(set(options)) == len(options), "two options are equal")
        require(
            question.blank.answer == answer,
            f"the token at `position` is not the answer {quote(answer)}",
        )
        given = record.get("answer") if isinstance(record, Mapping) else None
        require(
            given == answer or not isinstance(given, str),
            f"`answer` is {quote(given)}, but `answer_index` {question.answer_index} is "
            f"{quote(answer)}",
        )
        return question

    @property
    def answer(self) -> str:
        return self.options[self.answer_index]

    @property
    def blank(self) -> Blank:
        return Blank(self.id, self.tokens, self.position)
