"""A user's copies of a release's books, matched by content, and the text of their spans."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from cloze_gen.corpus.collect import Book, InputSettings, read_files, read_text
from cloze_gen.corpus.decoding import flatten
from cloze_gen.corpus.folder import Location, check_exists, find_files
from cloze_gen.corpus.normalization import normalize_sentence
from cloze_gen.errors import CorpusError, FormatError, UsageError
from cloze_gen.parsing import name_list, quote
from cloze_gen.records.release_facts import ReleasedBook
from cloze_gen.release.items.kind import Span
from cloze_gen.store.artifacts import Store

_MOST_CHARS = 1 << 28  # of books kept in memory: some 500 novels
# Limit of the characters read of a book, relative to its length. Passages of a novel overlap, and a
# check reads each span three times.
_MOST_READINGS = 64


@dataclass(frozen=True, slots=True)
class BooksFound:
    """The books of a folder by the sha256 of their bytes; file names do not matter."""

    root: Path
    books: Mapping[str, Book]

    @classmethod
    def below(
        cls, location: Location, store: Store, settings: InputSettings, *, workers: int = 1
    ) -> BooksFound:
        """Read every book of a location once; texts of files that are not UTF-8 text are stored.

        Raises:
            UsageError: a folder cannot be read.
        """
        check_exists(location)
        files = find_files(location).books
        contents = read_files(location, files, store, settings=settings, workers=workers)
        books = [book for of_file in contents.values() for book in of_file.books if not book.fault]
        return cls(location.root, {book.sha256: book for book in reversed(books)})


@dataclass(slots=True)
class OpenedBooks:
    """Books by id, read when first needed."""

    root: Path
    books: Mapping[str, Book]
    _flat: dict[str, str] = field(default_factory=dict)
    _read_chars: dict[str, int] = field(default_factory=dict)  # book id -> characters read so far

    @classmethod
    def from_found(cls, found: BooksFound, books: Iterable[ReleasedBook]) -> OpenedBooks:
        return cls(
            found.root,
            {
                book.book_id: found.books[book.sha256]
                for book in books
                if book.sha256 in found.books
            },
        )

    def require_all(self, books: Iterable[ReleasedBook]) -> OpenedBooks:
        """Itself; UsageError lists the books that are missing."""
        missing = [
            f"{quote('/'.join(filter(None, (book.file, book.member))))} (sha256 {book.sha256[:12]}...)"
            for book in books
            if book.book_id not in self.books
        ]
        if missing:
            raise UsageError(
                f"{self.root}: no file has the same bytes as {name_list(missing)}. Nothing was "
                "written. Give a folder with these files."
            )
        return self

    def text_of(self, span: Span) -> str:
        """The normalized text of a span, with the marks of words broken at line ends."""
        book_id, start, end = span
        flat = self._flat.get(book_id)
        if flat is None:
            if book_id not in self.books:
                raise UsageError(f"book {book_id}: no file in {self.root} has its bytes.")
            try:
                flat = self._flat[book_id] = flatten(read_text(self.books[book_id]))
            except CorpusError as error:
                raise UsageError(f"book {book_id}: {error}") from None
            while len(self._flat) > 1 and sum(map(len, self._flat.values())) > _MOST_CHARS:
                del self._flat[next(iter(self._flat))]  # the oldest
        if not 0 <= start < end <= len(flat):
            raise FormatError(
                f"book {book_id}: characters {start} to {end} are not a span of its {len(flat):,} characters"
            )
        chars_read = self._read_chars[book_id] = self._read_chars.get(book_id, 0) + end - start
        if chars_read > _MOST_READINGS * len(flat):
            raise FormatError(
                f"book {book_id}: the spans have more than {_MOST_READINGS} times its characters. "
                "This is not a release of cloze-gen."
            )
        return normalize_sentence(flat[start:end])
