"""An ingested book as the stages of this wing read it: sentences as arrays and as printed, chapters numbered, line-end hyphens decided."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cloze_gen.stages.corpus.book_files import SENTENCES
from cloze_gen.stages.corpus.hyphens import mend_text
from cloze_gen.store.tables import read_parquet
from cloze_gen.text.book_text import BookText, book_text
from cloze_gen.text.normalize import LINE_END_HYPHEN
from cloze_gen.text.paragraphs import HEADING

_COLUMNS = ["start", "end", "paragraph", "kind", "text", "tokens"]


@dataclass(frozen=True, slots=True)
class ReadBook:
    """A book; every array has the shape (sentences,).

    Attributes:
        text: its tokens as numbers.
        texts: its sentences as printed.
        start, end: int64: character span of each sentence in the decoded raw file, end exclusive.
        chapter: int32: number of the stretch between headings that each sentence stands in.
    """

    text: BookText
    texts: list[str]
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    chapter: NDArray[np.int32]


def read_book(folder: Path, forms: Mapping[str, str]) -> ReadBook:
    """An ingested book.

    Args:
        folder: of the book (`stages.corpus.book_table.book_folder`).
        forms: of words that a line end broke (`stages.source_books.decided_hyphens`).
    """
    table = read_parquet(folder / SENTENCES, columns=_COLUMNS)
    kinds = table["kind"].to_pylist()
    paragraph = table["paragraph"].to_numpy()
    text = book_text(table["tokens"].combine_chunks(), kinds=kinds, paragraph=paragraph, forms=forms)
    printed = zip(table["text"].to_pylist(), table["tokens"].to_pylist(), strict=True)
    texts = [mend_text(*one, dict(forms)) if LINE_END_HYPHEN in one[0] else one[0] for one in printed]
    chapter = np.cumsum([kind == HEADING for kind in kinds]).astype(np.int32)
    start, end = (table[name].to_numpy().astype(np.int64) for name in ("start", "end"))
    return ReadBook(text, texts, start, end, chapter)
