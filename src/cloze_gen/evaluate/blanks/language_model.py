"""What an n-gram model with a cache gains when it has read the context: log P(candidate | context) - log P(candidate).

Source: none of its own. Kong et al. 2020, 4.3, take the candidate that makes the passage likeliest by a large model. An n-gram model of
single sentences sees nothing beyond the sentence, so the context reaches it through a unigram cache (`lm.cache`):
P(word | context) = (1 - w) P(word | the words before it) + w C(word), C being the word's share of the context's tokens. *Read:*

- The candidate's own probability is taken off, so that common candidates do not win every blank. What is left is the gain of each token,
  ln(1 - w + w C / P): rare words that return gain much, common ones little.
- Before a blank, the context is the cache and the candidate is read; after it, the candidate is the cache and the context is read.
- It is the mean over the tokens read: a sum would favour short sentences, most of whose tokens lose ln(1 - w). Marks are tokens too.
- A word outside the vocabulary has the probability of its class, shared evenly among the training text's words outside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from cloze_gen.evaluate.blanks.asked import AskedBlanks, Direction
from cloze_gen.evaluate.blanks.sides import nothing_as_nan, sentences_beside
from cloze_gen.evaluate.blanks.terms import count_terms
from cloze_gen.evaluate.passages.models import CACHE_WEIGHT
from cloze_gen.lm.forward_index import ForwardIndex, windows


class LanguageModelScorer:
    """Gain of a cache, a token, in nats.

    Args:
        index: a model of words in small letters over a closed vocabulary.
        unknown: its word for all others; where its text was too small to have any, it has that of `<unk>`.
        unknown_types: how many different words of its text these are, at least 1.
        weight: of the cache, from 0 to 1 exclusive.
    """

    def __init__(self, index: ForwardIndex, *, unknown: str, unknown_types: int, weight: float = CACHE_WEIGHT) -> None:
        self._index, self._unknown, self._weight = index, index.ids([unknown])[0], weight
        self._unknown_log10_share = np.log10(max(1, unknown_types))

    def scores(self, asked: AskedBlanks) -> Mapping[Direction, NDArray[np.float64]]:
        """As `asked.BlankScorer.scores`."""
        sentences = [[token.casefold() for token in tokens] for tokens in (*asked.sentences, *asked.candidates)]
        terms, counts = count_terms(sentences)
        place = {term: i for i, term in enumerate(terms)}
        codes = np.array([place[token] for sentence in sentences for token in sentence], np.int64)
        owners = np.repeat(np.arange(len(sentences)), [len(sentence) for sentence in sentences])
        probs = self.probs(sentences)
        n = len(asked.sentences)
        of_candidate = owners >= n
        candidates = _one_hot(owners[of_candidate] - n, len(asked.candidates))
        read_after = self._gains(counts[n:], codes[~of_candidate], probs[~of_candidate]) @ _one_hot(owners[~of_candidate], n)
        lengths = counts.sum(axis=1)
        found = {}
        for direction, beside in sentences_beside(asked.passage).items():
            if direction in (Direction.P, Direction.AP):
                summed = self._gains(beside @ counts[:n], codes[of_candidate], probs[of_candidate]) @ candidates
                means = summed / np.maximum(lengths[n:], 1)
            else:
                means = (beside @ read_after.T) / np.maximum(beside @ lengths[:n], 1)[:, None]
            found[direction] = nothing_as_nan(means, beside)
        return found

    def probs(self, sentences: Sequence[Sequence[str]]) -> NDArray[np.float64]:
        """P of each token after those before it in its sentence: float64, shape (tokens of all sentences,)."""
        ids = [[self._index.id_of.get(token, self._unknown) for token in sentence] for sentence in sentences]
        asked = [windows([self._index.start, *row], self._index.order) for row in ids if row]
        if not asked:
            return np.zeros(0)
        words = np.concatenate([word for _, word in asked])
        log10_probs = self._index.log10_probs(np.concatenate([history for history, _ in asked]), words).astype(np.float64)
        return 10.0 ** np.where(words == self._unknown, log10_probs - self._unknown_log10_share, log10_probs)

    def _gains(self, caches: NDArray[np.float64], codes: NDArray[np.int64], probs: NDArray[np.float64]) -> NDArray[np.float64]:
        """What each token read gains by each cache, whose token counts are given: shape (caches, tokens read), in nats."""
        shares = caches / np.maximum(caches.sum(axis=1, keepdims=True), 1)
        return np.log1p(self._weight * (shares[:, codes] / probs - 1))


def _one_hot(owners: NDArray[np.int64], size: int) -> NDArray[np.float64]:
    """Which token belongs to which sentence: shape (tokens, sentences)."""
    return (owners[:, None] == np.arange(size)).astype(np.float64)
