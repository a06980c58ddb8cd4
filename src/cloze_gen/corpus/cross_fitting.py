"""Cross-fitting for runs without training books: items of one group of source books are made by
models of the other groups, because a model that has read a question knows its answer.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pyarrow.compute as pc

from cloze_gen.corpus.arrays import SEPARATOR
from cloze_gen.corpus.books import SENTENCES, book_folder, kept_books
from cloze_gen.corpus.paragraphs import HEADING
from cloze_gen.corpus.training_text import TEXT, TOKENS
from cloze_gen.errors import CorpusError
from cloze_gen.store.artifacts import Artifact, ArtifactWriter
from cloze_gen.store.tables import memory_mapped, read_parquet, read_tsv, write_tsv

HELD_OUT = "cross-fitting.tsv"
MOST_GROUPS = 8  # of books; each has a model of its own


def check_several(books: Sequence[str]) -> None:
    if len(books) < 2:
        raise CorpusError(
            f"{books[0]} is the only book. Without training books, each question is made "
            "by a model of the other books. Give two source "
            "books or more (three or more for a useful set), or a folder of other books "
            "as --train DIR (make: TRAIN=DIR). scs-style works with one book."
        )


def held_out_groups(corpus: Artifact) -> dict[str, int]:
    """Book id -> its group, from 1, in turn by id; CorpusError for a single book."""
    books = [row["book_id"] for row in kept_books(corpus)]
    check_several(books)
    return {book: 1 + i % MOST_GROUPS for i, book in enumerate(books)}


def read_groups(artifact: Artifact) -> dict[str, int]:
    """Book id -> the model for its items; empty where one model serves all."""
    if "models" not in artifact.facts:
        return {}
    return {row["book_id"]: int(row["model"]) for row in read_tsv(artifact.path(HELD_OUT))}


def group_of_lines(corpus: Artifact, groups: Mapping[str, int]) -> np.ndarray:
    """The group of each line of the training text; int64, shape (lines,)."""
    rows = kept_books(corpus)
    kinds = (
        read_parquet(book_folder(corpus, row) / SENTENCES, columns=["kind"])["kind"] for row in rows
    )
    lines = [pc.sum(pc.not_equal(kind, HEADING)).as_py() or 0 for kind in kinds]
    return np.repeat([groups[row["book_id"]] for row in rows], lines)


def write_other_text(folder: Path, *, text: Artifact, of_lines: np.ndarray, group: int) -> Artifact:
    """Write the training text without one group's lines (see `write_training_text`)."""
    with open(text.path(TEXT), "rb") as lines, open(folder / TEXT, "wb") as others:
        others.writelines(itertools.compress(lines, of_lines != group))
    ids = memory_mapped(text.path(TOKENS))
    np.save(folder / TOKENS, ids[_group_of_ids(ids, of_lines) != group])
    return Artifact(folder, {})


def _group_of_ids(ids: np.ndarray, of_lines: np.ndarray) -> np.ndarray:
    """As `group_of_lines`, for each number of the training text; shape (ids,)."""
    return np.repeat(of_lines, np.diff(np.flatnonzero(ids == SEPARATOR), prepend=-1))


def write_for_groups(
    writer: ArtifactWriter, groups: Mapping[str, int], write: Callable[[ArtifactWriter, int], None]
) -> None:
    """Write each group's model into its own folder, to be read by `of_model`.

    In `cross-fitting.tsv`, `model` is the model whose text lacks the book.
    """
    writer.rows[HELD_OUT] = write_tsv(writer.path(HELD_OUT), ("book_id", "model"), groups.items())
    numbers = sorted(set(groups.values()))
    writer.facts |= {"models": len(numbers), "books": len(groups), "of_model": {}}
    for group in numbers:
        part = ArtifactWriter(writer.folder / model_folder(group))
        part.folder.mkdir()
        write(part, group)
        writer.rows |= {f"{model_folder(group)}/{file}": n for file, n in part.rows.items()}
        writer.versions |= part.versions
        writer.facts["of_model"][str(group)] = part.facts


def of_model(artifact: Artifact, model: int) -> Artifact:
    """One model's part of an artifact; 0 is the whole of an artifact of one model."""
    if not model:
        return artifact
    return Artifact(
        artifact.folder / model_folder(model),
        {**artifact.manifest, "facts": artifact.facts["of_model"][str(model)]},
    )


def model_folder(model: int) -> str:
    return f"model-{model}"
