"""Zip and tar archives of books. A member has the stored bytes of the plain file; its name is a
label and never a path, so absolute names and `..` are harmless.
"""

from __future__ import annotations

import functools
import hashlib
import io
import os
import stat
import tarfile
import threading
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import IO, BinaryIO, ClassVar, Self

from cloze_gen.corpus.readers.compressed import DAMAGE, damage, open_unpacked
from cloze_gen.corpus.readers.html import parts_of_pages
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
_MAX_NAME_CHARS = 1_000
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
        except BookError as error:
            if not members:
                raise
            skipped.append(("the rest", str(error)))
        parts = parts_of_pages([member.name for member in members])
        members = [member for member in members if member.name not in parts]
        skipped += [(part, "a part of a saved web page") for part in sorted(parts)]
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
        for entry in self.entries(file):
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


class _Header(tarfile.TarInfo):
    """`tarfile` takes a damaged header for the end of the archive; here it is an error."""

    @classmethod
    def fromtarfile(cls, tarfile_: tarfile.TarFile) -> Self:
        try:
            return super().fromtarfile(tarfile_)
        except (tarfile.InvalidHeaderError, tarfile.TruncatedHeaderError) as error:  # type: ignore[attr-defined]
            raise tarfile.ReadError(str(error)) from None


def _tar_entries(source: IO[bytes]) -> Iterator[_Entry]:
    try:
        with tarfile.open(fileobj=source, mode="r|", encoding="utf-8", tarinfo=_Header) as tar:
            for info in tar:
                if not info.isdir():
                    name = info.name.removeprefix("./")
                    yield _Entry(name, _why_not_in_tar(info), functools.partial(_in_tar, tar, info))
                tar.members = []  # type: ignore[attr-defined]  # it keeps all entries
    except (tarfile.TarError, OverflowError, *DAMAGE) as error:
        raise damage(error) from None


def _why_not_in_tar(info: tarfile.TarInfo) -> str:
    if info.islnk() or info.issym():
        return "a link"
    return "" if info.isreg() else "no file"


def _in_tar(tar: tarfile.TarFile, info: tarfile.TarInfo) -> bytes:
    try:
        content = tar.extractfile(info)
        return _read(content.read) if content else b""
    except (tarfile.TarError, *DAMAGE) as error:
        raise damage(error) from None


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
            try:
                with archive.zip.open(archive.tar) as tar:
                    yield from _tar_entries(open_unpacked(tar))
            except DAMAGE as error:
                raise damage(error) from None
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
    """Closed with the last reference: another thread may read it."""

    def __del__(self) -> None:
        self.close()


def _read_directory(file: BinaryIO, identity: tuple[int, ...]) -> _Directory:
    copy = _ZipFileIO(os.dup(file.fileno()))
    try:
        found = zipfile.ZipFile(copy)
    except BaseException as error:
        copy.close()
        if isinstance(error, DAMAGE):
            raise BookError(
                "unreadable", f"not a zip file, or an incomplete one ({error_text(error)})"
            ) from None
        raise
    infos = [info for info in found.infolist() if not info.is_dir()]
    files = tuple((info, _why_not_in_zip(info)) for info in infos)
    readable = {info.filename: info for info, why_not in reversed(files) if not why_not}
    only, why_not = files[0] if len(files) == 1 else (None, "")
    tar = only if only and not why_not and only.filename.lower().endswith(_TAR_ENDINGS) else None
    return _Directory(identity, found, files, readable, tar)


def _why_not_in_zip(info: zipfile.ZipInfo) -> str:
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind in {0, stat.S_IFREG}:
        return ""
    return "a link" if kind == stat.S_IFLNK else "no file"


def _read_member(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    try:
        with archive.open(info) as content:
            return _read(content.read)
    except DAMAGE as error:
        raise BookError("unreadable", f"damaged in the archive ({error_text(error)})") from None
