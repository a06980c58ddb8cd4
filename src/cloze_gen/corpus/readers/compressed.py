"""Compressed files, read forward: gzip, zstd and bzip2 by their first bytes, never by their name."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import struct
import sys
import zipfile
import zlib
from collections.abc import Iterator
from typing import IO, cast

from cloze_gen.corpus.readers.reader import MAX_BOOK_BYTES
from cloze_gen.errors import BookError
from cloze_gen.parsing import error_text
from cloze_gen.store.files import GZIP_MAGIC

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

ZSTD_MAGIC, BZIP2_MAGIC = b"\x28\xb5\x2f\xfd", b"BZh"
MAX_RATIO = 100  # unpacked to packed; books have 2 to 6, a bomb has 1,000 and more
BOMB = (
    f"it unpacks to more than {MAX_RATIO} times its size: damaged, or a decompression bomb. "
    "Unpack it yourself if you trust it"
)
DAMAGE = (  # what the libraries raise on damaged data
    EOFError,
    OSError,
    RuntimeError,
    ValueError,
    struct.error,
    zipfile.BadZipFile,
    zlib.error,
    zstd.ZstdError,
)
_BUFFER_BYTES = 256 * 1024


def open_unpacked(file: IO[bytes], *, packed_bytes: int = 0) -> io.BufferedReader:
    """The unpacked content of an open file; reads raise a BookError on damage or a bomb.

    Args:
        packed_bytes: its size; 0: found by going to its end.
    """
    with _damage():
        packed_bytes = packed_bytes or file.seek(0, io.SEEK_END)
        file.seek(0)
        head = file.read(4)
        file.seek(0)
    if head.startswith(GZIP_MAGIC):
        packed: IO[bytes] = cast("IO[bytes]", gzip.GzipFile(fileobj=file))
    elif head == ZSTD_MAGIC:
        packed = cast("IO[bytes]", zstd.ZstdFile(file))
    elif head.startswith(BZIP2_MAGIC):
        packed = cast("IO[bytes]", bz2.BZ2File(file))
    elif isinstance(file, io.BufferedReader):
        return file  # as it is, so that it can be searched
    else:
        packed = file
    return io.BufferedReader(_Unpacked(packed, packed_bytes), _BUFFER_BYTES)


@contextlib.contextmanager
def _damage() -> Iterator[None]:
    try:
        yield
    except DAMAGE as error:
        raise BookError(
            "unreadable", f"the compressed data is damaged or incomplete ({error_text(error)})"
        ) from None


class _Unpacked(io.RawIOBase):
    def __init__(self, file: IO[bytes], packed_bytes: int) -> None:
        self._file = cast("io.BufferedReader", file)
        self._left = max(MAX_BOOK_BYTES, MAX_RATIO * packed_bytes)

    def readable(self) -> bool:
        return True

    def readinto(self, view: memoryview, /) -> int:  # type: ignore[override]
        with _damage():
            data = self._file.read1(len(view))
        self._left -= len(data)
        if self._left < 0:
            raise BookError("unreadable", BOMB)
        view[: len(data)] = data
        return len(data)
