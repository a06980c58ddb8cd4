"""Windows of the books: cut book by book, kept as spans of the books' own sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import numpy as np
import pyarrow as pa

from cloze_gen.errors import CorpusError
from cloze_gen.recipes.scde.stages.book_reading import read_book
from cloze_gen.recipes.scde.steps.passages import PassagesSettings, Window, cut_windows
from cloze_gen.records.passage import Part
from cloze_gen.stages.corpus.book_table import book_folder, kept_books
from cloze_gen.stages.corpus.counts import read_counts
from cloze_gen.stages.corpus.hyphens import HYPHENS, write_hyphens
from cloze_gen.stages.offensive_words import offensive_words
from cloze_gen.stages.room import Room
from cloze_gen.stages.source_books import book_parts, decided_hyphens, hyphen_evidence
from cloze_gen.stages.tables import REJECTED, rejection_columns
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel
from cloze_gen.store.tables import join_parquet, write_parquet

PASSAGES = "passages.parquet"


@dataclass(frozen=True, slots=True)
class WindowShard:
    """One book to be cut by a worker, which reads what all share once, from disk.

    Attributes:
        folder: the ingested book.
        hyphens: the decided line-end hyphens (`write_hyphens`).
        out: where the worker leaves its part of each table.
    """

    book_id: str
    part: str
    domain: str
    folder: Path
    hyphens: Path
    out: Path
    offensive: frozenset[str]
    settings: PassagesSettings
    seed: int


@dataclass(frozen=True, slots=True)
class WindowSums:
    """What a worker reports of its book: sums, from which the stage's funnel and facts are made."""

    windows: int
    sentences: int
    words: int
    reasons: Counter[str]


def cut_book(shard: WindowShard) -> WindowSums:
    """Write the windows of one book, and of what gave none why."""
    book = read_book(shard.folder, decided_hyphens(shard.hyphens))
    cut = cut_windows(book.text, book_id=shard.book_id, offensive=shard.offensive, settings=shard.settings, seed=shard.seed)
    write_parquet(shard.out / PASSAGES, _columns(cut.windows, shard, book.start, book.end))
    write_parquet(shard.out / REJECTED, rejection_columns(cut.rejected))
    sentences = sum(one.last - one.first + 1 for one in cut.windows)
    words = sum(one.words for one in cut.windows)
    return WindowSums(len(cut.windows), sentences, words, Counter(one.reason for one in cut.rejected))


def _columns(windows: Sequence[Window], shard: WindowShard, start: np.ndarray, end: np.ndarray) -> dict[str, pa.Array]:
    first, last = (np.array([getattr(one, name) for one in windows], dtype=np.int32) for name in ("first", "last"))
    same = {"book_id": shard.book_id, "part": shard.part, "domain": shard.domain}
    return {
        "id": pa.array([f"{shard.book_id}:{one.first}" for one in windows], pa.string()),
        **{name: pa.array([value] * len(windows), pa.string()).dictionary_encode() for name, value in same.items()},
        "first": pa.array(first),
        "last": pa.array(last),
        "sentences": pa.array(last - first + 1),
        "words": pa.array([one.words for one in windows], pa.int32()),
        "start": pa.array(start[first]),
        "end": pa.array(end[last]),
    }


def write_passages(
    writer: ArtifactWriter,
    room: Room,
    *,
    partition: Artifact,
    counts: Artifact,
    settings: PassagesSettings,
    offensive: str,
    seed: int,
) -> None:
    """Write the windows of all books, in order of book and place.

    Files: `passages.parquet`, a row a window: `id` (of its first sentence), `book_id`, `part`, `domain`, `first` and `last` (its sentences
    in the book, both within), `sentences`, `words` (word tokens), `start` and `end` (characters of the decoded file). `rejected.parquet`,
    every other stretch of the books: `id` (of its first sentence), `reason`, `detail`. `hyphens.tsv` (`write_hyphens`), how words that a
    line end broke were decided. Texts stand in the ingested books (`read_book`).

    Args:
        counts: of the training books.
        offensive: names the list of words that no window may hold (`stages.offensive_words`).

    Raises:
        CorpusError: no book has a window, or none of one of the three parts has.
        UsageError: the list of offensive words cannot be read.
    """
    write_hyphens(writer, hyphen_evidence(partition, read_counts(counts)))
    hyphens, words = writer.path(HYPHENS), offensive_words(offensive)
    books = kept_books(partition)
    with book_parts(writer, len(books)) as folders:
        shards = [
            WindowShard(row["book_id"], row["part"], row["domain"], book_folder(partition, row), hyphens, out, words, settings, seed)
            for row, out in zip(books, folders, strict=True)
        ]
        found = list(room.map(cut_book, shards, unit="books"))
        reasons = sum((one.reasons for one in found), Counter[str]())
        of_part = {part: sum(one.windows for row, one in zip(books, found, strict=True) if row["part"] == part) for part in Part}
        if missing := [part for part in Part if not of_part[part]]:
            _refuse(missing, reasons)
        for name in (PASSAGES, REJECTED):
            writer.rows[name] = join_parquet(writer.path(name), [folder / name for folder in folders])
    n_windows = sum(of_part.values())
    mean_words = sum(one.words for one in found) / n_windows
    mean_sentences = sum(one.sentences for one in found) / n_windows
    writer.funnel = funnel("stretches", kept=n_windows, rejected=reasons)
    writer.facts |= {
        "passages": {str(part): count for part, count in of_part.items()},
        "mean_words": round(mean_words, 4),
        "mean_sentences": round(mean_sentences, 4),
    }
    room.say(f"{n_windows:,} passages, of {mean_words:.1f} words and {mean_sentences:.1f} sentences on average")


def _refuse(missing: Sequence[Part], reasons: Counter[str]) -> NoReturn:
    told = ", ".join(f"{reason} {count:,}" for reason, count in sorted(reasons.items()))
    raise CorpusError(
        f"no {' and no '.join(missing)} book gives a passage ({told}). Lower passages.min_sentences, raise passages.max_sentences, give "
        "more books, or other shares: partition.train_share, partition.development_share."
    )
