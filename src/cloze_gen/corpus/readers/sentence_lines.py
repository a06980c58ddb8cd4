"""Text files with one sentence a line and no books (BookCorpus's `books_large_p1.txt`): background
only. Their members are byte ranges, so that a file of gigabytes is read in parts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from cloze_gen.corpus.decoding import flatten
from cloze_gen.corpus.parse_book import find_sentence_lines
from cloze_gen.corpus.readers.reader import Listing, Member
from cloze_gen.errors import BookError

KIND = "sentences 2"  # `Member.kind` of a part; the number is the version of its parsing
RANGE_BYTES = 8 * 1024 * 1024
SHAPE = "text file, one sentence per line (background only)"

_MIN_BYTES = 32 * 1024  # a smaller file may be a list, a poem or an article
_SAMPLE_BYTES = 64 * 1024
_CAPITALS = bytes(range(ord("A"), ord("Z") + 1))
_FEW_CAPITALS = 0.002  # share of the bytes
_SEEK_BYTES = 64 * 1024
_RANGE = re.compile(r"(\d{1,15})-(\d{1,15})")


def sentence_listing(file: BinaryIO) -> Listing | None:
    """The parts of a file of sentences, read at their borders only; None for a book."""
    size = file.seek(0, 2)
    if size < _MIN_BYTES or not _is_sentences(file, size):
        return None
    parts = tuple(Member(f"{start}-{end}", kind=KIND) for start, end in line_ranges(file, size))
    return Listing(SHAPE, parts, sentences=True)


def _is_sentences(file: BinaryIO, size: int) -> bool:
    """Whether the middle of a file has one sentence a line."""
    file.seek(max(0, (size - _SAMPLE_BYTES) // 2))
    sample = file.read(_SAMPLE_BYTES)
    spaced = 2 * sample.count(b" , ") > sample.count(b",")
    small = len(sample) - len(sample.translate(None, _CAPITALS)) <= _FEW_CAPITALS * len(sample)
    return (spaced or small) and bool(
        find_sentence_lines(flatten(sample.decode("utf-8", "replace")))
    )


def line_ranges(
    file: BinaryIO, size: int, *, least: int = RANGE_BYTES
) -> Iterator[tuple[int, int]]:
    """Ranges of bytes of whole lines, each `least` bytes and the rest of a line; a short rest of the
    file belongs to the last one.

    >>> import io
    >>> list(line_ranges(io.BytesIO(b"one .\\ntwo .\\nthree ."), 19, least=7))
    [(0, 12), (12, 19)]
    """
    start = 0
    while start < size:
        end = file.seek(start + least if start + least + least // 4 < size else size)
        while end < size:
            block = file.read(_SEEK_BYTES)
            found = block.find(b"\n")
            end += found + 1 if found >= 0 else len(block)
            if found >= 0 or not block:
                break
        yield start, end
        start = end


def part_of(member: str) -> tuple[int, int] | None:
    """Start and end of a part, by its name; None for another member.

    >>> part_of("0-8388700"), part_of("17")
    ((0, 8388700), None)
    """
    found = _RANGE.fullmatch(member)
    return (int(found[1]), int(found[2])) if found else None


def read_range(file: BinaryIO, member: str, *, limit: int) -> bytes:
    """At most `limit` + 1 bytes of a member; BookError if it is no part of the file."""
    start, end = part_of(member) or (0, 0)
    if start >= end or end > file.seek(0, 2):
        raise BookError("unreadable", f"no part {member[:80]!r} in this file")
    file.seek(start)
    return file.read(min(end - start, limit + 1))
