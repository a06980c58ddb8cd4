"""Tokens of normalized sentences, chunk by chunk: the tokenizer treats the space-separated chunks
of a text independently, and most of them recur.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cloze_gen.adapters.spacy_tokenizer import chunk_tokenizer

_NOT_LETTERS = re.compile(r"[\W_]+")

_tokenizer = functools.cache(chunk_tokenizer)


@functools.lru_cache(maxsize=500_000)
def _read_chunk(chunk: str) -> tuple[str, int]:
    """The tokens, joined by spaces, and a checksum of the case-folded letters and digits, 0 without
    any.
    """
    letters = chunk if chunk.isalpha() else _NOT_LETTERS.sub("", chunk)
    tokens = _tokenizer()(chunk) if chunk else ()
    return " ".join(tokens), crc32(letters.casefold().encode())


@dataclass(frozen=True, slots=True)
class TokenizedText:
    """Sentences as tokens.

    Attributes:
        lines: the tokens of each sentence, joined by spaces.
        type_counts: how often each token occurs.
        word_hashes: uint64, shape (chunks with a letter or digit,), in order.
    """

    lines: list[str]
    type_counts: Counter[str]
    word_hashes: NDArray[np.uint64]


def tokenize(texts: Sequence[str]) -> TokenizedText:
    """Tokens of normalized, single-spaced sentences.

    >>> text = tokenize(["Come, now.", "Now?"])
    >>> text.lines, text.type_counts["now"], len(text.word_hashes)
    (['Come , now .', 'Now ?'], 1, 3)
    """
    # commas apart, for a sixth fewer chunk types
    ended = pa.array([f"{text} " for text in texts], pa.string())
    spaced = pc.replace_substring(ended, ", ", " , ")
    chunks = pc.ascii_split_whitespace(pc.ascii_trim_whitespace(spaced))
    encoded = chunks.flatten().dictionary_encode()
    indices = encoded.indices.to_numpy()
    chunk_types = [_read_chunk(chunk) for chunk in encoded.dictionary.to_pylist()]

    tokens = pa.array([tokens for tokens, _ in chunk_types], pa.string())
    lines = pc.binary_join(
        pa.ListArray.from_arrays(chunks.offsets, tokens.take(encoded.indices)), " "
    )
    hashes = np.array([letters_hash for _, letters_hash in chunk_types], np.uint64)[indices]
    type_counts = _count_tokens(pc.split_pattern(tokens, " "), np.bincount(indices))
    return TokenizedText(lines.to_pylist(), type_counts, hashes[hashes != 0])


def _count_tokens(token_lists: pa.ListArray, list_counts: NDArray[np.int64]) -> Counter[str]:
    """Counts of tokens in lists that occur `list_counts` times each."""
    encoded = token_lists.flatten().dictionary_encode()
    weights = np.repeat(list_counts, np.diff(token_lists.offsets))
    counts = np.bincount(encoded.indices, weights).astype(np.int64)
    return Counter(dict(zip(encoded.dictionary.to_pylist(), counts.tolist(), strict=True)))
