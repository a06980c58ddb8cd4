"""What can be said of each sentence of a novel without reading it word by word.

Every sentence of a corpus may be asked for, so the rules are asked of word types, once each, and carried to the sentences by sums.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Container
from dataclasses import dataclass
from enum import IntFlag, auto
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cloze_gen.english.sentence_fitness import HEADING_WORDS, MAX_CAPITALS_SHARE, ODD_MARKS
from cloze_gen.english.treebank import treebank_split
from cloze_gen.text.book_text import BookText
from cloze_gen.words import is_word

_FINAL = frozenset(".?!")
_NUMERAL = re.compile(r"[IVXLCDM]+|\d+")
_CLOSERS = frozenset("\"'")
_SPEECH = ('"', "'")  # the mark that a book sets around speech: the commoner of the two
_LETTER_WORDS = frozenset("ao")
_ODD = ODD_MARKS | frozenset("[]{}")  # square and curly brackets are an editor's, or a footnote's


class _Kind(IntFlag):
    """What can be said of a token's type alone."""

    WORD = auto()
    FINAL = auto()
    CLOSER = auto()
    OPENING_BRACKET = auto()
    CLOSING_BRACKET = auto()
    BEGINS_SENTENCE = auto()
    ODD = auto()
    SHOUTED = auto()
    NUMERAL = auto()
    STOP = auto()
    HEADING = auto()


@dataclass(frozen=True, slots=True)
class SentenceTraits:
    """What is to be known of each sentence; every array has the shape (sentences,).

    Attributes:
        tokens: int64: tokens as a treebank cuts them, marks among them.
        last_word: int64: place among the book's tokens of the last word, -1 where there is none.
        closed: bool: behind the last word stands a full stop, a question or exclamation mark, and nothing but such and what they close.
        whole: bool: begins with a capital letter or a number and with no heading, ends with a mark, its brackets closed, no odd mark
            and no letter alone that is no word, not mostly capitals.
        offensive: bool: holds a word of the list.
        in_speech: bool: begins within a speech that an earlier sentence of its paragraph opened.
        speech_marks: int64: how many of the marks that the book sets around speech stand in it.
        begins_with_mark: bool: such a mark is its first token.
    """

    tokens: NDArray[np.int64]
    last_word: NDArray[np.int64]
    closed: NDArray[np.bool_]
    whole: NDArray[np.bool_]
    offensive: NDArray[np.bool_]
    in_speech: NDArray[np.bool_]
    speech_marks: NDArray[np.int64]
    begins_with_mark: NDArray[np.bool_]


def sentence_traits(book: BookText, *, offensive: Container[str]) -> SentenceTraits:
    """The traits of all sentences of a book.

    Args:
        offensive: words in small letters.

    >>> from cloze_gen.text.book_text import book_text
    >>> traits = sentence_traits(book_text(['" You cannot know .', 'Do you ? "', "CHAPTER NINE ."]), offensive={"nine"})
    >>> traits.tokens.tolist(), traits.in_speech.tolist(), traits.whole.tolist(), traits.offensive.tolist()
    ([6, 4, 3], [False, True, False], [True, True, False], [False, False, True])
    """
    starts, ends = book.bounds[:-1], book.bounds[1:]
    kinds = _numbers(book, _kinds_of, np.int64)
    words = kinds & _Kind.WORD != 0
    places = np.flatnonzero(words)
    first_word, last_word = _first_from(places, starts, ends), _last_before(places, starts, ends)
    behind = np.where(last_word >= 0, last_word + 1, starts)
    finals = _sums(kinds & _Kind.FINAL != 0, behind, ends)
    closed = (_sums(kinds & (_Kind.FINAL | _Kind.CLOSER) != 0, behind, ends) == ends - behind) & (finals > 0)
    opened, shut = (_sums(kinds & bracket != 0, starts, ends) for bracket in (_Kind.OPENING_BRACKET, _Kind.CLOSING_BRACKET))
    speech = _holds(book, _speech_mark(book).__eq__)
    speech_marks = _sums(speech, starts, ends)
    whole = (first_word >= 0) & (kinds[first_word] & _Kind.BEGINS_SENTENCE != 0) & (behind < ends) & (opened == shut)
    whole &= ~_begins_with_heading(kinds, first_word)
    whole &= _sums(kinds & _Kind.ODD != 0, starts, ends) == 0
    whole &= _sums(kinds & _Kind.SHOUTED != 0, starts, ends) <= MAX_CAPITALS_SHARE * _sums(words, starts, ends)
    return SentenceTraits(
        tokens=_sums(_numbers(book, _treebank_tokens, np.int64), starts, ends),
        last_word=last_word,
        closed=closed & (last_word >= 0),
        whole=whole,
        offensive=_sums(_holds(book, lambda word: word.casefold() in offensive), starts, ends) > 0,
        in_speech=_in_speech(book, speech_marks),
        speech_marks=speech_marks,
        begins_with_mark=_sums(speech, starts, np.minimum(starts + 1, ends)) > 0,
    )


