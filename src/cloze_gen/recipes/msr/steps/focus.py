"""Focus words: the infrequent words of a sentence that may become its blank (MSR 2.2 step 1).

The paper asks for a word "with overall frequency less than 10^-4". Overall frequency is read as the case-folded share of word tokens in
the training corpus. Every position that qualifies is kept; one a sentence is chosen at the end (guideline 7).

"The two-word history immediately preceding" (step 2) is read as two tokens that are there: a word is no focus unless two tokens are printed
before it, marks among them. Of the 520 published development questions none has fewer, and 37 have just two.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from pydantic import Field

from cloze_gen.records.rejection import Rejection
from cloze_gen.records.sentence import Sentence
from cloze_gen.settings import MOST_COUNTED, SettingsGroup
from cloze_gen.text.rendering import rendered_positions
from cloze_gen.words import is_word

_HISTORY_TOKENS = 2
_FINAL_MARKS = frozenset({".", "?", "!"})


class FocusSettings(SettingsGroup):
    """Settings of focus selection."""

    max_freq: float = Field(1e-4, gt=0, le=1, description="exclusive: case-folded share of training word tokens; MSR 2.2 step 1")
    min_count: int = Field(
        20, ge=1, le=MOST_COUNTED, description="inclusive: least count of the surface type in the training corpus; alternates share it"
    )
    # Of the 40.05 million word tokens of the 522 books 20, the least count.
    min_freq: float = Field(
        4.9e-7, ge=0, le=1, description="inclusive: least share of the training corpus's word tokens, which larger corpora are held to"
    )
    min_tokens: int = Field(
        6, ge=3, le=1000, description="inclusive: printed tokens of a sentence, its final stop among them; published: 6"
    )
    max_tokens: int = Field(36, ge=3, le=1000, description="inclusive: printed tokens of a sentence; published: 36")
    proper_names: bool = Field(False, description="allow capitalised words and words that are mostly capitalised")
    # Not strict, for TOML has lists and no tuples; what stands in the list is held to the letter all the same.
    classes: tuple[Literal["noun", "verb", "adjective", "adverb"], ...] = Field(
        (), strict=False, description="coarse classes asked for (needs the tagger); empty: all"
    )


class FocusReason(StrEnum):
    """Why a sentence or a word of it is no focus."""

    NOT_PROSE = "sentence_not_prose"
    NOT_ASCII = "sentence_not_ascii"
    TOO_SHORT = "sentence_too_short"
    TOO_LONG = "sentence_too_long"
    NO_FINAL_STOP = "sentence_without_final_stop"
    NO_HISTORY = "word_without_two_predecessors"
    BEFORE_FINAL_STOP = "word_before_final_stop"
    NOT_ELIGIBLE = "word_frequent_or_unattested_or_name"
    NO_OTHER_BOOK = "word_in_no_other_book"


@dataclass(frozen=True, slots=True)
class FocusWord:
    """A position that may become a blank.

    Attributes:
        id: ``book:sentence:position``.
        position: index in the sentence's own tokens.
        word: the focus word as it stands there.
        history: the two tokens before it.
        next_token: the token after it.
    """

    id: str
    position: int
    word: str
    history: tuple[str, str]
    next_token: str


def sentence_rejection(sentence: Sentence, settings: FocusSettings) -> FocusReason | None:
    """Why no question can be made of a sentence, or None. The length counts the tokens that will be printed."""
    if sentence.kind != "prose":
        return FocusReason.NOT_PROSE
    if not all(token.isascii() for token in sentence.tokens):
        return FocusReason.NOT_ASCII
    printed = rendered_positions(sentence.tokens)
    if len(printed) < settings.min_tokens:
        return FocusReason.TOO_SHORT
    if len(printed) > settings.max_tokens:
        return FocusReason.TOO_LONG
    if sentence.tokens[printed[-1]] not in _FINAL_MARKS:
        return FocusReason.NO_FINAL_STOP
    return None


def select_focus_words(
    sentence: Sentence, *, eligible: Container[str], settings: FocusSettings, only_here: Container[str] = ()
) -> Iterator[FocusWord | Rejection]:
    """Judge one sentence: a rejection of the sentence, or one verdict for each of its word tokens.

    Args:
        eligible: the words that may be options.
        only_here: of these, those that the model of this sentence's book has never seen, where it is made of other books.

    >>> tokens = ("He", "could", "climb", "to", "the", "attic", ".")
    >>> sentence = Sentence("b", 0, 0, 33, 0, "prose", "He could climb to the attic.", tokens)
    >>> [x.word for x in select_focus_words(sentence, eligible={"climb", "attic"}, settings=FocusSettings()) if isinstance(x, FocusWord)]
    ['climb']
    """
    reason = sentence_rejection(sentence, settings)
    if reason is not None:
        yield Rejection(sentence.id, reason)
        return
    tokens = sentence.tokens
    printed = rendered_positions(tokens)
    for rank, position in enumerate(printed[:-1]):
        word = tokens[position]
        if not is_word(word):
            continue
        item_id = f"{sentence.id}:{position}"
        if rank < _HISTORY_TOKENS:
            yield Rejection(item_id, FocusReason.NO_HISTORY, word)
        elif word not in eligible:
            yield Rejection(item_id, FocusReason.NOT_ELIGIBLE, word)
        elif word in only_here:
            yield Rejection(item_id, FocusReason.NO_OTHER_BOOK, word)
        elif rank == len(printed) - 2:
            yield Rejection(item_id, FocusReason.BEFORE_FINAL_STOP, word)
        else:
            yield FocusWord(item_id, position, word, two_word_history(tokens, position), tokens[position + 1])


def two_word_history(tokens: Sequence[str], position: int) -> tuple[str, str]:
    """The two tokens before `position`, which has at least two (MSR 2.2 step 2, punctuation included).

    >>> two_word_history(("Then", "he", "ran", "off"), 2)
    ('Then', 'he')
    """
    return tokens[position - 2], tokens[position - 1]
