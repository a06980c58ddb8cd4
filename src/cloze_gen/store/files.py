"""Opening a file whose path a user gave, or whose name another file gives: a file on a disk, and nothing that never ends.

A named pipe, a device or a socket may bear any name, a book's among them. Opening a pipe waits for a writer that may never come,
reading `/dev/zero` does not end, and opening some devices does something. So what the path leads to is asked first.

A path that a user gave may be a link. A name that stands in a file is looked for below one folder, and no part of it may be a link.
"""

from __future__ import annotations

import errno
import io
import os
import stat
from pathlib import Path

GZIP_MAGIC = b"\x1f\x8b"  # no text begins so; a file is known by its bytes, so its bytes and not its name say whether it is packed
MAX_TEXT_BYTES = 1024 * 1024 * 1024  # bytes of one text read whole (configs, lists, questions, scores), far above any that a person means
_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFLNK: "a link",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}


def open_regular(path: str | Path) -> io.BufferedReader:
    """Open a regular file to read its bytes; links are followed. Never waits, and reads nothing of what is refused.

    Raises:
        OSError: it cannot be opened, or is no regular file; `strerror` says which (`a named pipe, not a file`), so that whoever
            handles a missing file handles this too.
    """
    if "\0" in str(path):
        raise OSError(errno.EINVAL, "a path cannot hold a NUL character", str(path))
    _ask_regular(path, Path(path).stat())
    handle = os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb")
    try:
        _ask_regular(path, os.fstat(handle.fileno()))  # the name may have changed hands meanwhile
    except OSError:
        handle.close()
        raise
    return handle


def read_regular_text(path: str | Path, *, encoding: str = "utf-8", max_bytes: int = MAX_TEXT_BYTES) -> str:
    r"""The text of a regular file, line ends made `\n`.

    Raises:
        OSError: as `open_regular`, or the file is larger than `max_bytes`.
        UnicodeDecodeError: it is not in this encoding.
    """
    with open_regular(path) as handle:
        size = os.fstat(handle.fileno()).st_size
        if size > max_bytes:
            raise OSError(errno.EFBIG, f"larger than {max_bytes // 2**20:,} MiB", str(path))
        with io.TextIOWrapper(handle, encoding=encoding) as text:
            return text.read()


def stays_within(name: str) -> bool:
    """Whether a name is that of a file below the folder in which it is looked for.

    >>> [stays_within(name) for name in ("a/b.txt", "../a", "/a", "a/../../b", "", "a/", "a//b")]
    [True, False, False, False, False, False, False]
    """
    return not {"", ".", ".."} & set(name.split("/")) and "\0" not in name


def open_below(folder: Path, name: str) -> io.BufferedReader:
    """Open a regular file below a folder to read its bytes. No part of its name may be a link; the folder itself may.

    Raises:
        OSError: it cannot be opened, or is no regular file below this folder; `strerror` says why.
    """
    if not stays_within(name):
        raise OSError(errno.EINVAL, "no name of a file below this folder", name)
    *folders, last = name.split("/")
    place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for part in folders:
            _ask_folder(name, os.stat(part, dir_fd=place, follow_symlinks=False))
            below = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=place)
            os.close(place)
            place = below
        _ask_regular(name, os.stat(last, dir_fd=place, follow_symlinks=False))
        handle = os.fdopen(os.open(last, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=place), "rb")
    finally:
        os.close(place)
    try:
        _ask_regular(name, os.fstat(handle.fileno()))  # the name may have changed hands meanwhile
    except OSError:
        handle.close()
        raise
    return handle


def read_below(folder: Path, name: str, *, max_bytes: int = MAX_TEXT_BYTES) -> bytes:
    """The bytes of a regular file below a folder; as `open_below`.

    Raises:
        OSError: as `open_below`, or the file is larger than `max_bytes`.
    """
    with open_below(folder, name) as handle:
        size = os.fstat(handle.fileno()).st_size
        data = handle.read(max_bytes + 1) if size <= max_bytes else b""
    if size > max_bytes or len(data) > max_bytes:
        raise OSError(errno.EFBIG, f"{size:,} bytes, more than the {max_bytes:,} that it may have", name)
    return data


def _ask_folder(path: str | Path, found: os.stat_result) -> None:
    if not stat.S_ISDIR(found.st_mode):
        kind = _KINDS.get(stat.S_IFMT(found.st_mode), "a file")
        raise OSError(errno.ENOTDIR, f"{kind}, not a folder", str(path))


def _ask_regular(path: str | Path, found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        kind = _KINDS.get(stat.S_IFMT(found.st_mode), "something else")
        raise OSError(errno.EINVAL, f"{kind}, not a file", str(path))
