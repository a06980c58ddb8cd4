"""Books that are their own background: into which groups they fall, each of which is held out of the model behind its own questions.

A model that has read a question knows its answer. Where no training books are given, the source books are dealt into groups, as many as
there are books where these are few, and a group's questions are made by a model of all the others (cross-fitting). So its probabilities,
and what it lists as attested, are those of a model that never saw the book.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import BinaryIO

import numpy as np
import pyarrow.compute as pc
from pydantic import Field

from cloze_gen.errors import CorpusError
from cloze_gen.settings import SettingsGroup
from cloze_gen.stages.corpus.book_files import SENTENCES
from cloze_gen.stages.corpus.book_table import book_folder, kept_books
from cloze_gen.stages.corpus.counts import read_counts
from cloze_gen.stages.corpus.training_text import TOKENS
from cloze_gen.store.artifacts import Artifact, ArtifactWriter
from cloze_gen.store.tables import memory_mapped, read_parquet, read_tsv, write_tsv
from cloze_gen.text.paragraphs import HEADING
from cloze_gen.text.word_ids import SEPARATOR

HELD_OUT = "held-out.tsv"


class BackgroundSettings(SettingsGroup):
    """Settings of a run without training books."""

    models: int = Field(
        8, ge=2, le=99, description="only without training books: language models, one for each group of source books, at most"
    )


def held_out_groups(corpus: Artifact, *, models: int) -> dict[str, int]:
    """The group of each book that goes on, from 1: a group a book, or, of more books than models, dealt in turn in the order of their ids.

    Raises:
        CorpusError: there is one book, so that nothing is left to learn from.
    """
    books = [row["book_id"] for row in kept_books(corpus)]
    if len(books) < 2:
        raise CorpusError(
            f"{books[0]} is the only book, and without training books each question is made by a model of the other books. Give two source "
            "books or more (from three on a set is worth reading), or a folder of other books as --train DIR (make: TRAIN=DIR)."
        )
    return {book: 1 + i % models for i, book in enumerate(books)}


def write_groups(writer: ArtifactWriter, groups: Mapping[str, int]) -> None:
    """Write `held-out.tsv`, a row a book: `book_id`, and `model`, the number of the model whose text lacks the book."""
    writer.rows[HELD_OUT] = write_tsv(writer.path(HELD_OUT), ("book_id", "model"), groups.items())


def read_groups(artifact: Artifact) -> dict[str, int]:
    """book id -> the model that makes its questions; empty where one model of training books makes them all."""
    if "models" not in artifact.facts:
        return {}
    return {row["book_id"]: int(row["model"]) for row in read_tsv(artifact.path(HELD_OUT))}


def group_of_lines(corpus: Artifact, groups: Mapping[str, int]) -> np.ndarray:
    """The group of every line of the training text, that is of every sentence but headings; int64, shape (sentences,)."""
    rows = kept_books(corpus)
    kinds = (read_parquet(book_folder(corpus, row) / SENTENCES, columns=["kind"])["kind"] for row in rows)
    lines = [pc.sum(pc.not_equal(kind, HEADING)).as_py() or 0 for kind in kinds]
    return np.repeat([groups[row["book_id"]] for row in rows], lines)


def other_lines(text: BinaryIO, of_lines: np.ndarray, *, group: int) -> Iterator[bytes]:
    """The lines of the training text that are not of a group."""
    return itertools.compress(text, of_lines != group)


def words_of_one_group(text: Artifact, counts: Artifact, of_lines: np.ndarray) -> dict[int, frozenset[str]]:
    """group -> the words that stand in its books alone, which the model that makes its questions therefore does not know.

    Args:
        text: the training text; `of_lines` says of which group each of its lines is.
    """
    ids, words = memory_mapped(text.path(TOKENS)), read_counts(counts).words
    ends = np.flatnonzero(ids == SEPARATOR)
    of_ids = np.repeat(of_lines, np.diff(ends, prepend=-1))
    seen = {group: np.bincount(ids[of_ids == group], minlength=len(words) + 1) > 0 for group in sorted(set(of_lines.tolist()))}
    groups_of_word = sum(one.astype(np.int64) for one in seen.values())
    alone = {group: np.flatnonzero(one & (groups_of_word == 1)) for group, one in seen.items()}
    return {group: frozenset(words[i - 1] for i in found.tolist() if i != SEPARATOR) for group, found in alone.items()}


def group_sizes(groups: Mapping[str, int]) -> dict[int, int]:
    """group -> its books."""
    return dict(sorted(Counter(groups.values()).items()))
