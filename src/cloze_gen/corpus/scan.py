"""The books of a location, with ids and facts, before any of them is read.

Links to files are followed, links to folders are not. File names never become paths in the output:
a book has an id, `[A-Za-z0-9._-]+`.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

from cloze_gen.corpus.folder import (
    check_exists,
    nothing_found,
    scan_folder,
)
from cloze_gen.corpus.layouts import (
    SPLIT_OF_FOLDER,
    SPLITS,
    Arrangement,
    PlacedFile,
    arrange,
    arrange_members,
)
from cloze_gen.corpus.location import Location, as_location
from cloze_gen.corpus.manifest import (
    MANIFEST_NAME,
    ManifestRow,
    read_manifest,
    rows_of_files,
    unused_columns,
)
from cloze_gen.corpus.readers import UNREADABLE, book_digest, ending_of, list_file
from cloze_gen.corpus.readers.reader import InputSettings, Listing, Member, UnknownTableError
from cloze_gen.corpus.readers.sentence_lines import KIND as SENTENCE_LINES
from cloze_gen.errors import BookError, NoBooksError, UsageError
from cloze_gen.parsing import NAMED, counted, name_list, quote
from cloze_gen.store.files import stays_within
from cloze_gen.store.tables import escape_cell

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_THREADS = 4  # most of a scan is SHA-256, which lets other threads work
_OF_ONE_BOOK = ("book_id", "sha256")
_FACTS = ("title", "author", "genre", "year", "etext", "language", "license", "role")


@dataclass(frozen=True, slots=True)
class BookFile:
    """One book of a corpus folder, before it is read.

    Attributes:
        file: path below the corpus folder, with `/`.
        listed_in_line: line of the manifest; 0 without one.
        member, kind: see `readers.reader.Member`.
        position: of the member in its file, from 0; books are read in this order.
        known_digest: if the listing gave it.
    """

    root: Path
    file: str
    book_id: str
    facts: tuple[tuple[str, str], ...] = ()
    listed_sha256: str = ""
    listed_in_line: int = 0
    member: str = ""
    kind: str = ""
    position: int = 0
    known_digest: str = field(default="", compare=False)

    @property
    def path(self) -> Path:
        return self.root / self.file

    @property
    def place(self) -> str:
        """File and member, for messages."""
        return f"{self.file}/{self.member}" if self.member else self.file

    def digest(self) -> str:
        return self.known_digest or book_digest(self.path, self.member)

    def unlike_listed(self, digest: str) -> bool:
        """Whether the manifest has another checksum; False for an unreadable file."""
        return (
            bool(self.listed_sha256)
            and not digest.startswith(UNREADABLE)
            and digest != self.listed_sha256
        )


def book_id_from_name(file: str) -> str:
    """The file's stem; if characters must be replaced, a digest of the stem is added.

    >>> book_id_from_name("RHOLM10.TXT"), book_id_from_name("sub/Emma.txt.gz")
    ('RHOLM10', 'Emma')
    >>> book_id_from_name("war & peace.txt")
    'war-peace-34ec'
    """
    name = file.rsplit("/", 1)[-1]
    return _safe_id(name.removesuffix(ending_of(name)))


def _row_name(member: str) -> str:
    """The name of a row or of a range of rows without its column; another member as it is.

    >>> _row_name("17:body"), _row_name("0-99:body"), _row_name("a:b.txt")
    ('17', '0-99', 'a:b.txt')
    """
    found = re.fullmatch(r"(\d+(?:-\d+)?):.*", member, re.DOTALL)
    return found[1] if found else member


def _safe_id(stem: str) -> str:
    safe = _UNSAFE.sub("-", stem).strip(".-")
    if safe == stem:
        return stem
    digest = hashlib.blake2b(stem.encode("utf-8", "surrogateescape"), digest_size=2).hexdigest()
    return f"{safe}-{digest}" if safe else f"book-{digest}"


@dataclass(frozen=True, slots=True)
class CorpusScan:
    """What a location of books contains, before any book is read.

    Attributes:
        books: sorted by id.
        shapes: format in words -> (files, books).
        layouts: known collections, such as "Project Gutenberg mirror".
        unreadable: files that cannot be read, and why; `books` has each as one book, which a run
            drops.
        bytes: of the files with books.
        skipped: files, rows and folders that are not read, and why; one line each.
        notes: warnings.
        sentences: whether it has one sentence per row, without books.
    """

    location: Location
    books: tuple[BookFile, ...]
    shapes: Mapping[str, tuple[int, int]]
    bytes: int
    skipped: tuple[str, ...]
    notes: tuple[str, ...]
    sentences: bool = False
    layouts: tuple[str, ...] = ()
    unreadable: tuple[tuple[str, BookError], ...] = ()

    @property
    def readable(self) -> tuple[BookFile, ...]:
        """The books without the unreadable files."""
        files = {file for file, _ in self.unreadable}
        return tuple(book for book in self.books if book.file not in files)


def scan(location: Location | Path, *, settings: InputSettings | None = None) -> CorpusScan:
    """List the books of a location.

    Raises:
        UsageError: nothing readable with books, a broken manifest, two books share an id, or no
            book has a split, if splits are kept.
    """
    location = as_location(location)
    settings = settings or InputSettings()
    root = location.root
    check_exists(location)
    found = scan_folder(location)
    skipped = found.skipped()
    if not found.books:
        raise NoBooksError(nothing_found(location, found))
    listed, slips = _listed(location, found.books)
    files_listed = {row.file for row in listed.values()}
    arranged = arrange(root, found.books, catalogs=found.catalogs, listed=files_listed)
    books, contents = _books(root, arranged, listed, settings)
    members = {(book.file, book.member) for book in books}
    if absent := [
        row for (file, name), row in listed.items() if name and (file, name) not in members
    ]:
        lines = name_list([f"line {row.line} {row.file!r}, {row.member!r}" for row in absent])
        slips.append(f"{MANIFEST_NAME} lists rows or archive files that do not exist: {lines}")
    unknown = [(file, one) for file, one in contents.items() if isinstance(one, UnknownTableError)]
    books, repeated, renamed = _settle_ids(books)
    listings = {file: one for file, one in contents.items() if isinstance(one, Listing)}
    refused = (
        *(f"skipped {escape_cell(file)}: {error}" for file, error in unknown),
        *arranged.skipped,
        *repeated,
        *(
            f"skipped {len(one.skipped):,} of {escape_cell(file)}: "
            + name_list([f"{quote(name)} ({why})" for name, why in one.skipped])
            for file, one in listings.items()
            if one.skipped
        ),
        *(
            f"skipped {escape_cell(file)}: it contains no books"
            for file, one in listings.items()
            if not one.members and not one.skipped and not one.sentences
        ),
    )
    if not books and not any(one.sentences for one in listings.values()):
        raise UsageError(
            "; ".join(f"{root / escape_cell(file)}: {error}" for file, error in unknown[:NAMED])
            or f"{location}: no book. {'; '.join(refused[:NAMED])}"
        )
    _check_ids(root, books)
    of_splits = [_with_split(book) for book in books]
    if settings.keep_splits:
        books = of_splits
        _check_splits(location, books)
    shapes: dict[str, tuple[int, int]] = {}
    unreadable = tuple((file, one.fault) for file, one in listings.items() if one.fault)
    for file, _ in unreadable:
        del listings[file]
    for one in listings.values():
        files, count = shapes.get(one.shape, (0, 0))
        shapes[one.shape] = (files + 1, count + len(one.members))
    return CorpusScan(
        location,
        tuple(sorted(books, key=lambda book: book.book_id)),
        shapes,
        sum(_file_bytes(root / file) for file in listings),
        (*([f"skipped {skipped}"] if skipped else []), *refused),
        (
            *slips,
            *arranged.notes,
            *renamed,
            *dict.fromkeys(n for one in listings.values() for n in one.notes),
            *([] if settings.keep_splits else _splits_notes(of_splits)),
        ),
        any(one.sentences for one in listings.values()),
        arranged.names,
        unreadable,
    )


def _with_split(book: BookFile) -> BookFile:
    """The book with the split that its first folder names, unless its role is known."""
    folder, below, _ = book.file.partition("/")
    split = SPLIT_OF_FOLDER.get(folder.lower(), "") if below else ""
    if not split or "role" in dict(book.facts):
        return book
    return replace(book, facts=(*book.facts, ("role", split)))


def _check_splits(location: Location, books: Sequence[BookFile]) -> None:
    if not any(dict(book.facts).get("role") in SPLITS for book in books):
        folders = sorted({book.file.partition("/")[0] for book in books if "/" in book.file})
        there = f"; its folders: {name_list([quote(one) for one in folders])}" if folders else ""
        raise UsageError(
            f"{location}: --keep-splits (input.keep_splits) needs splits, and none of the "
            f"{counted(len(books), 'book')} there has one{there}. A split is a folder named "
            f"{', '.join(SPLIT_OF_FOLDER)} directly below the given one, the column `split` of a "
            f"table, or the column `role` of {MANIFEST_NAME}. Add splits, or run without "
            "--keep-splits."
        )


def _splits_notes(books: Sequence[BookFile]) -> list[str]:
    """That a collection has splits of its own, which are not used."""
    counts = Counter(dict(book.facts).get("role", "") for book in books)
    sizes = ", ".join(f"{split} ({counts[split]:,})" for split in SPLITS if counts[split])
    if not (counts["train"] and counts["test"]):
        return []
    return [
        f"the splits are read as one collection: {sizes}; --keep-splits uses train as background "
        "and test as source, or the three as the parts of lambada-style and scde-style"
    ]


def _file_bytes(path: Path) -> int:
    try:
        found = path.stat()
    except OSError:
        return 0  # an unreadable book; ingest reports it
    return found.st_size if stat.S_ISREG(found.st_mode) else 0


def _books(
    root: Path,
    arranged: Arrangement,
    listed: Mapping[tuple[str, str], ManifestRow],
    settings: InputSettings,
) -> tuple[list[BookFile], dict[str, Listing | UnknownTableError]]:
    """The books, and what each file contains."""
    books: list[BookFile] = []
    contents: dict[str, Listing | UnknownTableError] = {}
    read = {etext for one in arranged.files if (etext := dict(one.facts).get("etext"))}
    files = sorted(arranged.files, key=lambda one: one.file)
    with ThreadPoolExecutor(_THREADS) as pool:
        listings = list(pool.map(lambda one: _listing(root / one.file, settings), files))
    for placed, found in zip(files, listings, strict=True):
        if isinstance(found, Listing):
            found = _of_archive(placed, found, arranged, read)
        contents[placed.file] = found
        if isinstance(found, UnknownTableError):
            continue
        if len(found.members) > 1:
            placed = replace(placed, book_id="")
        books += [
            _book(root, placed, member, _row_of(listed, placed.file, member.name), position)
            for position, member in enumerate(found.members)
        ]
    return books, contents


def _listing(path: Path, settings: InputSettings) -> Listing | UnknownTableError:
    try:
        return list_file(path, settings)
    except UnknownTableError as error:
        return error


def _row_of(
    listed: Mapping[tuple[str, str], ManifestRow], file: str, member: str
) -> ManifestRow | None:
    """A member's own row, or the row of its file without id and checksum."""
    own, shared = listed.get((file, member)), listed.get((file, ""))
    if own is not None or shared is None:
        return own
    cells = {name: cell for name, cell in shared.cells.items() if name not in _OF_ONE_BOOK}
    return ManifestRow(shared.line, cells)


