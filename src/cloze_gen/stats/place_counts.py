"""How often words stand in places of each kind: counts of one word each, whatever the other content words of its sentence are."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from cloze_gen.english.neighbour_kinds import N_KINDS
from cloze_gen.english.places import CLASSES, N_USES, find_places

_MERGED_AT_ONCE = 24  # books' counts, held until they are summed


def count_places(kinds: np.ndarray, *, classes: np.ndarray, uses: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Count the places of a text's targets.

    Args:
        kinds: int64, shape (tokens,): as `find_places` wants them.
        classes: int64, shape (tokens,): index in `CLASSES` of a target, -1 elsewhere.
        uses: int64, shape (tokens,): use of a target that is no verb; a verb's is found here.
        rows: int64, shape (tokens,): the target's number.
    Returns:
        keys and counts, int64, shape (different keys,) each; a key is (row, use, left, right) as `split_keys` reads it.
    """
    places = find_places(kinds)
    at = np.flatnonzero(classes >= 0)
    own = classes[at]
    use = np.where(own == CLASSES.index("verb"), places.voice[at], uses[at])
    found, counts = np.unique(join_keys(rows[at], use, places.left[own, at], places.right[own, at]), return_counts=True)
    return found, counts


def join_keys(row: np.ndarray, use: np.ndarray, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """One number for each (row, use, left, right), int64 of their shape."""
    return ((row.astype(np.int64) * N_USES + use) * N_KINDS + left) * N_KINDS**2 + right


def split_keys(keys: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """(row, use, left, right) of every key, int64 of the keys' shape each."""
    rest, right = np.divmod(keys, N_KINDS**2)
    rest, left = np.divmod(rest, N_KINDS)
    row, use = np.divmod(rest, N_USES)
    return row, use, left, right


def sum_counts(parts: Iterable[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    """The counts of several texts as those of one: keys in ascending order, and counts.

    >>> [array.tolist() for array in sum_counts([(np.array([3, 5]), np.array([1, 1])), (np.array([5]), np.array([2]))])]
    [[3, 5], [1, 3]]
    """
    held: list[tuple[np.ndarray, np.ndarray]] = []
    for part in parts:
        held.append(part)
        if len(held) == _MERGED_AT_ONCE:
            held = [_summed(held)]
    return _summed(held) if held else (np.zeros(0, np.int64), np.zeros(0, np.int64))


def _summed(parts: list[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    keys, inverse = np.unique(np.concatenate([keys for keys, _ in parts]), return_inverse=True)
    return keys, np.bincount(inverse, np.concatenate([counts for _, counts in parts]), len(keys)).astype(np.int64)
