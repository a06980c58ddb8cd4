"""Two folders exchange their names in one step, where the system can do that: at no moment is a name without its folder."""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from pathlib import Path

_AT_FDCWD, _RENAME_EXCHANGE = -100, 2  # Linux, <fcntl.h> and <linux/fs.h>
_RENAME_SWAP = 2  # macOS, <sys/stdio.h>
_CANNOT = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP}


def exchange(one: Path, other: Path) -> bool:
    """Give each of two existing paths of one folder the other's name.

    Returns:
        False where this system or file system cannot do it; then nothing has changed.
    Raises:
        OSError: it can, and something else is wrong.
    """
    library = ctypes.CDLL(None, use_errno=True)
    first, second = os.fsencode(one), os.fsencode(other)
    try:
        if sys.platform == "darwin":
            failed = library.renamex_np(first, second, _RENAME_SWAP)
        else:
            failed = library.renameat2(_AT_FDCWD, first, _AT_FDCWD, second, _RENAME_EXCHANGE)
    except AttributeError:  # a C library without the call
        return False
    number = ctypes.get_errno()
    if failed and number not in _CANNOT:
        raise OSError(number, os.strerror(number), str(one), None, str(other))
    return not failed
