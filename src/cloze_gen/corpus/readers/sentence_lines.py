"""Files with one sentence a line and no books (BookCorpus's `books_large_p1.txt`, and its table of
sentences): background only. They are read in parts of whole lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from cloze_gen.corpus.decoding import flatten
from cloze_gen.corpus.parse_book import has_sentence_lines
from cloze_gen.corpus.readers.reader import SENTENCES, Text

SAMPLE_BYTES = 64 * 1024
_PART_BYTES = 8 * 1024 * 1024
_MIN_BYTES = 32 * 1024  # a smaller file may be a list, a poem or an article


def has_sentences(data: bytes) -> bool:
    """Whether a file, by its beginning, has one sentence a line."""
    sample = data[:SAMPLE_BYTES]
    if len(sample) < _MIN_BYTES:
        return False
    return has_sentence_lines(flatten(sample.decode("utf-8", "replace")))


def parts_of(lines: Iterable[bytes]) -> Iterator[Text]:
    """The lines, with their ends, in parts by number."""
    part: list[bytes] = []
    size = number = 0
    for line in lines:
        part.append(line)
        size += len(line)
        if size >= _PART_BYTES:
            yield Text(b"".join(part), str(number), SENTENCES)
            part.clear()
            size = 0
            number += 1
    if part:
        yield Text(b"".join(part), str(number), SENTENCES)
