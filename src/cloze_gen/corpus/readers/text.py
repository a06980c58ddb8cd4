"""Text files: a book, or one sentence a line; the first bytes decide whether it is compressed."""

from __future__ import annotations

import io
import itertools
from collections.abc import Iterator
from typing import IO

from cloze_gen.corpus.readers.compressed import open_unpacked
from cloze_gen.corpus.readers.reader import FileReport, Text, read_whole
from cloze_gen.corpus.readers.sentence_lines import SAMPLE_BYTES, has_sentences, parts_of

SHAPE = "text file"


def read_text(file: IO[bytes], report: FileReport, text_column: str) -> Iterator[Text]:
    source = open_unpacked(file)
    head = source.read(SAMPLE_BYTES)
    if has_sentences(head):
        report.shape = "text file, one sentence per line (background only)"
        beginning = io.BytesIO(head + source.readline())
        yield from parts_of(itertools.chain(beginning, source))
    else:
        report.shape = SHAPE
        yield Text(read_whole(source, head))


def unpacked(data: bytes) -> bytes:
    """The bytes of a text file that may be compressed.

    Raises:
        BookError: ``too_large``; the errors of `compressed.DAMAGE`.
    """
    return read_whole(open_unpacked(io.BytesIO(data)))
