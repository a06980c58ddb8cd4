"""Tokens of normalized text, remembered per space-separated chunk.

The tokenizer (`adapters.spacy_tokenizer`) treats chunks between spaces independently, so remembering each chunk's tokens gives the same
tokens as the tokenizer itself, many times faster. A chunk is looked up once; counting, hashing and joining then work on row numbers.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Sequence
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from cloze_gen.text.normalize import SEPARATOR

ChunkTokenizer = Callable[[str], tuple[str, ...]]
Rows = NDArray[np.int64]
_NOT_WORD = re.compile(r"[\W_]+")
_SECOND_CRC = 0x9E3779B9  # starting value of the upper half: two checksums of 32 bits make a stable hash of 64
_FEW_ROWS = 20_000  # below, sorting the rows is faster than counting into an array as long as the memory


class ChunkMemo(dict[str, int]):
    """Chunk -> row; the rows hold each chunk's tokens and the stable hash of its letters.

    The one place that calls the tokenizer. Bounded: once `max_chunks` are remembered, the next `start_book` forgets all and remembering starts
    again, so memory stays flat however large the corpus (the 534 books hold 0.7 M chunk types).

    Attributes:
        joined: by row, the tokens joined by single spaces.
    """

    __slots__ = ("_first", "_hashes", "_max_chunks", "_token_rows", "_tokenize_chunk", "_tokens", "_tokens_of", "joined")

    def __init__(self, tokenize_chunk: ChunkTokenizer, *, max_chunks: int = 800_000) -> None:
        super().__init__()
        self._tokenize_chunk = tokenize_chunk
        self._max_chunks = max_chunks
        self._forget()

    def _forget(self) -> None:
        self.clear()
        self.joined: list[str] = []
        self._hashes = array("Q")  # by row: 64-bit hash of the chunk's letters and digits, case-folded; 0 without any
        self._first = array("q", [0])  # by row: where its tokens begin in `_tokens_of`; one more for the end
        self._tokens_of = array("q")
        self._tokens: list[str] = []
        self._token_rows: dict[str, int] = {}
        self[SEPARATOR]  # row 0, no token of its own

    def start_book(self) -> None:
        """Forget everything if the memory is full; rows handed out before are void then."""
        if len(self) >= self._max_chunks:
            self._forget()

    def __missing__(self, chunk: str) -> int:
        row = len(self.joined)
        tokens = () if chunk == SEPARATOR else self._tokenize_chunk(chunk)
        self.joined.append(" ".join(tokens) if tokens else chunk)
        letters = (chunk if chunk.isalpha() else _NOT_WORD.sub("", chunk)).casefold().encode()
        self._hashes.append(crc32(letters) | crc32(letters, _SECOND_CRC) << 32 if letters else 0)
        for token in tokens:
            token_row = self._token_rows.get(token)
            if token_row is None:
                token_row = self._token_rows[token] = len(self._tokens)
                self._tokens.append(token)
            self._tokens_of.append(token_row)
        self._first.append(len(self._tokens_of))
        self[chunk] = row
        return row

    def word_hashes(self, rows: Rows) -> NDArray[np.uint64]:
        """Hash of each chunk's letters and digits, case-folded and stable everywhere; chunks without any are left out."""
        hashes = np.frombuffer(self._hashes, dtype=np.uint64)[rows]
        return hashes[hashes != 0]

    def count_tokens(self, rows: Rows) -> dict[str, int]:
        """How often each token type occurs in the chunks of `rows`."""
        if len(rows) < _FEW_ROWS:
            used, chunk_counts = np.unique(rows, return_counts=True)
        else:
            every = np.bincount(rows)
            used = np.flatnonzero(every)
            chunk_counts = every[used]
        first = np.frombuffer(self._first, dtype=np.int64)
        lengths = first[used + 1] - first[used]
        places = np.repeat(first[used] - np.cumsum(lengths) + lengths, lengths) + np.arange(lengths.sum())
        token_rows = np.frombuffer(self._tokens_of, dtype=np.int64)[places]
        types, inverse = np.unique(token_rows, return_inverse=True)
        counts = np.bincount(inverse, weights=np.repeat(chunk_counts, lengths)).astype(np.int64)
        return dict(zip(map(self._tokens.__getitem__, types.tolist()), counts.tolist(), strict=True))


def tokenize(text: str, memo: ChunkMemo) -> list[str]:
    """Whole-word tokens of a normalized text; `memo` holds the tokenizer.

    >>> memo = ChunkMemo(lambda chunk: (chunk[:-1], ".") if chunk.endswith(".") else (chunk,))
    >>> tokenize("It was dark.", memo)
    ['It', 'was', 'dark', '.']
    """
    return " ".join([memo.joined[memo[chunk]] for chunk in text.split()]).split()


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
