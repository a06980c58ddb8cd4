"""A novel as arrays: its tokens as numbers, and where each sentence and each paragraph begins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cloze_gen.text.paragraphs import PROSE


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
        return tuple(map(self.types.__getitem__, self.codes[self.bounds[sentence] : self.bounds[sentence + 1]].tolist()))


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
