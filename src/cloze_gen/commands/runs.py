"""`cloze-gen runs`: the runs of an output folder."""

from __future__ import annotations

from pathlib import Path

from cloze_gen.errors import UsageError
from cloze_gen.stages.release.signature import read_signature
from cloze_gen.store.runs import run_folders


def list_runs(out: Path) -> str:
    """One line a run: its name and its signature, which tells its style and how many items it has."""
    lines = [f"{folder.name:<24} {_signature(folder)}" for folder in sorted(run_folders(out))]
    return "\n".join(lines) or f"no runs in {out}"


def _signature(folder: Path) -> str:
    try:
        return read_signature(folder)
    except UsageError:
        return "no release"
