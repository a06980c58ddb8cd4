"""Overlap: duplicate books of a corpus, and source books that the training corpus holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import astuple, fields
from typing import Any, Literal

import numpy as np
from pydantic import Field

from cloze_gen.corpus.books import SKETCH, book_folder, kept_books, read_books, write_book_table
from cloze_gen.corpus.content_sketch import (
    Overlap,
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
from cloze_gen.store.tables import write_tsv

OVERLAPS = "overlaps.tsv"
# The least share of the smaller book's 8-word shingles that the other has. Over 534 books every
# pair that holds a copy reaches 0.90 or more; the nearest other pair 0.25 ("Sara Crewe", rewritten
# as "A Little Princess"), the next 0.08.
MIN_CONTAINMENT = 0.3


class OverlapSettings(SettingsGroup):
    within: Literal["drop", "keep"] = Field(
        "drop", description="a book that another of the same side contains"
    )
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
    settings: OverlapSettings,
) -> None:
    """Write `books.tsv` with the books that have no text of the other side, each once, and
    `overlaps.tsv`; `book_a` is of this side.

    Args:
        other: the opposite side's ingest, or None where it does not count.
        side: ``train``, ``source`` or ``books``.
    """
    sketches = read_sketches(own)
    sizes = {row["book_id"]: int(row["tokens"]) for row in kept_books(own)}
    # the kept copy represents all copies
    largest_first = sorted(sketches, key=lambda book: (-sizes[book], book))
    inside = find_overlaps(
        {book: sketches[book] for book in largest_first}, min_containment=MIN_CONTAINMENT
    )
    drops: dict[str, tuple[str, str]] = {}
    across: list[Overlap] = []
    if other is not None:
        across = _across(sketches, read_sketches(other))
        reason = BookReason.OVERLAPS_TRAIN if side == "source" else BookReason.OVERLAPS_SOURCE
        if settings.across == ("drop_source" if side == "source" else "drop_train"):
            drops = {
                found.book_a: (reason, f"shares text with {found.book_b} ({_share(found):.0%})")
                for found in across
            }
    if settings.within == "drop":  # after the comparison across sides: a dropped book has no copies
        left = [found for found in inside if not drops.keys() & {found.book_a, found.book_b}]
        collections = find_aggregates(left, sizes)
        drops |= {
            book: (BookReason.AGGREGATE, f"contains {len(parts):,} books: {name_list(parts)}")
            for book, parts in collections.items()
        }
        left = [one for one in left if collections.keys().isdisjoint({one.book_a, one.book_b})]
        drops |= {
            book: (BookReason.DUPLICATE_OF, f"of {kept}: {why}")
            for book, (kept, why) in choose_drops(left, sizes).items()
        }
    rows = [_decided(row, drops) for row in read_books(own)]
    warn_of_dropped(ctx.say, [row for row in rows if row["book_id"] in drops])
    write_book_table(writer, rows, strict=ctx.strict)
    pairs = [(*astuple(found), "within") for found in inside] + [
        (*astuple(found), "across") for found in across
    ]
    header = (*(field.name for field in fields(Overlap)), "where")
    writer.rows[OVERLAPS] = write_tsv(writer.path(OVERLAPS), header, pairs)
    # else the other side drops its book
    leaks = {found.book_a for found in across} - set(drops) if settings.across == "keep" else ()
    writer.facts |= {
        "overlaps": len(inside),
        "overlaps_across": len(across),
        "kept_despite_overlap": sorted(leaks),
    }
    kept, seen = writer.funnel["kept"], writer.funnel["seen"]
    ctx.say(
        f"{len(inside)} overlapping pairs within, {len(across)} across; {kept} of {seen} books kept"
    )


def read_sketches(artifact: Artifact) -> dict[str, np.ndarray]:
    return {
        row["book_id"]: np.load(book_folder(artifact, row) / SKETCH) for row in kept_books(artifact)
    }


def _across(own: Mapping[str, np.ndarray], other: Mapping[str, np.ndarray]) -> list[Overlap]:
    """Overlaps between the sides, the own book as `book_a`; both sides may use the same id."""
    # The other side first: one of several copies there represents all,
    # and every copy on this side is paired with it.
    both = {f"other\t{book}": sketch for book, sketch in other.items()} | {
        f"own\t{book}": sketch for book, sketch in own.items()
    }
    found = []
    for overlap in find_overlaps(both, min_containment=MIN_CONTAINMENT):
        (side_a, book_a), (side_b, book_b) = overlap.book_a.split("\t"), overlap.book_b.split("\t")
        if side_a == side_b:
            continue
        a_in_b, b_in_a = overlap.containment_a_in_b, overlap.containment_b_in_a
        found.append(
            Overlap(book_a, book_b, a_in_b, b_in_a)
            if side_a == "own"
            else Overlap(book_b, book_a, b_in_a, a_in_b)
        )
    return sorted(found, key=lambda overlap: (overlap.book_a, overlap.book_b))


def _share(overlap: Overlap) -> float:
    return max(overlap.containment_a_in_b, overlap.containment_b_in_a)


def _decided(row: dict[str, str], drops: Mapping[str, tuple[str, str]]) -> dict[str, Any]:
    if row["book_id"] not in drops or row["status"] != "kept":
        return dict(row)
    reason, detail = drops[row["book_id"]]
    return row | {"status": "rejected", "reason": str(reason), "detail": detail}
