"""The novels dealt into train, development and test, and the novels of each part as a corpus of their own."""

from __future__ import annotations

from collections import Counter
from pathlib import PurePosixPath
from typing import Any

from cloze_gen.errors import CorpusError
from cloze_gen.records.passage import Part
from cloze_gen.stages.corpus.book_files import read_type_counts
from cloze_gen.stages.corpus.book_table import book_folder, kept_books, read_books, write_book_table
from cloze_gen.stages.corpus.dropped import warn_of_dropped
from cloze_gen.stages.corpus.overlap import read_sketches
from cloze_gen.stages.offensive_words import offensive_words
from cloze_gen.stages.room import Room
from cloze_gen.store.artifacts import Artifact, ArtifactWriter
from cloze_gen.text.audit import BookReason
from cloze_gen.text.duplicates import find_overlaps
from cloze_gen.text.partition import Novel, PartitionSettings, belong_together, deal_parts, offensive_rate


def write_partition(writer: ArtifactWriter, room: Room, *, corpus: Artifact, settings: PartitionSettings, seed: int) -> None:
    """Write `books.tsv` (`write_book_table`), the corpus's with those dropped here, and of each novel: `domain` (`domain_of`),
    `offensive_rate` (listed words / word tokens) and `part` (``train``, ``development``, ``test``; empty where it is dropped).

    Raises:
        CorpusError: no novel is left, or none for one of the three parts, or one was dropped under `--strict`.
        UsageError: the list of offensive words cannot be read.
    """
    offensive = offensive_words(settings.offensive_words)
    rows = [_rated(corpus, row, offensive, settings) for row in read_books(corpus)]
    warn_of_dropped(room.say, [row for row in rows if row["reason"] == BookReason.OFFENSIVE])
    left = [row for row in rows if row["status"] == "kept"]
    novels = [Novel(row["book_id"], row["digest"], row.get("author", "")) for row in left]
    overlaps = find_overlaps(read_sketches(corpus), min_containment=settings.min_containment)
    sharing = [(found.book_a, found.book_b) for found in overlaps]
    parts = deal_parts(novels, sharing_text=sharing, settings=settings, seed=seed)
    write_book_table(writer, [row | {"part": str(parts.get(row["book_id"], ""))} for row in rows], strict=room.strict)
    sizes = Counter(parts.values())
    told = ", ".join(f"{sizes[part]:,} {part}" for part in Part)
    if missing := [part for part in Part if not sizes[part]]:
        groups = len(belong_together(novels, sharing_text=sharing, by_author=settings.by_author))
        tied = f" Of these, {groups} can be parted: the others share an author or text with one of them." if groups < len(novels) else ""
        raise CorpusError(
            f"of {len(novels):,} novel{'s' * (len(novels) != 1)} none fell to {' or '.join(missing)} ({told}).{tied} Give more novels: "
            "each part needs one, and novels that share text stay together, as do those of one author unless partition.by_author = false."
        )
    tokens = {str(part): sum(int(row["tokens"]) for row in left if parts[row["book_id"]] == part) for part in Part}
    writer.facts |= {"novels": {str(part): sizes[part] for part in Part}, "tokens": tokens, "pairs_sharing_text": len(sharing)}
    room.say(f"{told} novels")


def _rated(corpus: Artifact, row: dict[str, str], offensive: frozenset[str], settings: PartitionSettings) -> dict[str, Any]:
    """A row of the table of books with its domain and rate, rejected where the rate is too high."""
    found = dict(row) | {"domain": domain_of(row)}
    if row["status"] != "kept":
        return found
    counts, _ = read_type_counts([book_folder(corpus, row)])
    rate = offensive_rate(counts, offensive)
    found["offensive_rate"] = f"{rate:.6f}"
    if rate > settings.max_offensive_rate:
        detail = f"{rate:.6f} of its words are listed, more than max_offensive_rate = {settings.max_offensive_rate}"
        found |= {"status": "rejected", "reason": str(BookReason.OFFENSIVE), "detail": detail}
    return found


def domain_of(row: dict[str, str]) -> str:
    """The genre of a novel: what the manifest says, else the folder that it lies in, the first below the corpus's own; else empty.

    A folder's name stays escaped as it is in the table (`escape_cell`): it may hold what breaks a table, or bytes that are no text.

    >>> domain_of({"file": "Romance/more/emma.txt", "genre": ""}), domain_of({"file": "emma.txt", "genre": "Comedy"})
    ('Romance', 'Comedy')
    """
    folders = PurePosixPath(row["file"]).parts[:-1]
    return row.get("genre") or (folders[0] if folders else "")


def write_part(writer: ArtifactWriter, room: Room, *, partition: Artifact, part: Part) -> None:
    """Write `books.tsv` (as `write_partition`) of the novels of one part alone, so that what reads a corpus reads this part.

    Raises:
        CorpusError: the part has no novel.
    """
    write_book_table(writer, [row for row in kept_books(partition) if row["part"] == part], strict=room.strict)
