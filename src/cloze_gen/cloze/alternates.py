"""Alternates: distinct rare words sampled from the model's next-word distribution (MSR 2.2 step 2).

"Use the two-word history immediately preceding the selected focus word to predict alternates. We sampled 150 unique alternates": read as
sampling without replacement from P(w | two preceding tokens) restricted to the allowed words.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from cloze_gen.lm.forward_index import ForwardIndex

_LN10 = np.float32(np.log(10.0))


class AlternatesSettings(BaseModel):
    """Settings of the sampling."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    count: int = Field(150, ge=4, description="distinct alternates a focus word; MSR 2.2 step 2")


class AllowedWords:
    """The model restricted to the words that may be alternates, so that a draw looks at them alone.

    Args:
        index: the model.
        words: ids of the allowed words, ascending.
    """

    def __init__(self, index: ForwardIndex, words: np.ndarray) -> None:
        self.index = index
        self.words = words
        self.place = np.full(index.size, -1, np.int64)
        self.place[words] = np.arange(len(words))
        self._unigram_log10 = np.array(index.levels[0].log10_prob[words], np.float32)

    def log10_probs(self, history: Sequence[str]) -> np.ndarray:
        """log10 P(word | history) of every allowed word; float32, shape (allowed,). Equal to the full distribution at those words."""
        index = self.index
        values = self._unigram_log10.copy()
        for n, row in enumerate(index.context_rows(index.ids(history[-(index.order - 1) :])), start=1):
            values += index.levels[n - 1].log10_backoff[row]
            words, log10_prob = index.continuations(n, row)
            place = self.place[words]
            allowed = place >= 0
            values[place[allowed]] = log10_prob[allowed]
        return values


def sample_alternates(log10_probs: np.ndarray, *, k: int, rng: np.random.Generator) -> np.ndarray:
    """Sample k distinct words in proportion to their probabilities.

    Adding independent Gumbel noise to log-probabilities and taking the k largest *is* sampling without replacement (Vieira 2014; Kool et
    al. 2019), and needs no normalizing over the allowed words. The noise is the negative log of an exponential.

    Args:
        log10_probs: float32, shape (n,): log10 probability of each word; -inf excludes a word.
        k: how many; fewer come back only when fewer words have a probability.
    Returns:
        int64, shape (k,): positions in `log10_probs`, the most probable word first, ties by position.

    >>> picked = sample_alternates(np.log10([0.5, 0.3, 0.2]), k=2, rng=np.random.default_rng(1))
    >>> len(set(picked.tolist()))
    2
    """
    noise = rng.standard_exponential(len(log10_probs)).astype(np.float32)  # drawn as float64: a float32 draw can be 0, a certain win
    keys = log10_probs * _LN10 - np.log(noise)
    k = min(k, int(np.isfinite(log10_probs).sum()))
    picked = np.sort(np.argpartition(-keys, k - 1)[:k]) if k else np.zeros(0, np.int64)
    return picked[np.argsort(-log10_probs[picked], kind="stable")]
