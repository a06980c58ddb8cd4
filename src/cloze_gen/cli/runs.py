"""`cloze-gen runs` and `clean`: the runs of an output folder, and the disk that they take."""

from __future__ import annotations

from pathlib import Path

from cloze_gen.errors import ClozeGenError, UsageError
from cloze_gen.release.signature import read_signature
from cloze_gen.store.runs import run_folders
from cloze_gen.store.usage import Usage, remove_unused


def list_runs(out: Path) -> str:
    folders = sorted(run_folders(out))
    if not folders:
        return f"no runs in {out}"
    try:
        sizes = Usage(out).sizes()
    except ClozeGenError:
        sizes = {}  # of one run it is not known what it uses, so not what is shared
    lines = [f"{'run':<24} {'own MB':>9} {'shared MB':>9}  signature"]
    for folder in folders:
        own, shared = (_mb(size) for size in sizes[folder]) if folder in sizes else ("?", "?")
        lines.append(f"{folder.name:<24} {own:>9} {shared:>9}  {_signature(folder)}")
    return "\n".join(lines)


def _mb(n_bytes: int) -> str:
    return f"{n_bytes / 1e6:,.1f}"


def _signature(folder: Path) -> str:
    try:
        return read_signature(folder)
    except UsageError:
        return "no release"


def clean(out: Path, *, removes: bool) -> str:
    """List the artifacts that no run uses, or remove them."""
    found = remove_unused(out) if removes else list(Usage(out).unused())
    gone = [one for one in found if not one.kept]
    lines = [
        f"{_mb(one.n_bytes):>9} MB  {one.path.relative_to(out)}"
        f"{f'  left: {one.kept}' if one.kept else ''}"
        for one in sorted(found, key=lambda one: (-one.n_bytes, one.path))
    ]
    total = f"{_mb(sum(one.n_bytes for one in gone))} MB in {len(gone):,} folders"
    if removes:
        return "\n".join([*lines, f"removed {total}"])
    return "\n".join(
        [
            *lines,
            f"no run uses {total}{'. --yes removes them; models of `evaluate` are trained again when needed' if gone else ''}",
        ]
    )
