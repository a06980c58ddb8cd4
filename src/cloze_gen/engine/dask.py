"""A Dask cluster as the engine; workers need output folder and corpora under the same paths and
process one shard at a time, as caches and BLAS threads belong to a process.
"""

from __future__ import annotations

import asyncio
import dataclasses
import functools
import hashlib
import importlib.metadata
import logging
import platform
import socket
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

import cloze_gen
from cloze_gen import __version__
from cloze_gen.engine.threads import one_thread
from cloze_gen.errors import ToolError
from cloze_gen.store.locks import partial_folder

Shard = TypeVar("Shard")
Result = TypeVar("Result")
# Shards submitted ahead per worker: enough to keep it busy, few enough to keep memory flat.
_AHEAD = 4
_PACKAGE = "cloze-gen"
_CONNECT_SECONDS = 10
_LOOK_SECONDS = 1.0  # interval between checks that the cluster is alive
_WORKERLESS_SECONDS = 60  # time for a cluster to restart lost workers; after that the run fails
_CLOSE_SECONDS = 5
# Equal bytes need equal versions of these; the manifests name them.
_PACKAGES = ("numpy", "scipy", "scikit-learn", "pyarrow", "spacy", "lemminflect", "lxml")
# below the package in a wheel, in folders of their own in a checkout
_NOT_FOR_WORKERS = {"pipelines", "configs", "corpora"}
_ALONE = threading.Lock()
_NEXT = "Finished work is kept. Run again to continue, or use --engine local."


@dataclass(frozen=True, slots=True)
class Terms:
    """Requirements for a worker.

    Attributes:
        versions: package -> version (`own_versions`).
        mark: a folder in the output folder that exists during the run; None skips this check.
    """

    versions: tuple[tuple[str, str], ...]
    mark: Path | None = None


@dataclass(frozen=True, slots=True)
class Job:
    """One shard; `needs` are the files outside the output folder that it reads."""

    function: Callable[[Any], Any]
    shard: Any
    needs: tuple[Path, ...]
    terms: Terms


class DaskEngine:
    """Dask tasks, a few at a time; results come early, and in the order of the shards."""

    def __init__(self, address: str) -> None:
        """Connect to the scheduler; ToolError without `distributed`, scheduler or worker."""
        self._address = address
        self._client = _connect(address)
        self._terms = Terms(own_versions())
        self._held = ExitStack()
        self.workers = 0
        try:
            self._client.wait_for_workers(1, timeout=_CONNECT_SECONDS)
            self._count_workers()
            lacking = self._without_us()
        except (OSError, TimeoutError):
            self.abandon()
            raise ToolError(
                f"{address}: the Dask scheduler has no workers. Start one: dask worker "
                f"{address} --nthreads 1"
            ) from None

        if lacking:
            self.abandon()
            raise ToolError(
                f"{', '.join(lacking)}: no {_PACKAGE} there. Run pip install "
                f"'{_PACKAGE}[dask]' there, and start Dask again."
            )

    def _without_us(self) -> list[str]:
        """The workers that lack this package."""
        found = self._client.run(importlib.metadata.version, _PACKAGE, on_error="return")
        return [
            f"Dask worker {address}"
            for address, version in sorted(found.items())
            if not isinstance(version, str)
        ]

    def share(self, folder: Path) -> None:
        mark = self._held.enter_context(partial_folder(folder.absolute() / "seen-by-workers"))
        self._terms = dataclasses.replace(self._terms, mark=mark)

    def map(self, function: Callable[[Shard], Result], shards: Iterable[Shard]) -> Iterator[Result]:
        queue = iter(enumerate(shards))
        place: dict[Any, int] = {}  # future -> which shard
        results: dict[int, Result] = {}  # fetched, not yet passed on
        arrived: SimpleQueue[Any] = SimpleQueue()
        following = 0
        self._count_workers()
        try:
            while True:
                while len(place) + len(results) < max(1, self.workers) * _AHEAD and (
                    coming := next(queue, None)
                ):
                    number, shard = coming
                    future = self._submit(function, shard)
                    place[future] = number
                    future.add_done_callback(arrived.put)
                if following in results:
                    yield results.pop(following)
                    following += 1
                elif place:
                    future = self._wait(arrived)
                    results[place[future]] = self._result(future)
                    del place[future]
                    future.release()
                else:
                    return
        finally:
            with suppress(RuntimeError):  # the client is closed already; the scheduler knows
                for future in place:  # results are no longer needed: cancel what has not started
                    future.release()

    def _submit(self, function: Callable[[Shard], Result], shard: Shard) -> Any:
        if self._client.status not in {"running", "connecting"}:
            raise self._gone("connection closed")
        needs = tuple(path.absolute() for path in getattr(shard, "needs", ()) if path.exists())
        job = Job(with_absolute_paths(function), with_absolute_paths(shard), needs, self._terms)
        return self._client.submit(do, job, pure=False)

    def _wait(self, arrived: SimpleQueue[Any]) -> Any:
        since = time.monotonic()
        while True:
            try:
                return arrived.get(timeout=_LOOK_SECONDS)
            except Empty:
                if self._count_workers():
                    since = time.monotonic()
                elif time.monotonic() - since > _WORKERLESS_SECONDS:
                    what = (
                        f"no worker for {_WORKERLESS_SECONDS} s (killed, out of memory, or "
                        "without cloze-gen?)"
                    )
                    raise ToolError(
                        f"{self._address}: the Dask cluster has had {what}. {_NEXT}"
                    ) from None

    def _count_workers(self) -> int:
        """Current processes; without a connection the last known number."""
        from distributed.comm.core import CommClosedError

        if self._client.status == "running":
            with suppress(CommClosedError):  # the client has not noticed a lost connection yet
                self.workers = len(self._client.nthreads())
        return self.workers

    def _result(self, future: Any) -> Any:
        from distributed import KilledWorker
        from distributed.comm.core import CommClosedError

        try:
            return future.result()
        except KilledWorker as error:
            died = (
                f"{error.allowed_failures + 1} Dask workers died on the same shard, the last at "
                f"{error.last_worker.address}"
            )
            raise ToolError(
                f"{self._address}: {died} (killed, out of memory, or without cloze-gen?); see its "
                "log. "
                f"Give each worker more memory, or start fewer on a machine. {_NEXT}"
            ) from None
        except (CancelledError, OSError) as error:
            # a lost connection raises before the client's status changes
            lost = isinstance(error, CancelledError | CommClosedError)
            if not lost and self._client.status == "running":
                raise  # the error of the shard itself
            raise self._gone(error) from None

    def _gone(self, reason: object) -> ToolError:
        error_line = " ".join(str(reason).split())
        return ToolError(f"{self._address}: the Dask scheduler is gone ({error_line}). {_NEXT}")

    def close(self) -> None:
        self._held.close()
        with suppress(OSError, TimeoutError):  # the scheduler may be gone
            self._client.close(timeout=_CLOSE_SECONDS)

    def abandon(self) -> None:
        self.close()


