"""Ingest: books become sentences, stored by content, with one audit row a book."""

from __future__ import annotations

import functools
import importlib.metadata
import threading
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from cloze_gen.corpus.books import SENTENCES, SKETCH, TYPES, write_book_table
from cloze_gen.corpus.counts import opening_words
from cloze_gen.corpus.dropped import warn_of_dropped
from cloze_gen.corpus.manifest import MANIFEST_NAME
from cloze_gen.corpus.ocr import ocr_warning
from cloze_gen.corpus.parse_book import (
    BookReason,
    IngestSettings,
    ParsedBook,
    parse_book,
)
from cloze_gen.corpus.parse_sentences import parse_sentences
from cloze_gen.corpus.readers import UNREADABLE, read_book
from cloze_gen.corpus.readers.sentence_lines import KIND as SENTENCE_LINES
from cloze_gen.corpus.scan import BookFile
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.errors import BookError
from cloze_gen.store.artifacts import ArtifactWriter, Store
from cloze_gen.store.fingerprint import StageKey
from cloze_gen.store.tables import escape_cell, write_parquet

BOOK_VERSION = 8


@dataclass(frozen=True, slots=True)
class BookShard:
    """One book for a worker to read; `digest` is of its stored bytes when the run was planned."""

    out: Path
    book: BookFile
    digest: str
    settings: IngestSettings

    @property
    def needs(self) -> tuple[Path, ...]:
        """Files outside the output folder that other machines must see."""
        return (self.book.path,)

    @property
    def key(self) -> StageKey:
        settings = self.settings.model_dump(mode="json")
        if self.book.kind:
            settings |= {"kind": self.book.kind}
        return StageKey("book", BOOK_VERSION, settings, item=self.digest[:24])


_READING = threading.Lock()  # one tokenizer a process


def _parsed(text: str, shard: BookShard) -> ParsedBook:
    parse = parse_sentences if shard.book.kind == SENTENCE_LINES else parse_book
    with _READING:
        return parse(text, settings=shard.settings)


def ingest_book(shard: BookShard) -> dict[str, Any]:
    """Read one book into the store unless it is there; returns its audit row. CorpusError if the
    file changed since its digest was taken.
    """
    if shard.book.unlike_listed(shard.digest):
        return _rejected(BookReason.DIFFERS_FROM_MANIFEST, _unlike_listed(shard))
    store = Store(shard.out)
    try:
        if shard.digest.startswith(UNREADABLE) or not store.is_complete(shard.key):
            # An unreadable book ends here: no two of them share a key.
            raw = read_book(shard.book.path, shard.book.member, digest=shard.digest)
            decoded = raw.decode()
            with store.writing(shard.key) as writer:
                if writer is not None:
                    writer.facts |= {
                        "status": "kept",
                        "reason": "",
                        "detail": "",
                        "book_bytes": len(raw.data),
                        "encoding": decoded.encoding,
                        "encoding_evidence": decoded.evidence,
                    }
                    _write_book(writer, _parsed(decoded.text, shard))
    except BookError as error:
        return _rejected(error.reason, str(error))
    return {"folder": f"../{shard.key.folder_name}", **store.open(shard.key).facts}


def _rejected(reason: str, detail: str) -> dict[str, Any]:
    return {"status": "rejected", "reason": str(reason), "detail": detail}


def _unlike_listed(shard: BookShard) -> str:
    where = f"{MANIFEST_NAME}, line {shard.book.listed_in_line}"
    return (
        f"sha256 {shard.digest[:12]}..., but {where}, lists {shard.book.listed_sha256[:12]}...: "
        "a different file"
    )


def _write_book(writer: ArtifactWriter, parsed: ParsedBook) -> None:
    n = len(parsed.start)
    columns = {
        "index": pa.array(np.arange(n, dtype=np.int32)),
        "start": pa.array(parsed.start, pa.int32()),
        "end": pa.array(parsed.end, pa.int32()),
        "paragraph": pa.array(parsed.paragraph, pa.int32()),
        "kind": pa.array(parsed.kind, pa.string()).dictionary_encode(),
        "text": pa.array(parsed.text, pa.string()),
        "tokens": pa.array(parsed.tokens, pa.string()),
    }
    writer.rows[SENTENCES] = write_parquet(writer.path(SENTENCES), columns)
    initial = opening_words(parsed.tokens)
    words = sorted(parsed.type_counts)
    counts = {
        "word": pa.array(words, pa.string()),
        "count": pa.array([parsed.type_counts[word] for word in words], pa.int32()),
        "initial_count": pa.array([initial[word] for word in words], pa.int32()),
    }
    writer.rows[TYPES] = write_parquet(writer.path(TYPES), counts)
    np.save(writer.path(SKETCH), parsed.sketch)
    writer.facts |= {name: _plain(value) for name, value in asdict(parsed.audit).items()}
    writer.versions |= _versions()


@functools.cache
def _versions() -> dict[str, str]:
    return {
        "spacy": importlib.metadata.version("spacy"),
        "pyarrow": pa.__version__,
        "numpy": np.__version__,
    }


def _plain(value: Any) -> Any:
    return round(value, 6) if isinstance(value, float) else value


def write_ingest(
    writer: ArtifactWriter,
    ctx: StageContext,
    *,
    books: Iterable[tuple[BookFile, str]],
    settings: IngestSettings,
) -> None:
    """Read all books, given with the digests of their files, and write `books.tsv` (`write_book_table`); each is an artifact of
    `sentences.parquet` (`start` and `end` in the decoded file), `types.parquet` and `sketch.npy`.
    """
    shards = [BookShard(ctx.store.root, book, digest, settings) for book, digest in books]
    in_order = sorted(shards, key=lambda shard: (shard.book.file, shard.book.position))
    audits = ctx.map(ingest_book, in_order, unit="books")
    audit_of = {shard.book: audit for shard, audit in zip(in_order, audits, strict=True)}
    table = [_row(shard, audit_of[shard.book]) for shard in shards]
    warn_of_dropped(ctx.say, table)
    kept = [row for row in table if row["status"] == "kept"]
    if warning := ocr_warning((row["book_id"], row["unknown_word_share"]) for row in kept):
        ctx.say(f"warning: {warning}")
    write_book_table(writer, table, strict=ctx.strict)
    writer.versions |= _versions()
    writer.facts |= {
        "sentences": sum(row["sentences"] for row in kept),
        "tokens": sum(row["tokens"] for row in kept),
    }
    ctx.say(
        f"{len(kept)} of {len(table)} books, {writer.facts['sentences']:,} sentences, "
        f"{writer.facts['tokens']:,} tokens"
    )


def _row(shard: BookShard, audit: dict[str, Any]) -> dict[str, Any]:
    row: dict[str, Any] = {
        "book_id": shard.book.book_id,
        "file": shard.book.file,
        "digest": shard.digest,
    }
    if shard.book.member:
        row |= {"member": shard.book.member}
    # the column's place; a book of which nothing is stored has no folder
    row |= {"folder": None, **dict(shard.book.facts)}
    row |= audit
    # File names and marker lines may hold any character; escaped from here on.
    return {
        name: escape_cell(value) if isinstance(value, str) else value for name, value in row.items()
    }
