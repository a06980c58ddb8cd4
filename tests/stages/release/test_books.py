"""A user's copies of books."""

from __future__ import annotations

import gzip
import hashlib
from pathlib import Path

import pytest

from cloze_gen.errors import FormatError, UsageError
from cloze_gen.records.release_facts import ReleasedBook
from cloze_gen.stages.release.books import BooksFound, OpenedBooks

TEXT = b"It was _very_\r\ndark by candle-\r\nlight.  Nobody came."


def book(name: str, data: bytes) -> ReleasedBook:
    return ReleasedBook(side="source", book_id=name, file=f"{name}.txt", sha256=hashlib.sha256(data).hexdigest())


def test_books_are_known_by_their_bytes(tmp_path: Path) -> None:
    """Under other names, in folders, packed where the set was made of packed ones; an edited copy is another book."""
    packed = gzip.compress(TEXT, mtime=0)
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "renamed.txt").write_bytes(TEXT)
    (tmp_path / "other.txt.gz").write_bytes(packed)
    (tmp_path / "edited.txt").write_bytes(TEXT + b"\n")
    books = [book("a", TEXT), book("b", packed), book("c", TEXT + b" ")]
    opened = OpenedBooks.of_those(BooksFound.below(tmp_path), books)
    assert set(opened.files) == {"a", "b"}
    with pytest.raises(UsageError, match=r"lacks, by their bytes, 'c\.txt' \(sha256 "):
        opened.with_all(books)
    assert opened.text_of(("a", 0, 39)) == opened.text_of(("b", 0, 39)) == "It was very dark by candle\xadlight."


@pytest.mark.parametrize(("start", "end"), [(-1, 3), (5, 5), (7, 3), (0, 10_000)])
def test_a_span_of_another_book_is_refused(start: int, end: int, tmp_path: Path) -> None:
    """By its book and its figures."""
    (tmp_path / "a.txt").write_bytes(TEXT)
    with pytest.raises(FormatError, match=f"book a: characters {start} to"):
        OpenedBooks.of_those(BooksFound.below(tmp_path), [book("a", TEXT)]).text_of(("a", start, end))


def test_what_changes_while_it_is_read_is_told(tmp_path: Path) -> None:
    """And a book that is not there is named."""
    (tmp_path / "a.txt").write_bytes(TEXT)
    opened = OpenedBooks.of_those(BooksFound.below(tmp_path), [book("a", TEXT)])
    with pytest.raises(UsageError, match="book z"):
        opened.text_of(("z", 0, 1))
