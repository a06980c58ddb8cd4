"""Collect the books of a location. UTF-8 text, plain or compressed, is read in place; other files are
unpacked once and their texts stored. Later stages see texts; their offsets count characters.

File names never become paths in the output: a book has an id, `[A-Za-z0-9._-]+`.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pydantic import Field

from cloze_gen.corpus.decoding import decode_book
from cloze_gen.corpus.folder import Location, check_exists, find_files, nothing_found
from cloze_gen.corpus.gutenberg import header_facts
from cloze_gen.corpus.gutenberg_files import choose_files, read_catalog
from cloze_gen.corpus.manifest import FACTS, MANIFEST_NAME, Manifest, ManifestRow, read_manifest
from cloze_gen.corpus.readers import decode_text, ending_of, read_texts
from cloze_gen.corpus.readers.compressed import DAMAGE
from cloze_gen.corpus.readers.reader import (
    MAX_BOOK_BYTES,
    SENTENCES,
    TEXT,
    FileReport,
    Skipped,
    Text,
    format_of,
    skipped_lines,
)
from cloze_gen.corpus.readers.sentence_lines import has_sentences
from cloze_gen.corpus.readers.text import SHAPE, unpacked
from cloze_gen.corpus.splits import check_splits, split_notes, split_of, split_of_folder
from cloze_gen.engine.local import engine_scope, make_engine
from cloze_gen.engine.progress import track
from cloze_gen.errors import BookError, CorpusError, NoBooksError, UsageError
from cloze_gen.parsing import NAMED, name_list, quote
from cloze_gen.settings import SettingsGroup
from cloze_gen.store.artifacts import Store
from cloze_gen.store.files import open_regular
from cloze_gen.store.fingerprint import StageKey
from cloze_gen.store.manifest import file_sha256
from cloze_gen.store.tables import escape_cell, read_jsonl, write_jsonl

VERSION = 4  # raised when the text or the facts of any book may change
TABLE = "books.jsonl"
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_THREADS = 4  # SHA-256 lets other threads work
# Pages and chapters: files of one folder, numbered without a gap, of which many begin or end inside
# a sentence or begin with a number. A book has no more of them.
_PAGE_NAME = re.compile(r"(.*?([a-z]*)[-_ .]*)(?<!\d)(\d{1,10})", re.IGNORECASE)
_PAGE_WORDS = frozenset("p pg page leaf folio scan img image ch chap chapter part".split()) | {""}
_MIN_PAGES, _MAX_PAGES = 5, 3_000
_MIN_PAGE_SHARE = 0.5
_PAGES_READ = 20
_MAX_PAGE_CHARS = 150_000  # of a page or chapter; 535 of 600 novels are longer


class InputSettings(SettingsGroup):
    text_column: str = Field(
        default="",
        description="column of a table that holds the text; empty: detect it",
    )
    # Train is the background and test the source; in LAMBADA and SCDE they are the three parts.
    keep_splits: bool = Field(
        default=False,
        description="keep the books' division into train, validation and test",
    )


@dataclass(frozen=True, slots=True)
class Book:
    """A book of a collection, with its text in a file.

    Attributes:
        root, file: the file below the corpus folder, with `/`.
        member: path in an archive, or number of a row; empty where the file is the book.
        text: the UTF-8 text; the file itself, perhaps compressed, or one in the store.
        sha256: of the book's own bytes, unpacked; empty if they cannot be read.
        file_sha256: of the file.
        format: how its bytes became text; `SENTENCES` for a part of a file of sentences.
        fault: (reason, detail) of a book that cannot be read.
        facts: by manifest column.
        listed: its row of the manifest.
    """

    root: Path
    file: str
    text: Path
    book_id: str = ""
    member: str = ""
    format: str = TEXT
    sha256: str = ""
    file_sha256: str = ""
    encoding: str = ""
    evidence: str = ""
    fault: tuple[str, str] | None = None
    facts: Mapping[str, str] = field(default_factory=dict)
    listed: ManifestRow | None = field(default=None, compare=False)

    @property
    def path(self) -> Path:
        return self.root / self.file

    @property
    def in_place(self) -> bool:
        """Whether its text is the user's file."""
        return self.text == self.path

    @property
    def split(self) -> str:
        return split_of(self.facts)

    @property
    def place(self) -> str:
        """File and member: its key, and its name in messages."""
        return f"{self.file}/{self.member}" if self.member else self.file

    @property
    def differs_from_manifest(self) -> bool:
        """Whether the manifest has another checksum; False for an unreadable book."""
        listed = self.listed.sha256 if self.listed else ""
        return bool(listed) and not self.fault and listed not in {self.sha256, self.file_sha256}

    @property
    def digest(self) -> str:
        """A digest of everything that a stage reads of it."""
        read = repr((VERSION, self.facts, self.fault, self.format, self.differs_from_manifest))
        return f"{self.sha256} {hashlib.blake2b(read.encode(), digest_size=8).hexdigest()}"


