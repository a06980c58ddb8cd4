"""`cloze-gen doctor`: check the installed tools, or with --store the bytes of an output folder."""

from __future__ import annotations

import contextlib
import importlib.metadata
import os
import platform
import re
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import typer

from cloze_gen.adapters import kenlm_build
from cloze_gen.adapters.kenlm_build import module_is_there
from cloze_gen.adapters.lmplz import REMEDY, binary_sha256, find_lmplz
from cloze_gen.adapters.terminal import show
from cloze_gen.engine.progress import track
from cloze_gen.errors import DamageError, ToolError, UsageError
from cloze_gen.store.artifacts import Store, open_artifact
from cloze_gen.store.folder_replacement import find_change
from cloze_gen.store.manifest import MANIFEST
from cloze_gen.store.runs import EVALUATION_FILE, RUN_FILE

PYTHON_FROM, PYTHON_TO = (3, 11), (3, 14)
# Twice the disk space of a run on the 522 books of the MSR challenge: model, index and release.
DISK_AT_LEAST_BYTES = 4 * 1000**3
MEMORY_AT_LEAST_BYTES = 4 * 1024**3  # of the largest process of that run, and the default lm.memory
KENLM_PACKAGES = ("kenlm", "ufal-kenlm")  # both provide the module `kenlm`


@dataclass(frozen=True, slots=True)
class Check:
    name: str
    ok: bool
    detail: str
    remedy: str = ""


def run_checks(folder: Path = Path()) -> list[Check]:
    return [
        _python(),
        _kenlm(),
        _lmplz(),
        _disk(folder),
        *_memory(),
        _cores(),
    ]


def _python() -> Check:
    oldest, newest = (".".join(map(str, version)) for version in (PYTHON_FROM, PYTHON_TO))
    remedy = f"install Python {oldest} to {newest}, delete .venv and run make again"
    ok = PYTHON_FROM <= sys.version_info[:2] <= PYTHON_TO
    return Check(
        "python", ok, f"{platform.python_version()} ({sys.executable})", "" if ok else remedy
    )


def _not_installed(name: str) -> Check:
    remedy = "make setup (without a checkout: reinstall cloze-gen)"
    return Check(name, False, "not installed", remedy)


def _kenlm() -> Check:
    if not module_is_there():
        return _not_installed("kenlm")
    packages = (f"{version} ({name})" for name in KENLM_PACKAGES for version in _version(name))
    return Check("kenlm", True, next(packages, "unknown version"))


def _version(name: str) -> Iterator[str]:
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        yield importlib.metadata.version(name)


def _lmplz() -> Check:
    try:
        path = find_lmplz()
        return Check("lmplz", True, f"{path} sha256 {binary_sha256(path)}")
    except ToolError as error:
        return Check("lmplz", False, str(error).removesuffix(f"; {REMEDY}."), REMEDY)


def _disk(folder: Path) -> Check:
    existing = next(
        (place for place in [folder.absolute(), *folder.absolute().parents] if place.is_dir()),
        Path("/"),
    )
    free_bytes = shutil.disk_usage(existing).free
    ok = free_bytes >= DISK_AT_LEAST_BYTES
    remedy = (
        f"free {DISK_AT_LEAST_BYTES / 1000**3:.0f} GB (needed for a corpus of 500 books), or use "
        "--out with a folder on a larger disk"
    )
    return Check(
        "free disk", ok, f"{free_bytes / 1000**3:.1f} GB in {existing}", "" if ok else remedy
    )


def _memory() -> Iterator[Check]:
    try:
        total_bytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        return
    ok = total_bytes >= MEMORY_AT_LEAST_BYTES
    remedy = "--set lm.memory=1G (same model, slower to build)"
    yield Check("memory", ok, f"{total_bytes / 1024**3:.1f} GiB", "" if ok else remedy)


def _cores() -> Check:
    usable = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    )
    return Check("cores", True, f"{usable} usable")


# ---- `cloze-gen doctor`


def find_faults(out: Path) -> tuple[int, int, list[str]]:
    store = Store(out)
    if not store.store.is_dir():
        raise UsageError(f"{out}: not an output folder (no store/ in it). Give the --out of a run.")
    artifacts = list(store.artifact_folders())
    published = [*_folders(store.runs), *_folders(store.root / "evaluations")]
    faults = {
        folder: _artifact_faults(folder)
        for folder in track(artifacts, stage="store", unit="artifacts", total=len(artifacts))
    }
    faults |= {folder: _published_faults(folder) for folder in published}
    return (
        len(faults),
        sum(map(bool, faults.values())),
        [one for found in faults.values() for one in found],
    )


def _artifact_faults(folder: Path) -> list[str]:
    try:
        referenced = open_artifact(folder, deep=True).manifest["holds"]
    except DamageError as error:
        return [error.what]
    gone = [
        path
        for name in referenced
        if not (path := Path(os.path.normpath(folder / name)) / MANIFEST).is_file()
    ]
    return [f"{folder}: refers to {path.parent}, which is missing." for path in gone]


def _published_faults(folder: Path) -> list[str]:
    change = find_change(folder)
    lost = [
        path
        for path in sorted(folder.iterdir())
        if path.is_symlink() and path.name[:2].isdigit() and not path.exists()
    ]
    return [*([change] if change else []), *(f"{path}: broken link." for path in lost)]


def _folders(parent: Path) -> list[Path]:
    """Folders of runs or evaluations; folders without their files are skipped."""
    found = (
        [path for path in sorted(parent.glob("[!.]*")) if path.is_dir() and not path.is_symlink()]
        if parent.is_dir()
        else []
    )
    return [
        path
        for path in found
        if not re.search(r"\.aside-\d+$", path.name)  # a copy that was changed by hand
        and any((path / name).exists() for name in (MANIFEST, RUN_FILE, EVALUATION_FILE))
    ]


def check_tools(*, fix: bool, kenlm_sources: Path | None) -> None:
    checks = run_checks()
    missing = {check.name for check in checks if not check.ok}
    if fix and "lmplz" in missing:
        for line in kenlm_build.plan(kenlm_sources):
            show(f"Next: {line} ...")
        kenlm_build.build(kenlm_sources)
        checks = run_checks()
    for check in checks:
        show(f"{'ok     ' if check.ok else 'MISSING'} {check.name:<16} {check.detail}")
        if not check.ok and check.remedy:
            show(f"        to fix: {check.remedy}")
    if not all(check.ok for check in checks):
        raise typer.Exit(1)


def check_store(out: Path) -> None:
    checked, damaged, faults = find_faults(out)
    for fault in faults:
        show(fault)
    show(
        f"{checked - damaged:,} of {checked:,} artifacts, runs and evaluations are as "
        "they were written"
    )
    if faults:
        raise typer.Exit(1)
