"""Text files, one book a file; the first bytes decide whether it is gzipped."""

from __future__ import annotations

import gzip
import hashlib
import io
import zlib
from typing import BinaryIO, ClassVar

from cloze_gen.corpus.readers.reader import InputSettings, Listing, Reader
from cloze_gen.corpus.readers.sentence_lines import read_range, sentence_listing
from cloze_gen.errors import BookError
from cloze_gen.store.files import GZIP_MAGIC

_TEXT_NAMES = (".txt", ".txt.utf8", ".txt.utf-8", ".txt.gz")


class PlainText(Reader):
    endings: ClassVar[tuple[str, ...]] = _TEXT_NAMES[:-1]
    shape: ClassVar[str] = "text file"

    def takes(self, name: str, head: bytes) -> bool:
        return name.endswith(_TEXT_NAMES) and not head.startswith(GZIP_MAGIC)

    def listing(self, file: BinaryIO, settings: InputSettings) -> Listing:
        return sentence_listing(file) or super().listing(file, settings)

    def fetch(self, file: BinaryIO, member: str, *, limit: int) -> tuple[bytes, str]:
        if not member:
            return super().fetch(file, member, limit=limit)
        data = read_range(file, member, limit=limit)
        return data, hashlib.sha256(data).hexdigest()


class GzipText(Reader):
    endings: ClassVar[tuple[str, ...]] = (".txt.gz",)
    shape: ClassVar[str] = "text file, gzipped"

    def takes(self, name: str, head: bytes) -> bool:
        return name.endswith(_TEXT_NAMES) and head.startswith(GZIP_MAGIC)

    def unpack(self, stored: bytes, *, limit: int) -> bytes:
        if len(stored) > limit:  # its content is as large, or it is no book
            return stored
        try:
            with gzip.GzipFile(fileobj=io.BytesIO(stored)) as file:
                return file.read(limit + 1)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise BookError(
                "truncated_gzip", f"the gzip file is truncated or damaged ({error})"
            ) from None
