"""Sentences of the source books: those kept with their tags, and the reason of every other."""

from __future__ import annotations

import functools
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from cloze_gen.recipes.scs.stages.vocabulary import read_vocabulary
from cloze_gen.recipes.scs.steps.sentences import SentencesSettings, fault_of_sentence
from cloze_gen.records.rejection import Rejection
from cloze_gen.records.sentence import Sentence
from cloze_gen.stages.corpus.book_table import book_folder, kept_books
from cloze_gen.stages.corpus.counts import read_counts
from cloze_gen.stages.corpus.hyphens import HYPHENS, write_hyphens
from cloze_gen.stages.corpus.tags import TAGS, lemma_pair, tag_folders
from cloze_gen.stages.offensive_words import offensive_words
from cloze_gen.stages.room import Room
from cloze_gen.stages.source_books import book_parts, decided_hyphens, hyphen_evidence, read_sentences
from cloze_gen.stages.tables import REJECTED, SOURCE_SENTENCES, read_source_sentences, rejection_columns, sentence_columns
from cloze_gen.stats.lemma_counts import Pair
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel, open_artifact
from cloze_gen.store.tables import join_parquet, read_parquet, write_parquet


@dataclass(frozen=True, slots=True)
class BookSentences:
    """One source book to be sifted by a worker, which reads what all books share once, from disk.

    Attributes:
        folder: the ingested book.
        vocabulary: folder of the content vocabulary.
        hyphens: the decided line-end hyphens (`write_hyphens`).
        out: where the worker leaves its part of each table.
    """

    book_id: str
    folder: Path
    tags: Path
    vocabulary: Path
    hyphens: Path
    out: Path
    offensive: frozenset[str]
    settings: SentencesSettings


@functools.lru_cache(maxsize=1)
def _vocabulary(folder: Path) -> frozenset[Pair]:
    return frozenset(read_vocabulary(open_artifact(folder)))


def sift_book(shard: BookSentences) -> tuple[int, Counter[str]]:
    """Write every verdict of one book, kept sentences with their tags; returns how many were kept, and the rejections by reason."""
    kept: list[Sentence] = []
    tags: list[str] = []
    rejected: list[Rejection] = []
    lines = read_parquet(shard.tags / TAGS)["tags"].to_pylist()
    for sentence, line in zip(read_sentences(shard.folder, shard.book_id, decided_hyphens(shard.hyphens)), lines, strict=True):
        fault = fault_of_sentence(
            sentence,
            line.split(" "),
            pair_of=lemma_pair,
            vocabulary=_vocabulary(shard.vocabulary),
            offensive=shard.offensive,
            settings=shard.settings,
        )
        if fault is None:
            kept.append(sentence)
            tags.append(line)
        else:
            rejected.append(Rejection(sentence.id, fault))
    write_parquet(shard.out / SOURCE_SENTENCES, sentence_columns(kept) | {"tags": pa.array(tags, pa.string())})
    write_parquet(shard.out / REJECTED, rejection_columns(rejected))
    return len(kept), Counter(str(rejection.reason) for rejection in rejected)


def write_sentences(
    writer: ArtifactWriter,
    room: Room,
    *,
    source: Artifact,
    tagging: Artifact,
    counts: Artifact,
    vocabulary: Artifact,
    settings: SentencesSettings,
) -> None:
    """Write the kept sentences, in order of book and sentence.

    `sentences.parquet` has `stages.tables.sentence_columns` and `tags`, `rejected.parquet` (`id`, `reason`, `detail`) every other sentence,
    `hyphens.tsv` how words that a line end broke were decided.
    """
    write_hyphens(writer, hyphen_evidence(source, read_counts(counts)))
    words, folders, books = offensive_words(settings.offensive_words), tag_folders(tagging), kept_books(source)
    hyphens = writer.path(HYPHENS)
    with book_parts(writer, len(books)) as parts:
        shards = [
            BookSentences(
                row["book_id"], book_folder(source, row), folders[row["book_id"]], vocabulary.folder, hyphens, part, words, settings
            )
            for row, part in zip(books, parts, strict=True)
        ]
        n_kept, reasons = 0, Counter[str]()
        for kept, rejected in room.map(sift_book, shards, unit="books"):
            n_kept += kept
            reasons += rejected
        for name in (SOURCE_SENTENCES, REJECTED):
            writer.rows[name] = join_parquet(writer.path(name), [part / name for part in parts])
    seen = n_kept + reasons.total()
    writer.funnel = funnel("sentences", kept=n_kept, rejected=reasons)
    room.say(f"{n_kept:,} of {seen:,} sentences are fit and kept")


def read_tagged_sentences(artifact: Artifact) -> list[tuple[Sentence, list[str]]]:
    """The kept sentences with their tags, in their order."""
    lines = read_parquet(artifact.path(SOURCE_SENTENCES), columns=["tags"])["tags"].to_pylist()
    return [(sentence, line.split(" ")) for sentence, line in zip(read_source_sentences(artifact).values(), lines, strict=True)]
