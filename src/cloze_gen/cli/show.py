"""`cloze-gen show` and `report`: inspect finished runs."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from cloze_gen.errors import UsageError
from cloze_gen.pipelines.run import renew_report
from cloze_gen.pipelines.styles import style_of_run
from cloze_gen.records.rejection import funnel_steps, funnel_text
from cloze_gen.store.artifacts import open_artifact
from cloze_gen.store.file_docs import FileDoc, column_type
from cloze_gen.store.locks import exclusive_lock
from cloze_gen.store.runs import (
    RELEASE,
    find_run,
    lies_in_output,
    link_name,
    read_run,
    run_lock,
    stage_artifact,
)
from cloze_gen.text_layout import printable

_MOST_LINES = 400  # then no more files of a stage are listed


def show_run(out: Path, run: str) -> str:
    folder = find_run(out, run)
    lines, manifests = [], []
    for stage in read_run(folder)["stages"]:
        link = link_name(stage["number"], stage["label"])
        artifact = open_artifact(folder / link)
        manifests.append((stage["label"], artifact.manifest))
        size = sum(file["bytes"] for file in artifact.manifest["files"].values())
        lines.append(
            f"{link:<22} {stage['fingerprint']}  {size / 1e6:>10,.1f} MB  "
            f"{len(artifact.manifest['files'])} files"
        )
    return "\n".join(
        [*lines, "", funnel_text(funnel_steps(manifests), style_of_run(folder).legends)]
    )


def show_stage(out: Path, run: str, label: str, rows: int) -> str:
    folder = find_run(out, run)
    artifact = stage_artifact(folder, label)
    style = style_of_run(folder)
    manifest = artifact.manifest
    files = list(style.stage_doc(manifest["stage"]).files)
    lines = [
        f"{manifest['schema']} {manifest['fingerprint']}",
        f"settings  {json.dumps(manifest['settings'], ensure_ascii=False)}",
    ]
    lines += (
        [f"facts     {json.dumps(manifest['facts'], ensure_ascii=False)}"]
        if manifest["facts"]
        else []
    )
    lines += (
        [funnel_text(funnel_steps([(manifest["stage"], manifest)]), style.legends)]
        if manifest["funnel"]
        else []
    )
    for name, facts in manifest["files"].items():
        count = f"{facts['rows']:,} rows, " if "rows" in facts else ""
        lines += ["", f"{name}  {count}{facts['bytes']:,} bytes"]
        file = next((file for file in files if fnmatchcase(name, file.name)), None)
        if file is not None:
            lines += _description(file)
            files.remove(file)  # further parts have the same columns
        lines += _first_rows(artifact.folder / name, rows)
        if len(lines) > _MOST_LINES:
            lines.append("... more files of the same kind")
            break
    return "\n".join(lines)


def _description(file: FileDoc) -> Iterator[str]:
    yield f"  {file.about}"
    for name, text in file.columns.items():
        kind, _, meaning = column_type(text)
        yield f"  column {name} ({kind}): {meaning}"


def _first_rows(path: Path, rows: int) -> Iterator[str]:
    if path.suffix == ".parquet":
        table = pq.ParquetFile(path)
        head = next(table.iter_batches(batch_size=max(1, rows)), None)
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
    yield f"  row {number}"
    for name, value in row.items():
        text = (
            value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
        )
        yield f"    {printable(name)}: {printable(text)}"


# ---- `cloze-gen report`


def report_run(out: Path, run: str) -> Path:
    from cloze_gen.release.documents import REPORT  # slow to import

    folder = find_run(out, run).resolve()
    if not lies_in_output(folder):
        raise UsageError(
            f"{folder}: not in an output folder (OUT/runs/NAME), so its stages are missing. The "
            "report was not changed. Give a run of an output folder."
        )
    with exclusive_lock(run_lock(folder)):
        renew_report(folder)
    return folder / RELEASE / REPORT
