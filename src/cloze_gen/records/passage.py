"""A passage of whole sentences of one chapter, its last word to be guessed (LAMBADA)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain
from typing import Annotated, Any

from pydantic import Field, ModelWrapValidatorHandler, model_validator

from cloze_gen.json_lines import Filled, Index, Text, Whole, Words, must_be, require
from cloze_gen.parsing import quote


class Part(StrEnum):
    TRAIN = "train"
    DEVELOPMENT = "development"
    TEST = "test"


class Split(StrEnum):
    """A split; control passages are unfiltered."""

    VALIDATION = "validation"
    TEST = "test"
    CONTROL = "control"


SPLIT_OF = {Part.DEVELOPMENT: Split.VALIDATION, Part.TEST: Split.TEST}


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage and its target word.

    Attributes:
        id: of the target sentence, ``book:index``.
        sentences: tokens; the target sentence is last, whole, with its final marks.
        target_position: index of the target in the last sentence.
        start, end: characters of the passage in the text of the book, end exclusive.

    >>> sentences = (("Who", "called", "?"), ("It", "was", "Jane", ".", '"'))
    >>> passage = Passage("emma:7", "emma", Part.TEST, sentences, ("Who called?", 'It was Jane."'), 2, 40, 65)
    >>> passage.context, passage.before_target, passage.target
    (('Who', 'called', '?'), ('Who', 'called', '?', 'It', 'was'), 'Jane')
    >>> passage.opening, passage.closing
    ('It was ', '."')
    """

    id: Text
    book_id: Text
    part: Annotated[Part, must_be(f"one of {', '.join(Part)}, found $found")]
    sentences: Annotated[
        tuple[Annotated[Words, Field(min_length=1)], ...],
        Field(min_length=1),
        must_be("lists of tokens that are not empty"),
    ]
    texts: Annotated[
        tuple[Filled, ...],
        Field(min_length=1),
        must_be("a list of strings that are not empty"),
    ]
    target_position: Index
    start: Whole
    end: Whole

    @model_validator(mode="wrap")
    @classmethod
    def _hold_together(cls, record: Any, build: ModelWrapValidatorHandler[Passage]) -> Passage:
        passage = build(record)
        sentences, texts, at = passage.sentences, passage.texts, passage.target_position
        require(len(texts) == len(sentences), "`texts` must have one text for each of `sentences`")
        require(
            type(at) is int and 0 <= at < len(sentences[-1]),
            "`target_position` must be the position of a token of the last sentence",
        )
        given = record.get("target") if isinstance(record, Mapping) else None
        require(
            given == passage.target or not isinstance(given, str),
            f"`target` is {quote(given)}, but the token at `target_position` {quote(passage.target)}",
        )
        return passage

    @property
    def context(self) -> tuple[str, ...]:
        return tuple(chain.from_iterable(self.sentences[:-1]))

    @property
    def target_sentence(self) -> tuple[str, ...]:
        return self.sentences[-1]

    @property
    def target(self) -> str:
        return self.sentences[-1][self.target_position]

    @property
    def before_target(self) -> tuple[str, ...]:
        return (*self.context, *self.sentences[-1][: self.target_position])

    @property
    def opening(self) -> str:
        """Text of the target sentence before the target, spaces included."""
        return self.texts[-1][: self._target_end - len(self.target)]

    @property
    def closing(self) -> str:
        return self.texts[-1][self._target_end :]

    @property
    def _target_end(self) -> int:
        end = 0
        for token in self.sentences[-1][: self.target_position + 1]:
            end = self.texts[-1].index(token, end) + len(token)
        return end


@dataclass(frozen=True, slots=True)
class SetPassage:
    """A passage of a finished set; `domain` is the genre of its novel, empty where unknown."""

    passage: Passage
    split: Annotated[Split, must_be(f"one of {', '.join(Split)}, found $found")]
    domain: Annotated[str, must_be("a string, found $found")]

    @model_validator(mode="before")
    @classmethod
    def _of_flat(cls, record: Any) -> Any:
        split, domain = record.get("split", ""), record.get("domain", "")
        return {"passage": record, "split": split, "domain": domain}

    @property
    def id(self) -> str:
        """Unique within a split; the control set may repeat passages of another."""
        return self.passage.id

    @property
    def book_id(self) -> str:
        return self.passage.book_id
