"""Models that tell the target of a passage from all words of a closed vocabulary, and what they say of it (LAMBADA 4).

All answer in one form: natural logarithms over the numbers of `asked.number_passages`, 0 being the end of a sentence and the last the
unknown word. *Read:* the target is known to be a word, so the two are no guesses, nor are marks; rank and accuracy are among words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from cloze_gen.evaluate.passages.metrics import TargetScores, ranks
from cloze_gen.lm.cache import cache_shares
from cloze_gen.lm.forward_index import ForwardIndex
from cloze_gen.lm.histories import histories_of_last
from cloze_gen.text.word_ids import SEPARATOR
from cloze_gen.words import is_word

# Of the cache beside the n-gram model; the paper does not tell its own. Fixed, not fitted to any set: ordinary passages of novels, 700,000
# that nothing had filtered, are likeliest with it.
CACHE_WEIGHT = 0.06
_AT_ONCE = 64  # passages whose distributions are held, 15 MB of 60,000 words


class PassageModel(Protocol):
    """P(word | the passage before its last word)."""

    def all_log_probs(self, ids: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.float32]:
        """ln P of every number as the last word: float32, shape (n, V + 2); arguments as `number_passages` returns them."""
        ...


class NgramPassages:
    """An n-gram model asked about passages: it sees the words before the target in the target's sentence.

    Args:
        words: the vocabulary, by number.
        unknown: the model's word for every other.
    """

    def __init__(self, index: ForwardIndex, words: Sequence[str], *, unknown: str) -> None:
        self._index = index
        self._read_as = np.array([index.start, *index.ids([*words, unknown])], np.int64)
        self._told_as = np.array([index.end, *index.ids([*words, unknown])], np.int64)

    def all_log_probs(self, ids: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.float32]:
        """As `PassageModel.all_log_probs`."""
        histories, _ = histories_of_last(self._read_as[ids], lengths, order=self._index.order, start=self._index.start)
        result = np.empty((len(lengths), len(self._told_as)), np.float32)
        for row, history in enumerate(histories):
            said = [self._index.words[i] for i in history[history >= 0].tolist()]
            result[row] = self._index.next_word_log10_probs(said)[self._told_as]
        result *= np.float32(np.log(10))
        return result


class CachedPassages:
    """A model with a cache of the passage (`lm.cache`): (1 - w) P(word) + w C(word), C being the word's share of the tokens so far.

    Args:
        weight: w, from 0 to 1 exclusive.
    """

    def __init__(self, model: PassageModel, *, weight: float = CACHE_WEIGHT) -> None:
        self._model, self._weight = model, weight

    def all_log_probs(self, ids: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.float32]:
        """As `PassageModel.all_log_probs`."""
        probs = np.exp(self._model.all_log_probs(ids, lengths))
        probs *= np.float32(1 - self._weight)
        shares = cache_shares(ids, lengths, separator=SEPARATOR, size=probs.shape[1])
        probs += np.float32(self._weight) * shares
        return np.asarray(np.log(probs, out=probs))


def score_targets(model: PassageModel, ids: NDArray[np.int64], lengths: NDArray[np.int64], *, words: Sequence[str]) -> TargetScores:
    """What a model says of the targets.

    Args:
        ids, lengths: of `number_passages`.
        words: the vocabulary, by number.
    """
    ends, size = np.cumsum(lengths), len(words)
    targets, marks = ids[ends - 1], np.flatnonzero([not is_word(word) for word in words])
    known = targets <= size
    log10_prob, rank = np.empty(len(lengths)), np.empty(len(lengths))
    for first in range(0, len(lengths), _AT_ONCE):
        rows = slice(first, first + _AT_ONCE)
        begin, end = int(ends[first] - lengths[first]), int(ends[rows][-1])
        log_probs = model.all_log_probs(ids[begin:end], lengths[rows])
        own = np.take_along_axis(log_probs, targets[rows, None], axis=1)[:, 0]
        log10_prob[rows] = np.minimum(own.astype(np.float64) / np.log(10), 0)
        guesses = log_probs[:, 1 : size + 1]
        guesses[:, marks] = -np.inf
        rank[rows] = ranks(guesses, np.where(known[rows], targets[rows] - 1, -1))
    return TargetScores.by_rank(log10_prob, rank, known)
