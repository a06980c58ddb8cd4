"""Books that hold each other's text, by content (Broder 1997, "On the resemblance and containment
of documents").

A *sketch* samples the hashes of a book's 8-word runs: those divisible by 32. Books made mostly of
common hashes are first compared by MinHash; the first of near-identical ones represents all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Sketch = NDArray[np.uint64]

RUN_WORDS = 8
_KEEP_ONE_IN = np.uint64(32)
# odd, golden ratio: Knuth's multiplicative constant in 64 bits
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xBF58476D1CE4E5B9)  # splitmix64's first mixing constant
_MAX_BOOKS_PER_HASH = 50  # a run in more books than this, copies excluded, is boilerplate
_MIN_SHARED = 10  # pairs with fewer common hashes are chance (10 hashes are about 320 words)
_COPY_CONTAINMENT = 0.9  # each of two near-identical books holds at least this share of the other
# minimal hashes a book; two books that share 0.8 of their hashes have none in common once in
# 400,000 pairs
_ORDERINGS = 8
# Of the 534 books at hand none contains more than two others.
_AGGREGATE_BOOKS = 5  # so many different books in one are a collection, not a book
_AGGREGATE_CONTAINMENT = 0.8  # share of each that the collection holds


@dataclass(frozen=True, slots=True)
class Overlap:
    """Two books, `book_a` < `book_b`; `containment_a_in_b` is a's share found in b, 0 to 1."""

    book_a: str
    book_b: str
    containment_a_in_b: float
    containment_b_in_a: float


def content_sketch(words: NDArray[np.uint64]) -> Sketch:
    """Sorted unique hashes of the sampled 8-word runs, from the hash of every word in order."""
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


def find_overlaps(sketches: Mapping[str, Sketch], *, min_containment: float) -> list[Overlap]:
    """All pairs of books of which one holds at least `min_containment` of the other, sorted by id.
    A book with more than 50 copies is paired with the first one and what that overlaps.
    """
    copies = _frequent_copies(sketches, least=max(min_containment, _COPY_CONTAINMENT))
    ids = sorted(sketches.keys() - copies.keys())
    sizes = np.array([len(sketches[book]) for book in ids], dtype=np.int64)
    order, starts, lengths = _postings([sketches[book] for book in ids])
    owners = np.repeat(np.arange(len(ids), dtype=np.int64), sizes)[order]
    pair_keys = [np.empty(0, dtype=np.int64)]
    for length in range(2, int(min(lengths.max(initial=0), _MAX_BOOKS_PER_HASH)) + 1):
        group_starts = starts[lengths == length]
        if not len(group_starts):
            continue
        # ascending: the sort is stable and owners ascend
        members = owners[group_starts[:, None] + np.arange(length)]
        left, right = np.triu_indices(length, 1)
        pair_keys.append((members[:, left] * len(ids) + members[:, right]).ravel())
    keys, shared = np.unique(np.concatenate(pair_keys), return_counts=True)
    found: dict[tuple[str, str], tuple[float, float]] = {}
    for key, count in zip(keys.tolist(), shared.tolist(), strict=True):
        a, b = divmod(key, len(ids))
        in_b, in_a = count / int(sizes[a]), count / int(sizes[b])
        if count >= _MIN_SHARED and max(in_a, in_b) >= min_containment:
            found[ids[a], ids[b]] = (in_b, in_a)
    _add_copies(found, copies, sketches)
    return [Overlap(a, b, in_b, in_a) for (a, b), (in_b, in_a) in sorted(found.items())]


