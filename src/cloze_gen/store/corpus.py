"""Reading a corpus: a folder of `.txt` / `.txt.gz` files in any letter case, one book a file, subfolders allowed.

Links to files are followed, links to folders are not; hidden files and folders stay out. An optional `manifest.tsv` at the top gives
facts of the books (`corpus_manifest`). File names never become paths in the output: a book is known by its id, `[A-Za-z0-9._-]+`.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import re
import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from cloze_gen.errors import BookError, CorpusError, UsageError
from cloze_gen.notation import named
from cloze_gen.store.corpus_folder import SUFFIX, check_folder, look_through, refuse_unreadable
from cloze_gen.store.corpus_manifest import MANIFEST_NAME, ManifestRow, manifest_rows, read_manifest, rows_of_files, unused_columns
from cloze_gen.store.files import GZIP_MAGIC, open_regular
from cloze_gen.store.tables import escape_cell

MAX_BOOK_BYTES = 256 * 1024 * 1024  # bytes after unpacking; the largest of the 534 books at hand has 5.5 MB
UNREADABLE = "unreadable"  # how the digest of a file begins that cannot be opened; the reason follows
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True)
class BookFile:
    """One book of a corpus folder, before it is read.

    Attributes:
        file: path below the corpus folder, with `/`.
        book_id: id from the manifest, else made from the file's stem.
        facts: title, author, genre, year, etext, license and role as the manifest has them.
        listed_sha256: the checksum that the manifest has for it, in small letters; empty without one.
        listed_in_line: line of the manifest that lists it; 0 where none does.
    """

    root: Path
    file: str
    book_id: str
    facts: tuple[tuple[str, str], ...] = ()
    listed_sha256: str = ""
    listed_in_line: int = 0

    @property
    def path(self) -> Path:
        return self.root / self.file

    def unlike_listed(self, digest: str) -> bool:
        """Whether the file's digest is another than the manifest's; of a file that cannot be read nobody knows."""
        return bool(self.listed_sha256) and not digest.startswith(UNREADABLE) and digest != self.listed_sha256


def book_id_from_name(file: str) -> str:
    """The id of a file without a manifest: its stem; characters outside the id alphabet are replaced and a digest keeps it unique.

    >>> book_id_from_name("RHOLM10.TXT"), book_id_from_name("sub/Emma.txt.gz")
    ('RHOLM10', 'Emma')
    >>> book_id_from_name("war & peace.txt")
    'war-peace-34ec'
    """
    stem = SUFFIX.sub("", file.rsplit("/", 1)[-1])
    safe = _UNSAFE.sub("-", stem).strip(".-")
    if safe == stem:
        return stem
    digest = hashlib.blake2b(stem.encode("utf-8", "surrogateescape"), digest_size=2).hexdigest()
    return f"{safe}-{digest}" if safe else f"book-{digest}"


def scan_corpus(root: Path, *, notice: Callable[[str], None] | None = None) -> list[BookFile]:
    """The books of a folder, sorted by id.

    Args:
        notice: told, a line each, what lies in the folder and is not read, and what its manifest says that does not hold.

    Raises:
        UsageError: the folder is missing or cannot be read through, holds no book, its manifest is broken, or two books share an id.
    """
    check_folder(root, "Give a folder of .txt or .txt.gz files, one book a file.")
    found = look_through(root)
    passed = found.passed_over()
    if not found.books:
        raise UsageError(f"{root}: no .txt or .txt.gz file in this folder or below it." + (f" There are {passed}." if passed else ""))
    listed, slips = _listed(root, found.books)
    books = [_book(root, file, listed.get(file)) for file in sorted(found.books)]
    counts = Counter(book.book_id for book in books)
    for book in books:
        if counts[book.book_id] > 1:
            same = named([repr(other.file) for other in books if other.book_id == book.book_id])
            raise UsageError(
                f"{root}: {counts[book.book_id]} books share the id {book.book_id!r} ({same}). "
                f"Rename a file, or give each its own book_id in {MANIFEST_NAME}."
            )
    if notice is not None:
        for line in ([f"passed over {passed}"] if passed else []) + slips:
            notice(f"{root}: {line}")
    return sorted(books, key=lambda book: book.book_id)


def _book(root: Path, file: str, row: ManifestRow | None) -> BookFile:
    cells = row.cells if row is not None else {}
    book_id = cells.get("book_id") or book_id_from_name(file)
    if _UNSAFE.search(book_id) or book_id in {".", ".."}:
        where = f"{root / MANIFEST_NAME}, line {row.line if row is not None else '?'}"
        raise UsageError(f"{where}: book_id {book_id[:80]!r} of {file!r} may hold only A-Z a-z 0-9 . _ - and be neither . nor ..")
    kept = tuple((name, cells[name]) for name in ("title", "author", "genre", "year", "etext", "license", "role") if cells.get(name))
    return BookFile(root, file, book_id, kept, row.sha256 if row is not None else "", row.line if row is not None else 0)


def _listed(root: Path, files: list[str]) -> tuple[dict[str, ManifestRow], list[str]]:
    """The rows of the folder's manifest that belong to its files, and what else the manifest says, in words."""
    path = root / MANIFEST_NAME
    if not os.path.lexists(path):
        return {}, []
    rows = read_manifest(path)
    listed, gone = rows_of_files(path, rows, files)
    return listed, [f"{MANIFEST_NAME} {slip}" for slip in (gone, unused_columns(rows)) if slip]