@dataclass(frozen=True, slots=True)
class Collection:
    """The books of a location.

    Attributes:
        books: sorted by id; unreadable ones have a fault, and a run drops them.
        shapes: format in words -> (files, books), both with readable books only.
        bytes: of the files with readable books.
        skipped: what is not read, and why; one line each.
        notes: warnings.
    """

    location: Location
    books: tuple[Book, ...]
    shapes: Mapping[str, tuple[int, int]]
    bytes: int
    skipped: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def readable(self) -> tuple[Book, ...]:
        return tuple(book for book in self.books if book.fault is None)

    @property
    def has_sentences(self) -> bool:
        """Whether it has one sentence per row, without books."""
        return any(book.format == SENTENCES for book in self.books)


def collect(
    location: Location,
    store: Store,
    *,
    settings: InputSettings | None = None,
    workers: int = 1,
    scratch: Store | None = None,
) -> Collection:
    """List the books of a location and store the texts of files that are not UTF-8 text.

    Args:
        scratch: gets the texts that are not in `store`, which then is only read.
    Raises:
        UsageError: nothing readable with books, a broken manifest, two different books share an id,
            pages instead of books, or no book has a split, if splits are kept.
    """
    settings = settings or InputSettings()
    root = location.root
    check_exists(location)
    found = find_files(location)
    if not found.books:
        raise NoBooksError(nothing_found(location, found))
    manifest = read_manifest(root)
    catalog, catalog_notes = read_catalog(root, found.catalogs)
    skipped = found.skipped
    facts_of = choose_files(found.books, catalog, skipped, listed=manifest.files)
    files = read_files(
        location,
        sorted(facts_of),
        store,
        settings=settings,
        workers=workers,
        scratch=scratch,
    )
    _add_skipped(skipped, files)
    members = [
        book.place for file in files.values() for book in file.books if format_of(book.member)
    ]
    etexts = {
        facts["etext"] for file, facts in facts_of.items() if format_of(file) and "etext" in facts
    }
    facts_of |= choose_files(members, catalog, skipped, read_elsewhere=etexts)
    books = _name_books(root, files, manifest, facts_of, skipped)
    if not books:
        raise UsageError(f"{location}: no book. {'; '.join(skipped_lines(skipped)[:NAMED])}")
    _refuse_pages(root, books)
    if settings.keep_splits:
        check_splits(location, books)
    places = {(book.file, book.member) for book in books}
    notes = [*manifest.notes(root, places), *catalog_notes]
    if not settings.keep_splits:
        notes += split_notes(books)
    readable = Counter(book.file for book in books if not book.fault)
    return Collection(
        location,
        tuple(sorted(books, key=lambda book: book.book_id)),
        _shapes(files, readable),
        sum((root / file).stat().st_size for file in readable),
        tuple(skipped_lines(skipped)),
        tuple(notes),
    )


def _add_skipped(skipped: Skipped, files: Mapping[str, FileContents]) -> None:
    for file, content in files.items():
        if not (content.books or content.report.skipped):
            skipped["it contains no books"].append(file)
        for why, names in content.report.skipped.items():
            skipped[why] += [f"{file}/{name}" if name else file for name in names]


