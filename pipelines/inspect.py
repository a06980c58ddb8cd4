"""`cloze-gen runs` and `cloze-gen show`: what lies on disk, read back for a person."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from cloze_gen.pipelines.runs import find_run, read_run, run_folders, stage_artifact
from cloze_gen.report.funnel import funnel_steps, funnel_text
from cloze_gen.store.artifacts import open_artifact

_WIDTH = 140


def list_runs(out: Path) -> str:
    """One line a run: name, style, questions, signature."""
    lines = []
    for folder in run_folders(out):
        signature = folder / "release" / "signature.txt"
        lines.append(
            f"{folder.name:<24} {signature.read_text(encoding='utf-8', errors='replace').strip() if signature.is_file() else 'no release'}"
        )
    return "\n".join(lines) or f"no runs in {out}"


def show_run(out: Path, run: str) -> str:
    """A run's stages with the sizes of their artifacts, and its funnel."""
    folder = find_run(out, run)
    lines, manifests = [], []
    for stage in read_run(folder)["stages"]:
        link = f"{stage['number']:02}-{stage['label'].replace(' ', '-')}"
        artifact = open_artifact(folder / link)
        manifests.append((stage["label"], artifact.manifest))
        size = sum(file["bytes"] for file in artifact.manifest["files"].values())
        lines.append(f"{link:<22} {stage['fingerprint']}  {size / 1e6:>10,.1f} MB  {len(artifact.manifest['files'])} files")
    return "\n".join([*lines, "", funnel_text(funnel_steps(manifests))])


def show_stage(out: Path, run: str, label: str, rows: int) -> str:
    """One stage: its settings, funnel and facts, and of each table the rows, the columns and the first rows."""
    artifact = stage_artifact(find_run(out, run), label)
    manifest = artifact.manifest
    lines = [f"{manifest['schema']} {manifest['fingerprint']}", f"settings {json.dumps(manifest['settings'], ensure_ascii=False)}"]
    lines += [f"facts    {json.dumps(manifest['facts'], ensure_ascii=False)}"] if manifest["facts"] else []
    lines += [funnel_text(funnel_steps([(manifest["stage"], manifest)]))] if manifest["funnel"] else []
    for name, facts in manifest["files"].items():
        count = f"{facts['rows']:,} rows, " if "rows" in facts else ""
        lines += ["", f"{name}  {count}{facts['bytes']:,} bytes"]
        lines += _first_rows(artifact.folder / name, rows)
        if len(lines) > 400:
            lines.append("... further files as above")
            break
    return "\n".join(lines)


def _first_rows(path: Path, rows: int) -> list[str]:
    if path.suffix == ".parquet":
        table = pq.ParquetFile(path)
        head = next(table.iter_batches(batch_size=max(1, rows)), None)
        columns = ", ".join(f"{field.name}: {field.type}" for field in table.schema_arrow)
        return [
            f"  columns {columns}",
            *(_cut(json.dumps(row, ensure_ascii=False, default=str)) for row in (head.to_pylist()[:rows] if head else [])),
        ]
    if path.suffix == ".npy":
        array = np.load(path, mmap_mode="r")
        return [f"  array {array.dtype} {array.shape}"]
    with open(path, encoding="utf-8", errors="replace") as handle:
        return [_cut(line.rstrip("\n")) for _, line in zip(range(rows + (path.suffix == ".tsv")), handle, strict=False)]


def _cut(line: str) -> str:
    return "  " + (line if len(line) <= _WIDTH else line[: _WIDTH - 3] + "...")
