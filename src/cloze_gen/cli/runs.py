"""`cloze-gen runs` and `clean`: the runs of an output folder, and the disk that they take."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from cloze_gen.errors import ClozeGenError, UsageError
from cloze_gen.release.signature import read_signature
from cloze_gen.store.runs import run_folders
from cloze_gen.store.usage import Usage, find_unused


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
    found = find_unused(out, removes=removes)
    sizes = Counter[str]()  # the artifacts of single books in one line a folder
    for one in found:
        place = one.path.relative_to(out)
        sizes["/".join(place.parts[:2]) + (f"  left: {one.kept}" if one.kept else "")] += (
            one.n_bytes
        )
    lines = [f"{_mb(size):>9} MB  {place}" for place, size in sizes.most_common()]
    n_bytes = sum(one.n_bytes for one in found if not one.kept)
    if removes:
        return "\n".join([*lines, f"removed {_mb(n_bytes)} MB"])
    advice = (
        ". --yes removes them. Models of `evaluate` are trained again when needed"
        if n_bytes
        else ""
    )
    return "\n".join([*lines, f"no run uses {_mb(n_bytes)} MB{advice}"])