def _shapes(
    files: Mapping[str, FileContents], readable: Mapping[str, int]
) -> dict[str, tuple[int, int]]:
    shapes: dict[str, tuple[int, int]] = {}
    for file, count in readable.items():
        shape = files[file].report.shape
        n_files, n_books = shapes.get(shape, (0, 0))
        shapes[shape] = (n_files + 1, n_books + count)
    return shapes


def read_text(book: Book) -> str:
    """The text of a book, which all spans refer to.

    Raises:
        CorpusError: its file was changed, or is gone.
    """
    try:
        with open_regular(book.text) as file:
            data = file.read()
    except OSError as error:
        raise CorpusError(
            f"{escape_cell(str(book.text))}: the text of {quote(book.place)} cannot be read "
            f"({error.strerror}). Run again to read it again. Finished work is kept."
        ) from None
    if not book.in_place:
        return data.decode("utf-8")
    if hashlib.sha256(data).hexdigest() != book.file_sha256:
        raise CorpusError(
            f"{escape_cell(str(book.path))}: changed while it was read: its bytes differ from those "
            "at the start of this run. Wait until nothing writes to it, then run again. Finished "
            "work is kept."
        )
    return unpacked(data).decode("utf-8")


# ---- files


@dataclass(frozen=True, slots=True)
class FileContents:
    """The books of one file, in its order."""

    report: FileReport
    books: Sequence[Book]


@dataclass(slots=True)
class FileShard:
    """A file for a worker to read."""

    out: Path
    path: Path
    sha256: str
    text_column: str

    @property
    def key(self) -> StageKey:
        settings = {"ending": ending_of(self.path.name).lower(), "text_column": self.text_column}
        return StageKey("books", VERSION, settings, item=self.sha256[:24])


def read_files(
    location: Location,
    files: Sequence[str],
    store: Store,
    *,
    settings: InputSettings,
    workers: int,
    scratch: Store | None = None,
) -> dict[str, FileContents]:
    """What each of the files contains; the texts of those that are not UTF-8 text are stored."""
    root = location.root
    with ThreadPoolExecutor(_THREADS) as pool:
        looked = dict(zip(files, pool.map(lambda file: _look(root, file), files), strict=True))
    shards = {
        file: FileShard(store.root, root / file, sha256, settings.text_column)
        for file, sha256 in looked.items()
        if isinstance(sha256, str)
    }
    missing = [shard for shard in shards.values() if not store.is_complete(shard.key)]
    if scratch is not None:
        for shard in missing:
            shard.out = scratch.root
    if missing:
        engine = make_engine("local", workers=min(workers, len(missing)))
        with (scratch or store).in_use(), engine_scope(engine):
            done = engine.map(store_texts, missing)
            for _ in track(done, stage="books", unit="files", total=len(missing)):
                pass
    return {
        file: result if isinstance(result, FileContents) else _stored(shards[file], root, file)
        for file, result in looked.items()
    }


def _look(root: Path, file: str) -> FileContents | str:
    """The contents of a UTF-8 text, which is read in place; of another file the sha256."""
    path = root / file
    try:
        if format_of(file) != TEXT or path.stat().st_size > MAX_BOOK_BYTES:
            return file_sha256(path)
        with open_regular(path) as handle:
            raw = handle.read()
    except OSError as error:
        fault = ("unreadable", error.strerror or str(error))
        return FileContents(FileReport("unreadable file"), [Book(root, file, path, fault=fault)])
    digest = hashlib.sha256(raw).hexdigest()
    try:
        data = unpacked(raw)
        decoded = decode_book(data)
    except (BookError, *DAMAGE):
        return digest  # `store_texts` stores the reason
    if has_sentences(data) or decoded.text.encode("utf-8", "replace") != data:
        return digest
    book = Book(
        root,
        file,
        path,
        sha256=hashlib.sha256(data).hexdigest(),
        file_sha256=digest,
        encoding=decoded.encoding,
        evidence=decoded.evidence,
        facts=header_facts(decoded.text),
    )
    return FileContents(FileReport(SHAPE), [book])