def _of_archive(
    placed: PlacedFile, found: Listing, arranged: Arrangement, read: set[str]
) -> Listing:
    """Of the files in an archive, those to read, with their ids and facts; `read` are the etexts
    that are read elsewhere, and those of this archive are added.
    """
    names = [member.name for member in found.members]
    if not names or not ending_of(names[0]):
        return found
    etext = dict(placed.facts).get("etext", "")
    own, decided = arrange_members(names, arranged, read - {etext})
    files = {one.file: one for one in own.files}
    read |= {number for one in own.files if (number := dict(one.facts).get("etext"))}
    members = [
        replace(
            member,
            book_id=files[member.name].book_id or member.book_id,
            facts=(*(dict(member.facts) | dict(files[member.name].facts)).items(),),
        )
        if member.name in files
        else member
        for member in found.members
        if member.name in files or member.name not in decided
    ]
    notes = (f"{placed.file}: {line}" for line in (*own.skipped, *own.notes))
    return replace(found, members=members, notes=(*found.notes, *notes))


def _settle_ids(books: Sequence[BookFile]) -> tuple[list[BookFile], list[str], list[str]]:
    """The books without members that repeat the id and bytes of another; what is left out, and which
    members have another id because theirs is that of a different book, in words.
    """
    counts = Counter(book.book_id for book in books)
    shared = [book for book in books if counts[book.book_id] > 1]
    if not any(book.member for book in shared):
        return list(books), [], []
    digests = dict(zip(shared, read_digests(shared), strict=True))
    first: dict[tuple[str, str], BookFile] = {}
    taken: set[str] = set()
    changed: dict[BookFile, BookFile | None] = {}
    repeated, renamed = [], []
    for book in sorted(shared, key=lambda one: (bool(one.member), one.file, one.position)):
        digest = digests[book]
        same = first.setdefault((book.book_id, digest), book)
        if book.member and same is not book and not digest.startswith(UNREADABLE):
            changed[book] = None
            repeated.append(f"{book.place!r} (as {same.place!r})")
        elif book.member and book.book_id in taken:
            stem = book.file.removesuffix(ending_of(book.file)).replace("/", "-")
            changed[book] = replace(book, book_id=_safe_id(f"{stem}-{_row_name(book.member)}"))
            renamed.append(f"{book.place!r} ({book.book_id})")
        taken.add(book.book_id)
    settled = [changed.get(book, book) for book in books]
    return (
        [book for book in settled if book is not None],
        [
            f"skipped {counted(len(repeated), 'book')} identical to another book: {name_list(repeated)}"
        ]
        if repeated
        else [],
        [
            (
                "1 book shares an id with another book and gets"
                if len(renamed) == 1
                else f"{len(renamed):,} books share an id with another book and get"
            )
            + f" a new id from file name and row: {name_list(renamed)}"
        ]
        if renamed
        else [],
    )


