"""Files with one sentence a line and no books (BookCorpus's `books_large_p1.txt`, and its table of
sentences): background only. They are read in parts of whole lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import IO

from cloze_gen.corpus.decoding import flatten
from cloze_gen.corpus.parse_book import has_sentence_lines
from cloze_gen.corpus.readers.reader import SENTENCES, Text

SAMPLE_BYTES = 64 * 1024
_PART_BYTES = 8 * 1024 * 1024
_MIN_BYTES = 32 * 1024  # a smaller file may be a list, a poem or an article


def has_sentences(sample: bytes) -> bool:
    """Whether the beginning of a file has one sentence a line."""
    if len(sample) < _MIN_BYTES:
        return False
    return has_sentence_lines(flatten(sample.decode("utf-8", "replace")))


def parts_of(head: bytes, source: IO[bytes]) -> Iterator[Text]:
    """The parts of a file that begins with `head`, by number."""
    number = 0
    while block := head + source.read(_PART_BYTES):
        yield _part(number, block + source.readline())
        head = b""
        number += 1


def parts_of_rows(rows: Iterable[str]) -> Iterator[Text]:
    """The parts of a table with one sentence a row."""
    lines: list[bytes] = []
    size = number = 0
    for row in rows:
        lines.append(row.replace("\n", " ").encode())
        size += len(lines[-1])
        if size >= _PART_BYTES:
            yield _part(number, b"\n".join(lines))
            lines.clear()
            size = 0
            number += 1
    if lines:
        yield _part(number, b"\n".join(lines))


def _part(number: int, data: bytes) -> Text:
    return Text(data, str(number), SENTENCES)
