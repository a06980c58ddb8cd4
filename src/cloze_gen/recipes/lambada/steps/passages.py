"""Passages: the least number of whole sentences that give enough context, and a sentence whose last word is the target (LAMBADA 3.1).

The paper: a context, and a target sentence whose last word is to be guessed; "the context size is the minimum number of complete sentences
before the target sentence such that they cumulatively contain at least 50 tokens". Every sentence of a development or test novel is asked
whether it ends a passage, and has one verdict.

Tokens are counted as a treebank cuts them (``do | n't``), marks among them, for so the published files are written. What the paper does
not say and its 4,869 development passages show: every target is written with letters alone; the target sentence has at least 10 tokens with
its final marks (they are cut off, and all but 43 passages have 9 left, or 8 where a speech is still open) and 71 at most; the context has
155 at most. Ours besides: a passage lies in one chapter, unbroken by anything that is no prose; it holds no sentence that the book's typist
left torn; it does not begin within a speech that was opened before it (705 of the development passages do).
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from cloze_gen.english.treebank import treebank_split
from cloze_gen.rng import stable_fraction
from cloze_gen.settings import MOST_EACH, SettingsGroup
from cloze_gen.text.book_text import BookText
from cloze_gen.text.least_context import least_context
from cloze_gen.text.paragraphs import HEADING, PROSE
from cloze_gen.text.sentence_traits import sentence_traits


class PassagesSettings(SettingsGroup):
    """Settings of the cutting of passages."""

    min_context_tokens: int = Field(50, ge=1, le=MOST_EACH, description="inclusive: tokens of the whole sentences before the target's; 3.1")
    max_context_tokens: int = Field(160, ge=1, le=MOST_EACH, description="inclusive; the published development set has 155")
    min_target_sentence_tokens: int = Field(10, ge=2, le=MOST_EACH, description="inclusive, final marks too; development set: 10")
    max_target_sentence_tokens: int = Field(71, ge=2, le=MOST_EACH, description="inclusive, final marks too; development set: 71")
    whole_speech: bool = Field(True, description="no passage begins within a speech that was opened before it; not in the paper")
    keep_share: float = Field(1.0, gt=0, le=1, description="share of the passages kept, by each passage's own hash")


class PassageReason(StrEnum):
    """Why a sentence ends no passage."""

    NOT_PROSE = "sentence_not_prose"
    WITHOUT_FINAL_MARK = "sentence_without_final_mark"
    TARGET_NOT_LETTERS = "target_not_letters_alone"
    SHORT = "target_sentence_short"
    LONG = "target_sentence_long"
    CHAPTER_BEGINS = "context_cut_by_chapter"
    CONTEXT_NOT_PROSE = "context_not_prose"
    CONTEXT_LONG = "context_long"
    BEGINS_IN_SPEECH = "passage_begins_within_speech"
    TORN = "passage_holds_torn_sentence"
    OFFENSIVE = "passage_offensive"
    THINNED = "passage_thinned_out"


REASONS = tuple(PassageReason)
KEPT = -1


@dataclass(frozen=True, slots=True)
class CutPassages:
    """The verdict on every sentence of a book; every array has the shape (sentences,).

    Attributes:
        verdict: int8: `KEPT` where the sentence ends a passage, else the place of its reason in `REASONS`.
        first: int64: the first sentence of the passage; -1 where the book has too little before.
        target: int64: place of the target among the book's tokens; -1 where the sentence has no word.
        context_tokens: int64: tokens of the context, as a treebank cuts them.
        sentence_tokens: int64: tokens of the sentence itself.
    """

    verdict: NDArray[np.int8]
    first: NDArray[np.int64]
    target: NDArray[np.int64]
    context_tokens: NDArray[np.int64]
    sentence_tokens: NDArray[np.int64]

    @property
    def kept(self) -> NDArray[np.int64]:
        """The sentences that end a passage, shape (passages,)."""
        return np.flatnonzero(self.verdict == KEPT)

    def reason(self, sentence: int) -> PassageReason | None:
        """Why a sentence ends no passage; None where it does."""
        verdict = int(self.verdict[sentence])
        return None if verdict == KEPT else REASONS[verdict]


def cut_passages(book: BookText, *, book_id: str, offensive: Container[str], settings: PassagesSettings) -> CutPassages:
    """The passages of a book.

    Args:
        offensive: words in small letters that no passage may hold.

    >>> from cloze_gen.text.book_text import book_text
    >>> book = book_text(["Who was it ?", "I saw nobody .", "It was only Jane ."])
    >>> small = PassagesSettings(min_context_tokens=4, min_target_sentence_tokens=4)
    >>> cut = cut_passages(book, book_id="emma", offensive=(), settings=small)
    >>> cut.kept.tolist(), cut.first.tolist(), [book.types[book.codes[place]] for place in cut.target[cut.kept]], str(cut.reason(0))
    ([1, 2], [-1, 0, 1], ['nobody', 'Jane'], 'context_cut_by_chapter')
    """
    traits = sentence_traits(book, offensive=offensive)
    first, context_tokens = least_context(traits.tokens, settings.min_context_tokens)
    opening = np.maximum(first, 0)
    own = np.arange(book.sentence_count)
    may_be_target = target_types(book)[book.codes][traits.last_word] if len(book.codes) else np.zeros(0, np.bool_)
    kinds = np.array(book.kinds, dtype=object)
    prose = kinds == PROSE
    against = {  # in the order in which they are asked; the first that holds is the verdict
        PassageReason.NOT_PROSE: ~prose,
        PassageReason.WITHOUT_FINAL_MARK: ~traits.closed,
        PassageReason.TARGET_NOT_LETTERS: ~may_be_target,
        PassageReason.SHORT: traits.tokens < settings.min_target_sentence_tokens,
        PassageReason.LONG: traits.tokens > settings.max_target_sentence_tokens,
        PassageReason.CHAPTER_BEGINS: (first < 0) | _any_of(kinds == HEADING, opening, own),
        PassageReason.CONTEXT_NOT_PROSE: _interrupted(prose, book.paragraph, opening, own),
        PassageReason.CONTEXT_LONG: context_tokens > settings.max_context_tokens,
        PassageReason.BEGINS_IN_SPEECH: traits.in_speech[opening] & settings.whole_speech,
        PassageReason.TORN: _any_of(~traits.whole, opening, own),
        PassageReason.OFFENSIVE: _any_of(traits.offensive, opening, own),
    }
    verdict = np.full(book.sentence_count, KEPT, dtype=np.int8)
    for reason, holds in against.items():
        verdict[holds & (verdict == KEPT)] = REASONS.index(reason)
    if settings.keep_share < 1:
        for sentence in np.flatnonzero(verdict == KEPT).tolist():
            if stable_fraction("lambada.thinning", f"{book_id}:{sentence}") >= settings.keep_share:
                verdict[sentence] = REASONS.index(PassageReason.THINNED)
    return CutPassages(verdict, first, traits.last_word, context_tokens, traits.tokens)


def target_types(book: BookText) -> NDArray[np.bool_]:
    """Which types may be targets: written with letters alone, and no contraction that a treebank cuts; shape (types,).

    >>> from cloze_gen.text.book_text import book_text
    >>> book = book_text(["I cannot say it isn't so ."])
    >>> [word for word, may in zip(book.types, target_types(book), strict=True) if may]
    ['I', 'say', 'it', 'so']
    """
    return np.array([word.isalpha() and len(treebank_split(word)) == 1 for word in book.types], dtype=np.bool_)


def count_in_context(book: BookText, cut: CutPassages) -> NDArray[np.int64]:
    """How often the target of each passage stands in its context, in any letter case; shape (passages,)."""
    folded: dict[str, int] = {}
    words = np.array([folded.setdefault(word.casefold(), len(folded)) for word in book.types], dtype=np.int64)[book.codes]
    places = len(words) + 1
    keys = np.sort(words * places + np.arange(len(words)))  # every word's places, one word after the other
    of_target = words[cut.target[cut.kept]] * places
    edges = (of_target + book.bounds[sentence] for sentence in (cut.first[cut.kept], cut.kept))
    first, last = (np.searchsorted(keys, edge) for edge in edges)
    return last - first


def _interrupted(
    prose: NDArray[np.bool_], paragraph: NDArray[np.int32], first: NDArray[np.int64], last: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Whether something that is no prose lies within a span: a sentence of verse, or a paragraph that has no sentence (a table, a row of
    stars between two scenes)."""
    gap = np.concatenate(([False], np.diff(paragraph) > 1))
    return _any_of(~prose, first, last) | _any_of(gap, first + 1, last)


def _any_of(holds: NDArray[np.bool_], first: NDArray[np.int64], last: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether something holds of any sentence of each span, `last` among them."""
    sums = np.concatenate((np.zeros(1, np.int64), np.cumsum(holds, dtype=np.int64)))
    return sums[last + 1] - sums[np.minimum(first, last + 1)] > 0
