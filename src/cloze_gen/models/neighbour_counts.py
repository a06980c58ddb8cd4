"""Counts directly before and after words: frequent neighbours and frame cues.

Frame cues (Brent 1993; Manning 1993) are kinds of closed-class words around a word, unparsed.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal

import numpy as np

from cloze_gen.corpus.counts import CountTable, TokenIds
from cloze_gen.english.word_lists import After, Before, after, before
from cloze_gen.models.ngram_index import find_sorted
from cloze_gen.word_tokens import is_word

Side = Literal["before", "after"]
SIDES: tuple[Side, Side] = ("before", "after")
Blanks = Sequence[Sequence[str]]  # words, or tokens, of each blank
MIN_FREQ = (
    1e-3  # inclusive, a share of word tokens: about 126 types of English novels, marks among them
)
_UNSEEN = 0.5  # added to what is counted and to what is expected
_CHUNK_TOKENS = 4_000_000


@dataclass(frozen=True)
class NeighbourCounts:
    """How often each word is adjacent to each frequent neighbour; may be memory-mapped.

    Attributes:
        start: shape (2 * neighbours + 1,): where each column's words begin; first the columns of
            neighbours before the word, then those after it.
        row, count: shape (pairs,): the words of each column, ascending, and their counts.
        places: shape (2, words): uses of each word with any token before, and after.
        share: shape (2, neighbours): of all adjacent pairs, with the neighbour first, and second.
    """

    start: np.ndarray
    row: np.ndarray
    count: np.ndarray
    places: np.ndarray
    share: np.ndarray

    @functools.cached_property
    def _keys(self) -> np.ndarray:
        """Each column and word as one number, ascending."""
        columns = np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))
        return columns * self.places.shape[1] + self.row

    def over_chance(self, rows: np.ndarray, neighbours: np.ndarray, *, side: Side) -> np.ndarray:
        """log10 of (observed count + 0.5) over (expected count + 0.5) of each row; 0 for -1.

        >>> start, row, count = np.array([0, 1, 2]), np.array([0, 1]), np.array([9, 2])
        >>> adjacent = NeighbourCounts(start, row, count, places=np.array([[9, 9], [9, 4]]), share=np.array([[0.5], [0.5]]))
        >>> adjacent.over_chance(np.array([0, 1, -1]), np.array([0, 0, 0]), side="before").round(2).tolist()
        [0.28, -1.0, 0.0]
        """
        at, known = SIDES.index(side), rows >= 0
        columns = at * self.share.shape[1] + neighbours
        place = find_sorted(self._keys, columns * self.places.shape[1] + rows)
        seen, hit = np.zeros(len(rows), np.int64), known & (place >= 0)
        seen[hit] = self.count[place[hit]]
        expected = np.where(known, self.places[at][rows] * self.share[at, neighbours], 0.0)
        return np.log10((seen + _UNSEEN) / (expected + _UNSEEN))


def flatten(words: Blanks) -> tuple[list[str], np.ndarray]:
    """The words of all blanks, and the number of each one's blank; int64."""
    return [*chain.from_iterable(words)], np.repeat(np.arange(len(words)), [*map(len, words)])


def frequent_neighbours(table: CountTable) -> list[str]:
    """Case-folded types of at least `MIN_FREQ` tokens per word token, marks too; in table order."""
    marks = np.array([not is_word(word) for word in table.words], bool)
    count = np.where(marks, table.count, table.folded_count)
    frequent = np.flatnonzero(count >= MIN_FREQ * max(1, table.word_tokens))
    return list(dict.fromkeys(table.words[i].casefold() for i in frequent))


def count_neighbours(
    corpus: TokenIds, *, words: Sequence[str], target_row: np.ndarray, neighbours: Sequence[str]
) -> NeighbourCounts:
    """Count each neighbour before and after each target; word i of `words` has id i + 1."""
    column_of = {word: i for i, word in enumerate(neighbours)}
    folded = np.array(
        [len(neighbours), *(column_of.get(word.casefold(), len(neighbours)) for word in words)],
        np.int64,
    )
    target_row = target_row.astype(np.int32)
    # the last column: every other token, and the sentence's edge
    shape = (int(target_row.max()) + 1, len(neighbours) + 1)
    total, places = np.zeros((2, *shape), np.int64), np.zeros((2, shape[0]), np.int64)
    pairs = np.zeros((2, shape[1]), np.int64)
    for first in range(0, len(corpus), _CHUNK_TOKENS):
        last = min(len(corpus), first + _CHUNK_TOKENS)
        edges = corpus[first - 1] if first else 0, corpus[last] if last < len(corpus) else 0
        ids = np.concatenate([edges[:1], corpus[first:last], edges[1:]]).astype(np.int64)
        row_of = target_row[ids[1:-1]]
        at = np.flatnonzero(row_of >= 0)
        rows = row_of[at].astype(np.int64)
        for side, adjacent in enumerate((ids[:-2], ids[2:])):
            near = adjacent[at]
            total[side] += np.bincount(
                rows * shape[1] + folded[near], minlength=total[side].size
            ).reshape(shape)
            places[side] += np.bincount(rows[near > 0], minlength=shape[0])
            pairs[side] += np.bincount(
                folded[adjacent[(ids[1:-1] > 0) & (adjacent > 0)]], minlength=shape[1]
            )
    # explicit shape: there may be no word
    by_neighbour = total[:, :, :-1].transpose(0, 2, 1).reshape(2 * len(neighbours), shape[0])
    column, row = np.nonzero(by_neighbour)
    counted = by_neighbour[column, row]
    start = np.searchsorted(column, np.arange(2 * len(neighbours) + 1))
    share = pairs[:, :-1] / np.maximum(1, pairs.sum(axis=1, keepdims=True))
    return NeighbourCounts(
        start.astype(np.int64),
        row.astype(np.uint32),
        counted.astype(np.uint32),
        places.astype(np.uint32),
        share,
    )


def count_frame_cues(
    corpus: TokenIds, *, words: Sequence[str], target_row: np.ndarray
) -> np.ndarray:
    """Targets by kind before and after, int64, shape (targets, kinds, kinds).

    A sentence's start counts as `OTHER`, its end as `CLOSED`.
    """
    before_of = np.array([Before.OTHER, *map(before, words)])
    after_of = np.array([After.CLOSED, *map(after, words)])
    shape = (int(target_row.max()) + 1, len(Before), len(After))
    total = np.zeros(shape, np.int64)
    for first in range(0, len(corpus), _CHUNK_TOKENS):
        last = min(len(corpus), first + _CHUNK_TOKENS)
        left = corpus[first - 1] if first else 0
        right = corpus[last] if last < len(corpus) else 0
        ids = np.concatenate([[left], corpus[first:last], [right]]).astype(np.int64)
        places = np.flatnonzero(target_row[ids[1:-1]] >= 0) + 1
        cells = np.ravel_multi_index(
            (target_row[ids[places]], before_of[ids[places - 1]], after_of[ids[places + 1]]), shape
        )
        total += np.bincount(cells, minlength=total.size).reshape(shape)
    return total
