"""The table of books that every stage of a corpus ends with: one row a book, kept or dropped with the reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cloze_gen.errors import CorpusError
from cloze_gen.stages.corpus.dropped import dropped_text, remedies_text
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel
from cloze_gen.store.tables import read_tsv, write_tsv

BOOKS = "books.tsv"


def write_book_table(writer: ArtifactWriter, rows: Sequence[dict[str, Any]], *, strict: bool) -> None:
    """Write `books.tsv` and the funnel of books.

    A row a book, in the rows' order: `book_id`, `file`, `digest` of the file's bytes, `folder` of what was read of it (empty where nothing
    is stored), of what the corpus's manifest says of it `title`, `author`, `genre`, `year`, `etext`, `license` and `role`, the columns
    of `text.audit.BookAudit`, and last `status`, `reason` and `detail`.

    Raises:
        CorpusError: no book is left, or one was dropped under `--strict`.
    """
    header = list(dict.fromkeys(name for row in rows for name in row))
    writer.rows[BOOKS] = write_tsv(writer.path(BOOKS), header, ([row.get(name) for name in header] for row in rows))
    writer.holds = sorted({row["folder"] for row in rows if row["status"] == "kept"})
    reasons = Counter(row["reason"] for row in rows if row["status"] != "kept")
    kept = len(rows) - sum(reasons.values())
    writer.funnel = funnel("books", kept=kept, rejected=reasons)
    if not kept:
        raise CorpusError(f"no book is left of {len(rows):,}: {dropped_text(rows)}. What helps: {remedies_text(rows)}.")
    if strict and kept < len(rows):
        raise CorpusError(f"--strict: dropped {dropped_text(rows)}. Mend or remove these books, or run without --strict.")


def read_books(artifact: Artifact) -> list[dict[str, str]]:
    """All rows of an artifact's table of books; `unescape_cell` gives a file's own name back."""
    return read_tsv(artifact.path(BOOKS))


def kept_books(artifact: Artifact) -> list[dict[str, str]]:
    """The rows of the books that go on, in order of their ids."""
    return [row for row in read_books(artifact) if row["status"] == "kept"]


def book_folder(artifact: Artifact, row: dict[str, str]) -> Path:
    """The folder that holds a book's sentences, types and sketch."""
    return artifact.folder / row["folder"]
