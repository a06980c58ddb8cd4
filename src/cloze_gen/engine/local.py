"""The default engine: processes on this machine.

Workers are spawned, not forked (pyarrow and BLAS hold threads), and die with their parent. Each
uses one thread, since the last digits of a product depend on the number of threads.
"""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import resource_tracker
from pathlib import Path
from types import ModuleType
from typing import Protocol, TypeVar

import pyarrow as pa

from cloze_gen.engine.threads import keep_to_one_thread
from cloze_gen.errors import ClozeGenError, UsageError
from cloze_gen.interrupts import held

Shard = TypeVar("Shard")
Result = TypeVar("Result")
T = TypeVar("T")
# Arrow handles Ctrl-C itself while it reads a table of text, and sometimes loses it: then
# nothing would end the run.
pa.enable_signal_handlers(False)
_PR_SET_PDEATHSIG = 1
# Shards submitted ahead per worker: enough to keep it busy, few enough to keep memory flat.
_AHEAD = 4
# Of the pool's own thread: without the wait, Python's exit may write to a pipe that it just closed.
_SECONDS_TO_END = 2


class Engine(Protocol):
    """Maps a picklable, top-level function over shards."""

    workers: int

    def share(self, folder: Path) -> None:
        """Called once, before the first shard: every worker must see this folder."""
        ...

    def map(self, function: Callable[[Shard], Result], shards: Iterable[Shard]) -> Iterator[Result]:
        """Results in the order of the shards."""
        ...

    def close(self) -> None:
        """Let the workers finish, then end them."""
        ...

    def abandon(self) -> None:
        """End the workers at once and discard their work."""
        ...


class InProcessEngine:
    """One worker: this process."""

    workers = 1

    def share(self, folder: Path) -> None:
        return None

    def map(self, function: Callable[[Shard], Result], shards: Iterable[Shard]) -> Iterator[Result]:
        return map(function, shards)

    def close(self) -> None:
        return None

    def abandon(self) -> None:
        return None


class LocalEngine:
    """`workers` processes, started once and used by every stage of a run."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._pool: ProcessPoolExecutor | None = None
        # children of this process that are not ours
        self._others: list[multiprocessing.process.BaseProcess] = []

    def share(self, folder: Path) -> None:
        return None

    def map(self, function: Callable[[Shard], Result], shards: Iterable[Shard]) -> Iterator[Result]:
        if self._pool is None:
            context = multiprocessing.get_context("spawn")
            self._others = multiprocessing.active_children()
            _start_tracker()
            self._pool = ProcessPoolExecutor(
                self.workers, mp_context=context, initializer=_start_worker, initargs=(os.getpid(),)
            )
        waiting: deque[Future[Result]] = deque()
        queue = iter(shards)
        try:
            for shard in queue:
                with held(), _without_main():  # submitting may start a worker
                    waiting.append(self._pool.submit(function, shard))
                if len(waiting) >= self.workers * _AHEAD:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        except BrokenProcessPool:
            raise ClozeGenError(
                "a worker process died (killed, or out of memory). Finished "
                "work is kept; "
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
            for thread in threading.enumerate():
                if type(thread).__module__ == "concurrent.futures.process":
                    thread.join(_SECONDS_TO_END)
            self._pool = None


@contextlib.contextmanager
def _without_main() -> Iterator[None]:
    """Hide the program from the workers, which run functions of ours alone: a script that calls
    `make` without `if __name__ == "__main__"` would start again in each.
    """
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


def _start_tracker() -> None:
    """Start `multiprocessing`'s resource tracker, so that an interrupt causes no semaphore
    warnings.
    """
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
    """Use one thread, die with the parent, and leave Ctrl-C to it."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)
    else:
        threading.Thread(target=_end_with_parent, daemon=True).start()
    keep_to_one_thread()


def _end_with_parent() -> None:
    """Where the system does not do it, as on macOS."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def check_engine(name: str) -> None:
    """UsageError for an unknown engine, or a cluster without an address."""
    if name == "dask:":  # Dask would start a cluster of its own on this machine
        raise UsageError(
            "--engine dask: needs an address. Give the scheduler's, e.g. --engine "
            "dask:tcp://host:8786."
        )
    if name != "local" and not name.startswith("dask:"):
        raise UsageError(
            f"--engine {name!r}: no such engine. Known: local, dask:ADDRESS (e.g. "
            "dask:tcp://host:8786)."
        )


def make_engine(name: str, *, workers: int) -> Engine:
    """The engine `local`, or ``dask:ADDRESS`` for an existing Dask cluster."""
    check_engine(name)
    if name == "local":
        return InProcessEngine() if workers == 1 else LocalEngine(workers)
    from cloze_gen.engine.dask import DaskEngine

    return DaskEngine(name.removeprefix("dask:"))


@contextlib.contextmanager
def engine_scope(engine: Engine) -> Iterator[Engine]:
    """Close the engine at the end; on an error end its processes at once."""
    try:
        yield engine
    except BaseException:
        engine.abandon()
        raise
    engine.close()


def prefetch(items: Iterator[T]) -> Iterator[T]:
    """The same items, each made in a thread; useful if making them releases the interpreter lock
    (files, Arrow, sorting).

    >>> list(prefetch(iter("abc")))
    ['a', 'b', 'c']
    """
    with ThreadPoolExecutor(1) as thread:
        coming = thread.submit(_next, items)
        while item := coming.result():
            coming = thread.submit(_next, items)
            yield from item


def _next(items: Iterator[T]) -> tuple[T, ...]:
    return tuple(itertools.islice(items, 1))
