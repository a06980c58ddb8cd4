"""Zip and tar archives of books. A member has the stored bytes of the plain file; its name is a
label and never a path, so absolute names and `..` are harmless.
"""

from __future__ import annotations

import functools
import hashlib
import io
import itertools
import os
import stat
import tarfile
import threading
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import IO, BinaryIO, ClassVar

from cloze_gen.corpus.readers.compressed import BOMB, DAMAGE, MAX_RATIO, open_unpacked
from cloze_gen.corpus.readers.reader import (
    MAX_BOOK_BYTES,
    InputSettings,
    Listing,
    Member,
    Reader,
)
from cloze_gen.corpus.readers.rows import RowReader, file_identity
from cloze_gen.errors import BookError
from cloze_gen.parsing import error_text, quote

_TAR_ENDINGS = (".tar", ".tar.gz", ".tgz", ".tar.zst", ".tar.bz2")
_ARCHIVE_ENDINGS = (".zip", *_TAR_ENDINGS, ".tar.xz", ".7z", ".rar")
_OTHER_KIND = "not a format that is read inside an archive"
_SPARSE = "stored as a sparse file; create the archive without --sparse"
_MAX_ENTRIES = 5_000_000
_MAX_BOOKS = 1_000_000
_MAX_NAME_CHARS = 1_000
_MAX_DIRECTORY_BYTES = 64 * 1024 * 1024  # of a zip; that of 75,000 books has 7 MB
_CHUNK_BYTES = 1024 * 1024
_LISTED_KINDS = 20


@dataclass(frozen=True, slots=True)
class _Entry:
    """A file in an archive.

    Attributes:
        why_not: why it cannot be read, whatever its name is; empty if it can.
        read: its bytes, cut one above `MAX_BOOK_BYTES`; BookError for damage.
    """

    name: str
    why_not: str
    read: Callable[[], bytes]


class _Archive(RowReader):
    """`books`: the readers of the members, each of which is one book."""

    def __init__(self, books: Sequence[Reader]) -> None:
        self._books = tuple(books)

    def entries(self, file: BinaryIO) -> Iterator[_Entry]:
        """The files in their order; an entry is read before the next one, or not at all."""
        raise NotImplementedError

    def listing(self, file: BinaryIO, settings: InputSettings) -> Listing:
        members: list[Member] = []
        skipped: list[tuple[str, str]] = []
        others: Counter[str] = Counter()
        try:
            for entry, why_not in self._judged(file):
                if why_not == _OTHER_KIND:
                    others[PurePosixPath(entry.name).suffix.lower()[:20]] += 1
                elif why_not:
                    skipped.append((entry.name[:_MAX_NAME_CHARS], why_not))
                else:
                    members.append(self._member(entry, settings))
                if len(members) + len(skipped) > _MAX_BOOKS:
                    raise BookError("unreadable", f"more than {_MAX_BOOKS:,} books")
        except BookError as error:
            if not members:
                raise
            skipped.append(("the rest", str(error)))
        skipped += [
            (f"*{ending}", f"{count:,} file{'' if count == 1 else 's'}, {_OTHER_KIND}")
            for ending, count in others.most_common(_LISTED_KINDS)
        ]
        return Listing(self.shape, members, skipped)

    def rows(self, file: BinaryIO, member: str) -> Iterator[tuple[str, bytes | BookError]]:
        for entry, why_not in self._judged(file):
            if not why_not:
                yield entry.name, entry.read()

    def reader_of(self, member: str) -> Reader:
        ending = self._ending(member)
        return next((one for one in self._books if ending and ending in one.endings), self)

    def _judged(self, file: BinaryIO) -> Iterator[tuple[_Entry, str]]:
        """The entries, and why each is no book; empty for a book."""
        seen: set[str] = set()
        for number, entry in enumerate(self.entries(file), 1):
            if number > _MAX_ENTRIES:
                raise BookError("unreadable", f"more than {_MAX_ENTRIES:,} entries")
            why_not = self._why_no_book(entry.name) or entry.why_not
            if not why_not and entry.name in seen:
                why_not = "a second file with the same name; only the first is read"
            if not why_not:
                seen.add(entry.name)
            yield entry, why_not

    def _why_no_book(self, name: str) -> str:
        if len(name) > _MAX_NAME_CHARS:
            return f"a name of {len(name):,} characters"
        if name.lower().endswith(_ARCHIVE_ENDINGS):
            return "an archive in an archive; unpack it"
        if not self._ending(name):
            return _OTHER_KIND
        parts = name.split("/")
        return "hidden" if parts[-1].startswith(".") or "__MACOSX" in parts else ""

    def _ending(self, name: str) -> str:
        endings = (ending for reader in self._books for ending in reader.endings)
        return max((one for one in endings if name.lower().endswith(one)), key=len, default="")

    def _member(self, entry: _Entry, settings: InputSettings) -> Member:
        """The id is that of a plain file."""
        last = entry.name.rsplit("/", 1)[-1]
        plain = Member(entry.name, last[: -len(self._ending(last))])
        reader = self.reader_of(entry.name)
        if type(reader).listing is Reader.listing:  # has no facts: not read now
            return plain
        try:
            (own,) = reader.listing(io.BytesIO(entry.read()), settings).members
        except BookError:
            return plain  # it fails again when the book is read, and is dropped
        return replace(plain, facts=own.facts, kind=own.kind)


