"""A book as the stages of the recipe read it: its sentences as arrays and as they are printed, with where each stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cloze_gen.recipes.scde.steps.passages import chapter_numbers
from cloze_gen.stages.corpus.book_files import SENTENCES
from cloze_gen.stages.corpus.hyphens import mend_text
from cloze_gen.store.tables import read_parquet
from cloze_gen.text.book_text import BookText, book_text
from cloze_gen.text.normalize import LINE_END_HYPHEN

_COLUMNS = ["start", "end", "paragraph", "kind", "text", "tokens"]


@dataclass(frozen=True, slots=True)
class ReadBook:
    """An ingested book; every array and list has an entry a sentence.

    Attributes:
        text: its tokens, words that a line end broke in their decided form.
        texts: its sentences as they are printed, such words likewise.
        start, end: int32: character span in the decoded raw file, end exclusive.
        paragraph: int32: index of the paragraph; what is no text has one too, and no sentence.
        kinds: ``prose``, ``verse`` or ``heading``.
        chapter: int32: how many headings stand before it (`chapter_numbers`).
    """

    text: BookText
    texts: list[str]
    start: NDArray[np.int32]
    end: NDArray[np.int32]
    paragraph: NDArray[np.int32]
    kinds: list[str]
    chapter: NDArray[np.int32]


def read_book(folder: Path, hyphens: Mapping[str, str]) -> ReadBook:
    """An ingested book.

    Args:
        folder: of the book's own artifact (`stages.corpus.book_table.book_folder`).
        hyphens: how words that a line end broke are spelt (`stages.source_books.decided_hyphens`).
    """
    table = read_parquet(folder / SENTENCES, columns=_COLUMNS)
    kinds, paragraph = table["kind"].to_pylist(), table["paragraph"].to_numpy()
    lines = table["tokens"].combine_chunks()
    text = book_text(lines, kinds=kinds, paragraph=paragraph, forms=hyphens)
    texts = table["text"].to_pylist()
    for i, line in enumerate(texts):
        if LINE_END_HYPHEN in line:
            texts[i] = mend_text(line, lines[i].as_py(), hyphens)
    return ReadBook(text, texts, table["start"].to_numpy(), table["end"].to_numpy(), text.paragraph, kinds, chapter_numbers(kinds))
