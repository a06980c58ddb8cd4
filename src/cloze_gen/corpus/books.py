"""The table of books that every corpus stage ends with, and the files of a book."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from cloze_gen.corpus.dropped import dropped_text
from cloze_gen.errors import CorpusError
from cloze_gen.parsing import counted
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel
from cloze_gen.store.tables import read_parquet, read_tsv, write_tsv

SENTENCES, TYPES, SKETCH = "sentences.parquet", "types.parquet", "sketch.npy"
BOOKS = "books.tsv"


def read_type_counts(folders: Iterable[Path]) -> tuple[Counter[str], Counter[str]]:
    """Surface counts and sentence-initial counts of several books together."""
    tables = [read_parquet(folder / TYPES) for folder in folders]
    merged = (
        pa.concat_tables(tables)
        .group_by("word", use_threads=False)
        .aggregate([("count", "sum"), ("initial_count", "sum")])
    )
    words, counts, initial = (
        merged[name].to_numpy().tolist() for name in ("word", "count_sum", "initial_count_sum")
    )
    return Counter(dict(zip(words, counts, strict=True))), Counter(
        {word: n for word, n in zip(words, initial, strict=True) if n}
    )


def write_book_table(
    writer: ArtifactWriter, rows: Sequence[dict[str, Any]], *, strict: bool
) -> None:
    """Write `books.tsv` and its funnel; CorpusError if no book is left, or a strict run dropped
    one.
    """
    header = list(dict.fromkeys(name for row in rows for name in row))
    writer.rows[BOOKS] = write_tsv(
        writer.path(BOOKS), header, ([row.get(name) for name in header] for row in rows)
    )
    writer.holds = sorted({row["folder"] for row in rows if row["status"] == "kept"})
    reasons = Counter(row["reason"] for row in rows if row["status"] != "kept")
    kept = len(rows) - sum(reasons.values())
    writer.funnel = funnel("books", kept=kept, rejected=reasons)
    if not kept:
        raise CorpusError(f"0 of {counted(len(rows), 'book')} can be used: {dropped_text(rows)}.")
    if strict and kept < len(rows):
        raise CorpusError(
            f"--strict: dropped {dropped_text(rows)}. Fix or remove these books, or run "
            "without --strict."
        )


def read_books(artifact: Artifact) -> list[dict[str, str]]:
    """All rows of `books.tsv`, cells still escaped (`unescape_cell`)."""
    return read_tsv(artifact.path(BOOKS))


def kept_books(artifact: Artifact) -> list[dict[str, str]]:
    return [row for row in read_books(artifact) if row["status"] == "kept"]


def book_folder(artifact: Artifact, row: dict[str, str]) -> Path:
    return artifact.folder / row["folder"]
