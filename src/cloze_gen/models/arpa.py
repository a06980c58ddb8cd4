"""Reading an ARPA file into arrays, a block at a time.

An ARPA section is `log10_prob TAB word [SPACE word ...] [TAB log10_backoff]`; words hold no space
or tab, but may be `"`, `NA` or `null`, so pyarrow's quoting and null spellings are off.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from cloze_gen.errors import ModelError

_COUNT_LINE = re.compile(rb"^ngram (\d+)=(\d+)\s*$")
_SECTION_LINE = re.compile(rb"^\\(\d+)-grams:\s*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ArpaBlock:
    """Consecutive rows of one section.

    Attributes:
        words: `order` dictionary arrays of pyarrow, one word column each.
        log10_prob, log10_backoff: float32, shape (n,); backoffs are zeros in the highest order.
    """

    order: int
    words: list[pa.DictionaryArray]
    log10_prob: np.ndarray
    log10_backoff: np.ndarray


def header_counts(head: bytes) -> list[int]:
    r"""The n-gram counts of an ARPA header, unigrams first.

    >>> header_counts(b"\\data\\\nngram 1=5\nngram 2=7\n\n\\1-grams:\n")
    [5, 7]
    """
    counts = []
    for line in head.split(b"\n")[1:]:
        found = _COUNT_LINE.match(line)
        if found:
            counts.append(int(found.group(2)))
        elif line.startswith(b"\\"):
            break
    return counts


def read_blocks(chunks: Iterator[bytes]) -> Iterator[ArpaBlock]:
    """Parse an ARPA text, in chunks of any size, into blocks of rows; ModelError if cut short."""
    pending = next(chunks, b"")
    while not _SECTION_LINE.search(pending) and (chunk := next(chunks, b"")):
        pending += chunk
    highest = len(header_counts(pending))
    order = 0
    while pending:
        chunk = next(chunks, b"")
        cut = pending.rfind(b"\n") + 1 if chunk else len(pending)
        text, pending = pending[:cut], pending[cut:] + chunk
        position = 0
        for start, end in _marker_lines(text):
            if order:
                yield from _parse(text[position:start], order, highest)
            section = _SECTION_LINE.match(text, start)
            if section:
                order, position = int(section.group(1)), end
            elif text[start:end].strip() == b"\\end\\":
                return
        if not pending:
            break
        if order:
            yield from _parse(text[position:], order, highest)
    raise ModelError(
        "the ARPA file ends early (no \\end\\ line): training was interrupted. Delete it and "
        "run again."
    )


def _marker_lines(text: bytes) -> Iterator[tuple[int, int]]:
    """Positions of the lines that begin with a backslash; no row does."""
    at = 0 if text.startswith(b"\\") else text.find(b"\n\\") + 1
    while at or text.startswith(b"\\"):
        end = text.find(b"\n", at)
        yield at, end if end >= 0 else len(text)
        at = text.find(b"\n\\", at) + 1
        if not at:
            return


def _parse(text: bytes, order: int, highest: int) -> Iterator[ArpaBlock]:
    text = text.strip(b"\n")
    if not text:
        return
    names = ["log10_prob", *(f"word{i}" for i in range(order))]
    types: dict[str, pa.DataType] = {"log10_prob": pa.float32(), "log10_backoff": pa.float32()}
    types |= {f"word{i}": pa.dictionary(pa.int32(), pa.string()) for i in range(order)}
    if order < highest:
        names.append("log10_backoff")
    try:
        table = pyarrow.csv.read_csv(
            pa.BufferReader(text.replace(b" ", b"\t")),
            read_options=pyarrow.csv.ReadOptions(column_names=names, block_size=1 << 24),
            parse_options=pyarrow.csv.ParseOptions(delimiter="\t", quote_char=False),
            convert_options=pyarrow.csv.ConvertOptions(
                column_types=types, strings_can_be_null=False, quoted_strings_can_be_null=False
            ),
        )
    except pa.ArrowInvalid as error:
        raise ModelError(f"the ARPA file's {order}-gram section cannot be read: {error}") from None
    words = [table[f"word{i}"].combine_chunks() for i in range(order)]
    words = [column.chunk(0) if isinstance(column, pa.ChunkedArray) else column for column in words]
    backoff = (
        table["log10_backoff"].to_numpy()
        if order < highest
        else np.zeros(table.num_rows, np.float32)
    )
    yield ArpaBlock(order, words, table["log10_prob"].to_numpy(), backoff)


def word_ids(column: pa.DictionaryArray, vocabulary: pa.Array) -> np.ndarray:
    """int64, shape (n,): positions in `vocabulary`."""
    positions = pc.index_in(column.dictionary, value_set=vocabulary)
    return positions.to_numpy().astype(np.int64)[column.indices.to_numpy()]
