"""Telling which books were dropped: some of each reason by name, the rest as a number, and what helps against each reason."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from cloze_gen.notation import NAMED
from cloze_gen.text.audit import BookReason

REMEDIES: Mapping[str, str] = {
    BookReason.EMPTY: "put the text into the files, or remove them",
    BookReason.BINARY: "save the books as plain text",
    BookReason.MARKUP: "save the books as plain text, without tags",
    BookReason.ONE_SENTENCE_A_LINE: "give the books themselves, with letter case, paragraphs and untouched punctuation",
    BookReason.NEARLY_EMPTY: "give longer texts, or lower ingest.min_word_tokens",
    BookReason.OTHER_LANGUAGE: "give English texts, or lower ingest.min_function_word_share",
    BookReason.TRUNCATED_GZIP: "fetch or pack the files again",
    BookReason.UNREADABLE: "make the files readable, or remove them",
    BookReason.TOO_LARGE: "split the files into books",
    BookReason.NOT_AS_LISTED: "fetch the listed files again, or mend their checksums in manifest.tsv",
    BookReason.DUPLICATE_OF: "remove the copies, or set overlap.within = keep",
    BookReason.OVERLAPS_TRAIN: "give source books that the training side does not hold, or set overlap.across = drop_train",
    BookReason.OVERLAPS_SOURCE: "give training books that the source side does not hold, or set overlap.across = drop_source",
    BookReason.VOCABULARY_UNLIKE_REFERENCE: "give other source books, or lower books.min_similarity and books.min_coverage",
    BookReason.OFFENSIVE: "give other novels, or raise partition.max_offensive_rate",
}


def dropped_rows(rows: Iterable[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    """reason -> the rows of a table of books that were dropped for it; reasons and books in the table's order."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        if row["status"] != "kept":
            found.setdefault(str(row["reason"]), []).append(row)
    return found


def dropped_lines(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """A line a dropped book, ten of each reason at most, and how many more there are.

    >>> dropped_lines([{"book_id": "a", "status": "rejected", "reason": "empty", "detail": "no text"}])
    ['a dropped (empty): no text']
    """
    lines = []
    for reason, group in dropped_rows(rows).items():
        lines += [f"{row['book_id']} dropped ({reason}): {row.get('detail') or ''}" for row in group[:NAMED]]
        if more := len(group[NAMED:]):
            lines.append(f"{more:,} more dropped ({reason}); the books.tsv of this stage, once written, has a line for each")
    return lines


def warn_of_dropped(say: Callable[[str], None], rows: Iterable[Mapping[str, Any]]) -> None:
    """The same as warnings."""
    for line in dropped_lines(rows):
        say(f"warning: {line}")


def dropped_notes(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """The same for the card of a release.

    >>> dropped_notes([{"book_id": "a", "status": "rejected", "reason": "empty", "detail": "no text"}])
    ['source book a was dropped: empty no text']
    """
    notes = []
    for reason, group in dropped_rows(rows).items():
        notes += [f"source book {row['book_id']} was dropped: {reason} {row.get('detail') or ''}".rstrip() for row in group[:NAMED]]
        if more := len(group[NAMED:]):
            notes.append(f"{more:,} more source books were dropped: {reason}")
    return notes


def dropped_text(rows: Iterable[Mapping[str, Any]]) -> str:
    """The dropped books for one message; empty where none was.

    >>> dropped_text([{"book_id": f"b{n}", "status": "rejected", "reason": "empty"} for n in range(12)])[-34:]
    'b9 (empty), and 2 more for (empty)'
    """
    parts = []
    for reason, group in dropped_rows(rows).items():
        parts += [f"{row['book_id']} ({reason})" for row in group[:NAMED]]
        if more := len(group[NAMED:]):
            parts.append(f"and {more:,} more for ({reason})")
    return ", ".join(parts)


def remedies_text(rows: Iterable[Mapping[str, Any]]) -> str:
    """What helps, reason by reason.

    >>> remedies_text([{"book_id": "a", "status": "rejected", "reason": "too_large"}])
    'too_large: split the files into books'
    """
    return "; ".join(f"{reason}: {REMEDIES[reason]}" for reason in dropped_rows(rows) if reason in REMEDIES)
