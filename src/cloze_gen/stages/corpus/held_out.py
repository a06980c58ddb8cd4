"""Books that are their own background: into which groups they fall, each of which is held out of the model behind its own questions.

A model that has read a question knows its answer. Where no training books are given, the source books are dealt into groups, as many as
there are books where these are few, and a group's questions are made by models of all the others (cross-fitting). So its probabilities,
what it lists as attested, and what is known of a word's company are of books that do not hold the question.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pyarrow.compute as pc
from pydantic import Field

from cloze_gen.errors import CorpusError
from cloze_gen.settings import SettingsGroup
from cloze_gen.stages.corpus.book_files import SENTENCES
from cloze_gen.stages.corpus.book_table import book_folder, kept_books
from cloze_gen.stages.corpus.counts import read_counts
from cloze_gen.stages.corpus.training_text import TEXT, TOKENS
from cloze_gen.store.artifacts import Artifact, ArtifactWriter
from cloze_gen.store.tables import memory_mapped, read_parquet, read_tsv, write_tsv
from cloze_gen.text.paragraphs import HEADING
from cloze_gen.text.word_ids import SEPARATOR

HELD_OUT = "held-out.tsv"


class HeldOutSettings(SettingsGroup):
    """Settings of a run without training books."""

    models: int = Field(8, ge=2, le=99, description="only without training books: groups of source books, each with models of the others")


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


def write_other_text(folder: Path, *, text: Artifact, of_lines: np.ndarray, group: int) -> Artifact:
    """Write the training text without a group's lines, as lines and as numbers (`write_training_text`), over what is in the folder."""
    with open(text.path(TEXT), "rb") as lines, open(folder / TEXT, "wb") as others:
        others.writelines(itertools.compress(lines, of_lines != group))
    ids = memory_mapped(text.path(TOKENS))
    np.save(folder / TOKENS, ids[_group_of_ids(ids, of_lines) != group])
    return Artifact(folder, {})


def _group_of_ids(ids: np.ndarray, of_lines: np.ndarray) -> np.ndarray:
    """The group of every number of the training text, of the separators too; int64, shape (ids,)."""
    return np.repeat(of_lines, np.diff(np.flatnonzero(ids == SEPARATOR), prepend=-1))


def words_of_one_group(text: Artifact, counts: Artifact, of_lines: np.ndarray) -> dict[int, frozenset[str]]:
    """group -> the words that stand in its books alone, which the model that makes its questions therefore does not know.

    Args:
        text: the training text; `of_lines` says of which group each of its lines is.
    """
    ids, words = memory_mapped(text.path(TOKENS)), read_counts(counts).words
    of_ids = _group_of_ids(ids, of_lines)
    seen = {group: np.bincount(ids[of_ids == group], minlength=len(words) + 1) > 0 for group in sorted(set(of_lines.tolist()))}
    groups_of_word = sum(one.astype(np.int64) for one in seen.values())
    alone = {group: np.flatnonzero(one & (groups_of_word == 1)) for group, one in seen.items()}
    return {group: frozenset(words[i - 1] for i in found.tolist() if i != SEPARATOR) for group, found in alone.items()}


def write_for_groups(writer: ArtifactWriter, groups: Mapping[str, int], write: Callable[[ArtifactWriter, int], None]) -> None:
    """Let every group's model be written into a folder of its own, as if it were an artifact of its own (`of_model`)."""
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
    """What is one model's of an artifact that holds several; the whole of one that holds one, which is number 0."""
    if not model:
        return artifact
    return Artifact(artifact.folder / model_folder(model), {**artifact.manifest, "facts": artifact.facts["of_model"][str(model)]})


def model_folder(model: int) -> str:
    return f"model-{model}"
