"""The default engine: processes on this machine.

Results come back in the order of the shards, so nothing downstream can depend on timing. Workers are spawned, never forked (pyarrow and
BLAS hold threads), use one thread each, and die with their parent.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import resource_tracker
from pathlib import Path
from typing import Protocol, TypeVar

import pyarrow as pa
from threadpoolctl import threadpool_limits

from cloze_gen.engine.threads import keep_to_one_thread
from cloze_gen.errors import ClozeGenError, UsageError
from cloze_gen.interrupts import held

Shard = TypeVar("Shard")
Result = TypeVar("Result")
# Arrow takes Ctrl-C for itself while it reads a table of text, and now and then loses it: then nothing would end the run.
pa.enable_signal_handlers(False)
_PR_SET_PDEATHSIG = 1
# Shards handed out ahead of the one being waited for, a worker: enough to keep it busy, few enough that memory stays flat.
_AHEAD = 4


class Engine(Protocol):
    """Something that maps a picklable, top-level function over shards."""

    workers: int

    def share(self, folder: Path) -> None:
        """Told once, before the first shard: every worker must see this folder."""
        ...

    def map(self, function: Callable[[Shard], Result], shards: Iterable[Shard]) -> Iterator[Result]:
        """Results in the order of the shards."""
        ...

    def close(self) -> None:
        """Let the workers finish and go."""
        ...

    def abandon(self) -> None:
        """End the workers at once; what they were at is lost."""
        ...


class InProcessEngine:
    """One worker: this process."""

    workers = 1

    def share(self, folder: Path) -> None:
        return None

    def map(self, function: Callable[[Shard], Result], shards: Iterable[Shard]) -> Iterator[Result]:
        with threadpool_limits(limits=1):
            for shard in shards:
                yield function(shard)

    def close(self) -> None:
        return None

    def abandon(self) -> None:
        return None


class LocalEngine:
    """`workers` processes, started once and used by every stage of a run."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._pool: ProcessPoolExecutor | None = None
        self._others: list[multiprocessing.process.BaseProcess] = []  # children of this process that are not ours

    def share(self, folder: Path) -> None:
        return None

    def map(self, function: Callable[[Shard], Result], shards: Iterable[Shard]) -> Iterator[Result]:
        if self._pool is None:
            context = multiprocessing.get_context("spawn")
            self._others = multiprocessing.active_children()
            _start_tracker()
            self._pool = ProcessPoolExecutor(self.workers, mp_context=context, initializer=_start_worker, initargs=(os.getpid(),))
        waiting: deque[Future[Result]] = deque()
        queue = iter(shards)
        try:
            for shard in queue:
                with held():  # submitting may start a worker
                    waiting.append(self._pool.submit(function, shard))
                if len(waiting) >= self.workers * _AHEAD:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        except BrokenProcessPool:
            raise ClozeGenError(
                "a worker process ended without a word (killed, or out of memory). What was finished stays; "
                "run again, with fewer --workers if memory is short."
            ) from None
        finally:
            for future in waiting:
                future.cancel()

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None

    def abandon(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            for process in multiprocessing.active_children():
                if process not in self._others:
                    process.kill()
            self._pool = None


def _start_tracker() -> None:
    """The helper process of `multiprocessing`, which removes the pool's semaphores after us. An interrupted run leaves that to it on
    purpose, so it shall not warn of it, on our stderr and after our last word."""
    name, quiet = "PYTHONWARNINGS", "ignore::UserWarning:multiprocessing.resource_tracker"
    before = os.environ.get(name)
    os.environ[name] = f"{before},{quiet}" if before else quiet
    try:
        resource_tracker.ensure_running()
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


def _start_worker(parent: int) -> None:
    """One thread a worker, which dies with its parent, even when that is killed outright (Linux). Ctrl-C is the parent's to handle."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)
    keep_to_one_thread()


def check_engine(name: str) -> None:
    """Check the name of an engine before anything is written.

    Raises:
        UsageError: there is no engine of this name, or a cluster without an address.
    """
    if name == "dask:":  # Dask would start a cluster of its own on this machine
        raise UsageError("--engine dask: needs an address. Give the scheduler's, e.g. --engine dask:tcp://host:8786.")
    if name != "local" and not name.startswith("dask:"):
        raise UsageError(f"--engine {name!r}: no such engine. Known: local, dask:ADDRESS (e.g. dask:tcp://host:8786).")


def make_engine(name: str, *, workers: int) -> Engine:
    """The engine of a run.

    Args:
        name: ``local``, or ``dask:ADDRESS`` for an existing Dask cluster.
        workers: processes of the local engine.
    """
    check_engine(name)
    if name == "local":
        return InProcessEngine() if workers == 1 else LocalEngine(workers)
    from cloze_gen.engine.dask_cluster import DaskEngine  # an optional extra

    return DaskEngine(name.removeprefix("dask:"))
