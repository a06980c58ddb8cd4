"""`cloze-gen show`, `trace`, `report` and `runs`: inspect finished runs."""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from cloze_gen.engine.progress import say
from cloze_gen.errors import ClozeGenError, UsageError
from cloze_gen.parsing import quote
from cloze_gen.pipelines.style_task import find_style, style_names, style_of_run
from cloze_gen.records.rejection import funnel_steps, funnel_text
from cloze_gen.release.signature import read_signature
from cloze_gen.release.style import Style
from cloze_gen.release.trace import Traced, find_row
from cloze_gen.store.artifacts import open_artifact
from cloze_gen.store.folder_replacement import rewrite_within
from cloze_gen.store.locks import exclusive_lock
from cloze_gen.store.runs import (
    EVALUATION,
    RELEASE,
    RUN_SCHEMA,
    check_as_written,
    find_run,
    lies_in_output,
    link_name,
    read_run,
    run_folders,
    run_lock,
    stage_artifact,
)
from cloze_gen.text_layout import cut, printable

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


def show_stage(out: Path, run: str, label: str, rows: int, *, columns: int | None = None) -> str:
    folder = find_run(out, run)
    artifact, legends = stage_artifact(folder, label), style_of_run(folder).legends
    manifest = artifact.manifest
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
        [funnel_text(funnel_steps([(manifest["stage"], manifest)]), legends)]
        if manifest["funnel"]
        else []
    )
    for name, facts in manifest["files"].items():
        count = f"{facts['rows']:,} rows, " if "rows" in facts else ""
        lines += ["", f"{name}  {count}{facts['bytes']:,} bytes"]
        lines += (cut(line, columns) for line in _first_rows(artifact.folder / name, rows))
        if len(lines) > _MOST_LINES:
            lines.append("... more files of the same kind")
            break
    return "\n".join(lines)


def _first_rows(path: Path, rows: int) -> Iterator[str]:
    if path.suffix == ".parquet":
        table = pq.ParquetFile(path)
        head = next(table.iter_batches(batch_size=max(1, rows)), None)
        yield from (
            f"  column {field.name}: {_type_name(field.type)}" for field in table.schema_arrow
        )
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


def _type_name(kind: Any) -> str:
    """A column's type as shown to users: the value type if it is dictionary-encoded."""
    return str(kind.value_type if pa.types.is_dictionary(kind) else kind)


# ---- `cloze-gen trace`


def trace_item(
    out: Path,
    run: str | None,
    item_id: str,
    *,
    alternates: bool = False,
    columns: int | None = None,
) -> str:
    """Every decision about one item or dropped record; `run` None: the latest run that has it."""
    named = [find_run(out, run)] if run else []
    if not item_id.isascii():  # also undecodable bytes
        raise UsageError(f"{quote(item_id)}: no such item. {_files_with_ids(named)}")
    folders = named or run_folders(out)
    unread: dict[str, ClozeGenError] = {}
    for place, folder in enumerate(folders):
        try:
            found = _find(folder, item_id)
        except ClozeGenError as error:
            unread[folder.name] = error
            continue
        if found is not None:
            style, row = found
            if alternates and not style.trace.in_full:
                raise UsageError(
                    f"--alternates: a {style.items.noun} of {style.name} has none. Leave it out."
                )
            item = Traced(
                folder, item_id, row, style.drawn_from, in_full=alternates, columns=columns
            )
            return "\n".join(_lines(style, item, _others_with(folders[place + 1 :], item_id)))
    if run and unread:
        raise unread.popitem()[1]
    folders = [folder for folder in folders if folder.name not in unread]
    for folder in folders:
        outcome = style_of_run(folder).trace.early_rejection(folder, item_id)
        if outcome is not None:
            return f"{item_id} in {folder.name}: {outcome}"
    where = ", ".join(folder.name for folder in folders) or f"any run of {out}"
    unseen = "".join(f" Not searched: {name} ({error})" for name, error in unread.items())
    raise UsageError(
        f"{quote(item_id)}: no such item in {where}. {_files_with_ids(folders)}{unseen}"
    )


def _files_with_ids(folders: Sequence[Path]) -> str:
    styles = [style_of_run(folder) for folder in folders] or [
        find_style(name) for name in style_names()
    ]
    places = dict.fromkeys(
        f"release/{style.items.file}, e.g. {style.trace.id_form}" for style in styles
    )
    return f"Find ids in {', or in '.join(places)}."


def _find(folder: Path, item_id: str) -> tuple[Style, dict[str, Any]] | None:
    style = style_of_run(folder)
    stage, file = style.trace.items
    row = find_row(folder, stage, file, item_id)
    return None if row is None else (style, row)


def _others_with(folders: Sequence[Path], item_id: str) -> list[str]:
    names = []
    for folder in folders:
        try:
            if _find(folder, item_id) is not None:
                names.append(folder.name)
        except ClozeGenError:
            names.append(f"{folder.name} (cannot be read)")
    return names


def _lines(style: Style, item: Traced, others: Sequence[str]) -> Iterator[str]:
    yield f"{item.id} in run {item.folder.name}"
    if others:
        yield (f"(in the latest run; for another, pass --run NAME: {', '.join(others)})")
    for section in (*style.trace.sections, *(style.trace.in_full if item.in_full else ())):
        lines = list(section(item))
        if lines:
            yield ""
            yield from lines


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


def renew_report(folder: Path, evaluation: Path | None = None) -> None:
    """Rewrite a finished run's report by replacing the run's folder; the caller holds its lock."""
    from cloze_gen.release.report import stage_artifacts, write_report  # slow to import

    check_as_written(folder)
    stage_artifacts(folder)  # report faults here, with the final name of the folder

    def change(partial: Path) -> None:
        if evaluation is not None:
            (partial / EVALUATION).unlink(missing_ok=True)
            (partial / EVALUATION).symlink_to(os.path.relpath(evaluation, folder))
        write_report(partial, style_of_run(folder))

    for line in rewrite_within(folder, RUN_SCHEMA, change):
        say(f"{folder.name}: {line}")


# ---- `cloze-gen runs`


def list_runs(out: Path) -> str:
    lines = [f"{folder.name:<24} {_signature(folder)}" for folder in sorted(run_folders(out))]
    return "\n".join(lines) or f"no runs in {out}"


def _signature(folder: Path) -> str:
    try:
        return read_signature(folder)
    except UsageError:
        return "no release"