def _check_ids(root: Path, books: Sequence[BookFile]) -> None:
    by_id: dict[str, list[BookFile]] = {}
    for book in books:
        by_id.setdefault(book.book_id, []).append(book)
    for book_id, same in by_id.items():
        if len(same) > 1:
            names = name_list([repr(book.place) for book in same])
            raise UsageError(
                f"{root}: {len(same)} books share the id {book_id!r} ({names}). "
                f"Rename a file, or give each its own book_id in {MANIFEST_NAME}."
            )


def _book(
    root: Path, placed: PlacedFile, member: Member, row: ManifestRow | None, position: int
) -> BookFile:
    file = placed.file
    cells = row.cells if row is not None else {}
    book_id = cells.get("book_id", "") or (placed.book_id and _safe_id(placed.book_id))
    if not book_id:
        book_id = _safe_id(member.book_id) if member.book_id else book_id_from_name(file)
        if member.name and not member.book_id:
            book_id = _safe_id(f"{book_id}-{_row_name(member.name)}")
    if _UNSAFE.search(book_id) or book_id in {".", ".."}:
        where = f"{root / MANIFEST_NAME}, line {row.line if row is not None else '?'}"
        raise UsageError(
            f"{where}: book_id {book_id[:80]!r} of {file!r} may only have the characters A-Z a-z 0-9 . _ - "
            "and must not be . or .."
        )
    facts = (
        dict(member.facts)
        | dict(placed.facts)
        | {name: cell for name, cell in cells.items() if cell}
    )
    return BookFile(
        root,
        file,
        book_id,
        tuple((name, facts[name]) for name in _FACTS if facts.get(name)),
        row.sha256 if row is not None else "",
        row.line if row is not None else 0,
        member.name,
        member.kind,
        position,
        member.digest,
    )


