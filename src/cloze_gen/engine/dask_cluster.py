"""An existing Dask cluster as the engine. Every worker must see the output folder and the corpora under the same paths."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from cloze_gen.errors import ToolError

Shard = TypeVar("Shard")
Result = TypeVar("Result")


class DaskEngine:
    """Shards become Dask tasks; results come back in the order of the shards."""

    def __init__(self, address: str) -> None:
        try:
            from distributed import Client
        except ImportError:
            raise ToolError("--engine dask needs the optional extra: pip install 'cloze-gen[dask]'") from None
        try:
            self._client: Any = Client(address, timeout="10s")
        except (OSError, TimeoutError) as error:
            raise ToolError(f"{address}: no Dask scheduler answers there ({error}). Start one, or use --engine local.") from None
        self.workers = max(1, len(self._client.scheduler_info()["workers"]))

    def map(self, function: Callable[[Shard], Result], shards: Sequence[Shard]) -> Iterator[Result]:
        futures = self._client.map(function, list(shards), pure=False)
        try:
            for future in futures:
                yield future.result()
        finally:
            self._client.cancel(futures)

    def close(self) -> None:
        self._client.close()

    def abandon(self) -> None:
        self._client.close(timeout=0)
