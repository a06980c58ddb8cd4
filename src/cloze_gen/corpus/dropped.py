"""Dropped books: reasons in words, and what a user can do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from cloze_gen.corpus.parse_book import BookReason
from cloze_gen.parsing import NAMED, name_list

REMEDIES: Mapping[str, str] = {
    BookReason.EMPTY: "add the text to the files, or remove them",
    BookReason.BINARY: "save the books as plain text in UTF-8",
    BookReason.LOST_CHARACTERS: "use other copies, or convert the original files again with the right encoding",
    BookReason.MARKUP: "rename HTML files to .html; for a table: remove the tags from the column; save other formats as plain text",
    BookReason.ONE_SENTENCE_PER_LINE: "use the original books, with letter case, paragraphs and untouched punctuation",
    BookReason.NEARLY_EMPTY: "use longer texts, or lower ingest.min_word_tokens",
    BookReason.OTHER_LANGUAGE: "use English texts, or lower ingest.min_function_word_share",
    BookReason.DAMAGED_EPUB: "download the files again, or convert them to plain text",
    BookReason.ENCRYPTED: "use copies without password or copy protection",
    BookReason.UNREADABLE: "make the files readable, download them again, or remove them",
    BookReason.TOO_LARGE: "split the files into books",
    BookReason.DIFFERS_FROM_MANIFEST: "fetch the listed files again, or correct their checksums in manifest.tsv",
    BookReason.AGGREGATE: "remove the books that the collection contains, to keep it instead",
    BookReason.DUPLICATE_OF: "remove the other book, to keep this one instead",
    BookReason.OVERLAPS_TRAIN: "use source books that are not among the training books, or set overlap.across = "
    "drop_train",
    BookReason.OVERLAPS_SOURCE: "use training books that are not among the source books, or set overlap.across = "
    "drop_source",
    BookReason.OFFENSIVE: "use other novels, or raise the limit: --set partition.max_offensive_rate=RATE",
}


def dropped_lines(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """One line a dropped book, at most ten for each reason, and the number of the others.

    >>> dropped_lines([{"book_id": "a", "status": "rejected", "reason": "empty", "detail": "no text"}])
    ['a dropped (empty): no text']
    """
    lines = []
    for reason, group in _by_reason(rows).items():
        lines += [
            f"{row['book_id']} dropped ({reason}): {row.get('detail') or ''}"
            for row in group[:NAMED]
        ]
        if more := len(group[NAMED:]):
            lines.append(f"{more:,} more dropped ({reason}); books.tsv of the stage lists each")
    return lines


def warn_of_dropped(say: Callable[[str], None], rows: Iterable[Mapping[str, Any]]) -> None:
    for line in dropped_lines(rows):
        say(f"warning: {line}")


def dropped_text(rows: Iterable[Mapping[str, Any]]) -> str:
    """The dropped books and what to do, for one message; empty without any.

    >>> dropped_text([{"book_id": name, "status": "rejected", "reason": "too_large"} for name in "ab"])
    'a, b (too_large: split the files into books)'
    """
    return ", ".join(
        f"{name_list([row['book_id'] for row in group])} ({reason}: {REMEDIES[reason]})"
        for reason, group in _by_reason(rows).items()
    )


def _by_reason(rows: Iterable[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        if row["status"] != "kept":
            groups.setdefault(str(row["reason"]), []).append(row)
    return groups
