"""Focus words as an artifact: MSR 2.2 step 1 over the source books."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from cloze_gen.errors import CorpusError
from cloze_gen.recipes.msr.steps.focus import FocusSettings, FocusWord, select_focus_words
from cloze_gen.records.rejection import Rejection
from cloze_gen.records.sentence import Sentence
from cloze_gen.stages.corpus.book_table import book_folder, kept_books
from cloze_gen.stages.corpus.counts import read_counts
from cloze_gen.stages.corpus.held_out import group_of_lines, held_out_groups, words_of_one_group
from cloze_gen.stages.corpus.hyphens import HYPHENS, write_hyphens
from cloze_gen.stages.room import Room
from cloze_gen.stages.source_books import book_parts, decided_hyphens, hyphen_evidence, read_sentences
from cloze_gen.stages.tables import FOCUS, REJECTED, SOURCE_SENTENCES, rejection_columns, sentence_columns
from cloze_gen.stats.option_words import option_mask
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel, open_artifact
from cloze_gen.store.tables import join_parquet, write_parquet


@dataclass(frozen=True, slots=True)
class FocusShard:
    """One source book to be searched by a worker, which reads what all books share once, from disk.

    Attributes:
        folder: the ingested book.
        counts: folder of the training counts.
        hyphens: the decided line-end hyphens (`write_hyphens`).
        out: where the worker leaves its part of each table.
        only_here: words that the model of the book's questions has never seen (`stages.corpus.held_out`); none with training books.
    """

    book_id: str
    folder: Path
    counts: Path
    hyphens: Path
    out: Path
    settings: FocusSettings
    only_here: frozenset[str] = frozenset()


@functools.lru_cache(maxsize=1)
def option_table(counts: Path, settings: FocusSettings) -> dict[str, tuple[int, float]]:
    """The words that may be options, with count and frequency."""
    table = read_counts(open_artifact(counts))
    rows = np.flatnonzero(option_mask(table, settings)).tolist()
    return {table.words[row]: (int(table.count[row]), float(table.freq[row])) for row in rows}


def search_book(shard: FocusShard) -> tuple[int, Counter[str]]:
    """Write every verdict of one book, and the sentences that hold a focus word; returns the focus words and the rejections by reason."""
    options = option_table(shard.counts, shard.settings)
    sentences: list[Sentence] = []
    found: list[FocusWord] = []
    rejected: list[Rejection] = []
    for sentence in read_sentences(shard.folder, shard.book_id, decided_hyphens(shard.hyphens)):
        before = len(found)
        for verdict in select_focus_words(sentence, eligible=options, settings=shard.settings, only_here=shard.only_here):
            if isinstance(verdict, Rejection):
                rejected.append(verdict)
            else:
                found.append(verdict)
        if len(found) > before:
            sentences.append(sentence)
    write_parquet(shard.out / FOCUS, _focus_columns(found, options))
    write_parquet(shard.out / SOURCE_SENTENCES, sentence_columns(sentences))
    write_parquet(shard.out / REJECTED, rejection_columns(rejected))
    return len(found), Counter(str(rejection.reason) for rejection in rejected)


def write_focus(
    writer: ArtifactWriter, room: Room, *, source: Artifact, counts: Artifact, settings: FocusSettings, text: Artifact | None = None,
    models: int = 0,
) -> None:  # fmt: skip
    """Write focus words, the sentences that hold them, and every rejection with its reason.

    Files: `focus.parquet`, a row a focus word: `id`, `sentence_id`, `position`, `word`, `history1`, `history2`, `next_token`, `count`,
    `freq` (share of training word tokens). `sentences.parquet`, the sentences that hold one (`sentence_columns`). `rejected.parquet`, every
    other sentence and word: `id`, `reason`, `detail`. `hyphens.tsv`, how line-end hyphens were decided (`write_hyphens`).

    The rejected words are as many as the words of the books: they go from the workers to the disk and are never held together.

    Args:
        text: the training text, where it is made of the source books: then an answer must stand in a book of another group too.
        models: the most groups that they fall into (`stages.corpus.held_out`).
    Raises:
        CorpusError: no word may become a blank.
    """
    table = read_counts(counts)
    n_options = int(option_mask(table, settings).sum())
    write_hyphens(writer, hyphen_evidence(source, table))
    books, hyphens = kept_books(source), writer.path(HYPHENS)
    only = _only_here(source, text, counts, models) if text else {}
    with book_parts(writer, len(books)) as parts:
        shards = [
            FocusShard(book, book_folder(source, row), counts.folder, hyphens, part, settings, only.get(book, frozenset()))
            for row, book, part in zip(books, (row["book_id"] for row in books), parts, strict=True)
        ]
        n_found, reasons = 0, Counter[str]()
        for found, rejected in room.map(search_book, shards, unit="books"):
            n_found += found
            reasons += rejected
        if not n_found:
            told = ", ".join(f"{reason} {count:,}" for reason, count in sorted(reasons.items()))
            raise CorpusError(f"no word of the source books may become a blank ({told}). Lower focus.min_count, raise focus.max_freq or "
                              "widen focus.min_tokens and focus.max_tokens, or give more books.")  # fmt: skip
        for name in (FOCUS, SOURCE_SENTENCES, REJECTED):
            writer.rows[name] = join_parquet(writer.path(name), [part / name for part in parts])
    n_sentences = writer.rows[SOURCE_SENTENCES]
    writer.funnel = funnel("sentences and word positions", kept=n_found, rejected=reasons)
    writer.facts |= {"option_words": n_options, "sentences_with_focus": n_sentences}
    room.say(f"{n_found:,} focus words in {n_sentences:,} sentences; {n_options:,} words may be options")


def _only_here(source: Artifact, text: Artifact, counts: Artifact, models: int) -> dict[str, frozenset[str]]:
    """book id -> the words that stand in the books of its group alone."""
    groups = held_out_groups(source, models=models)
    alone = words_of_one_group(text, counts, group_of_lines(source, groups))
    return {book: alone[group] for book, group in groups.items()}


def _focus_columns(found: list[FocusWord], options: Mapping[str, tuple[int, float]]) -> dict[str, pa.Array]:
    return {
        "id": pa.array([focus.id for focus in found], pa.string()),
        "sentence_id": pa.array([focus.id.rpartition(":")[0] for focus in found], pa.string()),
        "position": pa.array([focus.position for focus in found], pa.int16()),
        "word": pa.array([focus.word for focus in found], pa.string()),
        "history1": pa.array([focus.history[0] for focus in found], pa.string()),
        "history2": pa.array([focus.history[1] for focus in found], pa.string()),
        "next_token": pa.array([focus.next_token for focus in found], pa.string()),
        "count": pa.array([options[focus.word][0] for focus in found], pa.int64()),
        "freq": pa.array([options[focus.word][1] for focus in found], pa.float64()),
    }