def store_texts(shard: FileShard) -> None:
    """Store the texts of a file and a table of them."""
    with Store(shard.out).writing(shard.key) as writer:
        if writer is None:
            return
        report = FileReport()
        texts = read_texts(shard.path, report, text_column=shard.text_column)
        rows = (
            _store_text(writer.path(f"text/{number:06}.txt"), text)
            for number, text in enumerate(texts)
        )
        writer.rows[TABLE] = write_jsonl(writer.path(TABLE), rows)
        writer.facts |= {"shape": report.shape, "skipped": report.skipped}
        writer.note_libraries("lxml", "pyarrow")


def _store_text(path: Path, text: Text) -> dict[str, Any]:
    """Write a text; returns its row in the table."""
    row: dict[str, Any] = {
        "member": text.name,
        "format": text.format,
        "text": "",
        "sha256": "",
        "facts": text.facts,
        "fault": None,
    }
    if isinstance(text.data, bytes):
        row["sha256"] = hashlib.sha256(text.data).hexdigest()
    try:
        decoded, facts = decode_text(text)
    except BookError as error:
        return row | {"fault": (error.reason, str(error))}
    path.write_text(decoded.text, encoding="utf-8", errors="replace", newline="")
    return row | {
        "text": path.name,
        "facts": {**facts, **text.facts},
        "encoding": decoded.encoding,
        "evidence": decoded.evidence,
    }


def _stored(shard: FileShard, root: Path, file: str) -> FileContents:
    artifact = Store(shard.out).open(shard.key)
    books = []
    for row in read_jsonl(artifact.path(TABLE)):
        text = artifact.folder / "text" / row.pop("text")
        if row["fault"]:
            row["fault"] = tuple(row["fault"])
        books.append(Book(root, file, text, file_sha256=shard.sha256, **row))
    report = FileReport(artifact.facts["shape"], artifact.facts["skipped"])
    return FileContents(report, books)


# ---- ids and facts


def _name_books(
    root: Path,
    files: Mapping[str, FileContents],
    manifest: Manifest,
    facts_of: Mapping[str, Mapping[str, str]],
    skipped: Skipped,
) -> list[Book]:
    """The chosen books with ids and facts, each once.

    Args:
        facts_of: by place, of the chosen files and members.
        skipped: gets the copies.
    Raises:
        UsageError: two books have one id.
    """
    books = []
    for file, content in files.items():
        for book in content.books:
            if format_of(book.member) and book.place not in facts_of:
                continue
            facts = {"role": split_of_folder(file), **book.facts}
            if len(content.books) == 1:
                facts |= facts_of[file]
            facts |= facts_of.get(book.place, {})
            row = manifest.row_of(file, book.member)
            cells = {name: cell for name, cell in row.cells.items() if cell} if row else {}
            facts |= cells
            book_id = facts.get("book_id")
            books.append(
                replace(
                    book,
                    book_id=_safe_id(book_id) if book_id else _id_from_names(book),
                    facts={name: facts[name] for name in FACTS if facts.get(name)},
                    listed=row,
                )
            )
    settled = _settle_ids(books, skipped)
    _refuse_equal_ids(root, settled)
    return settled


def _id_from_names(book: Book) -> str:
    """The stem of the file or archived file; of a row the stem and its number."""
    stem = _stem(book.file)
    if format_of(book.member):
        return _safe_id(_stem(book.member))
    return _safe_id(f"{stem}-{book.member}" if book.member else stem)


def _stem(path: str) -> str:
    name = path.rpartition("/")[2]
    return name.removesuffix(ending_of(name))


def _safe_id(stem: str) -> str:
    """The id; if characters must be replaced, a digest of the name is added.

    >>> _safe_id("RHOLM10"), _safe_id("war & peace")
    ('RHOLM10', 'war-peace-34ec')
    """
    safe = _UNSAFE.sub("-", stem).strip(".-")
    if safe == stem:
        return stem
    digest = hashlib.blake2b(stem.encode("utf-8", "surrogateescape"), digest_size=2).hexdigest()
    return f"{safe}-{digest}" if safe else f"book-{digest}"


