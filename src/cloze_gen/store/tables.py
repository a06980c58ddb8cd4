"""Tables on disk: Parquet, TSV, JSON lines, and NumPy arrays."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import DTypeLike

from cloze_gen.errors import FormatError, StoreError
from cloze_gen.json_lines import read_objects

# the backslash first, or it would be escaped twice
_ESCAPES = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}
_UNESCAPES = {escaped: plain for plain, escaped in _ESCAPES.items()}
_ESCAPED = re.compile(r"\\(?:[\\tnr]|x([0-9a-f]{2}))")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
# Level 1 writes several times faster than the default level at nearly the same size on word
# columns.
COMPRESSION: Mapping[str, Any] = {"compression": "zstd", "compression_level": 1}


def write_parquet(path: Path, columns: Mapping[str, Any] | pa.Table) -> int:
    """Write one table; returns its rows. Bytes depend on the values and pyarrow's version only."""
    table = columns if isinstance(columns, pa.Table) else pa.table(dict(columns))
    pq.write_table(table, path, **COMPRESSION)
    return table.num_rows


def read_parquet(path: Path, columns: Sequence[str] | None = None) -> pa.Table:
    """Read one Parquet file, or all files of a folder in the order of their names."""
    if path.is_dir():
        return pa.concat_tables(
            [pq.read_table(part, columns=columns) for part in sorted(path.glob("*.parquet"))]
        )
    return pq.read_table(path, columns=columns)


def read_rows(path: Path, item_id: str) -> pa.Table:
    """The rows of one `id`. A row group without it is read in that column alone, or not at all if
    the least and greatest of its ids exclude it.
    """
    wanted, found = _scalar(item_id), []
    for part in sorted(path.glob("*.parquet")) if path.is_dir() else [path]:
        file = pq.ParquetFile(part)  # `pq.read_table` would import its data sets
        found.append(pa.Table.from_batches([], file.schema_arrow))  # `empty_table` imports pandas
        at = file.schema.names.index("id")
        for group in range(file.num_row_groups):
            ids = file.metadata.row_group(group).column(at).statistics
            if ids is not None and ids.has_min_max and not ids.min <= item_id <= ids.max:
                continue
            mask = pc.equal(file.read_row_group(group, columns=["id"])["id"], wanted)
            if pc.any(mask).as_py():
                found.append(file.read_row_group(group).filter(mask))
    return pa.concat_tables(found)


def _scalar(text: str) -> pa.StringScalar:
    """Without Arrow's conversion of values, which imports pandas and refuses lone surrogates."""
    data = text.encode("utf-8", "replace")
    ends = np.array([0, len(data)], dtype=np.int32)
    return pa.StringArray.from_buffers(1, pa.py_buffer(ends), pa.py_buffer(data))[0]


def memory_mapped(path: Path) -> np.ndarray:
    """A memory-mapped array, as a plain view, since slicing a `memmap` is slow."""
    return np.load(path, mmap_mode="r").view(np.ndarray)


class ArrayFile(Sequence[int]):
    """A one-dimensional array on disk; unlike a map's pages, slices do not stay in memory."""

    def __init__(self, path: Path) -> None:
        mapped = np.load(path, mmap_mode="r")
        self._path, self._dtype, self._size, self._offset = (
            path,
            mapped.dtype,
            len(mapped),
            mapped.offset,
        )

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, at: int | slice) -> Any:
        first, last, _ = at.indices(self._size) if isinstance(at, slice) else (at, at + 1, 1)
        found = np.fromfile(
            self._path,
            self._dtype,
            max(0, last - first),
            offset=self._offset + first * self._dtype.itemsize,
        )
        return found if isinstance(at, slice) else found[0]


class ArrayWriter(contextlib.AbstractContextManager["ArrayWriter"]):
    """Writes an array as `np.save`, piece by piece: a full disk kills memory-mapping processes."""

    def __init__(self, path: Path, kind: DTypeLike) -> None:
        self._path, self._dtype, self._size = path, np.dtype(kind), 0

    def __enter__(self) -> ArrayWriter:
        self._handle = open(self._path, "wb")
        self._write_header()
        return self

    def write(self, piece: np.ndarray) -> None:
        piece.astype(self._dtype, copy=False).tofile(self._handle)
        self._size += len(piece)

    def __len__(self) -> int:
        return self._size

    def __exit__(self, *_: object) -> None:
        with self._handle:
            self._handle.seek(0)
            self._write_header()

    def _write_header(self) -> None:
        header = {
            "descr": np.lib.format.dtype_to_descr(self._dtype),
            "fortran_order": False,
            "shape": (self._size,),
        }
        np.lib.format.write_array_header_1_0(self._handle, header)


def write_tsv(path: Path, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> int:
    """Tab-separated values without quoting; ValueError for cells that need `escape_cell`."""
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
    r"""One printable cell; control characters and bytes that are not UTF-8 become `\xNN`.

    >>> escape_cell("two\nlines"), unescape_cell(escape_cell("two\nlines\\x"))
    ('two\\nlines', 'two\nlines\\x')
    """
    for plain, escaped in _ESCAPES.items():
        text = text.replace(plain, escaped)
    text = _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", text)
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def unescape_cell(cell: str) -> str:
    text = _ESCAPED.sub(
        lambda found: _UNESCAPES.get(found[0]) or _character(int(found[1], 16)), cell
    )
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")


def _character(byte: int) -> str:
    return chr(byte) if byte < 0x80 else chr(0xDC00 + byte)


def read_tsv(path: Path) -> list[dict[str, str]]:
    lines = path.read_text(encoding="utf-8-sig").split("\n")
    header = lines[0].rstrip("\r").split("\t")
    return [
        dict(zip(header, line.rstrip("\r").split("\t"), strict=False))
        for line in lines[1:]
        if line.strip()
    ]


def write_jsonl(path: Path, records: Iterable[Mapping[str, Any]]) -> int:
    count = 0
    with open(path, "w", encoding="utf-8", newline="\n") as handle:
        for record in records:
            handle.write(json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n")
            count += 1
    return count


def read_jsonl(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a JSON Lines file; empty lines are skipped. StoreError for any other line."""
    with open(path, "rb") as handle:
        yield from parse_jsonl(handle, where=str(path))


def parse_jsonl(
    lines: Iterable[bytes], *, where: str, advice: str = "Run again to rewrite it."
) -> Iterator[dict[str, Any]]:
    """As `read_jsonl`; `where` is the file's name in messages."""
    try:
        for _, record in read_objects(lines, name=where):
            yield record
    except FormatError as error:
        raise StoreError(f"{error}. {advice}") from None


# ---- tables that recipes share

# Files of several recipes' stages.
FOCUS, SOURCE_SENTENCES, REJECTED = "focus.parquet", "sentences.parquet", "rejected.parquet"
QUESTIONS, CANDIDATES = "questions.jsonl", "candidates.jsonl"
PASSAGE_SET, ANALYSIS = "passages.jsonl", "analysis.json"
FEWSHOT = "fewshot.jsonl"
