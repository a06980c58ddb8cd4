"""Tables on disk: Parquet for big ones, TSV for counts, JSON lines for questions and rejections."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import DTypeLike

from cloze_gen.errors import StoreError
from cloze_gen.notation import NotationError, parse_json, shown

_ESCAPES = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}  # the backslash first, or it would be escaped twice
_UNESCAPES = {escaped: plain for plain, escaped in _ESCAPES.items()}
_ESCAPED = re.compile(r"\\(?:[\\tnr]|x([0-9a-f]{2}))")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
ROWS_A_GROUP = 1 << 17  # of a table joined from parts; some 10 MB of ids and words
# Level 1 writes several times faster than the default level at nearly the same size on word columns.
_COMPRESSION = {"compression": "zstd", "compression_level": 1}


def write_parquet(path: Path, columns: Mapping[str, Any] | pa.Table) -> int:
    """Write one table; returns its rows. Bytes depend only on the values and on pyarrow's version."""
    table = columns if isinstance(columns, pa.Table) else pa.table(dict(columns))
    pq.write_table(table, path, **_COMPRESSION)
    return table.num_rows


def join_parquet(path: Path, parts: Sequence[Path]) -> int:
    """Write the rows of several tables of one schema, in order, as one; returns its rows.

    However many rows there are, a row group of them is held at a time. The bytes depend only on the rows: not on where the parts were
    cut, and up to one row group they are those of `write_parquet`.
    """
    schema = pq.read_schema(parts[0])
    count = 0
    with pq.ParquetWriter(path, schema, **_COMPRESSION) as writer:
        for group in _row_groups(parts, schema):
            writer.write_table(group, row_group_size=ROWS_A_GROUP)
            count += group.num_rows
    return count


def _row_groups(parts: Iterable[Path], schema: pa.Schema) -> Iterator[pa.Table]:
    """The rows of the parts in tables of `ROWS_A_GROUP`, dictionaries made anew for each; one table without rows where there are none."""
    waiting, groups = schema.empty_table(), 0
    for part in parts:
        for batch in pq.ParquetFile(part).iter_batches(batch_size=ROWS_A_GROUP):
            waiting = pa.concat_tables([waiting, pa.Table.from_batches([batch])])
            if waiting.num_rows >= ROWS_A_GROUP:
                yield _recoded(waiting.slice(0, ROWS_A_GROUP))
                waiting = waiting.slice(ROWS_A_GROUP)
                groups += 1
    if waiting.num_rows or not groups:
        yield _recoded(waiting)


def _recoded(table: pa.Table) -> pa.Table:
    """The table in one piece, its dictionaries in the order in which the values come."""
    columns = {}
    for name, kind in zip(table.schema.names, table.schema.types, strict=True):
        if pa.types.is_dictionary(kind):
            columns[name] = table[name].cast(kind.value_type).combine_chunks().dictionary_encode()
        else:
            columns[name] = table[name].combine_chunks()
    return pa.table(columns)


def read_parquet(path: Path, columns: Sequence[str] | None = None) -> pa.Table:
    """Read one Parquet file, or all files of a folder in the order of their names."""
    if path.is_dir():
        return pa.concat_tables([pq.read_table(part, columns=columns) for part in sorted(path.glob("*.parquet"))])
    return pq.read_table(path, columns=columns)


def memory_mapped(path: Path) -> np.ndarray:
    """An array on disk, read as it is used; the workers of one machine share its pages.

    A plain view of the map: every slice of a `memmap` object pays for being one.
    """
    return np.load(path, mmap_mode="r").view(np.ndarray)


class ArrayFile(Sequence[int]):
    """An array on disk of one dimension, read slice by slice; what was read does not stay in memory, as pages of a map do."""

    def __init__(self, path: Path) -> None:
        mapped = np.load(path, mmap_mode="r")
        self._path, self._dtype, self._size, self._offset = path, mapped.dtype, len(mapped), mapped.offset

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, at: int | slice) -> Any:
        first, last, _ = at.indices(self._size) if isinstance(at, slice) else (at, at + 1, 1)
        found = np.fromfile(self._path, self._dtype, max(0, last - first), offset=self._offset + first * self._dtype.itemsize)
        return found if isinstance(at, slice) else found[0]


