"""Reading a corpus: a folder of `.txt` / `.txt.gz` files in any letter case, one book a file, subfolders allowed.

An optional `manifest.tsv` at its top gives facts of the books (columns: file, book_id, title, author, year, etext, bytes, sha256, role;
all but `file` optional). File names never become paths in the output: a book is known by its id, `[A-Za-z0-9._-]+`.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import re
import zlib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from cloze_gen.errors import BookError, CorpusError, UsageError
from cloze_gen.store.manifest import file_sha256
from cloze_gen.store.tables import read_tsv

MANIFEST_NAME = "manifest.tsv"
MAX_BOOK_BYTES = 256 * 1024 * 1024  # bytes after unpacking; the largest of the 534 books at hand has 5.5 MB
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_SUFFIX = re.compile(r"\.txt(\.gz)?$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class BookFile:
    """One book of a corpus folder, before it is read.

    Attributes:
        file: path below the corpus folder, with `/`.
        book_id: id from the manifest, else made from the file's stem.
        facts: title, author, year, etext and role as the manifest has them.
    """

    root: Path
    file: str
    book_id: str
    facts: tuple[tuple[str, str], ...] = ()

    @property
    def path(self) -> Path:
        return self.root / self.file


def book_id_from_name(file: str) -> str:
    """The id of a file without a manifest: its stem; characters outside the id alphabet are replaced and a digest keeps it unique.

    >>> book_id_from_name("RHOLM10.TXT"), book_id_from_name("sub/Emma.txt.gz")
    ('RHOLM10', 'Emma')
    >>> book_id_from_name("war & peace.txt")
    'war-peace-34ec'
    """
    stem = _SUFFIX.sub("", file.rsplit("/", 1)[-1])
    safe = _UNSAFE.sub("-", stem).strip(".-")
    if safe == stem:
        return stem
    digest = hashlib.blake2b(stem.encode("utf-8", "surrogateescape"), digest_size=2).hexdigest()
    return f"{safe}-{digest}" if safe else f"book-{digest}"


def scan_corpus(root: Path) -> list[BookFile]:
    """The books of a folder, sorted by id.

    Raises:
        UsageError: the folder is missing, holds no book, or two books share an id.
    """
    if not root.is_dir():
        raise UsageError(f"{root}: no such folder. Give a folder of .txt or .txt.gz files, one book a file.")
    files = sorted(
        (Path(folder) / name).relative_to(root).as_posix()
        for folder, _, names in os.walk(root)
        for name in names
        if _SUFFIX.search(name) and not name.startswith(".")
    )
    if not files:
        raise UsageError(f"{root}: no .txt or .txt.gz file in this folder or below it.")
    facts = _read_facts(root)
    books = [_book(root, file, facts.get(file, {})) for file in files]
    counts = Counter(book.book_id for book in books)
    for book in books:
        if counts[book.book_id] > 1:
            same = ", ".join(repr(other.file) for other in books if other.book_id == book.book_id)
            raise UsageError(
                f"{root}: {counts[book.book_id]} books share the id {book.book_id!r} ({same}). "
                f"Rename a file, or give each its own book_id in {MANIFEST_NAME}."
            )
    return sorted(books, key=lambda book: book.book_id)


def _book(root: Path, file: str, facts: dict[str, str]) -> BookFile:
    book_id = facts.get("book_id") or book_id_from_name(file)
    if _UNSAFE.search(book_id):
        raise UsageError(f"{root / MANIFEST_NAME}: book_id {book_id!r} of {file!r} may hold only A-Z a-z 0-9 . _ -")
    kept = tuple((name, facts[name]) for name in ("title", "author", "year", "etext", "role") if facts.get(name))
    return BookFile(root, file, book_id, kept)


def _read_facts(root: Path) -> dict[str, dict[str, str]]:
    path = root / MANIFEST_NAME
    if not path.is_file():
        return {}
    try:
        rows = read_tsv(path)
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not UTF-8 ({error}). Save it as UTF-8, tab-separated.") from None
    if rows and "file" not in rows[0]:
        raise UsageError(f"{path}: no column 'file' in its first line; columns are separated by tabs.")
    return {row["file"]: row for row in rows}


def book_digest(book: BookFile) -> str:
    """sha256 of the file as it lies on disk; `unreadable` where it cannot be opened, so that a mended file counts as new."""
    try:
        return file_sha256(book.path)
    except OSError:
        return "unreadable"


def read_book(path: Path) -> bytes:
    """The bytes of a book, unpacked when it is a gzip.

    Raises:
        BookError: reasons ``unreadable``, ``truncated_gzip`` and ``too_large``.
    """
    try:
        if path.name.lower().endswith(".gz"):
            with gzip.open(path, "rb") as handle:
                data = handle.read(MAX_BOOK_BYTES + 1)
        else:
            with open(path, "rb") as handle:
                data = handle.read(MAX_BOOK_BYTES + 1)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise BookError("truncated_gzip", f"{path.name}: the gzip is cut short or damaged ({error})") from None
    except OSError as error:
        raise BookError("unreadable", f"{path.name}: cannot be read ({error.strerror or error})") from None
    if len(data) > MAX_BOOK_BYTES:
        raise BookError("too_large", f"{path.name}: more than {MAX_BOOK_BYTES // 2**20} MiB of text; split it into books")
    return data


def manifest_rows(manifest: Path, *, role: str | None = None) -> list[dict[str, str]]:
    """The files that a manifest lists; of one role (``train``, ``source``) where that is asked for.

    Raises:
        CorpusError: a column that is needed is missing.
        UsageError: no file has this role.
    """
    rows = read_tsv(manifest)
    if not rows or "file" not in rows[0] or "sha256" not in rows[0]:
        raise CorpusError(f"{manifest}: needs the columns 'file' and 'sha256', separated by tabs.")
    if role is None:
        return rows
    roles = sorted({row.get("role", "") for row in rows} - {""})
    if role not in roles:
        raise UsageError(f"{manifest}: no file has the role {role!r}. Roles there: {', '.join(roles) or 'none'}.")
    return [row for row in rows if row.get("role") == role]


def verify_corpus(root: Path, manifest: Path, *, role: str | None = None) -> list[tuple[str, str]]:
    """Compare a folder with a manifest's facts: (file, finding) for every file missing or different; empty when all agree.

    Files are matched by name in any letter case, so a copy unpacked elsewhere still verifies. Where several files below `root` share the
    name, one that agrees is enough. Files that the manifest does not list are passed over.
    """
    rows = manifest_rows(manifest, role=role)
    if not root.is_dir():
        raise UsageError(f"{root}: no such folder. Give the folder that holds the books, or one above it.")
    named: dict[str, list[Path]] = {}
    for folder, _, names in os.walk(root):
        for name in names:
            named.setdefault(name.lower(), []).append(Path(folder) / name)
    findings = []
    for row in rows:
        wanted = row["file"].lower()
        paths = sorted(named.get(wanted.rsplit("/", 1)[-1], []))
        exact = [path for path in paths if os.path.relpath(path, root).replace(os.sep, "/").lower() == wanted]
        if not paths:
            findings.append((row["file"], "missing"))
        elif all(file_sha256(path) != row["sha256"] for path in exact or paths):
            size = (exact or paths)[0].stat().st_size
            findings.append((row["file"], f"differs: {size} bytes here, {row.get('bytes', '?')} in the manifest"))
    return findings
