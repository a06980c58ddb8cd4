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

from cloze_gen.api.run import Run
from cloze_gen.errors import UsageError
from cloze_gen.pipelines.run import renew_report
from cloze_gen.pipelines.styles import style_of_run
from cloze_gen.records.rejection import funnel_steps, funnel_text
from cloze_gen.store.file_docs import FileDoc, column_type
from cloze_gen.store.locks import exclusive_lock
from cloze_gen.store.runs import (
    RELEASE,
    find_run,
    lies_in_output,
    link_name,
    run_lock,
    stage_artifact,
    stage_artifacts,
)
from cloze_gen.text_layout import printable

_MOST_LINES = 400  # then no more files of a stage are listed


def show_run(out: Path, run: str) -> str:
    folder = find_run(out, run)
    lines = []
    for number, (label, artifact) in enumerate(stage_artifacts(folder).items(), 1):
        files = artifact.manifest["files"].values()
        size = sum(file["bytes"] for file in files)
        fingerprint = artifact.manifest["fingerprint"]
        lines.append(
            f"{link_name(number, label):<22} {fingerprint}  {size / 1e6:>10,.1f} MB  "
            f"{len(files)} files"
        )
    return "\n".join([*lines, "", funnel_text(Run(folder).funnel, style_of_run(folder).legends)])


def show_stage(out: Path, run: str, label: str, rows: int) -> str:
    folder = find_run(out, run)
    artifact = stage_artifact(folder, label)
    style = style_of_run(folder)
    manifest = artifact.manifest
    docs = list(style.stage_doc(manifest["stage"]).files)
    lines = [
        f"{manifest['schema']} {manifest['fingerprint']}",
        f"settings  {json.dumps(manifest['settings'], ensure_ascii=False)}",
    ]
    if manifest["facts"]:
        lines.append(f"facts     {json.dumps(manifest['facts'], ensure_ascii=False)}")
    if manifest["funnel"]:
        lines.append(funnel_text(funnel_steps([(manifest["stage"], manifest)]), style.legends))
    for name, facts in manifest["files"].items():
        count = f"{facts['rows']:,} rows, " if "rows" in facts else ""
        lines += ["", f"{name}  {count}{facts['bytes']:,} bytes"]
        doc = next((doc for doc in docs if fnmatchcase(name, doc.name)), None)
        if doc is not None:
            lines += _description(doc)
            docs.remove(doc)  # further parts have the same columns
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
