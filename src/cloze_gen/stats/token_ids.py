"""A text as numbers, however it is held: an array, or a file of which each count reads a slice."""

from __future__ import annotations

from typing import Any, Protocol


class TokenIds(Protocol):
    """Word ids, uint32, shape (tokens,), 0 between sentences: `numpy.ndarray` is one, and so is `store.tables.ArrayFile`."""

    def __len__(self) -> int: ...

    def __getitem__(self, at: Any, /) -> Any:
        """A number, or of a slice its numbers as an array."""
        ...
