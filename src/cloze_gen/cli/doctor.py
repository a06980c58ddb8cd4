"""`cloze-gen doctor`: check the installed tools, or with --store the bytes of an output folder."""

from __future__ import annotations

import importlib
import importlib.metadata
import itertools
import os
import platform
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import typer

from cloze_gen.adapters import kenlm_build
from cloze_gen.adapters.lmplz import REMEDY, find_lmplz, require_start
from cloze_gen.adapters.terminal import show
from cloze_gen.engine.progress import track
from cloze_gen.errors import DamageError, ToolError, UsageError
from cloze_gen.store.artifacts import Store, open_artifact
from cloze_gen.store.folder_replacement import find_change
from cloze_gen.store.manifest import MANIFEST, file_sha256
from cloze_gen.store.runs import EVALUATION_FILE, RUN_FILE

PYTHON_FROM, PYTHON_TO = (3, 11), (3, 14)
# Twice the disk space of a run on the 522 books of the MSR challenge: model, index and release.
DISK_AT_LEAST_BYTES = 4 * 1000**3
MEMORY_AT_LEAST_BYTES = 4 * 1024**3  # of the largest process of that run, and the default lm.memory
# Compiled libraries, which can be installed and yet not load. An import is the only sure check.
LIBRARIES = (
    "kenlm",
    "lxml.etree",
    "numpy",
    "pandas",
    "pyarrow",
    "scipy",
    "sklearn",
    "spacy",
)


@dataclass(frozen=True, slots=True)
class Check:
    """A fact about the installation; the remedy is printed if it is not `ok`."""

    name: str
    ok: bool
    detail: str
    remedy: str = ""


def run_checks(folder: Path = Path()) -> list[Check]:
    return [
        _python(),
        *_libraries(),
        _lmplz(),
        _disk(folder),
        *_memory(),
        _cores(),
    ]


def _python() -> Check:
    oldest, newest = (".".join(map(str, version)) for version in (PYTHON_FROM, PYTHON_TO))
    return Check(
        "python",
        PYTHON_FROM <= sys.version_info[:2] <= PYTHON_TO,
        f"{platform.python_version()} ({sys.executable})",
        f"install Python {oldest} to {newest}, delete .venv and run make again",
    )


def _libraries() -> Iterator[Check]:
    packages = importlib.metadata.packages_distributions()  # of a module: two bring `kenlm`
    for name in LIBRARIES:
        try:
            importlib.import_module(name)
        except Exception as error:  # noqa: BLE001 - a broken library raises any error
            reason = " ".join(f"{type(error).__name__}: {error}".split())
            remedy = "delete .venv and run make again (without a checkout: reinstall cloze-gen)"
            yield Check(name, False, f"cannot be imported ({reason})", remedy)
        else:
            versions = [
                f"{package} {importlib.metadata.version(package)}"
                for package in packages.get(name.partition(".")[0], [])
            ]
            yield Check(name, True, ", ".join(versions) or "unknown version")


def _lmplz() -> Check:
    try:
        path = find_lmplz()
        require_start(path)
    except ToolError as error:
        return Check("lmplz", False, str(error).removesuffix(f"; {REMEDY}."), REMEDY)
    return Check("lmplz", True, f"{path} sha256 {file_sha256(path)}")


def _disk(folder: Path) -> Check:
    existing = next(place for place in (folder.absolute() / "x").parents if place.is_dir())
    free_bytes = shutil.disk_usage(existing).free
    return Check(
        "free disk",
        free_bytes >= DISK_AT_LEAST_BYTES,
        f"{free_bytes / 1000**3:.1f} GB in {existing}",
        f"free {DISK_AT_LEAST_BYTES / 1000**3:.0f} GB (needed for a corpus of 500 books), or use "
        "--out with a folder on a larger disk",
    )


def _memory() -> Iterator[Check]:
    try:
        total_bytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        return
    yield Check(
        "memory",
        total_bytes >= MEMORY_AT_LEAST_BYTES,
        f"{total_bytes / 1024**3:.1f} GiB",
        "--set lm.memory=1G (same model, slower to build)",
    )


def _cores() -> Check:
    usable = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    )
    return Check("cores", True, f"{usable} usable")


def check_tools(*, fix: bool) -> None:
    if fix and not _lmplz().ok:
        show(f"Building KenLM {kenlm_build.VERSION} (two minutes) ...")
        kenlm_build.build()
    checks = run_checks()
    for check in checks:
        show(f"{'ok' if check.ok else 'FAILED':<8}{check.name:<16} {check.detail}")
        if not check.ok:
            show(f"        to fix: {check.remedy}")
    if not all(check.ok for check in checks):
        raise typer.Exit(1)


# ---- `cloze-gen doctor --store`


def find_faults(out: Path) -> tuple[int, int, list[str]]:
    """The number of folders checked, of damaged ones, and all faults."""
    store = Store(out)
    if not store.store.is_dir():
        raise UsageError(f"{out}: not an output folder (no store/ in it). Give the --out of a run.")
    artifacts = list(store.artifact_folders())
    faults = [
        _artifact_faults(folder)
        for folder in track(artifacts, stage="store", unit="artifacts", total=len(artifacts))
    ]
    published = [*_folders(store.runs), *_folders(store.root / "evaluations")]
    faults += map(_published_faults, published)
    return len(faults), sum(map(bool, faults)), list(itertools.chain.from_iterable(faults))


def _artifact_faults(folder: Path) -> list[str]:
    try:
        referenced = open_artifact(folder, deep=True).manifest.get("holds", ())
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
    return [
        path
        for path in sorted(parent.glob("[!.]*"))
        if path.is_dir()
        and not path.is_symlink()
        and any((path / name).exists() for name in (MANIFEST, RUN_FILE, EVALUATION_FILE))
    ]


def check_store(out: Path) -> None:
    checked, damaged, faults = find_faults(out)
    for fault in faults:
        show(fault)
    show(
        f"{checked - damaged:,} of {checked:,} artifacts, runs and evaluations are as "
        "they were written"
    )
    if faults:
        show("Delete the damaged folders of store/; `cloze-gen run` builds them again.")
        raise typer.Exit(1)