def books_below(location: Location, settings: InputSettings | None = None) -> list[BookFile]:
    """Every book of a location, without ids and facts."""
    check_exists(location)
    return [
        BookFile(
            location.root,
            file,
            "",
            member=member.name,
            kind=member.kind,
            position=position,
            known_digest=member.digest,
        )
        for file in sorted(scan_folder(location).books)
        for position, member in enumerate(
            _members(location.root / file, settings or InputSettings())
        )
    ]


def _members(path: Path, settings: InputSettings) -> Sequence[Member]:
    found = _listing(path, settings)
    return found.members if isinstance(found, Listing) else ()


def read_digests(books: Sequence[BookFile]) -> tuple[str, ...]:
    """The digest of each book; files are read in their own order."""
    order = sorted(range(len(books)), key=lambda at: (books[at].file, books[at].position))
    digests = {at: books[at].digest() for at in order}
    return tuple(digests[at] for at in range(len(books)))


def refuse_sentences(books: Sequence[BookFile], option: str) -> None:
    """UsageError if a file has one sentence a line: no questions can be made of it."""
    files = list(dict.fromkeys(str(book.path) for book in books if book.kind == SENTENCE_LINES))
    if files:
        raise UsageError(
            f"{option}: {name_list([quote(file) for file in files])}: one sentence per line, without books, "
            "so no questions or passages can be made from it. It can be background: give it as "
            f"--train to holmes-style or scs-style, and whole books as {option}."
        )


def _listed(
    location: Location, files: list[str]
) -> tuple[dict[tuple[str, str], ManifestRow], list[str]]:
    """(file, member) -> its row, and in words what does not match the folder."""
    path = location.root / MANIFEST_NAME
    if not os.path.lexists(path):
        return {}, []
    rows = read_manifest(path)
    listed, gone = rows_of_files(path, [row for row in rows if not _is_other(row, location)], files)
    return listed, [f"{MANIFEST_NAME} {slip}" for slip in (gone, unused_columns(rows)) if slip]


def _is_other(row: ManifestRow, location: Location) -> bool:
    """Whether a row is of an existing file that was not asked for."""
    return (
        stays_within(row.file)
        and not location.matches(row.file)
        and os.path.lexists(location.root / row.file)
    )


def listed_digest(book: BookFile, digest: str) -> str:
    """The digest of a book's file, with one of what a manifest adds to the table of books."""
    unlike = (book.listed_sha256, book.listed_in_line) if book.unlike_listed(digest) else ()
    if not book.facts and not unlike:
        return digest
    listed = hashlib.blake2b(repr((book.facts, unlike)).encode(), digest_size=8).hexdigest()
    return f"{digest} {listed}"
