"""Books that hold each other's text, found by content after the licence is gone.

A book's *sketch* is a fixed sample of the hashes of its 8-word runs: those divisible by 32. Two books share an 8-word run only where one
copied the other (or both quote the same verse), so the share of common sketch hashes estimates the share of common text. All pairs come
from one sort of all hashes, not from comparing every book with every other.

Sources:
    Broder 1997, "On the resemblance and containment of documents": containment by sampled shingles.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Sketch = NDArray[np.uint64]

RUN_WORDS = 8
_KEEP_ONE_IN = np.uint64(32)
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # odd, golden ratio: Knuth's multiplicative constant in 64 bits
_MIX = np.uint64(0xBF58476D1CE4E5B9)  # splitmix64's first mixing constant


@dataclass(frozen=True, slots=True)
class Overlap:
    """Two books with text in common; `book_a` < `book_b`.

    Attributes:
        containment_a_in_b: share of a's text that is found in b, 0 to 1.
        containment_b_in_a: share of b's text that is found in a.
    """

    book_a: str
    book_b: str
    containment_a_in_b: float
    containment_b_in_a: float


def content_sketch(words: NDArray[np.uint64]) -> Sketch:
    """Sorted unique hashes of the sampled 8-word runs of a book.

    Args:
        words: stable hash of every word of the book in order (`ChunkMemo.word_hashes`), punctuation left out.
    """
    if len(words) < RUN_WORDS:
        return np.empty(0, dtype=np.uint64)
    length = len(words) - RUN_WORDS + 1
    runs = words[:length].copy()
    for offset in range(1, RUN_WORDS):
        runs *= _MULTIPLIER
        runs += words[offset : offset + length]
    runs ^= runs >> np.uint64(31)
    runs *= _MIX
    runs ^= runs >> np.uint64(29)
    return np.unique(runs[runs % _KEEP_ONE_IN == 0])


def containment(a: Sketch, b: Sketch) -> float:
    """Share of sketch `a` that is in sketch `b`; 0 when `a` is empty."""
    if not len(a):
        return 0.0
    return len(np.intersect1d(a, b, assume_unique=True)) / len(a)


def find_overlaps(
    sketches: Mapping[str, Sketch], *, min_containment: float, min_shared: int = 10, max_books_per_hash: int = 50
) -> list[Overlap]:
    """All pairs of books of which one holds at least `min_containment` of the other.

    Args:
        sketches: by book id.
        min_containment: of the larger of both directions.
        min_shared: pairs with fewer common hashes are chance (10 hashes stand for about 320 words).
        max_books_per_hash: a run found in more books is a formula and says nothing about copying.
    """
    ids = sorted(sketches)
    sizes = np.array([len(sketches[book]) for book in ids], dtype=np.int64)
    if not sizes.sum():
        return []
    values = np.concatenate([sketches[book] for book in ids])
    owners = np.repeat(np.arange(len(ids), dtype=np.int64), sizes)
    order = np.argsort(values, kind="stable")
    values, owners = values[order], owners[order]
    starts = np.flatnonzero(np.r_[True, values[1:] != values[:-1]])
    lengths = np.diff(np.r_[starts, len(values)])
    pair_keys = []
    for length in range(2, int(min(lengths.max(), max_books_per_hash)) + 1):
        group_starts = starts[lengths == length]
        if not len(group_starts):
            continue
        members = owners[group_starts[:, None] + np.arange(length)]  # ascending: the sort is stable and owners ascend
        left, right = np.triu_indices(length, 1)
        pair_keys.append((members[:, left] * len(ids) + members[:, right]).ravel())
    if not pair_keys:
        return []
    keys, shared = np.unique(np.concatenate(pair_keys), return_counts=True)
    overlaps = []
    for key, count in zip(keys.tolist(), shared.tolist(), strict=True):
        a, b = divmod(key, len(ids))
        in_b, in_a = count / int(sizes[a]), count / int(sizes[b])
        if count >= min_shared and max(in_a, in_b) >= min_containment:
            overlaps.append(Overlap(ids[a], ids[b], in_b, in_a))
    return overlaps


def choose_drops(overlaps: Iterable[Overlap], sizes: Mapping[str, int]) -> dict[str, tuple[str, str]]:
    """Which book of each overlapping pair goes: the smaller; of equals the one later by id.

    Every dropped book is held by a kept one: books are looked at from the largest on, and a book goes only when it overlaps one that
    stays.

    Args:
        sizes: tokens a book.

    Returns:
        Dropped book -> (the kept book that holds its text, how much of it in words).
    """
    partners: dict[str, list[tuple[str, float, float]]] = {}
    for overlap in overlaps:
        partners.setdefault(overlap.book_a, []).append((overlap.book_b, overlap.containment_a_in_b, overlap.containment_b_in_a))
        partners.setdefault(overlap.book_b, []).append((overlap.book_a, overlap.containment_b_in_a, overlap.containment_a_in_b))
    kept: set[str] = set()
    drops: dict[str, tuple[str, str]] = {}
    for book in sorted(partners, key=lambda name: (-sizes[name], name)):
        holders = sorted((-held, other, holds) for other, held, holds in partners[book] if other in kept)
        if not holders:
            kept.add(book)
            continue
        held, other, holds = -holders[0][0], holders[0][1], holders[0][2]
        drops[book] = (other, f"{held:.0%} of its text is in {other}, {holds:.0%} of {other} is in it")
    return drops
