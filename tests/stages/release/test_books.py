"""A user's copies of books."""

from __future__ import annotations

import gzip
import hashlib
from pathlib import Path

import pytest

from cloze_gen.errors import FormatError, UsageError
from cloze_gen.records.release_facts import ReleasedBook
from cloze_gen.stages.release import books
from cloze_gen.stages.release.books import BooksFound, OpenedBooks
from cloze_gen.store.corpus import read_book

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
    asked = [book("a", TEXT), book("b", packed), book("c", TEXT + b" ")]
    opened = OpenedBooks.of_those(BooksFound.below(tmp_path), asked)
    assert set(opened.files) == {"a", "b"}
    with pytest.raises(UsageError, match=r"lacks, by their bytes, 'c\.txt' \(sha256 "):
        opened.with_all(asked)
    assert opened.text_of(("a", 0, 39)) == opened.text_of(("b", 0, 39)) == "It was very dark by candle\xadlight."


def test_no_more_books_are_kept_than_fit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The one that was read first goes, and is read again when it is asked for again; a single book is kept however long it is."""
    texts = {name: f"It was {name}. Nobody came.".encode() for name in "abc"}
    for name, text in texts.items():
        (tmp_path / f"{name}.txt").write_bytes(text)
    read: list[str] = []

    def noted(path: Path, *, digest: str) -> bytes:
        read.append(path.stem)
        return read_book(path, digest=digest)

    monkeypatch.setattr(books, "read_book", noted)
    monkeypatch.setattr(books, "_MOST_CHARS", 2 * len(texts["a"]))
    opened = OpenedBooks.of_those(BooksFound.below(tmp_path), [book(name, text) for name, text in texts.items()])
    for name in "abcba":
        assert opened.text_of((name, 0, 9)) == f"It was {name}."
    assert read == ["a", "b", "c", "a"]
    monkeypatch.setattr(books, "_MOST_CHARS", 1)
    assert [opened.text_of((name, 0, 9)) for name in "bb"] == ["It was b."] * 2
    assert read == ["a", "b", "c", "a", "b"]


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
