"""Tokens of normalized text, remembered per space-separated chunk.

The tokenizer (`adapters.spacy_tokenizer`) treats chunks between spaces independently, so remembering each chunk's tokens gives the same
tokens as the tokenizer itself, many times faster. Only the chunk types of a book are looked up; counting, hashing and joining then work on
numbers.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from string import ascii_letters
from zlib import crc32

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cloze_gen.text.normalize import SEPARATOR
from cloze_gen.words import is_word

ChunkTokenizer = Callable[[str], tuple[str, ...]]
_NOT_WORD = re.compile(r"[\W_]+")
_COMMON_MARKS = frozenset(".,;:!?\"'()") | {"--", "..."}
_SPACE = ord(" ")


def _byte_table(members: str) -> NDArray[np.bool_]:
    table = np.zeros(256, dtype=np.bool_)
    table[list(members.encode())] = True
    return table


_IS_LETTER, _IS_CLOSING, _IS_OPENING = map(_byte_table, (ascii_letters, ',;:!?")', '"('))


@dataclass(frozen=True, slots=True)
class ChunkedText:
    """A text as the chunk types it is made of; good until the memory it came from reads another text.

    Attributes:
        types: the chunk types, a space behind each.
        rows: int64, shape (types,): the row of each chunk type in the memory.
        indices: int32, shape (chunks,): which type stands at each place.
    """

    types: pa.StringArray
    rows: NDArray[np.int64]
    indices: NDArray[np.int32]


class ChunkMemo(dict[str, int]):
    """Chunk, a space behind it -> row; the rows hold each chunk's tokens and the stable hash of its letters.

    The one place that calls the tokenizer. Bounded: once `max_chunks` are remembered, the next reading forgets all and remembering starts
    again, so memory stays flat however large the corpus (the 534 books hold 0.7 M chunk types).
    """

    __slots__ = ("_first", "_hashes", "_is_word", "_max_chunks", "_split", "_token_rows", "_tokenize_chunk", "_tokens", "_tokens_of")

    def __init__(self, tokenize_chunk: ChunkTokenizer, *, max_chunks: int = 800_000) -> None:
        super().__init__()
        self._tokenize_chunk = tokenize_chunk
        self._max_chunks = max_chunks
        self._forget()

    def _forget(self) -> None:
        self.clear()
        self._split: dict[int, str] = {}  # of the rows with more than one token: these, a space behind each
        self._hashes = array("Q")  # by row: checksum of the chunk's letters and digits, case-folded; 0 without any
        self._first = array("q", [0])  # by row: where its tokens begin in `_tokens_of`; one more for the end
        self._tokens_of = array("q")
        self._tokens: list[str] = []
        self._is_word = bytearray()  # by token: 1 for a word token
        self._token_rows: dict[str, int] = {}

    def __missing__(self, spaced: str) -> int:
        chunk = spaced[:-1]
        row = len(self._hashes)
        tokens = () if chunk == SEPARATOR else self._tokenize_chunk(chunk)
        if len(tokens) > 1:
            self._split[row] = " ".join((*tokens, ""))
        letters = ""
        for token in tokens:
            if token.isalpha():
                letters += token
            elif token not in _COMMON_MARKS:
                letters += _NOT_WORD.sub("", token)
            token_row = self._token_rows.get(token)
            if token_row is None:
                token_row = self._token_rows[token] = len(self._tokens)
                self._tokens.append(token)
                self._is_word.append(is_word(token))
            self._tokens_of.append(token_row)
        self._first.append(len(self._tokens_of))
        self._hashes.append(crc32(letters.casefold().encode()))
        self[spaced] = row
        return row

    def read(self, text: str) -> ChunkedText:
        """Look up all chunks of a normalized (single-spaced, not empty) text, remembering the new ones.

        Arrow finds the chunk types of a book in a third of the time that a dictionary look-up a chunk takes.
        """
        if len(self) >= self._max_chunks:
            self._forget()
        encoded = _marks_apart(np.frombuffer(f"{text} ".encode(), dtype=np.uint8))
        ends = np.flatnonzero(encoded == _SPACE).astype(np.int32) + np.int32(1)
        offsets = np.concatenate((np.zeros(1, dtype=np.int32), ends))
        chunks = pa.StringArray.from_buffers(len(ends), pa.py_buffer(offsets), pa.py_buffer(encoded))
        coded = chunks.dictionary_encode()
        types = coded.dictionary.to_pylist()
        rows = np.fromiter(map(self.__getitem__, types), dtype=np.int64, count=len(types))
        return ChunkedText(coded.dictionary, rows, coded.indices.to_numpy())

    def tokens(self, read: ChunkedText) -> str:
        """The whole text's tokens, a single space between any two."""
        first = np.frombuffer(self._first, dtype=np.int64)
        is_split = first[read.rows + 1] - first[read.rows] > 1
        split = pa.array(map(self._split.__getitem__, read.rows[is_split].tolist()), pa.string())
        taken = pc.replace_with_mask(read.types, pa.array(is_split), split).take(pa.array(read.indices))
        length = np.frombuffer(taken.buffers()[1], dtype=np.int32)[len(taken)]
        return str(memoryview(taken.buffers()[2])[: length - 1], "utf-8")

    def word_hashes(self, read: ChunkedText) -> NDArray[np.uint64]:
        """Hash of each chunk's letters and digits, case-folded and stable everywhere; chunks without any are left out."""
        hashes = np.frombuffer(self._hashes, dtype=np.uint64)[read.rows][read.indices]
        return hashes[hashes != 0]

    def count_tokens(self, read: ChunkedText, where: NDArray[np.bool_] | None = None) -> dict[str, int]:
        """How often each token type occurs in the text, or in the chunks for which `where` holds."""
        counts = self._token_counts(read.rows, read.indices if where is None else read.indices[where])
        seen = np.flatnonzero(counts)
        return dict(zip(map(self._tokens.__getitem__, seen.tolist()), counts[seen].tolist(), strict=True))

    def count_words(self, read: ChunkedText) -> int:
        """Number of word tokens of the text."""
        counts = self._token_counts(read.rows, read.indices)
        return int(counts[np.frombuffer(self._is_word, dtype=np.bool_)[: len(counts)]].sum())

    def _token_counts(self, rows: NDArray[np.int64], indices: NDArray[np.int32]) -> NDArray[np.int64]:
        """Count by token; as long as the last token met requires."""
        chunk_counts = np.bincount(indices)
        used = np.flatnonzero(chunk_counts)
        first = np.frombuffer(self._first, dtype=np.int64)
        begins = first[rows[used]]
        lengths = first[rows[used] + 1] - begins
        places = np.repeat(begins - np.cumsum(lengths) + lengths, lengths) + np.arange(lengths.sum())
        token_rows = np.frombuffer(self._tokens_of, dtype=np.int64)[places]
        return np.bincount(token_rows, weights=np.repeat(chunk_counts[used], lengths)).astype(np.int64)

    def separator_places(self, read: ChunkedText) -> NDArray[np.bool_]:
        """For each chunk whether it is the mark between two sentences."""
        return (read.rows == self.get(f"{SEPARATOR} ", -1))[read.indices]


