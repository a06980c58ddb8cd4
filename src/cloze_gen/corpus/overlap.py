"""Overlap: duplicate books of a corpus, and source books that the training corpus holds."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import astuple, fields
from pathlib import PurePosixPath
from typing import Any, Literal

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
_OTHER_SIDE = "\t"  # before an id of the other side, where the same id may be another book
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
    within, across = _overlaps(own, other)
    drops: dict[str, tuple[str, str]] = {}
    if not keep_across:
        reason = BookReason.OVERLAPS_TRAIN if side == "source" else BookReason.OVERLAPS_SOURCE
        drops = {
            overlap.book_a: (reason, f"shares text with {overlap.book_b} ({_share(overlap):.0%})")
            for overlap in across
        }
    # after the comparison across sides: a dropped book has no copies
    drops |= _repeated(own, [overlap for overlap in within if not _is_of(overlap, drops)])
    rows = [_decided(row, drops) for row in read_books(own)]
    warn_of_dropped(ctx.say, [row for row in rows if row["book_id"] in drops])
    write_book_table(writer, rows, strict=ctx.strict)
    pairs = [(*astuple(overlap), "within") for overlap in within]
    pairs += [(*astuple(overlap), "across") for overlap in across]
    header = (*(field.name for field in fields(Overlap)), "where")
    writer.rows[OVERLAPS] = write_tsv(writer.path(OVERLAPS), header, pairs)
    leaks = {overlap.book_a for overlap in across} - set(drops)
    writer.facts |= {
        "overlaps": len(within),
        "overlaps_across": len(across),
        "kept_despite_overlap": sorted(leaks),
    }
    kept, seen = writer.funnel["kept"], writer.funnel["seen"]
    ctx.say(
        f"{len(within)} overlapping pairs within, {len(across)} across; {kept} of {seen} books kept"
    )


def read_sketches(artifact: Artifact) -> dict[str, Sketch]:
    return {
        row["book_id"]: np.load(book_folder(artifact, row) / SKETCH) for row in kept_books(artifact)
    }


def _overlaps(own: Artifact, other: Artifact | None) -> tuple[list[Overlap], list[Overlap]]:
    """The pairs within this side, and those across; there `book_a` is of this side."""
    sketches = read_sketches(own)
    if other is not None:
        sketches |= {f"{_OTHER_SIDE}{book}": kept for book, kept in read_sketches(other).items()}
    within: list[Overlap] = []
    across: list[Overlap] = []
    for overlap in find_overlaps(sketches, min_containment=_MIN_CONTAINMENT):
        # book_a is the lesser id, and the mark of the other side is less than any id
        if not overlap.book_a.startswith(_OTHER_SIDE):
            within.append(overlap)
        elif not overlap.book_b.startswith(_OTHER_SIDE):
            across.append(
                Overlap(
                    overlap.book_b,
                    overlap.book_a.removeprefix(_OTHER_SIDE),
                    overlap.containment_b_in_a,
                    overlap.containment_a_in_b,
                )
            )
    return within, sorted(across, key=lambda overlap: (overlap.book_a, overlap.book_b))


def _repeated(own: Artifact, overlaps: list[Overlap]) -> dict[str, tuple[str, str]]:
    """Collections of other books, and the books whose text another one has: reason and detail."""
    rows = {row["book_id"]: row for row in kept_books(own)}
    sizes = {book: int(row["tokens"]) for book, row in rows.items()}
    collections = find_aggregates(overlaps, sizes)
    drops = {
        book: (str(BookReason.AGGREGATE), f"contains {len(parts):,} books: {name_list(parts)}")
        for book, parts in collections.items()
    }
    left = [overlap for overlap in overlaps if not _is_of(overlap, collections)]
    paired = {book for overlap in left for book in (overlap.book_a, overlap.book_b)}
    quality = {book: (_has_accents(own, rows[book]), _edition(rows[book])) for book in paired}
    return drops | {
        book: (str(BookReason.DUPLICATE_OF), f"of {kept}: {why}")
        for book, (kept, why) in choose_drops(left, sizes, quality).items()
    }


def _is_of(overlap: Overlap, books: Mapping[str, Any]) -> bool:
    return overlap.book_a in books or overlap.book_b in books


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
    found = _EDITION.fullmatch(name)
    return int(found[1]) if found else 0


def _share(overlap: Overlap) -> float:
    return max(overlap.containment_a_in_b, overlap.containment_b_in_a)


def _decided(row: dict[str, str], drops: Mapping[str, tuple[str, str]]) -> dict[str, Any]:
    if row["book_id"] not in drops or row["status"] != "kept":
        return dict(row)
    reason, detail = drops[row["book_id"]]
    return row | {"status": "rejected", "reason": str(reason), "detail": detail}
