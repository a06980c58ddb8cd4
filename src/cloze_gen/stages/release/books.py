"""A user's copies of the books of a release, found by their content, and the text of their spans."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from cloze_gen.errors import BookError, FormatError, UsageError
from cloze_gen.notation import named, shown
from cloze_gen.records.release_facts import ReleasedBook
from cloze_gen.stages.items.kind import Span
from cloze_gen.store.corpus import BookFile, book_digest, read_book
from cloze_gen.store.corpus_folder import check_folder, look_through
from cloze_gen.text.decode import decode_book, flatten
from cloze_gen.text.normalize import normalize_sentence

_MOST_CHARS = 1 << 28  # of books kept in memory: some 500 novels
_MOST_READINGS = 64  # of each book, all spans together: passages of one novel overlap, and a check reads each span three times


@dataclass(frozen=True, slots=True)
class BooksFound:
    """The books that lie in a folder or below it, by their content, whatever their files are called there.

    Attributes:
        files: sha256 of a file's bytes -> the file.
    """

    root: Path
    files: Mapping[str, Path]

    @classmethod
    def below(cls, root: Path) -> BooksFound:
        """Read every book of a folder once.

        Raises:
            UsageError: the folder is missing or cannot be read through.
        """
        check_folder(root, "Give the folder that holds the books, or one above it.")
        return cls(root, {book_digest(BookFile(root, file, "")): root / file for file in sorted(look_through(root).books, reverse=True)})


@dataclass(slots=True)
class OpenedBooks:
    """The files of books by their ids; each is read when a span of it is first asked for, and again when too many others were since.

    Attributes:
        root: the folder that they were looked for in.
        files: book id -> (file, sha256 of its bytes).
    """

    root: Path
    files: Mapping[str, tuple[Path, str]]
    _flat: dict[str, str] = field(default_factory=dict)
    _given: dict[str, int] = field(default_factory=dict)  # book id -> characters of all its spans so far

    @classmethod
    def of_those(cls, found: BooksFound, books: Iterable[ReleasedBook]) -> OpenedBooks:
        """Those of these books that are there; others are not among `files`."""
        return cls(found.root, {book.book_id: (found.files[book.sha256], book.sha256) for book in books if book.sha256 in found.files})

    def with_all(self, books: Iterable[ReleasedBook]) -> OpenedBooks:
        """The same, when all of these books are there.

        Raises:
            UsageError: some are not; names them.
        """
        missing = [f"{shown(book.file)} (sha256 {book.sha256[:12]}...)" for book in books if book.book_id not in self.files]
        if missing:
            raise UsageError(
                f"{self.root}: lacks, by their bytes, {named(missing)}. Nothing was written; give a folder that holds these files."
            )
        return self

    def text_of(self, span: Span) -> str:
        """The normalized text of a span: what ingest made of it, words that a line end broke still with its mark.

        Raises:
            UsageError: the book is not there.
            FormatError: the span is none of this book, or its spans quote it too often.
        """
        book_id, start, end = span
        flat = self._flat.get(book_id)
        if flat is None:
            if book_id not in self.files:
                raise UsageError(f"book {book_id}: no file here has its bytes.")
            path, digest = self.files[book_id]
            try:
                flat = self._flat[book_id] = flatten(decode_book(read_book(path, digest=digest)).text)
            except BookError as error:
                raise UsageError(f"book {book_id}: {error}") from None
            while len(self._flat) > 1 and sum(map(len, self._flat.values())) > _MOST_CHARS:
                del self._flat[next(iter(self._flat))]  # the one that was read before all others
        if not 0 <= start < end <= len(flat):
            raise FormatError(f"book {book_id}: characters {start} to {end} are no span of its {len(flat):,}")
        given = self._given[book_id] = self._given.get(book_id, 0) + end - start
        if given > _MOST_READINGS * len(flat):
            raise FormatError(f"book {book_id}: the spans quote it more than {_MOST_READINGS} times over; a release does not.")
        return normalize_sentence(flat[start:end])
