"""Tables on disk: Parquet for big ones, TSV for counts, JSON lines for questions and rejections."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

# Level 1 writes several times faster than the default level at nearly the same size on word columns.
_COMPRESSION = {"compression": "zstd", "compression_level": 1}


def write_parquet(path: Path, columns: Mapping[str, Any] | pa.Table) -> int:
    """Write one table; returns its rows. Bytes depend only on the values and on pyarrow's version."""
    table = columns if isinstance(columns, pa.Table) else pa.table(dict(columns))
    pq.write_table(table, path, **_COMPRESSION)
    return table.num_rows


def read_parquet(path: Path, columns: Sequence[str] | None = None) -> pa.Table:
    """Read one Parquet file, or all files of a folder in the order of their names."""
    if path.is_dir():
        return pa.concat_tables([pq.read_table(part, columns=columns) for part in sorted(path.glob("*.parquet"))])
    return pq.read_table(path, columns=columns)


def dictionary_column(codes: Any, words: Any) -> pa.DictionaryArray:
    """A column of words given as numbers into `words`, holding only the words it uses (small files, equal bytes)."""
    values, indices = pc.unique(pa.array(codes)), None
    indices = pc.index_in(pa.array(codes), value_set=values)
    return pa.DictionaryArray.from_arrays(indices, pa.array([words[i] for i in values.to_pylist()], pa.string()))


def write_tsv(path: Path, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> int:
    """Tab-separated values without quoting: a cell with a tab or line break is refused, for it would break the table."""
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
        text = text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")
    return text


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
    with open(path, encoding="utf-8") as handle:
        for line in handle:
            if line.strip():
                yield json.loads(line)