class ArrayWriter(contextlib.AbstractContextManager["ArrayWriter"]):
    """Writes an array of one dimension a piece at a time. The bytes are those of `np.save`.

    No memory map: on a full disk that ends the process without a word. The header, which tells the size, is written twice; NumPy leaves
    room in it for an array that grows.
    """

    def __init__(self, path: Path, kind: DTypeLike) -> None:
        self._path, self._dtype, self._size = path, np.dtype(kind), 0

    def __enter__(self) -> ArrayWriter:
        self._handle = open(self._path, "wb")
        self._write_header()
        return self

    def write(self, piece: np.ndarray) -> None:
        """Lay down the next values, shape (n,)."""
        piece.astype(self._dtype, copy=False).tofile(self._handle)
        self._size += len(piece)

    def __len__(self) -> int:
        return self._size

    def __exit__(self, *_: object) -> None:
        with self._handle:
            self._handle.seek(0)
            self._write_header()

    def _write_header(self) -> None:
        header = {"descr": np.lib.format.dtype_to_descr(self._dtype), "fortran_order": False, "shape": (self._size,)}
        np.lib.format.write_array_header_1_0(self._handle, header)


def write_tsv(path: Path, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> int:
    """Tab-separated values without quoting; None is an empty cell.

    Raises:
        ValueError: a cell holds a tab or a line break, which would break the table; see `escape_cell`.
    """
    count = 0
    with open(path, "w", encoding="utf-8", newline="\n") as handle:
        handle.write("\t".join(header) + "\n")
        for row in rows:
            handle.write("\t".join(_cell(value) for value in row) + "\n")
            count += 1
    return count


def _cell(value: Any) -> str:
    if value is None:
        return ""
    text = f"{value:.6g}" if isinstance(value, float) else str(value)
    if "\t" in text or "\n" in text or "\r" in text:
        raise ValueError(f"a cell of a table holds a tab or line break: {text!r}")
    return text


def escape_cell(text: str) -> str:
    r"""Any text as one printable cell: backslash, tab, line ends escaped, other control characters and bytes that are no UTF-8 as `\xNN`.

    A file name may hold what moves a terminal's cursor; bytes that are no UTF-8 come as Python has them in names, as surrogates.

    >>> escape_cell("two\nlines"), unescape_cell(escape_cell("two\nlines\\x"))
    ('two\\nlines', 'two\nlines\\x')
    """
    for plain, escaped in _ESCAPES.items():
        text = text.replace(plain, escaped)
    text = _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", text)
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def unescape_cell(cell: str) -> str:
    """The text that `escape_cell` was given."""
    text = _ESCAPED.sub(lambda found: _UNESCAPES.get(found[0]) or _character(int(found[1], 16)), cell)
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")


def _character(byte: int) -> str:
    return chr(byte) if byte < 0x80 else chr(0xDC00 + byte)


def read_tsv(path: Path) -> list[dict[str, str]]:
    """Rows of a TSV file with a header line, every cell as text."""
    lines = path.read_text(encoding="utf-8-sig").split("\n")
    header = lines[0].rstrip("\r").split("\t")
    return [dict(zip(header, line.rstrip("\r").split("\t"), strict=False)) for line in lines[1:] if line.strip()]


def write_jsonl(path: Path, records: Iterable[Mapping[str, Any]]) -> int:
    count = 0
    with open(path, "w", encoding="utf-8", newline="\n") as handle:
        for record in records:
            handle.write(json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n")
            count += 1
    return count


def read_jsonl(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a JSON Lines file; empty lines are passed over.

    Raises:
        StoreError: a line is no JSON object; names file and line.
    """
    with open(path, "rb") as handle:
        yield from parse_jsonl(handle, where=str(path))


def parse_jsonl(lines: Iterable[bytes], *, where: str, advice: str = "Run again to rewrite it.") -> Iterator[dict[str, Any]]:
    """The objects of JSON Lines; as `read_jsonl`.

    Args:
        where: name of the file in messages.
    """
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = parse_json(line)
        except NotationError as error:
            raise StoreError(f"{where}, line {number}: not JSON ({error}). {advice}") from None
        if not isinstance(record, dict):
            raise StoreError(f"{where}, line {number}: {shown(record)} is no JSON object. {advice}")
        yield record
