"""What a Dask worker does with one shard: look whether it can, then compute it alone.

A worker process may have several threads. The memos, taggers and index handles that stages keep belong to a process, and so do the numbers
of BLAS and Arrow threads; one shard at a time in each process is therefore the rule, as it is with the local engine. Threads beyond the
first wait; more processes, not more threads, make a cluster faster.
"""

from __future__ import annotations

import functools
import hashlib
import platform
import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import cloze_gen
from cloze_gen import __version__
from cloze_gen.engine.threads import one_thread
from cloze_gen.errors import ToolError

# Equal bytes need equal versions of these; the manifests name them.
_PACKAGES = ("numpy", "scipy", "scikit-learn", "pyarrow", "spacy", "lemminflect")
_NOT_FOR_WORKERS = {"pipelines", "configs", "corpora"}  # a wheel has these below the package, a checkout beside it
_ALONE = threading.Lock()


@dataclass(frozen=True, slots=True)
class Terms:
    """What a worker must have in common with the run.

    Attributes:
        versions: package -> version, as `own_versions` gives it.
        mark: a folder that lies in the output folder as long as the run lasts; None asks for no folder.
    """

    versions: tuple[tuple[str, str], ...]
    mark: Path | None = None


@dataclass(frozen=True, slots=True)
class Job:
    """One shard on its way to a worker.

    Attributes:
        needs: files outside the output folder that the shard reads.
    """

    function: Callable[[Any], Any]
    shard: Any
    needs: tuple[Path, ...]
    terms: Terms


@functools.cache
def own_versions() -> tuple[tuple[str, str], ...]:
    """The versions here of everything that decides the bytes; of this package also a digest of the code that was imported."""
    code = f"{__version__} with code {code_digest(Path(cloze_gen.__file__).parent)}"
    packages = ((name, _version(name)) for name in _PACKAGES)
    return ("python", ".".join(platform.python_version_tuple()[:2])), ("cloze-gen", code), *packages


def code_digest(package: Path) -> str:
    """A short digest of all source and data files of a package that a worker may use.

    A version number does not identify the code of a checkout, and a worker may import another copy than the installed one.
    """
    digest = hashlib.sha256()
    for file in sorted(package.rglob("*")):
        parts = file.relative_to(package).parts
        if parts[0] not in _NOT_FOR_WORKERS and "__pycache__" not in parts and file.is_file():
            digest.update(f"{'/'.join(parts)}\0{file.stat().st_size}\0".encode())
            digest.update(file.read_bytes())
    return digest.hexdigest()[:8]


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "none"


def do(job: Job) -> Any:
    """Compute a job's shard, alone in this process and with one thread.

    Raises:
        ToolError: this worker has other versions than the run, or does not see its folders.
    """
    with _ALONE, one_thread():
        check_terms(job)
        return job.function(job.shard)


def check_terms(job: Job) -> None:
    """See that this worker can give the run's bytes.

    Raises:
        ToolError: it cannot; names the worker's machine, what differs and what to do.
    """
    own = dict(own_versions())
    differing = ((name, own.get(name, "none"), asked) for name, asked in job.terms.versions if own.get(name) != asked)
    other = ", ".join(f"{name} {here} (the run: {asked})" for name, here, asked in differing)
    if other:
        raise ToolError(
            f"{_here()} has {other}; its results could differ. Install the same versions there as here and start the worker again."
        )
    mark = job.terms.mark
    if mark is not None and not mark.exists():
        raise ToolError(
            f"{_here()} does not see the output folder: no {mark} there. --out must lie on storage that all machines share, under the "
            "same path; choose such a folder, or use --engine local."
        )
    for path in job.needs:
        if not path.exists():
            raise ToolError(
                f"{_here()} does not see {path}. The corpora must lie under the same path on every machine; copy or mount them there, "
                "or use --engine local."
            )


def _here() -> str:
    return f"the Dask worker on {socket.gethostname()}"
