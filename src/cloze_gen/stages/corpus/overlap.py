"""Overlap: books that stand twice in a corpus, and source books that the training corpus holds, found by content."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import astuple, fields
from typing import Any, Literal

import numpy as np
from pydantic import Field

from cloze_gen.settings import IgnoredWhen, SettingsGroup
from cloze_gen.stages.corpus.book_files import SKETCH
from cloze_gen.stages.corpus.book_table import book_folder, kept_books, read_books, write_book_table
from cloze_gen.stages.corpus.dropped import warn_of_dropped
from cloze_gen.stages.room import Room
from cloze_gen.store.artifacts import Artifact, ArtifactWriter
from cloze_gen.store.tables import write_tsv
from cloze_gen.text.audit import BookReason
from cloze_gen.text.duplicates import Overlap, choose_drops, find_overlaps

OVERLAPS = "overlaps.tsv"


class OverlapSettings(SettingsGroup):
    """Settings of the search for books that overlap."""

    # Over 534 books every pair that holds a copy reaches 0.90 or more; the nearest other pair 0.25 ("Sara Crewe", rewritten as "A Little
    # Princess"), the next 0.08.
    min_containment: float = Field(0.3, gt=0, le=1, description="inclusive: share of the smaller book's 8-word shingles found in the other")
    within: Literal["drop", "keep"] = Field("drop", description="what becomes of a book that another of the same side contains")
    across: Literal["drop_source", "drop_train", "keep"] = Field("drop_source", description="what becomes of a book on both sides")


IGNORED_WITHOUT_TRAIN = (IgnoredWhen(("overlap.across",), {"--train": (False,)}),)  # of a style that has two sides of books
IGNORED_OF_ONE_SIDE = (IgnoredWhen(("overlap.across",), {}),)


def write_overlap(
    writer: ArtifactWriter, room: Room, *, own: Artifact, other: Artifact | None, side: str, settings: OverlapSettings
) -> None:
    """Decide which books of one side go on: those free of the other side's text, and of these each once.

    Writes `books.tsv` (`write_book_table`), the ingest's and who goes here, and `overlaps.tsv`, a row a pair of books with text in common:
    `book_a` (of this side), `book_b`, the shares `containment_a_in_b` and `containment_b_in_a`, and `where` the pair was found (``within``,
    ``across``).

    Args:
        own: this side's ingest.
        other: the opposite side's ingest, or None where it has no say.
        side: ``train``, ``source`` or ``books``.

    Raises:
        CorpusError: no book is left, or one was dropped under `--strict`.
    """
    sketches = read_sketches(own)
    sizes = {row["book_id"]: int(row["tokens"]) for row in kept_books(own)}
    largest_first = sorted(sketches, key=lambda book: (-sizes[book], book))  # of copies that one stands for all which stays
    inside = find_overlaps({book: sketches[book] for book in largest_first}, min_containment=settings.min_containment)
    drops: dict[str, tuple[str, str]] = {}
    across: list[Overlap] = []
    if other is not None:
        across = _across(sketches, read_sketches(other), settings.min_containment)
        reason = BookReason.OVERLAPS_TRAIN if side == "source" else BookReason.OVERLAPS_SOURCE
        if settings.across == ("drop_source" if side == "source" else "drop_train"):
            drops = {found.book_a: (reason, f"shares text with {found.book_b} ({_share(found):.0%})") for found in across}
    if settings.within == "drop":  # after the other side has had its say: a book is no copy of one that goes
        left = [found for found in inside if not drops.keys() & {found.book_a, found.book_b}]
        drops |= {book: (BookReason.DUPLICATE_OF, f"of {kept}: {why}") for book, (kept, why) in choose_drops(left, sizes).items()}
    rows = [_decided(row, drops) for row in read_books(own)]
    warn_of_dropped(room.say, [row for row in rows if row["book_id"] in drops])
    write_book_table(writer, rows, strict=room.strict)
    pairs = [(*astuple(found), "within") for found in inside] + [(*astuple(found), "across") for found in across]
    header = (*(field.name for field in fields(Overlap)), "where")
    writer.rows[OVERLAPS] = write_tsv(writer.path(OVERLAPS), header, pairs)
    leaks = {found.book_a for found in across} - set(drops) if settings.across == "keep" else ()  # else the other side drops its book
    writer.facts |= {"overlaps": len(inside), "overlaps_across": len(across), "kept_although_overlapping": sorted(leaks)}
    kept, seen = writer.funnel["kept"], writer.funnel["seen"]
    room.say(f"{len(inside)} overlapping pairs within, {len(across)} across; {kept} of {seen} books go on")


def read_sketches(artifact: Artifact) -> dict[str, np.ndarray]:
    """The content sketch of each book that goes on, by its id."""
    return {row["book_id"]: np.load(book_folder(artifact, row) / SKETCH) for row in kept_books(artifact)}


def _across(own: Mapping[str, np.ndarray], other: Mapping[str, np.ndarray], min_containment: float) -> list[Overlap]:
    """Overlaps between the sides, the own book always as `book_a`; an id may stand on both sides."""
    # The other side first: of a book that stands there many times one of its books stands for all, and every own copy is paired with it.
    both = {f"other\t{book}": sketch for book, sketch in other.items()} | {f"own\t{book}": sketch for book, sketch in own.items()}
    found = []
    for overlap in find_overlaps(both, min_containment=min_containment):
        (side_a, book_a), (side_b, book_b) = overlap.book_a.split("\t"), overlap.book_b.split("\t")
        if side_a == side_b:
            continue
        a_in_b, b_in_a = overlap.containment_a_in_b, overlap.containment_b_in_a
        found.append(Overlap(book_a, book_b, a_in_b, b_in_a) if side_a == "own" else Overlap(book_b, book_a, b_in_a, a_in_b))
    return sorted(found, key=lambda overlap: (overlap.book_a, overlap.book_b))


def _share(overlap: Overlap) -> float:
    return max(overlap.containment_a_in_b, overlap.containment_b_in_a)


def _decided(row: dict[str, str], drops: Mapping[str, tuple[str, str]]) -> dict[str, Any]:
    if row["book_id"] not in drops or row["status"] != "kept":
        return dict(row)
    reason, detail = drops[row["book_id"]]
    return row | {"status": "rejected", "reason": str(reason), "detail": detail}
