"""What this machine has for a run, as facts; the command line prints them."""

from __future__ import annotations

import contextlib
import importlib.metadata
import os
import platform
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cloze_gen.adapters.kenlm_build import module_is_there
from cloze_gen.adapters.lmplz import REMEDY, binary_sha256, find_lmplz
from cloze_gen.errors import ToolError

PYTHON_AT_LEAST = (3, 11)
PYTHON_KNOWN_TO = (3, 15)  # the newest that every locked package has files for
# A run on the 522 books of the MSR challenge: its model, index and lmplz's nameless files together stay below this.
DISK_AT_LEAST_BYTES = 10 * 1000**3
MEMORY_AT_LEAST_BYTES = 4 * 1024**3  # the most one process of that run may take, and the default lm.memory
LIBRARIES = ("spacy", "numpy", "pyarrow", "luigi")
KENLM_PACKAGES = ("kenlm", "ufal-kenlm")  # either brings the module `kenlm`


@dataclass(frozen=True, slots=True)
class Check:
    """One fact: what was looked at, whether it will do, what was found, and what to do when it will not (else empty)."""

    name: str
    ok: bool
    detail: str
    remedy: str = ""


def run_checks(folder: Path = Path()) -> list[Check]:
    """Every fact, in a fixed order. `folder` is where the run would write: its disk is the one measured."""
    return [_python(), *(_library(name) for name in LIBRARIES), _kenlm(), _lmplz(), _disk(folder), *_memory(), _cores()]


def _python() -> Check:
    wanted = ".".join(map(str, PYTHON_AT_LEAST))
    remedy = f"install Python {wanted} or newer, delete .venv and run make again"
    ok = sys.version_info[:2] >= PYTHON_AT_LEAST
    unknown = f", newer than {'.'.join(map(str, PYTHON_KNOWN_TO))}, the newest known" if sys.version_info[:2] > PYTHON_KNOWN_TO else ""
    return Check("python", ok, f"{platform.python_version()}{unknown} ({sys.executable})", "" if ok else remedy)


def _library(name: str) -> Check:
    try:
        return Check(name, True, importlib.metadata.version(name))
    except importlib.metadata.PackageNotFoundError:
        return Check(name, False, "not installed", "make setup, or without a checkout: install cloze-gen anew")


def _kenlm() -> Check:
    """The module, by whichever package: kenlm where its sources compile, ufal-kenlm elsewhere."""
    if not module_is_there():
        return Check("kenlm", False, "not installed", "cloze-gen doctor --fix")
    packages = (f"{version} ({name})" for name in KENLM_PACKAGES for version in _version(name))
    return Check("kenlm", True, next(packages, "of no package that is known"))


def _version(name: str) -> Iterator[str]:
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        yield importlib.metadata.version(name)


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