def _postings(
    sketches: Sequence[Sketch],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Places of all hashes sorted by value; where each value begins there; how often it occurs."""
    values = np.concatenate([np.empty(0, dtype=np.uint64), *sketches])
    order = np.argsort(values, kind="stable")
    values = values[order]
    starts = np.flatnonzero(np.r_[len(values) > 0, values[1:] != values[:-1]])
    return order, starts, np.diff(np.r_[starts, len(values)])


def _frequent_copies(sketches: Mapping[str, Sketch], *, least: float) -> dict[str, str]:
    """Near-identical book -> the earlier one, among books whose text is mostly in many others."""
    order, _, lengths = _postings(list(sketches.values()))
    frequent = np.empty(len(order), dtype=np.bool_)
    frequent[order] = np.repeat(lengths > _MAX_BOOKS_PER_HASH, lengths)
    ends = np.cumsum([len(sketch) for sketch in sketches.values()])
    first: dict[tuple[int, int], str] = {}
    copies: dict[str, str] = {}
    for (book, sketch), end in zip(sketches.items(), ends.tolist(), strict=True):
        if len(sketch) < _MIN_SHARED or 2 * np.count_nonzero(
            frequent[end - len(sketch) : end]
        ) < len(sketch):
            continue
        keys = list(enumerate(_minimal_hashes(sketch)))
        earlier = dict.fromkeys(first[key] for key in keys if key in first)
        same = next(
            (other for other in earlier if min(_both_ways(sketch, sketches[other])) >= least), None
        )
        if same is not None:
            copies[book] = same
            continue
        for key in keys:
            first.setdefault(key, book)
    return copies


def _minimal_hashes(sketch: Sketch) -> list[int]:
    """The smallest hash of a sketch under each of several orderings of all hashes."""
    smallest = []
    for _ in range(_ORDERINGS):
        sketch = sketch * _MULTIPLIER
        sketch ^= sketch >> np.uint64(31)
        smallest.append(int(sketch.min()))
    return smallest


def _both_ways(a: Sketch, b: Sketch) -> tuple[float, float]:
    return containment(a, b), containment(b, a)


def _add_copies(
    found: dict[tuple[str, str], tuple[float, float]],
    copies: Mapping[str, str],
    sketches: Mapping[str, Sketch],
) -> None:
    partners: dict[str, list[tuple[str, float, float]]] = {}
    for (a, b), (in_b, in_a) in found.items():
        partners.setdefault(a, []).append((b, in_b, in_a))
        partners.setdefault(b, []).append((a, in_a, in_b))
    for book, same in copies.items():
        for other, held, holds in [
            (same, *_both_ways(sketches[book], sketches[same])),
            *partners.get(same, []),
        ]:
            found[min(book, other), max(book, other)] = (
                (held, holds) if book < other else (holds, held)
            )


def choose_drops(
    overlaps: Iterable[Overlap], sizes: Mapping[str, int]
) -> dict[str, tuple[str, str]]:
    """The smaller book of each pair (of equals the later id), unless the larger is dropped itself:
    dropped book -> (the kept book that holds its text, how much of it in words).
    """
    partners: dict[str, list[tuple[str, float, float]]] = {}
    for overlap in overlaps:
        partners.setdefault(overlap.book_a, []).append(
            (overlap.book_b, overlap.containment_a_in_b, overlap.containment_b_in_a)
        )
        partners.setdefault(overlap.book_b, []).append(
            (overlap.book_a, overlap.containment_b_in_a, overlap.containment_a_in_b)
        )
    kept: set[str] = set()
    drops: dict[str, tuple[str, str]] = {}
    for book in sorted(partners, key=lambda name: (-sizes[name], name)):
        holders = sorted(
            (-held, other, holds) for other, held, holds in partners[book] if other in kept
        )
        if not holders:
            kept.add(book)
            continue
        held, other, holds = -holders[0][0], holders[0][1], holders[0][2]
        drops[book] = (
            other,
            f"{held:.0%} of its text is in {other}, {holds:.0%} of {other} is in it",
        )
    return drops


def find_aggregates(
    overlaps: Iterable[Overlap], sizes: Mapping[str, int]
) -> dict[str, tuple[str, ...]]:
    """Collections of other books, e.g. a whole genre in one file: id -> books that it contains,
    the largest first, none of which shares text with another.
    """
    partners: dict[str, dict[str, float]] = {}
    for overlap in overlaps:
        partners.setdefault(overlap.book_a, {})[overlap.book_b] = overlap.containment_b_in_a
        partners.setdefault(overlap.book_b, {})[overlap.book_a] = overlap.containment_a_in_b
    found: dict[str, tuple[str, ...]] = {}
    for book in sorted(partners, key=lambda name: (-sizes[name], name)):
        if len(partners[book]) < _AGGREGATE_BOOKS:
            continue
        parts: dict[str, None] = {}
        for part in sorted(partners[book], key=lambda name: (-sizes[name], name)):
            smaller = 2 * sizes[part] <= sizes[book]
            whole = partners[book][part] >= _AGGREGATE_CONTAINMENT
            if smaller and whole and part not in found and parts.keys().isdisjoint(partners[part]):
                parts[part] = None
        if len(parts) >= _AGGREGATE_BOOKS:
            found[book] = tuple(parts)
    return found
