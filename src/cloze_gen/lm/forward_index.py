"""The forward index: next-word distributions that KenLM cannot list.

A backoff model of order N is kept as one sorted array of keys a level. The row of an n-gram `w1..wn` is its position in level n; its key is
`row(w1..wn-1) * V + wn`. The continuations of a context are therefore one slice of the next level, found by two binary searches, and a
batch of n-grams is one vectorised search. All arrays can be memory-mapped and shared by workers.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from cloze_gen.errors import ModelError
from cloze_gen.lm.arpa import ArpaBlock, word_ids

UNKNOWN, SENTENCE_START, SENTENCE_END = "<unk>", "<s>", "</s>"


@dataclass(frozen=True, slots=True)
class Level:
    """All n-grams of one order, sorted by key.

    Attributes:
        key: uint64, shape (n,): context row * V + last word; ascending. For unigrams the word's id.
        log10_prob: float32, shape (n,).
        log10_backoff: float32, shape (n,); zeros in the highest order.
    """

    key: np.ndarray
    log10_prob: np.ndarray
    log10_backoff: np.ndarray


class ForwardIndex:
    """A backoff n-gram model, seen from the history forwards.

    Args:
        words: the vocabulary in the order of the model's unigrams, `<unk>`, `<s>` and `</s>` included.
        levels: levels 1..N.
    """

    def __init__(self, words: Sequence[str], levels: Sequence[Level]) -> None:
        self.words = list(words)
        self.id_of: Mapping[str, int] = {word: i for i, word in enumerate(self.words)}
        self.levels = list(levels)
        try:
            self.unknown, self.start, self.end = (self.id_of[word] for word in (UNKNOWN, SENTENCE_START, SENTENCE_END))
        except KeyError as missing:
            raise ModelError(f"the model has no {missing} among its unigrams; train it with lmplz") from None

    @property
    def order(self) -> int:
        return len(self.levels)

    @property
    def size(self) -> int:
        """V: number of unigrams, the three special ones included."""
        return len(self.words)

    @functools.cached_property
    def vocabulary(self) -> pa.Array:
        """The words as an Arrow array, made once an index: it goes where the index goes."""
        return pa.array(self.words, pa.string())

    def ids(self, tokens: Sequence[str]) -> list[int]:
        """Vocabulary ids, one a token; a word the model does not know is `<unk>`, as in KenLM."""
        return [self.id_of.get(token, self.unknown) for token in tokens]

    def context_rows(self, history: Sequence[int]) -> list[int]:
        """Rows of the history's suffixes of 1, 2, ... words, in the levels 1, 2, ..., as far as they are attested and the order allows."""
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
        """What is listed after context `row` of level n: word ids (int64, ascending) and log10 P(word | context) (float32), shape (m,)."""
        level = self.levels[n]
        base = row * self.size
        first, last = level.key.searchsorted(np.array([base, base + self.size], np.uint64))
        return (level.key[first:last] - np.uint64(base)).astype(np.int64), level.log10_prob[first:last]

    def next_word_log10_probs(self, history: Sequence[str]) -> np.ndarray:
        """Log-probability of every word as the continuation of `history`.

        Args:
            history: tokens before the gap, oldest first; only the last order-1 count. `<s>` opens a sentence.
        Returns:
            float32, shape (V,): log10 P(word | history) in vocabulary order; `<s>`, which is no continuation, is -inf. 10**x sums to 1.
        """
        values = np.array(self.levels[0].log10_prob, np.float32)
        for n, row in enumerate(self.context_rows(self.ids(history[-(self.order - 1) :])), start=1):
            values += self.levels[n - 1].log10_backoff[row]
            words, log10_prob = self.continuations(n, row)
            values[words] = log10_prob
        values[self.start] = -np.inf
        return values

    def log10_probs(self, histories: np.ndarray, words: np.ndarray) -> np.ndarray:
        """Log-probabilities of many (history, word) pairs in one search.

        Args:
            histories: int64, shape (n, h), h <= order - 1: ids, oldest first; -1 at the left where a history is shorter.
            words: int64, shape (n,).
        Returns:
            float32, shape (n,): log10 P(word | history).
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
        """Which n-grams the model lists, that is the training text holds; int64 ids of shape (m, n), n <= order, in; bool, shape (m,), out.

        One with `<unk>` in it is none.
        """
        ngrams = np.asarray(ngrams, np.int64)
        return (self._rows(ngrams, np.ones(len(ngrams), bool)) >= 0) & (ngrams != self.unknown).all(axis=1)

    def _rows(self, ids: np.ndarray, alive: np.ndarray) -> np.ndarray:
        rows = np.where(alive, ids[:, 0], -1)
        for level, column in zip(self.levels[1:], ids.T[1:], strict=False):
            rows = self._step(level, rows, column, rows >= 0)
        return rows

    def _step(self, level: Level, rows: np.ndarray, words: np.ndarray, alive: np.ndarray) -> np.ndarray:
        found = np.full(len(rows), -1, np.int64)
        keys = (rows[alive] * self.size + words[alive]).astype(np.uint64)
        at = _find_sorted(level.key, keys)
        found[alive] = np.where(level.key[at] == keys, at, -1)
        return found

    def sentence_log10_prob(self, tokens: Sequence[str]) -> float:
        """log10 P(tokens, `</s>` | `<s>`): a whole sentence with its end, as KenLM's `score` gives it."""
        ids = [self.start, *self.ids(tokens), self.end]
        return float(self.log10_probs(*windows(ids, self.order)).sum(dtype=np.float64))


