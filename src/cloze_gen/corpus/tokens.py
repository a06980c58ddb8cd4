"""Tokens of normalized text, cached per space-separated chunk, as the tokenizer treats chunks
independently.
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

from cloze_gen.corpus.normalization import SEPARATOR
from cloze_gen.corpus.ocr import is_unknown
from cloze_gen.word_tokens import is_word

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
    """A text as chunk types; valid until the memory reads another text.

    Attributes:
        types: each with a space behind it.
        rows: int64, shape (types,): rows in the memory.
        indices: int32, shape (chunks,).
    """

    types: pa.StringArray
    rows: NDArray[np.int64]
    indices: NDArray[np.int32]


class ChunkMemo(dict[str, int]):
    """Chunk with a space behind it -> row of its tokens and the hash of its letters; emptied at
    `max_chunks`.
    """

    __slots__ = (
        "_differs",
        "_first",
        "_hashes",
        "_is_unknown",
        "_is_word",
        "_max_chunks",
        "_split",
        "_token_rows",
        "_tokenize_chunk",
        "_tokens",
        "_tokens_of",
    )

    def __init__(self, tokenize_chunk: ChunkTokenizer, *, max_chunks: int = 800_000) -> None:
        super().__init__()
        self._tokenize_chunk = tokenize_chunk
        self._max_chunks = max_chunks
        self._forget()

    def _forget(self) -> None:
        self.clear()
        # of the rows whose tokens are not the chunk: these, a space behind each
        self._split: dict[int, str] = {}
        self._differs = bytearray()  # by row: 1 where `_split` has it
        # by row: checksum of the chunk's letters and digits, case-folded; 0 without any
        self._hashes = array("Q")
        # by row: where its tokens begin in `_tokens_of`; one more for the end
        self._first = array("q", [0])
        self._tokens_of = array("q")
        self._tokens: list[str] = []
        self._is_word = bytearray()  # by token: 1 for a word token
        self._is_unknown = bytearray()  # by token: 1 for a word that no list has
        self._token_rows: dict[str, int] = {}

    def __missing__(self, spaced: str) -> int:
        chunk = spaced[:-1]
        row = len(self._hashes)
        tokens = () if chunk == SEPARATOR else self._tokenize_chunk(chunk)
        self._differs.append(tokens not in ((), (chunk,)))
        if self._differs[row]:
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
                self._is_unknown.append(is_unknown(token))
            self._tokens_of.append(token_row)
        self._first.append(len(self._tokens_of))
        self._hashes.append(crc32(letters.casefold().encode()))
        self[spaced] = row
        return row

    def read(self, text: str) -> ChunkedText:
        """Look up all chunks of a normalized (single-spaced, not empty) text, and add new ones."""
        if len(self) >= self._max_chunks:
            self._forget()
        encoded = _marks_apart(np.frombuffer(f"{text} ".encode(), dtype=np.uint8))
        ends = np.flatnonzero(encoded == _SPACE).astype(np.int32) + np.int32(1)
        offsets = np.concatenate((np.zeros(1, dtype=np.int32), ends))
        chunks = pa.StringArray.from_buffers(
            len(ends), pa.py_buffer(offsets), pa.py_buffer(encoded)
        )
        coded = chunks.dictionary_encode()
        types = coded.dictionary.to_pylist()
        rows = np.fromiter(map(self.__getitem__, types), dtype=np.int64, count=len(types))
        return ChunkedText(coded.dictionary, rows, coded.indices.to_numpy())

    def tokens(self, read: ChunkedText) -> str:
        is_split = np.frombuffer(bytes(self._differs), dtype=np.bool_)[read.rows]
        split = pa.array(map(self._split.__getitem__, read.rows[is_split].tolist()), pa.string())
        taken = pc.replace_with_mask(read.types, pa.array(is_split), split).take(
            pa.array(read.indices)
        )
        length = np.frombuffer(taken.buffers()[1], dtype=np.int32)[len(taken)]
        return str(memoryview(taken.buffers()[2])[: length - 1], "utf-8")

    def word_hashes(self, read: ChunkedText) -> NDArray[np.uint64]:
        """Stable hashes of the case-folded letters and digits; other chunks are left out."""
        hashes = np.frombuffer(self._hashes, dtype=np.uint64)[read.rows][read.indices]
        return hashes[hashes != 0]

    def count_tokens(
        self, read: ChunkedText, where: NDArray[np.bool_] | None = None
    ) -> dict[str, int]:
        """Counts of the token types, only of the chunks where `where` holds."""
        counts = self._token_counts(
            read.rows, read.indices if where is None else read.indices[where]
        )
        seen = np.flatnonzero(counts)
        return dict(
            zip(map(self._tokens.__getitem__, seen.tolist()), counts[seen].tolist(), strict=True)
        )

    def count_words(self, read: ChunkedText) -> tuple[int, int]:
        """Word tokens, and those of them that no list has (`is_unknown`)."""
        counts = self._token_counts(read.rows, read.indices)
        words, unknown = (
            int(counts[np.frombuffer(flags, dtype=np.bool_)[: len(counts)]].sum())
            for flags in (self._is_word, self._is_unknown)
        )
        return words, unknown

    def _token_counts(
        self, rows: NDArray[np.int64], indices: NDArray[np.int32]
    ) -> NDArray[np.int64]:
        chunk_counts = np.bincount(indices)
        used = np.flatnonzero(chunk_counts)
        first = np.frombuffer(self._first, dtype=np.int64)
        begins = first[rows[used]]
        lengths = first[rows[used] + 1] - begins
        places = np.repeat(begins - np.cumsum(lengths) + lengths, lengths) + np.arange(
            lengths.sum()
        )
        token_rows = np.frombuffer(self._tokens_of, dtype=np.int64)[places]
        return np.bincount(token_rows, weights=np.repeat(chunk_counts[used], lengths)).astype(
            np.int64
        )

    def separator_places(self, read: ChunkedText) -> NDArray[np.bool_]:
        return (read.rows == self.get(f"{SEPARATOR} ", -1))[read.indices]


def _marks_apart(encoded: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The text with outer marks split from chunks, for fewer chunk types, where no token changes:
    commas before a space, other marks only around what ends in a letter, as the tokenizer strips
    one from either side at a time and tests for abbreviations.
    """
    spaces = np.flatnonzero(encoded == _SPACE)
    begins = np.concatenate((np.zeros(1, dtype=np.int64), spaces[:-1] + 1))
    # the last space precedes the first chunk
    third, second, last = (encoded[spaces - back] for back in (3, 2, 1))
    one = _IS_CLOSING[last] & _IS_LETTER[second]
    two = _IS_CLOSING[last] & _IS_CLOSING[second] & _IS_LETTER[third]
    comma = (last == ord(",")) & (second != _SPACE)
    opening = _IS_OPENING[encoded[begins]] & (_IS_LETTER[last] | one | two)
    return np.insert(
        encoded,
        np.concatenate((spaces[one | two | comma] - 1, spaces[two] - 2, begins[opening] + 1)),
        _SPACE,
    )


def spaces_after(text: str, tokens: Sequence[str]) -> list[bool]:
    """Whether a space follows each token in `text`; ValueError if the tokens are not of this text.

    >>> spaces_after("Come, now.", ["Come", ",", "now", "."])
    [False, True, False, False]
    """
    spaces = []
    at = 0
    for token in tokens:
        if not text.startswith(token, at):
            raise ValueError(f"token {token!r} is not at character {at} of {text!r}")
        at += len(token)
        followed = text.startswith(" ", at)
        spaces.append(followed)
        at += followed
    if at != len(text):
        raise ValueError(f"tokens end at character {at} of {len(text)} in {text!r}")
    return spaces
