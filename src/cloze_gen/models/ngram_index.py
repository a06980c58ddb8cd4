"""The forward index: next-word distributions, which KenLM cannot list.

One sorted array of keys per level of a backoff model. The row of an n-gram `w1..wn` is its position
in level n, its key is `row(w1..wn-1) * V + wn`; so a context's continuations are one slice of the
next level. Arrays may be memory-mapped.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cloze_gen.errors import ModelError
from cloze_gen.models.arpa import ArpaBlock, word_ids


class LanguageModel(Protocol):
    """P(word | history) over a closed vocabulary of words, `<unk>` and `</s>`."""

    def log10_prob(self, history: Sequence[str], word: str) -> float:
        """log10 P(word | history), oldest first; unknown words count as `<unk>`."""
        ...

    def score_sentence(self, tokens: Sequence[str]) -> float:
        """log10 P(<s> tokens </s>)."""
        ...


UNKNOWN, SENTENCE_START, SENTENCE_END = "<unk>", "<s>", "</s>"


@dataclass(frozen=True, slots=True)
class Level:
    """All n-grams of one order, sorted by key.

    Attributes:
        key: uint64, shape (n,): context row * V + last word; ascending. For unigrams the word's id.
        log10_backoff: float32, shape (n,); zeros in the highest order.
    """

    key: np.ndarray
    log10_prob: np.ndarray
    log10_backoff: np.ndarray


class ForwardIndex:
    """A backoff n-gram model that lists continuations; `words` in the order of its unigrams."""

    def __init__(self, words: Sequence[str], levels: Sequence[Level]) -> None:
        self.words = list(words)
        self.id_of: Mapping[str, int] = {word: i for i, word in enumerate(self.words)}
        self.levels = list(levels)
        try:
            self.unknown, self.start, self.end = (
                self.id_of[word] for word in (UNKNOWN, SENTENCE_START, SENTENCE_END)
            )
        except KeyError as missing:
            raise ModelError(
                f"the model has no {missing} among its unigrams; train it with lmplz"
            ) from None

    @property
    def order(self) -> int:
        return len(self.levels)

    @property
    def size(self) -> int:
        """V, the number of unigrams including `<unk>`, `<s>` and `</s>`."""
        return len(self.words)

    @functools.cached_property
    def vocabulary(self) -> pa.Array:
        return pa.array(self.words, pa.string())

    def ids(self, tokens: Sequence[str]) -> list[int]:
        return [self.id_of.get(token, self.unknown) for token in tokens]

    def context_rows(self, history: Sequence[int]) -> list[int]:
        """Rows of the history's suffixes of 1, 2, ... words, up to the longest attested."""
        rows = []
        for n in range(1, min(self.order - 1, len(history)) + 1):
            row = self._row(history[-n:])
            if row < 0:
                break
            rows.append(row)
        return rows

    def _row(self, ids: Sequence[int]) -> int:
        row = ids[0]
        for level, word in zip(self.levels[1:], ids[1:], strict=False):
            key = np.uint64(row * self.size + word)
            row = int(level.key.searchsorted(key))
            if row == len(level.key) or level.key[row] != key:
                return -1
        return row

    def continuations(self, n: int, row: int) -> tuple[np.ndarray, np.ndarray]:
        """Word ids and log10 P(word | context) listed after context `row` of level n."""
        level = self.levels[n]
        base = row * self.size
        first, last = level.key.searchsorted(np.array([base, base + self.size], np.uint64))
        return (level.key[first:last] - np.uint64(base)).astype(np.int64), level.log10_prob[
            first:last
        ]

    def next_word_log10_probs(self, history: Sequence[str]) -> np.ndarray:
        """log10 P(word | history), float32, shape (V,); -inf for `<s>`; oldest first."""
        values = np.array(self.levels[0].log10_prob, np.float32)
        for n, row in enumerate(self.context_rows(self.ids(history[-(self.order - 1) :])), start=1):
            values += self.levels[n - 1].log10_backoff[row]
            words, log10_prob = self.continuations(n, row)
            values[words] = log10_prob
        values[self.start] = -np.inf
        return values

    def log10_probs(self, histories: np.ndarray, words: np.ndarray) -> np.ndarray:
        """log10 P(word | history), float32, shape (n,), of many pairs in one search.

        `histories`: ids, shape (n, h), h <= order - 1, oldest first, padded with -1 at the left.
        """
        histories, words = np.asarray(histories, np.int64), np.asarray(words, np.int64)
        result = np.array(self.levels[0].log10_prob[words], np.float32)
        alive = np.ones(len(words), bool)
        for n in range(1, histories.shape[1] + 1):
            context = histories[:, -n:]
            alive &= context[:, 0] >= 0
            rows = self._rows(context, alive)
            alive &= rows >= 0
            result[alive] += self.levels[n - 1].log10_backoff[rows[alive]]
            found = self._step(self.levels[n], rows, words, alive)
            hit = found >= 0
            result[hit] = self.levels[n].log10_prob[found[hit]]
        return result

    def attested(self, ngrams: np.ndarray) -> np.ndarray:
        """Which n-grams (int64, (m, n)) the model lists; none with `<unk>`."""
        ngrams = np.asarray(ngrams, np.int64)
        return (self._rows(ngrams, np.ones(len(ngrams), bool)) >= 0) & (ngrams != self.unknown).all(
            axis=1
        )

    def _rows(self, ids: np.ndarray, alive: np.ndarray) -> np.ndarray:
        rows = np.where(alive, ids[:, 0], -1)
        for level, column in zip(self.levels[1:], ids.T[1:], strict=False):
            rows = self._step(level, rows, column, rows >= 0)
        return rows

    def _step(
        self, level: Level, rows: np.ndarray, words: np.ndarray, alive: np.ndarray
    ) -> np.ndarray:
        found = np.full(len(rows), -1, np.int64)
        keys = (rows[alive] * self.size + words[alive]).astype(np.uint64)
        found[alive] = find_sorted(level.key, keys)
        return found

    def log10_prob(self, history: Sequence[str], word: str) -> float:
        recent = self.ids(history[-(self.order - 1) :])
        return float(self.log10_probs(np.array([recent]), np.array(self.ids([word])))[0])

    def score_sentence(self, tokens: Sequence[str]) -> float:
        ids = [self.start, *self.ids(tokens), self.end]
        return float(self.log10_probs(*windows(ids, self.order)).sum(dtype=np.float64))


