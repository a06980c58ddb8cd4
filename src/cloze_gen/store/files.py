"""Opens files whose path a user gave, or whose name another file gives, after checking that they
are no pipe, device or socket, which can block. A name from a file may contain no link.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from cloze_gen.errors import UsageError
from cloze_gen.parsing import error_text

# no text begins with these bytes; content, not the name, decides whether a file is compressed
GZIP_MAGIC = b"\x1f\x8b"
# maximum size of a text read as a whole (configs, lists, questions, scores)
MAX_TEXT_BYTES = 1024 * 1024 * 1024
_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFLNK: "a link",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}


def open_regular(path: str | Path) -> io.BufferedReader:
    """Open a regular file; links are followed. Never waits. OSError otherwise (`strerror`: `a named
    pipe, not a file`).
    """
    if "\0" in str(path):
        raise OSError(errno.EINVAL, "a path cannot hold a NUL character", str(path))
    _require_regular(path, Path(path).stat())
    handle = os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb")
    try:
        # the path may have been replaced meanwhile
        _require_regular(path, os.fstat(handle.fileno()))
    except OSError:
        handle.close()
        raise
    return handle


def read_regular_text(
    path: str | Path, *, encoding: str = "utf-8", max_bytes: int = MAX_TEXT_BYTES
) -> str:
    r"""Text with universal newlines; OSError as `open_regular` or above `max_bytes`,
    UnicodeDecodeError.
    """
    with open_regular(path) as handle:
        size = os.fstat(handle.fileno()).st_size
        if size > max_bytes:
            raise OSError(errno.EFBIG, f"larger than {max_bytes // 2**20:,} MiB", str(path))
        with io.TextIOWrapper(handle, encoding=encoding) as text:
            return text.read()


@contextlib.contextmanager
def new_file(path: Path, *, option: str) -> Iterator[BinaryIO]:
    """A file to write that does not exist yet; removed if that fails. UsageError names the option."""
    created = False
    try:
        with open(path, "xb") as handle:
            created = True
            yield handle
    except FileExistsError:
        raise UsageError(
            f"{path}: the file exists. Nothing was written. Give a new file to {option}."
        ) from None
    except BaseException as error:
        if created:
            path.unlink(missing_ok=True)
        if isinstance(error, OSError | ValueError):
            raise UsageError(f"{path}: cannot be written ({error_text(error)}).") from None
        raise


def stays_within(name: str) -> bool:
    """Whether a name can be that of a file below a folder.

    >>> [stays_within(name) for name in ("a/b.txt", "../a", "/a", "a/../../b", "", "a/", "a//b")]
    [True, False, False, False, False, False, False]
    """
    return not {"", ".", ".."} & set(name.split("/")) and "\0" not in name


def open_below(folder: Path, name: str) -> io.BufferedReader:
    """Open a regular file below a folder; only the folder may be a link; else OSError."""
    if not stays_within(name):
        raise OSError(errno.EINVAL, "not the name of a file in this folder", name)
    *folders, last = name.split("/")
    place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for part in folders:
            _require_folder(name, os.stat(part, dir_fd=place, follow_symlinks=False))
            below = os.open(
                part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=place
            )
            os.close(place)
            place = below
        _require_regular(name, os.stat(last, dir_fd=place, follow_symlinks=False))
        handle = os.fdopen(
            os.open(last, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=place),
            "rb",
        )
    finally:
        os.close(place)
    try:
        # the path may have been replaced meanwhile
        _require_regular(name, os.fstat(handle.fileno()))
    except OSError:
        handle.close()
        raise
    return handle


def read_below(folder: Path, name: str, *, max_bytes: int = MAX_TEXT_BYTES) -> bytes:
    """The bytes of a regular file below a folder; OSError as `open_below` or above `max_bytes`."""
    with open_below(folder, name) as handle:
        size = os.fstat(handle.fileno()).st_size
        data = handle.read(max_bytes + 1) if size <= max_bytes else b""
    if size > max_bytes or len(data) > max_bytes:
        raise OSError(
            errno.EFBIG, f"{size:,} bytes, more than the {max_bytes:,} that it may have", name
        )
    return data


def _require_folder(path: str | Path, found: os.stat_result) -> None:
    if not stat.S_ISDIR(found.st_mode):
        kind = _KINDS.get(stat.S_IFMT(found.st_mode), "a file")
        raise OSError(errno.ENOTDIR, f"{kind}, not a folder", str(path))


def _require_regular(path: str | Path, found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        kind = _KINDS.get(stat.S_IFMT(found.st_mode), "something else")
        raise OSError(errno.EINVAL, f"{kind}, not a file", str(path))