def _read(read: Callable[[int], bytes]) -> bytes:
    """All bytes, or one more than a book may have."""
    chunks: list[bytes] = []
    left = MAX_BOOK_BYTES + 1
    while left > 0 and (chunk := read(min(left, _CHUNK_BYTES))):
        chunks.append(chunk)
        left -= len(chunk)
    return b"".join(chunks)


# ---- tar


class TarArchive(_Archive):
    endings: ClassVar[tuple[str, ...]] = _TAR_ENDINGS
    shape: ClassVar[str] = "tar archive"

    def takes(self, name: str, head: bytes) -> bool:
        return name.endswith(self.endings)

    def entries(self, file: BinaryIO) -> Iterator[_Entry]:
        return _tar_entries(open_unpacked(file))


_BLOCK_BYTES = 512
_MAX_HEADER_BYTES = 64 * 1024  # of a long name or an extended header
_NAMES = {tarfile.XHDTYPE, tarfile.SOLARIS_XHDTYPE, tarfile.GNUTYPE_LONGNAME}
_UNUSED = {tarfile.XGLTYPE, tarfile.GNUTYPE_LONGLINK}
_FILES = {*tarfile.REGULAR_TYPES} - {tarfile.GNUTYPE_SPARSE}


class _TarContent:
    """The content of one entry, and the padding after it."""

    def __init__(self, source: io.BufferedReader, size: int) -> None:
        self._source = source
        self._left = size
        self._padding = -size % _BLOCK_BYTES

    def read(self, size: int) -> bytes:
        data = self._source.read(min(size, self._left))
        if len(data) < min(size, self._left):
            raise BookError("unreadable", "the archive is incomplete: it ends within a file")
        self._left -= len(data)
        return data

    def skip(self) -> None:
        self._left += self._padding
        if self._left and self._source.seekable():
            self._source.seek(self._left - 1, io.SEEK_CUR)
            self._left = 1
        while self._left:
            self.read(_CHUNK_BYTES)


def _tar_entries(source: io.BufferedReader) -> Iterator[_Entry]:
    """Python's `tarfile` holds whatever a header claims, and all entries; this holds one name."""
    facts: dict[str, str] = {}  # of an extended header, for the next entry
    while block := source.read(_BLOCK_BYTES):
        try:
            header = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
        except tarfile.EOFHeaderError:  # type: ignore[attr-defined]
            if source.read(_CHUNK_BYTES).strip(b"\0"):
                raise BookError("unreadable", "another archive is behind the end") from None
            return
        except (tarfile.TarError, ValueError) as error:
            raise BookError("unreadable", f"not a tar file, or damaged ({error})") from None
        size = header.size
        if header.type in _FILES:
            size = _tar_size(facts.get("size", str(size)))
        elif header.type in tarfile.SUPPORTED_TYPES and header.type not in _NAMES | _UNUSED:
            size = 0  # whatever the header claims
        if size < 0:
            raise BookError(
                "unreadable", f"{quote(header.name)} has an impossible size: the archive is damaged"
            )
        if header.type == tarfile.GNUTYPE_SPARSE:
            raise BookError("unreadable", f"{quote(header.name)} is {_SPARSE}")
        content = _TarContent(source, size)
        if header.type in _NAMES:
            if size > _MAX_HEADER_BYTES:
                raise BookError("unreadable", f"a name or header of {size:,} bytes")
            facts |= _long_name(content.read(size), header.type)
        elif header.type not in _UNUSED:
            name = facts.get("path", header.name).removeprefix("./")
            if not header.isdir():
                yield _Entry(name, _why_not(header, facts), functools.partial(_read, content.read))
            facts = {}
        content.skip()


def _why_not(header: tarfile.TarInfo, facts: Mapping[str, str]) -> str:
    if header.islnk() or header.issym():
        return "a link"
    if header.type not in _FILES:
        return "no file"
    return _SPARSE if any(name.startswith("GNU.sparse") for name in facts) else ""


def _long_name(data: bytes, kind: bytes) -> dict[str, str]:
    """The facts of an extended header (POSIX.1-2001, pax: `LENGTH NAME=VALUE`, a line each)."""
    if kind == tarfile.GNUTYPE_LONGNAME:
        return {"path": data.partition(b"\0")[0].decode("utf-8", "surrogateescape")}
    facts = {}
    while data.strip(b"\0"):
        digits, _, _ = data.partition(b" ")
        length = int(digits) if digits.isdigit() and len(digits) <= 6 else 0
        if not len(digits) + 1 < length <= len(data):
            raise BookError("unreadable", "a damaged extended header in the tar file")
        name, _, value = data[len(digits) + 1 : length - 1].partition(b"=")
        facts[name.decode("utf-8", "replace")] = value.decode("utf-8", "surrogateescape")
        data = data[length:]
    return facts


def _tar_size(digits: str) -> int:
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= 18 else -1


