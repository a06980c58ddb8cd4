"""Opening a file whose path a user gave: a file on a disk, and nothing that never ends.

A named pipe, a device or a socket may bear any name, a book's among them. Opening a pipe waits for a writer that may never come,
reading `/dev/zero` does not end, and opening some devices does something. So what the path leads to is asked first.
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


def _ask_regular(path: str | Path, found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        kind = _KINDS.get(stat.S_IFMT(found.st_mode), "something else")
        raise OSError(errno.EINVAL, f"{kind}, not a file", str(path))
