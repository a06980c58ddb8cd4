"""Zip and tar archives of books. The name of a member is a label, and never a path."""

from __future__ import annotations

import functools
import stat
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from typing import IO, NamedTuple, Self

from cloze_gen.corpus.readers.compressed import DAMAGE, damage, open_unpacked
from cloze_gen.corpus.readers.reader import TEXT, FileReport, Text, format_of, read_whole
from cloze_gen.corpus.readers.text import unpacked
from cloze_gen.errors import BookError

TAR_ENDINGS = (".tar", ".tar.gz", ".tgz", ".tar.zst", ".tar.bz2")
_ARCHIVE_ENDINGS = (".zip", *TAR_ENDINGS, ".tar.xz", ".7z", ".rar")
_MAX_NAME_CHARS = 1_000


class _Entry(NamedTuple):
    """A file in an archive; `why_not`: why it cannot be read; it is opened before the next one."""

    name: str
    why_not: str
    open: Callable[[], IO[bytes] | None]


def read_zip(file: IO[bytes], report: FileReport, text_column: str) -> Iterator[Text]:
    """The books of a zip, or of the only tar in it, as Gutenberg publishes all its texts."""
    report.shape = "zip archive"
    try:
        archive = zipfile.ZipFile(file)
    except zipfile.BadZipFile as error:
        raise BookError("unreadable", f"not a zip file, or an incomplete one ({error})") from None
    with archive:
        infos = [info for info in archive.infolist() if not info.is_dir()]
        if len(infos) == 1 and infos[0].filename.lower().endswith(TAR_ENDINGS):
            with archive.open(infos[0]) as tar:
                yield from read_tar(tar, report, text_column)
            return
        entries = (
            _Entry(info.filename, _why_not_in_zip(info), functools.partial(archive.open, info))
            for info in infos
        )
        yield from _texts(entries, report)


def _why_not_in_zip(info: zipfile.ZipInfo) -> str:
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind in {0, stat.S_IFREG}:
        return ""
    return "a link" if kind == stat.S_IFLNK else "no file"


class _Header(tarfile.TarInfo):
    """`tarfile` takes a damaged header for the end of the archive; here it is an error."""

    @classmethod
    def fromtarfile(cls, tarfile_: tarfile.TarFile) -> Self:
        try:
            return super().fromtarfile(tarfile_)
        except (tarfile.InvalidHeaderError, tarfile.TruncatedHeaderError) as error:  # type: ignore[attr-defined]
            raise tarfile.ReadError(str(error)) from None


def read_tar(file: IO[bytes], report: FileReport, text_column: str) -> Iterator[Text]:
    report.shape = "tar archive"
    with tarfile.open(
        fileobj=open_unpacked(file), mode="r|", encoding="utf-8", tarinfo=_Header
    ) as tar:
        yield from _texts(_tar_entries(tar), report)


def _tar_entries(tar: tarfile.TarFile) -> Iterator[_Entry]:
    for info in tar:
        if not info.isdir():
            why_not = "a link" if info.islnk() or info.issym() else "no file"
            name = info.name.removeprefix("./")
            open_entry = functools.partial(tar.extractfile, info)
            yield _Entry(name, "" if info.isreg() else why_not, open_entry)
        tar.members = []  # type: ignore[attr-defined]  # it keeps all entries


def _texts(entries: Iterator[_Entry], report: FileReport) -> Iterator[Text]:
    seen: set[str] = set()
    for entry in entries:
        why_not = _why_no_book(entry.name) or entry.why_not
        if not why_not and entry.name in seen:
            why_not = "a second file with the same name; only the first is read"
        if why_not:
            report.skip(entry.name, why_not)
            continue
        seen.add(entry.name)
        yield Text(_data(entry), entry.name, format_of(entry.name))


def _data(entry: _Entry) -> bytes | BookError:
    try:
        source = entry.open()
        data = read_whole(source) if source else b""
        return unpacked(data) if format_of(entry.name) == TEXT else data
    except BookError as error:
        return error
    except (tarfile.TarError, *DAMAGE) as error:
        return damage(error)


def _why_no_book(name: str) -> str:
    if len(name) > _MAX_NAME_CHARS:
        return f"a name of more than {_MAX_NAME_CHARS:,} characters"
    if name.lower().endswith(_ARCHIVE_ENDINGS):
        return "an archive in an archive; unpack it"
    if not format_of(name):
        return "not a format that is read inside an archive"
    parts = name.split("/")
    return "hidden" if parts[-1].startswith(".") or "__MACOSX" in parts else ""