# ---- zip


class ZipArchive(_Archive):
    """Also a zip with one tar in it, as Gutenberg publishes all its texts."""

    endings: ClassVar[tuple[str, ...]] = (".zip",)
    shape: ClassVar[str] = "zip archive"

    def takes(self, name: str, head: bytes) -> bool:
        return name.endswith(self.endings)

    def entries(self, file: BinaryIO) -> Iterator[_Entry]:
        archive = _directory(file)
        if archive.tar is not None:
            with _opened(archive.zip, archive.tar) as tar:
                yield from _tar_entries(open_unpacked(tar, packed_bytes=archive.tar.file_size))
            return
        for info, why_not in archive.files:
            read = functools.partial(_read_member, archive.zip, info)
            yield _Entry(info.filename, why_not, read)

    def fetch(self, file: BinaryIO, member: str, *, limit: int) -> tuple[bytes, str]:
        archive = _directory(file)
        if archive.tar is not None:
            return super().fetch(file, member, limit=limit)
        if member not in archive.readable:
            raise BookError("unreadable", f"no book {quote(member)} in this archive")
        stored = _read_member(archive.zip, archive.readable[member])
        return stored[: limit + 1], hashlib.sha256(stored).hexdigest()


@dataclass(frozen=True, slots=True)
class _Directory:
    """Attributes:
    files: with the reason why one cannot be read, or "".
    readable: name -> the first such file.
    tar: the only file, if it is a tar.
    """

    identity: tuple[int, ...]
    zip: zipfile.ZipFile
    files: tuple[tuple[zipfile.ZipInfo, str], ...]
    readable: Mapping[str, zipfile.ZipInfo]
    tar: zipfile.ZipInfo | None


_LOCK = threading.Lock()
_directories: list[_Directory] = []  # none or one, as reading one takes long in a large archive


def _directory(file: BinaryIO) -> _Directory:
    with _LOCK:
        identity = file_identity(file)
        if not _directories or _directories[0].identity != identity:
            found = _read_directory(file, identity)
            _directories[:] = [found]
        return _directories[0]


class _ZipFileIO(io.FileIO):
    """Bounds a read, as `zipfile` reads a directory of any size at once; closed with the last
    reference, as `zipfile` does not close it and another thread may read it.
    """

    def read(self, size: int | None = -1) -> bytes:
        most = _MAX_DIRECTORY_BYTES + 1
        data = super().read(most if size is None or size < 0 else min(size, most)) or b""
        if len(data) == most:
            raise BookError("unreadable", "a zip file with a directory larger than any real one")
        return data

    def __del__(self) -> None:
        self.close()


def _read_directory(file: BinaryIO, identity: tuple[int, ...]) -> _Directory:
    copy = _ZipFileIO(os.dup(file.fileno()))
    try:
        found = zipfile.ZipFile(copy)
    except BaseException as error:
        copy.close()
        if isinstance(error, (*DAMAGE, NotImplementedError)):
            raise BookError(
                "unreadable", f"not a zip file, or an incomplete one ({error_text(error)})"
            ) from None
        raise
    infos = [info for info in found.infolist() if not info.is_dir()]
    unpacked = sum(info.file_size for info in infos)
    if unpacked > max(MAX_BOOK_BYTES, MAX_RATIO * os.fstat(copy.fileno()).st_size):
        found.close()
        raise BookError("unreadable", BOMB)
    starts = sorted(info.header_offset for info in found.infolist())
    ends = dict(reversed(list(itertools.pairwise([*starts, found.start_dir]))))
    files = tuple((info, _why_not_in_zip(info, ends[info.header_offset])) for info in infos)
    readable = {info.filename: info for info, why_not in reversed(files) if not why_not}
    only, why_not = files[0] if len(files) == 1 else (None, "")
    tar = only if only and not why_not and only.filename.lower().endswith(_TAR_ENDINGS) else None
    return _Directory(identity, found, files, readable, tar)


_HEADER_BYTES = 30  # of a zip, before each file


def _why_not_in_zip(info: zipfile.ZipInfo, end: int) -> str:
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind not in {0, stat.S_IFREG}:
        return "a link" if kind == stat.S_IFLNK else "no file"
    if info.flag_bits & 1:
        return "encrypted"
    if info.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
        return f"compressed by method {info.compress_type}, which is not read; unpack it"
    if info.header_offset + _HEADER_BYTES + info.compress_size > end:
        return "it overlaps another file of the archive"
    return ""


def _opened(file: zipfile.ZipFile, info: zipfile.ZipInfo) -> IO[bytes]:
    try:
        return file.open(info)
    except (*DAMAGE, NotImplementedError) as error:
        raise BookError("unreadable", f"damaged in the archive ({error_text(error)})") from None


def _read_member(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    try:
        with _opened(archive, info) as content:
            data = _read(content.read)
    except DAMAGE as error:
        raise BookError("unreadable", f"damaged in the archive ({error_text(error)})") from None
    if len(data) != min(info.file_size, MAX_BOOK_BYTES + 1):
        raise BookError("unreadable", "damaged in the archive (not of the size it gives)")
    return data
