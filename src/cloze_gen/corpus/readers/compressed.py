"""Compressed files, read forward: gzip, zstd and bzip2 by their first bytes, never by their name."""

from __future__ import annotations

import bz2
import gzip
import lzma
import struct
import sys
import zipfile
import zlib
from typing import IO, cast

from cloze_gen.errors import BookError
from cloze_gen.parsing import error_text, one_line, quote
from cloze_gen.store.files import GZIP_MAGIC

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

ZSTD_MAGIC, BZIP2_MAGIC = b"\x28\xb5\x2f\xfd", b"BZh"
_ENCRYPTED_FLAG = 0x1
DAMAGE = (  # what the libraries raise on damaged data
    EOFError,
    OSError,
    RuntimeError,
    ValueError,
    lzma.LZMAError,
    struct.error,
    zipfile.BadZipFile,
    zlib.error,
    zstd.ZstdError,
)


def open_unpacked(file: IO[bytes]) -> IO[bytes]:
    """The unpacked content of an open file; reads raise one of `DAMAGE`."""
    file.seek(0)
    head = file.read(4)
    file.seek(0)
    if head.startswith(GZIP_MAGIC):
        return cast("IO[bytes]", gzip.GzipFile(fileobj=file))
    if head == ZSTD_MAGIC:
        return cast("IO[bytes]", zstd.ZstdFile(file))
    if head.startswith(BZIP2_MAGIC):
        return cast("IO[bytes]", bz2.BZ2File(file))
    return file


def open_zipped(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> IO[bytes]:
    """A file in a zip archive; BookError ``encrypted``."""
    if entry.flag_bits & _ENCRYPTED_FLAG:
        raise BookError("encrypted", f"{quote(entry.filename)} is encrypted")
    return archive.open(entry)


def damage(error: Exception) -> BookError:
    """The error of a file whose content raised one of `DAMAGE`."""
    return BookError(
        "unreadable", f"the data is damaged or incomplete ({one_line(error_text(error))[:200]})"
    )
