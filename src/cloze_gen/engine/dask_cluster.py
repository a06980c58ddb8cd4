"""An existing Dask cluster as the engine. Every worker must see the output folder and the corpora under the same paths."""

from __future__ import annotations

import asyncio
import dataclasses
import importlib.metadata
import logging
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import ExitStack, suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from cloze_gen.engine.dask_worker import Job, Terms, do, own_versions
from cloze_gen.errors import ToolError
from cloze_gen.store.locks import partial_folder

Shard = TypeVar("Shard")
Result = TypeVar("Result")
# Shards handed out ahead of the one being waited for, a worker: enough to keep it busy, few enough that memory stays flat.
_AHEAD = 4
_PACKAGE = "cloze-gen"
_CONNECT_SECONDS = 10
_LOOK_SECONDS = 1.0  # between two looks at whether the cluster still lives
_WORKERLESS_SECONDS = 60  # a cluster that starts its lost workers again needs some; nobody waits for ever
_CLOSE_SECONDS = 5
_NEXT = "What was finished stays; run again to go on, or use --engine local."


class DaskEngine:
    """Shards become Dask tasks, a few at a time; results come back in the order of the shards.

    Each result is fetched, and its task forgotten, as soon as the run looks: a worker that dies takes with it what it was at, and at most
    the few results of the window that nobody had looked at.
    """

    def __init__(self, address: str) -> None:
        """Connect to the scheduler at `address`.

        Raises:
            ToolError: `distributed` is not installed, no scheduler answers, or it has no worker.
        """
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
            raise ToolError(f"{address}: this Dask scheduler has no worker. Start some with: dask worker {address} --nthreads 1") from None

        if lacking:
            self.abandon()
            raise ToolError(f"{', '.join(lacking)}: no {_PACKAGE} there. Run pip install '{_PACKAGE}[dask]' there, and start Dask again.")

    def _without_us(self) -> list[str]:
        """Where on the cluster this package is missing. A process without it would die of the first shard without a word."""
        found = self._client.run(importlib.metadata.version, _PACKAGE, on_error="return")
        return [f"Dask worker {address}" for address, version in sorted(found.items()) if not isinstance(version, str)]

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
                while len(place) + len(results) < max(1, self.workers) * _AHEAD and (coming := next(queue, None)):
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
            with suppress(RuntimeError):  # the client was closed meanwhile, which tells the scheduler as well
                for future in place:  # nobody wants them any more, so what no worker has begun is cancelled
                    future.release()

    def _submit(self, function: Callable[[Shard], Result], shard: Shard) -> Any:
        if self._client.status not in {"running", "connecting"}:
            raise self._gone("connection closed")
        needs = tuple(path.absolute() for path in getattr(shard, "needs", ()) if path.exists())
        job = Job(function, with_absolute_paths(shard), needs, self._terms)
        return self._client.submit(do, job, pure=False)

    def _wait(self, arrived: SimpleQueue[Any]) -> Any:
        """The next future that has come to an end, whichever it is."""
        since = time.monotonic()
        while True:
            try:
                return arrived.get(timeout=_LOOK_SECONDS)
            except Empty:
                if self._count_workers():
                    since = time.monotonic()
                elif time.monotonic() - since > _WORKERLESS_SECONDS:
                    what = f"no worker for {_WORKERLESS_SECONDS} s (killed, out of memory, or without cloze-gen?)"
                    raise ToolError(f"{self._address}: the Dask cluster has had {what}. {_NEXT}") from None

    def _count_workers(self) -> int:
        """Processes at work now; they may come and go. While the connection is lost (which ends the futures) those known last."""
        from distributed.comm.core import CommClosedError

        if self._client.status == "running":
            with suppress(CommClosedError):  # lost just now, and the client does not know yet
                self.workers = len(self._client.nthreads())
        return self.workers

    def _result(self, future: Any) -> Any:
        from distributed import KilledWorker
        from distributed.comm.core import CommClosedError

        try:
            return future.result()
        except KilledWorker as error:
            died = f"{error.allowed_failures + 1} Dask workers died on the same shard, the last at {error.last_worker.address}"
            raise ToolError(
                f"{self._address}: {died} (killed, out of memory, or without cloze-gen?); its log says more. "
                f"Give each worker more memory, or start fewer on a machine. {_NEXT}"
            ) from None
        except (CancelledError, OSError) as error:
            lost = isinstance(error, CancelledError | CommClosedError)  # a lost connection is told before the client's status says so
            if not lost and self._client.status == "running":
                raise  # the shard's own
            raise self._gone(error) from None

    def _gone(self, reason: object) -> ToolError:
        said = " ".join(str(reason).split())
        return ToolError(f"{self._address}: the Dask scheduler is gone ({said}). {_NEXT}")

    def close(self) -> None:
        self._held.close()
        with suppress(OSError, TimeoutError):  # a scheduler that has gone need not be told
            self._client.close(timeout=_CLOSE_SECONDS)

    def abandon(self) -> None:
        self.close()


def _connect(address: str) -> Any:
    """A client of the scheduler at `address`; Dask's own log and warnings are kept from the user's terminal."""
    try:
        import distributed
    except ImportError:
        raise ToolError("--engine dask needs the optional extra: pip install 'cloze-gen[dask]'") from None
    for name in ("distributed", *(name for name in logging.root.manager.loggerDict if name.startswith(("distributed.", "tornado")))):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    warnings.filterwarnings("ignore", module="distributed")
    client: Any = distributed.Client
    try:
        kind = asyncio.run(_ask_kind(address))
        if kind == "Scheduler":
            return client(address, timeout=_CONNECT_SECONDS, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise ToolError(f"{address}: no Dask scheduler answers there ({error}). Start one, or use --engine local.") from None
    raise ToolError(f"{address}: a Dask {kind} answers there, not a scheduler. Give the scheduler's address.")


async def _ask_kind(address: str) -> str:
    """Who answers at an address, before a client is made: one that fails lingers, and complains when Python ends."""
    from distributed import Security
    from distributed.core import rpc

    security: Any = Security
    asked: Any = rpc
    async with asked(address, timeout=_CONNECT_SECONDS, connection_args=security().get_connection_args("client")) as peer:
        return str((await peer.identity())["type"])


def with_absolute_paths(value: Any) -> Any:
    """The same shard, its paths absolute: a worker's own folder is another. An empty path stands for none and stays.

    >>> with_absolute_paths((Path("/books"), Path(), 1))
    (PosixPath('/books'), PosixPath('.'), 1)
    """
    if isinstance(value, Path):
        return value.absolute() if value.parts else value
    if type(value) is tuple:
        return tuple(with_absolute_paths(item) for item in value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        changed = {name: new for name, old in fields.items() if (new := with_absolute_paths(old)) is not old}
        return dataclasses.replace(value, **changed) if changed else value
    return value
