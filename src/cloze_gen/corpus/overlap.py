"""Overlap: duplicate books of a corpus, and source books that the training corpus holds."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping
from dataclasses import astuple, fields
from pathlib import PurePosixPath
from typing import Literal

import numpy as np
from pydantic import Field

from cloze_gen.corpus.books import (
    SKETCH,
    TYPES,
    book_folder,
    kept_books,
    read_books,
    write_book_table,
)
from cloze_gen.corpus.content_sketch import (
    Overlap,
    Sketch,
    choose_drops,
    find_aggregates,
    find_overlaps,
)
from cloze_gen.corpus.dropped import warn_of_dropped
from cloze_gen.corpus.parse_book import BookReason
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.parsing import name_list
from cloze_gen.settings import SettingsGroup
from cloze_gen.store.artifacts import Artifact, ArtifactWriter
from cloze_gen.store.tables import read_parquet, write_tsv

OVERLAPS = "overlaps.tsv"
# The least share of the smaller book's 8-word shingles that the other has. Over 534 books every
# pair that holds a copy reaches 0.90 or more; the nearest other pair 0.25 ("Sara Crewe", rewritten
# as "A Little Princess"), the next 0.08.
_MIN_CONTAINMENT = 0.3
_ACCENT = re.compile(r"[^\W\d_\x00-\x7f]")
# Project Gutenberg's names until 2003: `pandp09`, `pandp11`, `rholm11b`.
_EDITION = re.compile(r"(?=.{4,8}$)\w*[a-z]\d*?(\d\d)[a-z]?", re.IGNORECASE)


class OverlapSettings(SettingsGroup):
    across: Literal["drop_source", "drop_train", "keep"] = Field(
        "drop_source", description="a book on both sides"
    )


def write_overlap(
    writer: ArtifactWriter,
    ctx: StageContext,
    *,
    own: Artifact,
    other: Artifact | None,
    side: str,
    keep_across: bool = False,
) -> None:
    """Write `books.tsv` with the books that have no text of the other side, each once, and
    `overlaps.tsv`; `book_a` is of this side.

    Args:
        other: the opposite side's ingest, or None where it does not count.
        side: ``train``, ``source`` or ``books``.
        keep_across: only report books that have text of the other side.
    """
    overlaps = find_overlaps(
        read_sketches(own),
        read_sketches(other) if other is not None else None,
        min_containment=_MIN_CONTAINMENT,
    )
    within = [overlap for overlap in overlaps if overlap.where == "within"]
    across = [overlap for overlap in overlaps if overlap.where == "across"]
    drops: dict[str, tuple[str, str]] = {}
    if not keep_across:
        across_reason = (
            BookReason.OVERLAPS_TRAIN if side == "source" else BookReason.OVERLAPS_SOURCE
        )
        for overlap in sorted(across, key=_share):  # the largest last, which is kept
            detail = f"shares text with {overlap.book_b} ({_share(overlap):.0%})"
            drops[overlap.book_a] = (across_reason, detail)
    # after the comparison across sides: a dropped book has no copies
    drops |= _repeated(own, _without(within, drops))
    rows = read_books(own)
    for row in rows:
        if row["book_id"] in drops:
            reason, detail = drops[row["book_id"]]
            row |= {"status": "rejected", "reason": reason, "detail": detail}
    warn_of_dropped(ctx.say, [row for row in rows if row["book_id"] in drops])
    write_book_table(writer, rows, strict=ctx.strict)
    header = [field.name for field in fields(Overlap)]
    writer.rows[OVERLAPS] = write_tsv(writer.path(OVERLAPS), header, map(astuple, overlaps))
    leaks = {overlap.book_a for overlap in across} - drops.keys()
    writer.facts["kept_despite_overlap"] = sorted(leaks)
    kept, seen = writer.funnel["kept"], writer.funnel["seen"]
    ctx.say(
        f"{len(within)} overlapping pairs within, {len(across)} across; {kept} of {seen} books kept"
    )


def _share(overlap: Overlap) -> float:
    return max(overlap.containment_a_in_b, overlap.containment_b_in_a)


def read_sketches(artifact: Artifact) -> dict[str, Sketch]:
    return {
        row["book_id"]: np.load(book_folder(artifact, row) / SKETCH) for row in kept_books(artifact)
    }


def _repeated(own: Artifact, overlaps: list[Overlap]) -> dict[str, tuple[str, str]]:
    """Collections of other books, and the books whose text another one has: reason and detail."""
    rows = {row["book_id"]: row for row in kept_books(own)}
    sizes = {book: int(row["tokens"]) for book, row in rows.items()}
    drops: dict[str, tuple[str, str]] = {}
    for book, parts in find_aggregates(overlaps, sizes).items():
        detail = f"contains {len(parts):,} books: {name_list(parts)}"
        drops[book] = (BookReason.AGGREGATE, detail)
    left = _without(overlaps, drops)
    paired = {book for overlap in left for book in (overlap.book_a, overlap.book_b)}
    quality = {book: (_has_accents(own, rows[book]), _edition(rows[book])) for book in paired}
    for book, detail in choose_drops(left, sizes, quality).items():
        drops[book] = (BookReason.DUPLICATE_OF, detail)
    return drops


def _without(overlaps: Iterable[Overlap], books: Container[str]) -> list[Overlap]:
    """The pairs of which neither book is one of these."""
    return [
        overlap
        for overlap in overlaps
        if overlap.book_a not in books and overlap.book_b not in books
    ]


def _has_accents(own: Artifact, row: dict[str, str]) -> bool:
    """Whether a word has an accent: an edition in ASCII lost them."""
    words = read_parquet(book_folder(own, row) / TYPES, columns=["word"])["word"].to_pylist()
    return any(_ACCENT.search(word) for word in words)


def _edition(row: Mapping[str, str]) -> int:
    """The edition by an old name of Project Gutenberg; 0 for another name.

    >>> _edition({"file": "etext98/pandp11.txt"}), _edition({"file": "1342-0.txt"})
    (11, 0)
    """
    name = PurePosixPath(row.get("member") or row["file"]).name.partition(".")[0]
    match = _EDITION.fullmatch(name)
    return int(match[1]) if match else 0