def _settle_ids(books: Iterable[Book], skipped: Skipped) -> list[Book]:
    """Of books with one id and the same bytes the first; other ones get an id with their folder."""
    by_id: defaultdict[str, list[Book]] = defaultdict(list)
    for book in books:
        by_id[book.book_id].append(book)
    settled: list[Book] = []
    for same in by_id.values():
        first_of: dict[str, Book] = {}
        for book in sorted(same, key=lambda book: bool(book.member)):
            content = book.sha256 or book.place
            if content in first_of:
                skipped["identical to another book of this name"].append(book.place)
            else:
                first_of[content] = book
        different = list(first_of.values())
        settled += different if len(different) == 1 else map(_with_folder_in_id, different)
    return settled


def _with_folder_in_id(book: Book) -> Book:
    if book.listed and book.listed.cells.get("book_id"):
        return book
    return replace(
        book, book_id=_safe_id(book.place.removesuffix(ending_of(book.place)).replace("/", "-"))
    )


def _refuse_equal_ids(root: Path, books: Sequence[Book]) -> None:
    for book_id, count in Counter(book.book_id for book in books).items():
        if count > 1:
            names = name_list([repr(book.place) for book in books if book.book_id == book_id])
            raise UsageError(
                f"{root}: {count} books share the id {book_id!r} ({names}). "
                f"Rename a file, or give each its own book_id in {MANIFEST_NAME}."
            )


def _refuse_pages(root: Path, books: Sequence[Book]) -> None:
    """UsageError if a folder or archive has the pages or chapters of a book."""
    folders: defaultdict[tuple[str, str], dict[int, Book]] = defaultdict(dict)
    for book in books:
        folder, _, name = book.place.rpartition("/")
        match = _PAGE_NAME.fullmatch(_stem(name))
        is_named = match is not None and match[2].lower() in _PAGE_WORDS and bool(format_of(name))
        if match and is_named and not (book.listed or book.fault):
            folders[folder, match[1]][int(match[3])] = book
    for (folder, _), pages in folders.items():
        is_gapless = max(pages) - min(pages) == len(pages) - 1
        if not (is_gapless and _MIN_PAGES <= len(pages) <= _MAX_PAGES):
            continue
        sample = sorted(pages)[:: max(1, len(pages) // _PAGES_READ)]
        like_pages = sum(_is_like_page(read_text(pages[number])) for number in sample)
        if like_pages >= _MIN_PAGE_SHARE * len(sample):
            first = pages[min(pages)]
            raise UsageError(
                f"{root / escape_cell(folder)}: {len(pages):,} numbered texts ({quote(first.place)}, "
                "...) look like the pages or chapters of a book, and not like books. Join those of "
                f"each book in one file, or list them in {MANIFEST_NAME} to read each as a book."
            )


def _is_like_page(text: str) -> bool:
    """Whether a text is short, and begins with a number or a small letter or ends with one or a comma.

    >>> [_is_like_page(text) for text in ("and left.", "12 THE MILL\\nShe left.", "She left. THE END")]
    [True, True, False]
    """
    if len(text) > _MAX_PAGE_CHARS:
        return False
    first = re.search(r"\w", text[:1000])
    begins = first is not None and (first[0].islower() or first[0].isdecimal())
    return begins or re.search(r"[a-z,;-]\s*$", text[-1000:]) is not None


def refuse_sentences(books: Sequence[Book], option: str) -> None:
    """UsageError if a file has one sentence a line: no questions can be made of it."""
    files = dict.fromkeys(str(book.path) for book in books if book.format == SENTENCES)
    if files:
        raise UsageError(
            f"{option}: {name_list([quote(file) for file in files])}: one sentence per line, without "
            "books, so no questions or passages can be made from it. It can be background: give it "
            f"as --train to holmes-style or scs-style, and whole books as {option}."
        )
