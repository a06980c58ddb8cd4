"""Books that hold each other's text, by content (Broder 1997, "On the resemblance and containment
of documents").

A *sketch* samples the hashes of a book's 8-word shingles: those divisible by 32. Hashes of more than 50
books are boilerplate, except in books that consist of them: these are copies.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy
from numpy.typing import NDArray

Sketch = NDArray[np.uint64]

SHINGLE_WORDS = 8
_KEEP_ONE_IN = np.uint64(32)
# odd, golden ratio: Knuth's multiplicative constant in 64 bits
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xBF58476D1CE4E5B9)  # splitmix64's first mixing constant
_MAX_BOOKS_PER_HASH = 50
# Share of a book's hashes in more than 50 books from which the book is one of many copies.
_COPY_SHARE = 0.95
_MIN_SHARED = 10  # pairs with fewer common hashes are chance (10 hashes are about 320 words)
# Editions of one book; the words that have accents in one of them differ.
_EDITION_CONTAINMENT = 0.8
# Of the 534 books at hand none contains more than two others.
_AGGREGATE_BOOKS = 5  # so many different books in one are a collection, not a book
_AGGREGATE_CONTAINMENT = 0.8  # share of each that the collection holds


@dataclass(frozen=True, slots=True)
class Overlap:
    """Two books that share text.

    Attributes:
        containment_a_in_b: share of the first book that the second has, 0 to 1.
        where: ``within`` one corpus (`book_a` < `book_b`), or ``across``: `book_b` is of the other.
    """

    book_a: str
    book_b: str
    containment_a_in_b: float
    containment_b_in_a: float
    where: Literal["within", "across"] = "within"


def content_sketch(words: NDArray[np.uint64]) -> Sketch:
    """Sorted unique hashes of the sampled 8-word shingles, from the hash of every word in order."""
    if len(words) < SHINGLE_WORDS:
        return np.empty(0, dtype=np.uint64)
    length = len(words) - SHINGLE_WORDS + 1
    shingles = words[:length].copy()
    for offset in range(1, SHINGLE_WORDS):
        shingles *= _MULTIPLIER
        shingles += words[offset : offset + length]
    shingles ^= shingles >> np.uint64(31)
    shingles *= _MIX
    shingles ^= shingles >> np.uint64(29)
    return np.unique(shingles[shingles % _KEEP_ONE_IN == 0])


def find_overlaps(
    sketches: Mapping[str, Sketch],
    others: Mapping[str, Sketch] | None = None,
    *,
    min_containment: float,
) -> list[Overlap]:
    """All pairs of books of which one holds at least `min_containment` of the other, by id: pairs
    of `sketches`, and those of `sketches` with `others`, another corpus.

    Boilerplate counts neither as shared text nor as text of a book.
    """
    books = sorted(sketches.items()) + sorted((others or {}).items())
    shared = _shared_hashes([sketch for _, sketch in books])
    sizes = shared.diagonal()
    pairs = scipy.sparse.triu(shared, k=1).tocoo()
    in_b = pairs.data / sizes[pairs.row]
    in_a = pairs.data / sizes[pairs.col]
    overlapping = (
        (pairs.row < len(sketches))
        & (pairs.data >= _MIN_SHARED)
        & (np.maximum(in_a, in_b) >= min_containment)
    )
    overlaps = [
        Overlap(
            books[pairs.row[i]][0],
            books[pairs.col[i]][0],
            float(in_b[i]),
            float(in_a[i]),
            "within" if pairs.col[i] < len(sketches) else "across",
        )
        for i in np.flatnonzero(overlapping).tolist()
    ]
    return sorted(overlaps, key=lambda overlap: (overlap.book_a, overlap.book_b))


def _shared_hashes(sketches: Sequence[Sketch]) -> scipy.sparse.csr_array:
    """How many hashes two sketches share, without boilerplate; shape (sketches, sketches)."""
    every_hash = np.concatenate([np.empty(0, dtype=np.uint64), *sketches])
    hashes, columns, counts = np.unique(every_hash, return_inverse=True, return_counts=True)
    sizes = [len(sketch) for sketch in sketches]
    rows = np.repeat(np.arange(len(sketches)), sizes)
    frequent = counts[columns] > _MAX_BOOKS_PER_HASH
    frequent_counts = np.bincount(rows, weights=frequent, minlength=len(sketches))
    is_copy = frequent_counts >= _COPY_SHARE * np.array(sizes)
    counted = ~frequent | is_copy[rows]
    ones = np.ones(np.count_nonzero(counted), dtype=np.int32)
    matrix = scipy.sparse.csr_array(
        (ones, (rows[counted], columns[counted])), shape=(len(sketches), len(hashes))
    )
    return matrix @ matrix.T


def _partners(overlaps: Iterable[Overlap]) -> dict[str, dict[str, tuple[float, float]]]:
    """Book -> each other one -> (the book's share in that one, that one's share in the book)."""
    partners: defaultdict[str, dict[str, tuple[float, float]]] = defaultdict(dict)
    for overlap in overlaps:
        a_in_b, b_in_a = overlap.containment_a_in_b, overlap.containment_b_in_a
        partners[overlap.book_a][overlap.book_b] = (a_in_b, b_in_a)
        partners[overlap.book_b][overlap.book_a] = (b_in_a, a_in_b)
    return dict(partners)


def choose_drops(
    overlaps: Iterable[Overlap],
    sizes: Mapping[str, int],
    quality: Mapping[str, tuple[bool, int]],
) -> dict[str, str]:
    """Dropped book -> the kept book that holds its text, and how much of it, in words.

    Of two editions of one book the one of lower quality is dropped; of other pairs, and of equal
    editions, the smaller book; of equal ones the later id. A dropped book drops no other.
    """
    partners = _partners(overlaps)

    def preference(book: str) -> tuple[int, bool, int, int, str]:
        editions = (
            other for other, shares in partners[book].items() if min(shares) >= _EDITION_CONTAINMENT
        )
        largest = max(sizes[edition] for edition in (book, *editions))
        accents, number = quality[book]
        return -largest, not accents, -number, -sizes[book], book

    kept: set[str] = set()
    drops: dict[str, str] = {}
    for book in sorted(partners, key=preference):
        shares = {other: partners[book][other] for other in sorted(partners[book].keys() & kept)}
        if not shares:
            kept.add(book)
            continue
        holder = max(shares, key=lambda other: shares[other][0])
        held, holds = shares[holder]
        drops[book] = (
            f"of {holder}: {held:.0%} of its text is in {holder}, {holds:.0%} of {holder} is in it"
        )
    return drops


def find_aggregates(
    overlaps: Iterable[Overlap], sizes: Mapping[str, int]
) -> dict[str, tuple[str, ...]]:
    """Collections of other books, e.g. a whole genre in one file: id -> books that it contains,
    the largest first, none of which shares text with another.
    """
    partners = _partners(overlaps)

    def largest_first(book: str) -> tuple[int, str]:
        return -sizes[book], book

    aggregates: dict[str, tuple[str, ...]] = {}
    for book in sorted(partners, key=largest_first):
        parts: list[str] = []
        for part in sorted(partners[book], key=largest_first):
            _, share = partners[book][part]
            smaller = 2 * sizes[part] <= sizes[book]
            new = part not in aggregates and partners[part].keys().isdisjoint(parts)
            if share >= _AGGREGATE_CONTAINMENT and smaller and new:
                parts.append(part)
        if len(parts) >= _AGGREGATE_BOOKS:
            aggregates[book] = tuple(parts)
    return aggregates
