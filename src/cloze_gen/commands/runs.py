"""`cloze-gen runs`: the runs of an output folder."""

from __future__ import annotations

from pathlib import Path

from cloze_gen.stages.release.signature import SIGNATURE
from cloze_gen.store.runs import released_folder, run_folders


def list_runs(out: Path) -> str:
    """One line a run: its name and its signature, which tells its style and how many items it has."""
    lines = []
    for folder in sorted(run_folders(out)):
        signature = released_folder(folder) / SIGNATURE
        lines.append(
            f"{folder.name:<24} {signature.read_text(encoding='utf-8', errors='replace').strip() if signature.is_file() else 'no release'}"
        )
    return "\n".join(lines) or f"no runs in {out}"
