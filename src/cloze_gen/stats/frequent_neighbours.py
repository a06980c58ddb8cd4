"""How often the most frequent types stand right beside a word, against chance: what a word's grammar shows most plainly.

Articles, prepositions, auxiliaries, pronouns and marks take every word that grammar allows, so a pair of theirs that is much rarer than
chance would make it is likely to be bad grammar, and how much rarer can be told, for they are met everywhere. The half count added on both
sides is the estimate of Krichevsky & Trofimov 1981, by which what is hardly seen says nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from cloze_gen.stats.counts import CountTable
from cloze_gen.stats.token_ids import TokenIds
from cloze_gen.words import is_word

Side = Literal["before", "after"]
SIDES: tuple[Side, Side] = ("before", "after")
MIN_FREQ = 1e-3  # inclusive, a share of word tokens: about 126 types of English novels, marks among them
_UNSEEN = 0.5  # added to what is counted and to what is expected
_CHUNK_TOKENS = 4_000_000


@dataclass(frozen=True, slots=True)
class BesideCounts:
    """How often each word stands right beside each frequent neighbour; the arrays may be memory-mapped.

    Attributes:
        start: int64, shape (2 * neighbours + 1,): where each column's words begin; the columns of the neighbours that stand before the word
            come first, then those of the neighbours that stand after it.
        row: uint32, shape (pairs,): the words of each column, ascending.
        count: uint32, shape (pairs,): how often the two stand side by side.
        places: uint32, shape (2, words): places of each word with any token before it, and after it, in its sentence.
        share: float64, shape (2, neighbours): of all pairs of tokens side by side, those whose first, and whose second, is the neighbour.
    """

    start: np.ndarray
    row: np.ndarray
    count: np.ndarray
    places: np.ndarray
    share: np.ndarray

    def over_chance(self, rows: np.ndarray, neighbour: int, *, side: Side) -> np.ndarray:
        """log10 of (count of each pair + 0.5) over (count expected by chance + 0.5).

        Args:
            rows: int64, shape (k,); -1 is a word of which nothing is known.
            neighbour: its column.
            side: where the neighbour stands.
        Returns:
            float64, shape (k,): 0 where as many are seen as expected, and near it where hardly any are expected.

        >>> start, row, count = np.array([0, 1, 2]), np.array([0, 1]), np.array([9, 2])
        >>> beside = BesideCounts(start, row, count, places=np.array([[9, 9], [9, 4]]), share=np.array([[0.5], [0.5]]))
        >>> beside.over_chance(np.array([0, 1, -1]), 0, side="before").round(2).tolist()
        [0.28, -1.0, 0.0]
        """
        at = SIDES.index(side)
        column = at * self.share.shape[1] + neighbour
        found = slice(int(self.start[column]), int(self.start[column + 1]))
        listed, counts, known = self.row[found], self.count[found], np.flatnonzero(rows >= 0)
        asked = rows[known].astype(listed.dtype)
        place = listed.searchsorted(asked)
        inside = np.flatnonzero(place < len(listed))
        hit = inside[listed[place[inside]] == asked[inside]]
        seen = np.zeros(len(rows), np.int64)
        seen[known[hit]] = counts[place[hit]]
        expected = np.where(rows >= 0, self.places[at][rows] * self.share[at, neighbour], 0.0)
        return np.log10((seen + _UNSEEN) / (expected + _UNSEEN))


def frequent_neighbours(table: CountTable) -> list[str]:
    """The case-folded types of which there are at least `MIN_FREQ` times as many tokens as the corpus has word tokens, marks among them.

    In the order of the table, the most frequent surface type first.
    """
    marks = np.array([not is_word(word) for word in table.words], bool)
    count = np.where(marks, table.count, table.folded_count)
    frequent = np.flatnonzero(count >= MIN_FREQ * max(1, table.word_tokens))
    return list(dict.fromkeys(table.words[i].casefold() for i in frequent))


def count_beside(corpus: TokenIds, *, words: Sequence[str], target_row: np.ndarray, neighbours: Sequence[str]) -> BesideCounts:
    """How often each neighbour stands right before, and right after, each target in a sentence.

    Args:
        corpus: word ids, 0 between sentences; word i of `words` has id i + 1.
        target_row: int64, shape (V,): row of each word that is a target, else -1.
        neighbours: case-folded; a token counts under its case-folded form.
    """
    column_of = {word: i for i, word in enumerate(neighbours)}
    folded = np.array([len(neighbours), *(column_of.get(word.casefold(), len(neighbours)) for word in words)], np.int64)
    target_row = target_row.astype(np.int32)
    shape = (int(target_row.max()) + 1, len(neighbours) + 1)  # the last column: every other token, and the sentence's edge
    total, places = np.zeros((2, *shape), np.int64), np.zeros((2, shape[0]), np.int64)
    pairs = np.zeros((2, shape[1]), np.int64)
    for first in range(0, len(corpus), _CHUNK_TOKENS):
        last = min(len(corpus), first + _CHUNK_TOKENS)
        edges = corpus[first - 1] if first else 0, corpus[last] if last < len(corpus) else 0
        ids = np.concatenate([edges[:1], corpus[first:last], edges[1:]]).astype(np.int64)
        row_of = target_row[ids[1:-1]]
        at = np.flatnonzero(row_of >= 0)
        rows = row_of[at].astype(np.int64)
        for side, beside in enumerate((ids[:-2], ids[2:])):
            near = beside[at]
            total[side] += np.bincount(rows * shape[1] + folded[near], minlength=total[side].size).reshape(shape)
            places[side] += np.bincount(rows[near > 0], minlength=shape[0])
            pairs[side] += np.bincount(folded[beside[(ids[1:-1] > 0) & (beside > 0)]], minlength=shape[1])
    by_neighbour = total[:, :, :-1].transpose(0, 2, 1).reshape(2 * len(neighbours), shape[0])  # spelt out, for there may be no word
    column, row = np.nonzero(by_neighbour)
    counted = by_neighbour[column, row]
    start = np.searchsorted(column, np.arange(2 * len(neighbours) + 1))
    share = pairs[:, :-1] / np.maximum(1, pairs.sum(axis=1, keepdims=True))
    return BesideCounts(start.astype(np.int64), row.astype(np.uint32), counted.astype(np.uint32), places.astype(np.uint32), share)
