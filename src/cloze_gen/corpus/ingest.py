"""Ingest: books become sentences, stored by content, with one audit row a book."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from cloze_gen.corpus.books import SENTENCES as SENTENCE_FILE
from cloze_gen.corpus.books import SKETCH, TYPES, write_book_table
from cloze_gen.corpus.collect import VERSION, Book, read_text
from cloze_gen.corpus.counts import opening_words
from cloze_gen.corpus.dropped import warn_of_dropped
from cloze_gen.corpus.manifest import MANIFEST_NAME
from cloze_gen.corpus.parse_book import (
    BookReason,
    IngestSettings,
    ParsedBook,
    parse_book,
)
from cloze_gen.corpus.parse_sentences import parse_sentences
from cloze_gen.corpus.readers.reader import SENTENCES
from cloze_gen.corpus.text_warnings import doubtful_books_warning
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.errors import BookError
from cloze_gen.parsing import quote
from cloze_gen.store.artifacts import ArtifactWriter, Store
from cloze_gen.store.fingerprint import StageKey
from cloze_gen.store.tables import escape_cell, write_parquet

BOOK_VERSION = 10
_LIBRARIES = ("spacy", "pyarrow", "numpy")  # their versions can change the bytes


@dataclass(frozen=True, slots=True)
class BookShard:
    """One book for a worker to read."""

    out: Path
    book: Book
    settings: IngestSettings

    @property
    def needs(self) -> tuple[Path, ...]:
        """Files outside the output folder that other machines must see."""
        return (self.book.text,) if self.book.in_place else ()

    @property
    def key(self) -> StageKey:
        settings = self.settings.model_dump(mode="json")
        settings |= {"format": self.book.format, "reading": VERSION}
        return StageKey("book", BOOK_VERSION, settings, item=self.book.sha256[:24])


def ingest_book(shard: BookShard) -> dict[str, Any]:
    """Read one book into the store unless it is there; returns its audit row.

    Raises:
        CorpusError: the file changed since the run was planned.
    """
    book, store = shard.book, Store(shard.out)
    try:
        if book.fault:
            reason, detail = book.fault
            raise BookError(reason, f"{quote(book.place)}: {detail}")
        if book.listed and book.differs_from_manifest:
            raise BookError(
                BookReason.DIFFERS_FROM_MANIFEST,
                f"sha256 {book.sha256[:12]}..., but {MANIFEST_NAME}, line {book.listed.line}, "
                f"lists {book.listed.sha256[:12]}...: a different file",
            )
        if not store.is_complete(shard.key):
            text = read_text(book)
            parse = parse_sentences if book.format == SENTENCES else parse_book
            with store.writing(shard.key) as writer:
                if writer is not None:
                    _write_book(writer, parse(text, settings=shard.settings))
    except BookError as error:
        return {
            "status": "rejected",
            "reason": str(error.reason),
            "detail": str(error),
        }
    facts = store.open(shard.key).facts
    folder = f"../{shard.key.folder_name}"
    return {"status": "kept", "reason": "", "detail": "", "folder": folder, **facts}


def _write_book(writer: ArtifactWriter, parsed: ParsedBook) -> None:
    columns = {
        "index": pa.array(range(len(parsed.start)), pa.int32()),
        "start": pa.array(parsed.start, pa.int32()),
        "end": pa.array(parsed.end, pa.int32()),
        "paragraph": pa.array(parsed.paragraph, pa.int32()),
        "kind": pa.array(parsed.kind, pa.string()).dictionary_encode(),
        "text": pa.array(parsed.text, pa.string()),
        "tokens": pa.array(parsed.tokens, pa.string()),
    }
    writer.rows[SENTENCE_FILE] = write_parquet(writer.path(SENTENCE_FILE), columns)
    initial = opening_words(parsed.tokens)
    words = sorted(parsed.type_counts)
    counts = {
        "word": pa.array(words, pa.string()),
        "count": pa.array([parsed.type_counts[word] for word in words], pa.int32()),
        "initial_count": pa.array([initial[word] for word in words], pa.int32()),
    }
    writer.rows[TYPES] = write_parquet(writer.path(TYPES), counts)
    np.save(writer.path(SKETCH), parsed.sketch)
    writer.facts |= asdict(parsed.audit)
    writer.note_libraries(*_LIBRARIES)


def write_ingest(
    writer: ArtifactWriter,
    ctx: StageContext,
    *,
    books: Sequence[Book],
    settings: IngestSettings,
) -> None:
    """Read all books and write `books.tsv` (`write_book_table`); each is an artifact of
    `sentences.parquet` (`start` and `end` in its text), `types.parquet` and `sketch.npy`.
    """
    shards = [BookShard(ctx.store.root, book, settings) for book in books]
    audits = ctx.map(ingest_book, shards, unit="books")
    folder = writer.folder.parent
    table = [_row(book, audit, folder) for book, audit in zip(books, audits, strict=True)]
    warn_of_dropped(ctx.say, table)
    kept = [row for row in table if row["status"] == "kept"]
    if warning := doubtful_books_warning((row["book_id"], row["warnings"]) for row in kept):
        ctx.say(f"warning: {warning}")
    write_book_table(writer, table, strict=ctx.strict)
    texts = {row["text"].rpartition("/text/")[0] for row in kept if row["text"]}
    writer.holds = sorted({*writer.holds, *texts})
    writer.note_libraries(*_LIBRARIES)
    writer.facts |= {
        "sentences": sum(row["sentences"] for row in kept),
        "tokens": sum(row["tokens"] for row in kept),
    }
    ctx.say(
        f"{len(kept)} of {len(table)} books, {writer.facts['sentences']:,} sentences, "
        f"{writer.facts['tokens']:,} tokens"
    )


def _row(book: Book, audit: dict[str, Any], folder: Path) -> dict[str, Any]:
    text = "" if book.in_place or book.fault else os.path.relpath(book.text, folder / "artifact")
    row: dict[str, Any] = {
        "book_id": book.book_id,
        "file": book.file,
        "member": book.member or None,
        "digest": book.sha256,
        "text": text,
        "folder": None,  # the column's place; a book of which nothing is stored has no folder
        **book.facts,
        "encoding": book.encoding,
        "encoding_evidence": book.evidence,
    }
    row |= audit
    # File names and marker lines may hold any character; escaped from here on.
    return {
        name: escape_cell(value) if isinstance(value, str) else value for name, value in row.items()
    }
