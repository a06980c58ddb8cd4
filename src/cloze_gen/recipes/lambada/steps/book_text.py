"""A novel as arrays, and what can be said of each of its sentences without reading it word by word.

Every sentence of a corpus may end a passage, so the rules are asked of word types, once each, and carried to the sentences by sums.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cloze_gen.english.sentence_fitness import HEADING_WORDS, MAX_CAPITALS_SHARE, ODD_MARKS
from cloze_gen.english.treebank import treebank_split
from cloze_gen.text.paragraphs import PROSE
from cloze_gen.words import is_word

_FINAL = frozenset(".?!")
_NUMERAL = re.compile(r"[IVXLCDM]+|\d+")
_CLOSERS = frozenset("\"'")
_SPEECH = ('"', "'")  # the mark that a book sets around speech: the commoner of the two
_LETTER_WORDS = frozenset("ao")
_ODD = ODD_MARKS | frozenset("[]{}")  # square and curly brackets are an editor's, or a footnote's


@dataclass(frozen=True, slots=True)
class BookText:
    """A novel's tokens as numbers.

    Attributes:
        types: the word types; two may be spelt alike.
        codes: int32, shape (tokens,): the type of each token.
        bounds: int64, shape (sentences + 1,): where each sentence's tokens begin, and where the last one's end.
        kinds: of each sentence: ``prose``, ``verse`` or ``heading``.
        paragraph: int32, shape (sentences,): index of each sentence's paragraph; what is no text has one too, and no sentence.
    """

    types: list[str]
    codes: NDArray[np.int32]
    bounds: NDArray[np.int64]
    kinds: Sequence[str]
    paragraph: NDArray[np.int32]

    @property
    def sentence_count(self) -> int:
        return len(self.bounds) - 1

    def tokens(self, sentence: int) -> tuple[str, ...]:
        """The words of one sentence."""
        return tuple(self.types[code] for code in self.codes[self.bounds[sentence] : self.bounds[sentence + 1]].tolist())


def book_text(
    lines: Sequence[str] | pa.Array,
    *,
    kinds: Sequence[str] | None = None,
    paragraph: Sequence[int] | NDArray[np.int32] | None = None,
    forms: Mapping[str, str] | None = None,
) -> BookText:
    """A novel's sentences as arrays.

    Args:
        lines: the tokens of each sentence, joined by single spaces.
        kinds: of each sentence; all prose where none are given.
        paragraph: of each sentence; one where none are given.
        forms: how types that a line end broke are spelt.

    >>> book = book_text(["It rained .", "Nobody came ."])
    >>> book.codes.tolist(), book.tokens(1)
    ([0, 1, 2, 3, 4, 2], ('Nobody', 'came', '.'))
    """
    split = pc.split_pattern(lines if isinstance(lines, pa.Array) else pa.array(lines, pa.string()), " ")
    coded = split.flatten().dictionary_encode()
    types = [(forms or {}).get(word, word) for word in coded.dictionary.to_pylist()]
    bounds = split.offsets.to_numpy().astype(np.int64)
    count = len(bounds) - 1
    return BookText(
        types,
        coded.indices.to_numpy().astype(np.int32, copy=False),
        bounds - bounds[0],
        [PROSE] * count if kinds is None else kinds,
        np.zeros(count, np.int32) if paragraph is None else np.asarray(paragraph, dtype=np.int32),
    )


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
    """

    tokens: NDArray[np.int64]
    last_word: NDArray[np.int64]
    closed: NDArray[np.bool_]
    whole: NDArray[np.bool_]
    offensive: NDArray[np.bool_]
    in_speech: NDArray[np.bool_]


def sentence_traits(book: BookText, *, offensive: Container[str]) -> SentenceTraits:
    """The traits of all sentences of a book.

    Args:
        offensive: words in small letters.

    >>> traits = sentence_traits(book_text(['" You cannot know .', 'Do you ? "', "CHAPTER NINE ."]), offensive={"nine"})
    >>> traits.tokens.tolist(), traits.in_speech.tolist(), traits.whole.tolist(), traits.offensive.tolist()
    ([6, 4, 3], [False, True, False], [True, True, False], [False, False, True])
    """
    starts, ends = book.bounds[:-1], book.bounds[1:]
    words = _holds(book, is_word)
    places = np.flatnonzero(words)
    first_word, last_word = _first_from(places, starts, ends), _last_before(places, starts, ends)
    behind = np.where(last_word >= 0, last_word + 1, starts)
    final, closing = _holds(book, _FINAL.__contains__), _holds(book, _CLOSERS.__contains__)
    closed = (_sums(final | closing, behind, ends) == ends - behind) & (_sums(final, behind, ends) > 0)
    opened, shut = (_sums(_holds(book, mark.__eq__), starts, ends) for mark in "()")
    whole = (first_word >= 0) & _holds(book, _begins_sentence)[first_word] & (behind < ends) & (opened == shut)
    whole &= ~_begins_with_heading(book, first_word)
    whole &= _sums(_holds(book, lambda word: _is_odd(word) or _is_splinter(word)), starts, ends) == 0
    whole &= _sums(_holds(book, _is_shouted), starts, ends) <= MAX_CAPITALS_SHARE * _sums(words, starts, ends)
    return SentenceTraits(
        tokens=_sums(_numbers(book, lambda word: len(treebank_split(word)), np.int64), starts, ends),
        last_word=last_word,
        closed=closed & (last_word >= 0),
        whole=whole,
        offensive=_sums(_holds(book, lambda word: word.casefold() in offensive), starts, ends) > 0,
        in_speech=_in_speech(book),
    )


def target_types(book: BookText) -> NDArray[np.bool_]:
    """Which types may be targets: written with letters alone, and no contraction that a treebank cuts; shape (types,).

    >>> book = book_text(["I cannot say it isn't so ."])
    >>> [word for word, may in zip(book.types, target_types(book), strict=True) if may]
    ['I', 'say', 'it', 'so']
    """
    return np.array([word.isalpha() and len(treebank_split(word)) == 1 for word in book.types], dtype=np.bool_)


def _begins_sentence(word: str) -> bool:
    return word[0].isupper() or word[0].isdigit()


def _begins_with_heading(book: BookText, first_word: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether each sentence begins ``CHAPTER IV``, ``Book 2`` or ``3 .``: some files set headings and numbers before their paragraph."""
    behind = np.minimum(first_word + 1, len(book.codes) - 1)
    number, stop = _holds(book, lambda word: _NUMERAL.fullmatch(word) is not None), _holds(book, ".".__eq__)
    heading = _holds(book, lambda word: not word.islower() and word.casefold() in HEADING_WORDS)
    return (heading[first_word] & number[behind]) | (number[first_word] & stop[behind])


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


def _in_speech(book: BookText) -> NDArray[np.bool_]:
    """Whether each sentence begins behind an odd number of the book's quotation marks, counted from where its paragraph begins.

    A speech that goes on in the next paragraph opens anew there, so no speech is carried over.
    """
    count = book.sentence_count
    if not count:
        return np.zeros(0, np.bool_)
    marks = max((_sums(_holds(book, mark.__eq__), book.bounds[:-1], book.bounds[1:]) for mark in _SPEECH), key=lambda found: found.sum())
    before = np.cumsum(marks) - marks
    opens = np.concatenate(([True], book.paragraph[1:] != book.paragraph[:-1]))
    own_start = np.maximum.accumulate(np.where(opens, np.arange(count), 0))
    return (before - before[own_start]) % 2 == 1