def _marks_apart(encoded: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The text, a space behind it, with the outer marks of chunks set apart where that changes no token: fewer chunk types are left.

    A comma before a space is a token whatever stands before it, and what stands there is tokenized as if it stood alone. Other marks are
    set apart only around what ends in a letter: the tokenizer takes one from either side at a time, and looks for an abbreviation between.
    """
    spaces = np.flatnonzero(encoded == _SPACE)
    begins = np.concatenate((np.zeros(1, dtype=np.int64), spaces[:-1] + 1))
    third, second, last = (encoded[spaces - back] for back in (3, 2, 1))  # before the first chunk stands the last space
    one = _IS_CLOSING[last] & _IS_LETTER[second]
    two = _IS_CLOSING[last] & _IS_CLOSING[second] & _IS_LETTER[third]
    comma = (last == ord(",")) & (second != _SPACE)
    opening = _IS_OPENING[encoded[begins]] & (_IS_LETTER[last] | one | two)
    return np.insert(encoded, np.concatenate((spaces[one | two | comma] - 1, spaces[two] - 2, begins[opening] + 1)), _SPACE)


def tokenize(text: str, memo: ChunkMemo) -> list[str]:
    """Whole-word tokens of a normalized text; `memo` holds the tokenizer.

    >>> memo = ChunkMemo(lambda chunk: (chunk[:-1], ".") if chunk.endswith(".") else (chunk,))
    >>> tokenize("It was dark.", memo)
    ['It', 'was', 'dark', '.']
    """
    return memo.tokens(memo.read(text)).split(" ") if text else []


def spaces_after(text: str, tokens: Sequence[str]) -> list[bool]:
    """For each token whether a space follows it in `text`; with it the text is rebuilt exactly.

    Raises:
        ValueError: the tokens are not those of this text.

    >>> spaces_after("Come, now.", ["Come", ",", "now", "."])
    [False, True, False, False]
    """
    spaces = []
    at = 0
    for token in tokens:
        if not text.startswith(token, at):
            raise ValueError(f"token {token!r} does not stand at character {at} of {text!r}")
        at += len(token)
        followed = text.startswith(" ", at)
        spaces.append(followed)
        at += followed
    if at != len(text):
        raise ValueError(f"tokens end at character {at} of {len(text)} in {text!r}")
    return spaces