def windows(ids: Sequence[int], order: int) -> tuple[np.ndarray, np.ndarray]:
    """Histories (n - 1, order - 1) and words (n - 1,) of a text, for `ForwardIndex.log10_probs`.

    >>> windows([0, 5, 6], 3)
    (array([[-1,  0],
           [ 0,  5]]), array([5, 6]))
    """
    padded = np.concatenate([np.full(order - 2, -1, np.int64), np.asarray(ids, np.int64)])
    histories = np.lib.stride_tricks.sliding_window_view(padded, order - 1)[: len(ids) - 1]
    return histories, np.asarray(ids[1:], np.int64)


def keyed_ngrams(part: ArpaBlock, vocabulary: pa.Array, lower_keys: Sequence[np.ndarray]) -> Level:
    """The n-grams of a block with their keys, from the sorted `lower_keys` of the levels below."""
    size = np.uint64(len(vocabulary))
    columns = [word_ids(column, vocabulary).astype(np.uint64) for column in part.words]
    key = columns[0]  # a unigram's row is its word
    for n, words in enumerate(columns[1:], 1):
        row = key
        if n > 1:
            row = find_sorted(lower_keys[n - 1], key)
            if (row < 0).any():
                raise ModelError(
                    f"the ARPA file is not consistent: a {part.order}-gram's first {n} words are "
                    f"no {n}-gram of it"
                )
        key = row.astype(np.uint64) * size + words
    return Level(key, part.log10_prob, part.log10_backoff)


def find_sorted(haystack: np.ndarray, needles: np.ndarray) -> np.ndarray:
    """Places of the needles in a sorted array, -1 if absent; int64.

    Searching in ascending order avoids cache misses.
    """
    places = np.full(len(needles), -1, np.int64)
    if len(haystack):
        order = needles.argsort()
        ascending = needles[order]
        found = np.minimum(haystack.searchsorted(ascending), len(haystack) - 1)
        places[order] = np.where(haystack[found] == ascending, found, -1)
    return places


Ids = NDArray[np.int64]


def histories_of_last(
    ids: Ids, lengths: NDArray[np.integer], *, order: int, start: int
) -> tuple[Ids, Ids]:
    """The last word of each passage with its history, for `ForwardIndex.log10_probs`.

    `ids`: the passages' words concatenated, `start` (the number of `<s>`) before each sentence;
    `lengths`: at least 2 each.

    >>> histories_of_last(np.array([0, 7, 8, 0, 5, 6]), np.array([6]), order=4, start=0)
    (array([[-1,  0,  5]]), array([6]))
    """
    lasts = np.cumsum(lengths) - 1
    back = np.arange(order - 1, 0, -1)
    histories = np.where(
        back < np.asarray(lengths)[:, None], ids[np.maximum(lasts[:, None] - back, 0)], -1
    )
    # starts to the right of each place
    starts_right = np.cumsum((histories == start)[:, ::-1], axis=1)[:, ::-1] - (histories == start)
    histories[starts_right > 0] = -1
    return histories.astype(np.int64), ids[lasts].astype(np.int64)
