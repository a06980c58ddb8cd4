"""What this machine has for a run, as facts; the command line prints them."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cloze_gen.adapters.lmplz import REMEDY, binary_sha256, find_lmplz
from cloze_gen.errors import ToolError

PYTHON_AT_LEAST = (3, 11)
# A run on the 522 books of the MSR challenge: its model, index and lmplz's nameless files together stay below this.
DISK_AT_LEAST_BYTES = 10 * 1000**3
MEMORY_AT_LEAST_BYTES = 4 * 1024**3  # the most one process of that run may take, and the default lm.memory
LIBRARIES = ("spacy", "kenlm", "numpy", "pyarrow", "luigi")


@dataclass(frozen=True, slots=True)
class Check:
    """One fact: what was looked at, whether it will do, what was found, and what to do when it will not (else empty)."""

    name: str
    ok: bool
    detail: str
    remedy: str = ""


def run_checks(folder: Path = Path()) -> list[Check]:
    """Every fact, in a fixed order. `folder` is where the run would write: its disk is the one measured."""
    return [_python(), *(_library(name) for name in LIBRARIES), _lmplz(), _disk(folder), *_memory(), _cores()]


def _python() -> Check:
    wanted = ".".join(map(str, PYTHON_AT_LEAST))
    remedy = f"install Python {wanted} or newer, delete .venv and run make again"
    ok = sys.version_info[:2] >= PYTHON_AT_LEAST
    return Check("python", ok, f"{platform.python_version()} ({sys.executable})", "" if ok else remedy)


def _library(name: str) -> Check:
    try:
        return Check(name, True, importlib.metadata.version(name))
    except importlib.metadata.PackageNotFoundError:
        return Check(name, False, "not installed", "make setup")


def _lmplz() -> Check:
    try:
        path = find_lmplz()
        return Check("lmplz", True, f"{path} sha256 {binary_sha256(path)}")
    except ToolError as error:
        return Check("lmplz", False, str(error), REMEDY)


def _disk(folder: Path) -> Check:
    existing = next((place for place in [folder.absolute(), *folder.absolute().parents] if place.is_dir()), Path("/"))
    free_bytes = shutil.disk_usage(existing).free
    ok = free_bytes >= DISK_AT_LEAST_BYTES
    remedy = f"free {DISK_AT_LEAST_BYTES / 1000**3:.0f} GB for a corpus of 500 books, or give --out a folder on a larger disk"
    return Check("free disk", ok, f"{free_bytes / 1000**3:.1f} GB in {existing}", "" if ok else remedy)


def _memory() -> Iterator[Check]:
    """Nothing where the system does not tell its memory."""
    try:
        total_bytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        return
    ok = total_bytes >= MEMORY_AT_LEAST_BYTES
    remedy = "--set lm.memory=1G (the model is the same, its estimation slower)"
    yield Check("memory", ok, f"{total_bytes / 1024**3:.1f} GiB", "" if ok else remedy)


def _cores() -> Check:
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return Check("cores", True, f"{usable} usable")