def _connect(address: str) -> Any:
    """A client of the scheduler at `address`, without Dask's own log and warnings."""
    try:
        import distributed
    except ImportError:
        raise ToolError(
            "--engine dask needs the optional extra: pip install 'cloze-gen[dask]'"
        ) from None
    for name in (
        "distributed",
        *(
            name
            for name in logging.root.manager.loggerDict
            if name.startswith(("distributed.", "tornado"))
        ),
    ):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    warnings.filterwarnings("ignore", module="distributed")
    client: Any = distributed.Client
    try:
        kind = asyncio.run(_ask_kind(address))
        if kind == "Scheduler":
            return client(address, timeout=_CONNECT_SECONDS, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise ToolError(
            f"{address}: no Dask scheduler answers there ({error}). Start one, or use "
            "--engine local."
        ) from None
    raise ToolError(
        f"{address}: a Dask {kind} answers there, not a scheduler. Give the scheduler's address."
    )


async def _ask_kind(address: str) -> str:
    """The kind of server at an address; unlike a client, this fails silently."""
    from distributed import Security
    from distributed.core import rpc

    security: Any = Security
    wanted: Any = rpc
    async with wanted(
        address, timeout=_CONNECT_SECONDS, connection_args=security().get_connection_args("client")
    ) as peer:
        return str((await peer.identity())["type"])


def with_absolute_paths(value: Any) -> Any:
    """A shard, or the arguments of a partial function, with absolute paths for a worker in another
    folder; an empty path stays.

    >>> with_absolute_paths((Path("/books"), Path(), 1))
    (PosixPath('/books'), PosixPath('.'), 1)
    """
    if isinstance(value, functools.partial):
        arguments = {name: with_absolute_paths(one) for name, one in value.keywords.items()}
        return functools.partial(value.func, *value.args, **arguments)
    if isinstance(value, Path):
        return value.absolute() if value.parts else value
    if type(value) is tuple:
        return tuple(with_absolute_paths(item) for item in value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        changed = {
            name: new
            for name, old in fields.items()
            if (new := with_absolute_paths(old)) is not old
        }
        return dataclasses.replace(value, **changed) if changed else value
    return value


@functools.cache
def own_versions() -> tuple[tuple[str, str], ...]:
    """Local versions of everything that determines the bytes, with a digest of our own code."""
    code = f"{__version__} with code {code_digest(Path(cloze_gen.__file__).parent)}"
    packages = ((name, _version(name)) for name in _PACKAGES)
    return ("python", ".".join(platform.python_version_tuple()[:2])), ("cloze-gen", code), *packages


def code_digest(package: Path) -> str:
    """A short digest of a package's files: a version number does not identify a checkout's code."""
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
    """Compute a job's shard, alone in this process and with one thread."""
    with _ALONE, one_thread():
        check_terms(job)
        return job.function(job.shard)


def check_terms(job: Job) -> None:
    """ToolError where this worker cannot produce the run's bytes."""
    own = dict(own_versions())
    differing = (
        (name, own.get(name, "none"), wanted)
        for name, wanted in job.terms.versions
        if own.get(name) != wanted
    )
    other = ", ".join(f"{name} {here} (the run: {wanted})" for name, here, wanted in differing)
    if other:
        raise ToolError(
            f"{_here()} has {other}; its results could differ. Install the same versions "
            "there as here and start the worker again."
        )
    mark = job.terms.mark
    if mark is not None and not mark.exists():
        raise ToolError(
            f"{_here()} does not see the output folder: no {mark} there. --out must lie on "
            "storage that all machines share, under the "
            "same path; choose such a folder, or use --engine local."
        )
    for path in job.needs:
        if not path.exists():
            raise ToolError(
                f"{_here()} does not see {path}. The corpora must lie under the same path on "
                "every machine; copy or mount them there, "
                "or use --engine local."
            )


def _here() -> str:
    return f"the Dask worker on {socket.gethostname()}"