def book_digest(book: BookFile) -> str:
    """sha256 of the file as it lies on disk; `unreadable: ` and the reason where it cannot be read, so that a mended file counts as new."""
    try:
        with open_regular(book.path) as handle:
            return hashlib.file_digest(handle, "sha256").hexdigest()
    except OSError as error:
        return _unreadable(error)


def _unreadable(error: OSError) -> str:
    return f"{UNREADABLE}: {error.strerror or error}"


def listing_digest(books: Sequence[BookFile], digests: Sequence[str]) -> str:
    """16 hexadecimal digits over what a manifest adds to the table of books; empty where it adds nothing. Checksums that agree do not."""
    unlike = [
        (book.listed_sha256, book.listed_in_line) if book.unlike_listed(digest) else () for book, digest in zip(books, digests, strict=True)
    ]
    added = [(book.file, book.facts, one) for book, one in zip(books, unlike, strict=True) if book.facts or one]
    return hashlib.blake2b(repr(added).encode(), digest_size=8).hexdigest() if added else ""


def read_book(path: Path, *, digest: str = "") -> bytes:
    """The bytes of a book, unpacked when they are a gzip, whatever the file is called.

    Args:
        digest: what `book_digest` found earlier; where it is given, the bytes read here must be the same ones.

    Raises:
        BookError: reasons ``unreadable``, ``truncated_gzip`` and ``too_large``.
        CorpusError: the file is no longer the one with this digest.
    """
    try:
        packed, found = _read_whole(path)
    except OSError as error:
        packed, found = b"", _unreadable(error)
    if digest and found != digest:
        raise CorpusError(
            f"{escape_cell(str(path))}: changed while it was read: its bytes are no longer those that this run began with. "
            "Wait until nothing writes to it, then run again; what was finished stays."
        )
    if found.startswith(UNREADABLE):
        raise BookError("unreadable", f"{path.name!r}: cannot be read ({found.removeprefix(UNREADABLE + ': ')})")
    try:
        data = _unpacked(packed) if packed.startswith(GZIP_MAGIC) else packed
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise BookError("truncated_gzip", f"{path.name!r}: the gzip is cut short or damaged ({error})") from None
    if len(data) > MAX_BOOK_BYTES:
        raise BookError("too_large", f"{path.name!r}: more than {MAX_BOOK_BYTES // 2**20} MiB of text; split it into books")
    return data


def _read_whole(path: Path) -> tuple[bytes, str]:
    """A file's bytes, up to one more than a book may have, and the sha256 of all of them."""
    sha256 = hashlib.sha256()
    with open_regular(path) as handle:
        data = handle.read(MAX_BOOK_BYTES + 1)
        sha256.update(data)
        while more := handle.read(1024 * 1024):
            sha256.update(more)
    return data, sha256.hexdigest()


def _unpacked(packed: bytes) -> bytes:
    """The gzip's content, up to one byte more than a book may have. A gzip as large as that has at least as much in it, or is no book."""
    if len(packed) > MAX_BOOK_BYTES:
        return packed
    with gzip.GzipFile(fileobj=io.BytesIO(packed)) as handle:
        return handle.read(MAX_BOOK_BYTES + 1)


def verify_corpus(root: Path, manifest: Path, *, role: str | None = None) -> list[tuple[str, str]]:
    """Compare a folder with a manifest's facts: (file, finding) for every file missing or different; empty when all agree.

    Files are matched by name in any letter case, so a copy unpacked elsewhere still verifies. Where several files below `root` share the
    name, one that agrees is enough. Files that the manifest does not list are passed over.
    """
    rows = manifest_rows(manifest, role=role)
    check_folder(root, "Give the folder that holds the books, or one above it.")
    there: dict[str, list[Path]] = {}
    for folder, _, names in os.walk(root, onerror=refuse_unreadable):
        for name in names:
            there.setdefault(name.lower(), []).append(Path(folder) / name)
    findings = []
    for row in rows:
        wanted = row.file.lower()
        paths = sorted(there.get(wanted.rsplit("/", 1)[-1], []))
        exact = [path for path in paths if os.path.relpath(path, root).replace(os.sep, "/").lower() == wanted]
        digests = [book_digest(BookFile(path.parent, path.name, "")) for path in exact or paths]
        if not paths:
            findings.append((row.file, "missing"))
        elif all(digest.startswith(UNREADABLE) for digest in digests):
            findings.append((row.file, digests[0]))
        elif row.sha256 not in digests:
            size = next(
                path.stat().st_size for path, digest in zip(exact or paths, digests, strict=True) if not digest.startswith(UNREADABLE)
            )
            findings.append((row.file, f"differs: {size} bytes here, {row.cells.get('bytes') or '?'} in the manifest"))
    return findings
