"""Sentences as arrays of word numbers, and traits of each sentence."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cloze_gen.corpus.paragraphs import PROSE
from cloze_gen.english.sentence_fitness import sentence_fault
from cloze_gen.english.treebank import treebank_split
from cloze_gen.english.word_lists import FINAL_MARKS
from cloze_gen.word_tokens import is_word

SEPARATOR = 0


@dataclass(frozen=True, slots=True)
class BookText:
    """A novel's tokens as numbers.

    Attributes:
        types: two may be spelt alike.
        codes: int32, shape (tokens,): the type of each token.
        bounds: int64, shape (sentences + 1,): first token of each sentence, and the end.
        paragraph: int32, shape (sentences,); blocks that are not sentences count too.
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
        codes = self.codes[self.bounds[sentence] : self.bounds[sentence + 1]]
        return tuple(self.types[code] for code in codes.tolist())


def book_text(
    lines: Sequence[str] | pa.Array,
    *,
    kinds: Sequence[str] | None = None,
    paragraph: Sequence[int] | NDArray[np.int32] | None = None,
    forms: Mapping[str, str] | None = None,
) -> BookText:
    """A novel's space-joined sentences as arrays, by default all prose of one paragraph; `forms`
    has spellings of types broken at a line end.

    >>> book = book_text(["It rained .", "Nobody came ."])
    >>> book.codes.tolist(), book.tokens(1)
    ([0, 1, 2, 3, 4, 2], ('Nobody', 'came', '.'))
    """
    split = pc.split_pattern(pa.array(lines, pa.string()), " ")
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


def line_ids(lines: Sequence[str], vocabulary: Mapping[str, int]) -> np.ndarray:
    """Word numbers of space-joined sentences, `SEPARATOR` for missing words.

    Returns:
        uint32, shape (tokens + lines,): `SEPARATOR` after each sentence.

    >>> line_ids(["the sea .", "the"], {"the": 1, "sea": 2, ".": 3})
    array([1, 2, 3, 0, 1, 0], dtype=uint32)
    """
    book = book_text(lines)
    numbers = np.array([vocabulary.get(word, SEPARATOR) for word in book.types], np.uint32)
    return np.insert(numbers[book.codes], book.bounds[1:], SEPARATOR)


def least_context(
    sentence_tokens: NDArray[np.int64], min_tokens: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The fewest sentences right before each sentence that have `min_tokens` tokens (LAMBADA 3.1):
    index of the first, -1 where there are too few; their tokens, then 0.

    >>> first, tokens = least_context(np.array([30, 30, 10, 40]), 50)
    >>> first.tolist(), tokens.tolist()
    ([-1, -1, 0, 0], [0, 0, 60, 70])
    """
    edges = np.concatenate((np.zeros(1, np.int64), np.cumsum(sentence_tokens, dtype=np.int64)))
    first = np.searchsorted(edges, edges[:-1] - min_tokens, side="right") - 1
    return first, np.where(first >= 0, edges[:-1] - edges[first], 0)


_FINAL_OR_CLOSING = FINAL_MARKS | frozenset("\"'")


@dataclass(frozen=True, slots=True)
class SentenceTraits:
    """Traits of each sentence; every array has the shape (sentences,).

    Attributes:
        tokens: treebank tokens, marks included.
        last_word: index among the book's tokens, -1 without one.
        closed: only a final mark and closing marks follow the last word.
        in_speech: begins within a speech opened by an earlier sentence of its paragraph.
    """

    tokens: NDArray[np.int64]
    last_word: NDArray[np.int64]
    closed: NDArray[np.bool_]
    offensive: NDArray[np.bool_]
    in_speech: NDArray[np.bool_]
    speech_marks: NDArray[np.int64]
    begins_with_mark: NDArray[np.bool_]


def sentence_traits(book: BookText, *, offensive: Container[str]) -> SentenceTraits:
    """The traits of all sentences of a book; `offensive` has lower-case words.

    >>> traits = sentence_traits(book_text(['" You cannot know .', 'Do you ? "', "CHAPTER NINE ."]), offensive={"nine"})
    >>> traits.tokens.tolist(), traits.in_speech.tolist(), traits.offensive.tolist()
    ([6, 4, 3], [False, True, False], [False, False, True])
    """
    last_word, closed = _ends(book)
    # the mark that a book sets around speech: the commoner of the two
    is_mark = max((_numbers(book, mark.__eq__) for mark in ('"', "'")), key=np.sum)
    speech_marks = _sums(book, is_mark)
    before = np.cumsum(speech_marks) - speech_marks
    first_of_paragraph = np.searchsorted(book.paragraph, book.paragraph)
    return SentenceTraits(
        tokens=_sums(book, _numbers(book, lambda word: len(treebank_split(word)))),
        last_word=last_word,
        closed=closed,
        offensive=_sums(book, _numbers(book, lambda word: word.casefold() in offensive)) > 0,
        in_speech=(before - before[first_of_paragraph]) % 2 == 1,
        speech_marks=speech_marks,
        begins_with_mark=is_mark[book.bounds[:-1]] > 0,
    )


def whole_sentences(book: BookText) -> NDArray[np.bool_]:
    """Shape (sentences,): which sentences have no `sentence_fault`."""
    tokens = [book.types[code] for code in book.codes.tolist()]
    spans = itertools.pairwise(book.bounds.tolist())
    return np.array([sentence_fault(tokens[start:end]) is None for start, end in spans], np.bool_)


def _numbers(book: BookText, measure: Callable[[str], int]) -> NDArray[np.int64]:
    """A measure of each token, by its type."""
    return np.array([measure(word) for word in book.types], np.int64)[book.codes]


def _sums(book: BookText, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """The sums of the tokens' numbers in each sentence."""
    return np.diff(np.concatenate(([0], np.cumsum(numbers)))[book.bounds])


def _ends(book: BookText) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """`last_word` and `closed` of the traits."""
    word_types = [is_word(word) for word in book.types]
    codes = book.codes.tolist()
    last_word: list[int] = []
    closed: list[bool] = []
    for start, end in itertools.pairwise(book.bounds.tolist()):
        last = end - 1
        while last >= start and not word_types[codes[last]]:
            last -= 1
        marks = [book.types[code] for code in codes[last + 1 : end]]
        has_word = last >= start
        last_word.append(last if has_word else -1)
        closed.append(
            has_word and not FINAL_MARKS.isdisjoint(marks) and _FINAL_OR_CLOSING.issuperset(marks)
        )
    return np.array(last_word, np.int64), np.array(closed, np.bool_)
