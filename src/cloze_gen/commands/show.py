"""`cloze-gen show`: what lies on disk of a run, read back for a person."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from cloze_gen.columns import cut, printable
from cloze_gen.report.funnel import funnel_steps, funnel_text
from cloze_gen.store.artifacts import open_artifact
from cloze_gen.store.runs import find_run, link_name, read_run, stage_artifact

_MOST_LINES = 400  # after which the files of a stage of many parts are no longer listed


def show_run(out: Path, run: str) -> str:
    """A run's stages with the sizes of their artifacts, and its funnel."""
    folder = find_run(out, run)
    lines, manifests = [], []
    for stage in read_run(folder)["stages"]:
        link = link_name(stage["number"], stage["label"])
        artifact = open_artifact(folder / link)
        manifests.append((stage["label"], artifact.manifest))
        size = sum(file["bytes"] for file in artifact.manifest["files"].values())
        lines.append(f"{link:<22} {stage['fingerprint']}  {size / 1e6:>10,.1f} MB  {len(artifact.manifest['files'])} files")
    return "\n".join([*lines, "", funnel_text(funnel_steps(manifests))])


def show_stage(out: Path, run: str, label: str, rows: int, *, columns: int | None = None) -> str:
    """One stage: its settings, funnel and facts, and of each table the rows, the columns and the first rows, a line a value.

    Args:
        columns: of the screen; a longer value is cut.
    """
    artifact = stage_artifact(find_run(out, run), label)
    manifest = artifact.manifest
    lines = [f"{manifest['schema']} {manifest['fingerprint']}", f"settings  {json.dumps(manifest['settings'], ensure_ascii=False)}"]
    lines += [f"facts     {json.dumps(manifest['facts'], ensure_ascii=False)}"] if manifest["facts"] else []
    lines += [funnel_text(funnel_steps([(manifest["stage"], manifest)]))] if manifest["funnel"] else []
    for name, facts in manifest["files"].items():
        count = f"{facts['rows']:,} rows, " if "rows" in facts else ""
        lines += ["", f"{name}  {count}{facts['bytes']:,} bytes"]
        lines += (cut(line, columns) for line in _first_rows(artifact.folder / name, rows))
        if len(lines) > _MOST_LINES:
            lines.append("... further files as above")
            break
    return "\n".join(lines)


def _first_rows(path: Path, rows: int) -> Iterator[str]:
    if path.suffix == ".parquet":
        table = pq.ParquetFile(path)
        head = next(table.iter_batches(batch_size=max(1, rows)), None)
        yield from (f"  column {field.name}: {_type_name(field.type)}" for field in table.schema_arrow)
        for number, row in enumerate(head.to_pylist()[:rows] if head else [], 1):
            yield from _record(number, row)
    elif path.suffix == ".npy":
        array = np.load(path, mmap_mode="r")
        yield f"  array {array.dtype} {array.shape}"
    else:
        with open(path, encoding="utf-8", errors="replace") as handle:
            lines = (line.rstrip("\n") for line in handle)
            header = next(lines, "").split("\t") if path.suffix == ".tsv" else []
            for number, line in enumerate(itertools.islice(lines, rows), 1):
                if header:
                    yield from _record(number, dict(zip(header, line.split("\t"), strict=False)))
                elif path.suffix == ".jsonl":
                    yield from _record(number, json.loads(line))
                else:
                    yield f"  {printable(line)}"


def _record(number: int, row: Mapping[str, Any]) -> Iterator[str]:
    """One row, a line a value: words as they are, numbers and lists as in JSON."""
    yield f"  row {number}"
    for name, value in row.items():
        shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
        yield f"    {printable(name)}: {printable(shown)}"


def _type_name(kind: Any) -> str:
    """A column's type as a reader thinks of it: words kept as numbers of a dictionary are words."""
    return str(kind.value_type if pa.types.is_dictionary(kind) else kind)