def windows(ids: Sequence[int], order: int) -> tuple[np.ndarray, np.ndarray]:
    """Every word after the first with its history, for `ForwardIndex.log10_probs`.

    Returns:
        int64, shape (n - 1, order - 1): histories, oldest first, padded with -1 at the left; int64, shape (n - 1,): the words.

    >>> windows([0, 5, 6], 3)
    (array([[-1,  0],
           [ 0,  5]]), array([5, 6]))
    """
    padded = np.concatenate([np.full(order - 2, -1, np.int64), np.asarray(ids, np.int64)])
    histories = np.lib.stride_tricks.sliding_window_view(padded, order - 1)[: len(ids) - 1]
    return histories, np.asarray(ids[1:], np.int64)


def keyed_ngrams(part: ArpaBlock, vocabulary: pa.Array, lower_keys: Sequence[np.ndarray]) -> Level:
    """The n-grams of a block with their keys, in no order but that contexts of two words and more ascend: sorting the keys is half done.

    Args:
        vocabulary: the model's unigrams, in its order.
        lower_keys: of the levels below the block's, each sorted.
    Raises:
        ModelError: an n-gram's context is missing from the order below.
    """
    size = np.uint64(len(vocabulary))
    columns = [word_ids(column, vocabulary).astype(np.uint64) for column in part.words]
    values = [part.log10_prob, part.log10_backoff]
    key = columns[0]  # a unigram's row is its word
    for n in range(1, len(columns)):
        row = key
        if n > 1:  # asking in ascending order walks the level below once; in the file's order most steps miss the cache
            order = key.argsort()
            columns, values, key = [column[order] for column in columns], [value[order] for value in values], key[order]
            row = np.minimum(lower_keys[n - 1].searchsorted(key), len(lower_keys[n - 1]) - 1).astype(np.uint64)
            if not np.array_equal(lower_keys[n - 1][row], key):
                raise ModelError(f"the ARPA file is not consistent: a {part.order}-gram's first {n} words are no {n}-gram of it")
        key = row * size + columns[n]
    return Level(key, *values)


def _find_sorted(haystack: np.ndarray, needles: np.ndarray) -> np.ndarray:
    """Places of the needles in a sorted array. Asking in ascending order walks the array once; in text order most steps miss the cache."""
    order = needles.argsort()
    places = np.empty(len(needles), np.int64)
    places[order] = haystack.searchsorted(needles[order])
    return np.minimum(places, len(haystack) - 1)