@functools.lru_cache(maxsize=200_000)
def _kinds_of(word: str) -> int:
    """The kinds of a type; remembered, for books share most of their types."""
    found = {
        _Kind.WORD: is_word(word),
        _Kind.FINAL: word in _FINAL,
        _Kind.CLOSER: word in _CLOSERS,
        _Kind.OPENING_BRACKET: word == "(",
        _Kind.CLOSING_BRACKET: word == ")",
        _Kind.BEGINS_SENTENCE: word[0].isupper() or word[0].isdigit(),
        _Kind.ODD: _is_odd(word) or _is_splinter(word),
        _Kind.SHOUTED: _is_shouted(word),
        _Kind.NUMERAL: _NUMERAL.fullmatch(word) is not None,
        _Kind.STOP: word == ".",
        _Kind.HEADING: not word.islower() and word.casefold() in HEADING_WORDS,
    }
    return sum(int(kind) for kind, holds in found.items() if holds)


@functools.lru_cache(maxsize=200_000)
def _treebank_tokens(word: str) -> int:
    return len(treebank_split(word))


def _begins_with_heading(kinds: NDArray[np.int64], first_word: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether each sentence begins ``CHAPTER IV``, ``Book 2`` or ``3 .``: some files set headings and numbers before their paragraph."""
    first, behind = kinds[first_word], kinds[np.minimum(first_word + 1, len(kinds) - 1)]
    headed = (first & _Kind.HEADING != 0) & (behind & _Kind.NUMERAL != 0)
    return headed | ((first & _Kind.NUMERAL != 0) & (behind & _Kind.STOP != 0))


def _is_shouted(word: str) -> bool:
    return len(word) > 1 and word.isupper() and word.replace("-", "").isalpha()


def _is_splinter(word: str) -> bool:
    """A small letter that is no word by itself: what is left where a file lost its accented letters (``Ram n``), or of a reference."""
    return len(word) == 1 and word.isascii() and word.islower() and word not in _LETTER_WORDS


def _is_odd(word: str) -> bool:
    return not _ODD.isdisjoint(word)


def _holds(book: BookText, holds: Callable[[str], bool]) -> NDArray[np.bool_]:
    """For each token whether its type has a property."""
    return _numbers(book, holds, np.bool_)


def _numbers(book: BookText, measure: Callable[[str], int], kind: type[np.generic]) -> NDArray[Any]:
    """For each token a number that its type has."""
    return np.fromiter(map(measure, book.types), dtype=kind, count=len(book.types))[book.codes]


def _sums(values: NDArray[Any], starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """The sum of the values of each span."""
    sums = np.concatenate((np.zeros(1, np.int64), np.cumsum(values, dtype=np.int64)))
    return sums[ends] - sums[starts]


def _first_from(places: NDArray[np.int64], starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """The first of the places within each span, -1 where there is none."""
    padded = np.concatenate((places, [np.iinfo(np.int64).max]))
    found = padded[np.searchsorted(places, starts)]
    return np.where(found < ends, found, -1)


def _last_before(places: NDArray[np.int64], starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """The last of the places within each span, -1 where there is none."""
    padded = np.concatenate(([-1], places))
    found = padded[np.searchsorted(places, ends)]
    return np.where(found >= starts, found, -1)


def _speech_mark(book: BookText) -> str:
    """The quotation mark that stands more often in the book; the double one where none does."""
    counts = np.bincount(book.codes, minlength=len(book.types))
    return max(_SPEECH, key=lambda mark: sum(counts[code] for code, word in enumerate(book.types) if word == mark))


def _in_speech(book: BookText, marks: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether each sentence begins behind an odd number of the book's quotation marks, counted from where its paragraph begins.

    A speech that goes on in the next paragraph opens anew there, so no speech is carried over.
    """
    count = book.sentence_count
    if not count:
        return np.zeros(0, np.bool_)
    before = np.cumsum(marks) - marks
    opens = np.concatenate(([True], book.paragraph[1:] != book.paragraph[:-1]))
    own_start = np.maximum.accumulate(np.where(opens, np.arange(count), 0))
    return (before - before[own_start]) % 2 == 1
