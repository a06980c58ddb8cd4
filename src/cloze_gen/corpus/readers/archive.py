"""Zip and tar archives of books. The name of a member is a label, and never a path."""

from __future__ import annotations

import functools
import tarfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from typing import IO, Self

from cloze_gen.corpus.readers.compressed import DAMAGE, damage, open_unpacked, open_zipped
from cloze_gen.corpus.readers.reader import TEXT, FileReport, Text, format_of, read_whole
from cloze_gen.corpus.readers.text import unpacked
from cloze_gen.errors import BookError

TAR_ENDINGS = (".tar", ".tar.gz", ".tgz", ".tar.zst", ".tar.bz2")
_ARCHIVE_ENDINGS = (".zip", *TAR_ENDINGS, ".tar.xz", ".7z", ".rar")
_MAX_NAME_CHARS = 1_000
_MAX_SHOWN_CHARS = 200


# Name of a file in an archive, and a function that opens it; it is called before the next entry.
_Entry = tuple[str, Callable[[], IO[bytes] | None]]


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
            with open_zipped(archive, infos[0]) as tar:
                yield from read_tar(tar, report, text_column)
            return
        entries = ((info.filename, functools.partial(open_zipped, archive, info)) for info in infos)
        yield from _texts(entries, report)


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
        yield from _texts(_tar_entries(tar, report), report)


def _tar_entries(tar: tarfile.TarFile, report: FileReport) -> Iterator[_Entry]:
    for info in tar:
        if info.isreg():
            yield info.name.removeprefix("./"), functools.partial(tar.extractfile, info)
        elif not info.isdir():
            report.skipped["a link, or no file"].append(_shown(info.name))
        tar.members = []  # type: ignore[attr-defined]  # it keeps all entries


def _texts(entries: Iterable[_Entry], report: FileReport) -> Iterator[Text]:
    seen: set[str] = set()
    for name, open_entry in entries:
        why_not = _why_no_book(name)
        if not why_not and name in seen:
            why_not = "a second file with the same name; only the first is read"
        if why_not:
            report.skipped[why_not].append(_shown(name))
            continue
        seen.add(name)
        yield Text(_data(name, open_entry), name, format_of(name))


def _shown(name: str) -> str:
    """An entry's name as a report keeps it: short, and without bytes that are not UTF-8."""
    return name[:_MAX_SHOWN_CHARS].encode("utf-8", "replace").decode()


def _data(name: str, open_entry: Callable[[], IO[bytes] | None]) -> bytes | BookError:
    try:
        source = open_entry()
        data = read_whole(source) if source else b""
        return unpacked(data) if format_of(name) == TEXT else data
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
    return "hidden" if name.rpartition("/")[2].startswith(".") else ""
