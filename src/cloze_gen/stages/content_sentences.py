"""Sentences of the source books for the SCS set, as an artifact: those kept with their tags, and the reason of every other."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from cloze_gen.cloze.content_sentences import ContentSentenceReason, ContentSentenceSettings, content_fault, shape_fault, thinned_out
from cloze_gen.cloze.sentence_grooming import sentence_fault
from cloze_gen.records import Rejection, Sentence
from cloze_gen.stages.content_vocabulary import read_content_vocabulary
from cloze_gen.stages.counts import hyphen_forms, read_counts
from cloze_gen.stages.focus import SOURCE_SENTENCES, hyphen_evidence, read_sentences, rejection_columns, sentence_columns
from cloze_gen.stages.ingest import book_folder, kept_books
from cloze_gen.stages.offensive_words import offensive_words
from cloze_gen.stages.room import Room
from cloze_gen.stages.tags import TAGS, Pair, lemma_pair, tag_folders
from cloze_gen.store.artifacts import Artifact, ArtifactWriter
from cloze_gen.store.tables import read_parquet, write_parquet
from cloze_gen.text.hyphens import resolve_hyphens

REJECTED = "rejected.parquet"


@dataclass(frozen=True, slots=True)
class BookSentences:
    """One source book to be sifted by a worker."""

    book_id: str
    folder: Path
    tags: Path
    forms: dict[str, str]
    vocabulary: frozenset[Pair]
    offensive: frozenset[str]
    settings: ContentSentenceSettings


def sift_book(shard: BookSentences) -> tuple[list[tuple[Sentence, str]], list[Rejection]]:
    """Every verdict of one book: kept sentences with their tags, and rejections."""
    kept, rejected = [], []
    lines = read_parquet(shard.tags / TAGS)["tags"].to_pylist()
    for sentence, line in zip(read_sentences(shard.folder, shard.book_id, shard.forms), lines, strict=True):
        reason = _fault(sentence, line.split(" "), shard)
        if reason is None:
            kept.append((sentence, line))
        else:
            rejected.append(Rejection(sentence.id, reason))
    return kept, rejected


def _fault(sentence: Sentence, tags: list[str], shard: BookSentences) -> str | None:
    reason: str | None = shape_fault(sentence) or sentence_fault(sentence.tokens, offensive=shard.offensive)
    if reason is None:
        pairs = [lemma_pair(token, tag) for token, tag in zip(sentence.tokens, tags, strict=True)]
        reason = content_fault(tags, pairs, vocabulary=shard.vocabulary, settings=shard.settings)
    if reason is None and thinned_out(sentence.id, keep_share=shard.settings.keep_share):
        reason = ContentSentenceReason.THINNED
    return reason


def write_content_sentences(
    writer: ArtifactWriter,
    room: Room,
    *,
    source: Artifact,
    tagging: Artifact,
    counts: Artifact,
    vocabulary: Artifact,
    settings: ContentSentenceSettings,
) -> None:
    """Write the kept sentences with their tags, in order of book and sentence, and every rejection."""
    forms = hyphen_forms(resolve_hyphens(hyphen_evidence(source, read_counts(counts))))
    words, pairs = offensive_words(settings.offensive_words), frozenset(read_content_vocabulary(vocabulary))
    folders = tag_folders(tagging)
    shards = [
        BookSentences(row["book_id"], book_folder(source, row), folders[row["book_id"]], forms, pairs, words, settings)
        for row in kept_books(source)
    ]
    results = list(room.map(sift_book, shards, unit="books"))
    kept = [pair for part, _ in results for pair in part]
    rejected = [rejection for _, part in results for rejection in part]
    columns = sentence_columns([sentence for sentence, _ in kept]) | {"tags": pa.array([tags for _, tags in kept], pa.string())}
    writer.rows[SOURCE_SENTENCES] = write_parquet(writer.path(SOURCE_SENTENCES), columns)
    writer.rows[REJECTED] = write_parquet(writer.path(REJECTED), rejection_columns(rejected))
    reasons = Counter(str(rejection.reason) for rejection in rejected)
    writer.funnel = {
        "unit": "sentences",
        "seen": len(kept) + len(rejected),
        "kept": len(kept),
        "rejected": dict(sorted(reasons.items())),
    }
    room.say(f"{len(kept):,} of {len(kept) + len(rejected):,} sentences are fit and kept")


def read_tagged_sentences(artifact: Artifact) -> list[tuple[Sentence, list[str]]]:
    """The kept sentences with their tags, in their order."""
    columns = read_parquet(artifact.path(SOURCE_SENTENCES)).to_pydict()
    return [
        (Sentence(row[1], row[2], row[3], row[4], row[5], row[6], row[7], tuple(row[8].split(" "))), row[9].split(" "))
        for row in zip(*columns.values(), strict=True)
    ]
