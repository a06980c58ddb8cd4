"""Alternates: distinct rare words sampled from the model's next-word distribution (MSR 2.2 step 2).

"Use the two-word history immediately preceding the selected focus word to predict alternates. We sampled 150 unique alternates": read as
sampling without replacement from P(w | two preceding tokens) restricted to the allowed words.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from pydantic import Field

from cloze_gen.lm.forward_index import ForwardIndex
from cloze_gen.settings import MOST_EACH, SettingsGroup

_LN10 = math.log(10.0)
_REMEMBERED_CONTEXTS = 2048  # "the" and "of the" stand before thousands of focus words
_DRAWS_A_WORD = 3  # with replacement, for each word wanted: of the Holmes books' focus words, 96 in a hundred need no more


class AlternatesSettings(SettingsGroup):
    """Settings of the sampling."""

    count: int = Field(150, ge=4, le=MOST_EACH, description="distinct alternates a focus word; MSR 2.2 step 2")


@dataclass(frozen=True, slots=True)
class Listed:
    """The allowed words that the model lists after one context.

    Attributes:
        places: int32, shape (n,), ascending: positions among the allowed words.
        log10_prob: float32, shape (n,).
        upper: float64, shape (n - 1,): where, the words laid end to end, each word's share of the mass ends and the next one's begins.
        mass: sum of the probabilities.
    """

    places: np.ndarray
    log10_prob: np.ndarray
    upper: np.ndarray
    mass: float

    @classmethod
    def of(cls, places: np.ndarray, log10_prob: np.ndarray) -> Listed:
        cumulative = np.cumsum(np.exp(log10_prob.astype(np.float64) * _LN10))
        return cls(places, log10_prob, cumulative[:-1], float(cumulative[-1]) if len(places) else 0.0)

    def contains(self, places: np.ndarray) -> np.ndarray:
        """Which of the places are listed here; bool, shape of the places."""
        return self.places[self.places[:-1].searchsorted(places)] == places


@dataclass(frozen=True, slots=True)
class Distribution:
    """P(w | history) over the allowed words as a backoff model keeps it: a word stands at the highest level that lists it.

    Attributes:
        levels: what the model lists after no word (all allowed words), after the last word, after the last two; as far as it lists any.
            What a level lists, the one below lists too.
        log10_backoffs: float32 a level: what its words pay for not being listed higher.
    """

    levels: Sequence[Listed]
    log10_backoffs: Sequence[np.float32]

    def log10_probs(self) -> np.ndarray:
        """Of every allowed word; float32, shape (allowed,)."""
        values = self.levels[0].log10_prob + self.log10_backoffs[0]
        for level, backoff in zip(self.levels[1:], self.log10_backoffs[1:], strict=True):
            values[level.places] = level.log10_prob + backoff
        return values

    def draw(self, n: int, rng: np.random.Generator, *, excluded: int = -1) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Draw n words with replacement, looking at the words drawn alone.

        A level is drawn by its whole mass, then a word of it by its probability there. A word that the next level lists is struck out: it
        stands higher, and what is left is proportional to the distribution. The draws are looked up in ascending order, which keeps each
        level's together and the repeats of a word side by side.

        Returns:
            The distinct words, shape (m,), m <= n: int32 places, float32 log10 probabilities, and the turn that drew each first (0 is the
            first of all).
        """
        scales = [10.0 ** float(backoff) for backoff in self.log10_backoffs]
        edges = list(itertools.accumulate((level.mass * scale for level, scale in zip(self.levels, scales, strict=True)), initial=0.0))
        marks = rng.random(n) * edges[-1]
        turns = marks.argsort()
        marks = marks[turns]
        bounds = [0, *marks.searchsorted(edges[1:-1]).tolist(), n]
        places, log10_probs, stands = np.empty(n, np.int32), np.empty(n, np.float32), np.ones(n, bool)
        for i, level in enumerate(self.levels):
            drawn = slice(bounds[i], bounds[i + 1])
            at = level.upper.searchsorted((marks[drawn] - edges[i]) / scales[i], "right")
            places[drawn] = level.places[at]
            log10_probs[drawn] = level.log10_prob[at] + self.log10_backoffs[i]
            if i + 1 < len(self.levels):
                stands[drawn] = ~self.levels[i + 1].contains(places[drawn])
        stands &= places != excluded
        places, log10_probs, turns = places[stands], log10_probs[stands], turns[stands]
        if len(places) == 0:
            return places, log10_probs, turns
        first = np.concatenate([[0], np.flatnonzero(places[1:] != places[:-1]) + 1])
        return places[first], log10_probs[first], np.minimum.reduceat(turns, first)


class AllowedWords:
    """The model restricted to the words that may be alternates, so that a draw looks at them alone.

    Args:
        index: the model.
        words: ids of the allowed words, ascending; at least one.
    """

    def __init__(self, index: ForwardIndex, words: np.ndarray) -> None:
        if len(words) == 0:
            raise ValueError("no word is allowed")
        self.index = index
        self.words = words
        self.place = np.full(index.size, -1, np.int32)
        self.place[words] = np.arange(len(words), dtype=np.int32)
        self._unigrams = Listed.of(np.arange(len(words), dtype=np.int32), index.levels[0].log10_prob[words])
        self._after = functools.lru_cache(maxsize=_REMEMBERED_CONTEXTS)(self._list)

    def distribution(self, history: Sequence[str]) -> Distribution:
        """P(word | history) of every allowed word."""
        levels, backoffs = [self._unigrams], [np.float32(0)]
        for n, row in enumerate(self.index.context_rows(self.index.ids(history[-(self.index.order - 1) :])), start=1):
            backoff = self.index.levels[n - 1].log10_backoff[row]
            backoffs = [lower + backoff for lower in backoffs]
            listed = self._after(n, row)
            if len(listed.places):
                levels.append(listed)
                backoffs.append(np.float32(0))
        return Distribution(levels, backoffs)

    def _list(self, n: int, row: int) -> Listed:
        words, log10_prob = self.index.continuations(n, row)
        places = self.place[words]
        allowed = places >= 0
        return Listed.of(places[allowed], log10_prob[allowed])


def sample_alternates(distribution: Distribution, *, k: int, rng: np.random.Generator, excluded: int = -1) -> tuple[np.ndarray, np.ndarray]:
    """Sample k distinct words in proportion to their probabilities, one after the other, each from the words that are left.

    Draws with replacement whose repeats are struck out are such a sample. Where they bring too few (a word takes most of the mass), the
    rest is drawn from all words that are left, which goes on where the draws stopped.

    Args:
        distribution: of the allowed words.
        k: how many; fewer come back only when fewer words have a probability.
        excluded: place of a word that is not to be drawn; -1 for none.
    Returns:
        int32 places and float32 log10 probabilities, shape (k,): the most probable word first, ties by place.
    """
    places, log10_probs, turns = distribution.draw(_DRAWS_A_WORD * k, rng, excluded=excluded)
    if len(places) > k:
        first = turns.argpartition(k)[:k]
        places, log10_probs = places[first], log10_probs[first]
    if len(places) < k:
        left = distribution.log10_probs()
        left[places] = -np.inf
        if excluded >= 0:
            left[excluded] = -np.inf
        more = gumbel_top(left, k=k - len(places), rng=rng)
        places, log10_probs = np.concatenate([places, more]), np.concatenate([log10_probs, left[more]])
    order = np.lexsort((places, -log10_probs))
    return places[order], log10_probs[order]


def gumbel_top(log10_probs: np.ndarray, *, k: int, rng: np.random.Generator) -> np.ndarray:
    """Sample k distinct words of a distribution that is at hand as a whole.

    Adding independent Gumbel noise to log-probabilities and taking the k largest *is* sampling without replacement (Vieira 2014; Kool et
    al. 2019), and needs no normalizing. The noise is the negative log of an exponential.

    Args:
        log10_probs: float32, shape (n,): log10 probability of each word; -inf excludes a word.
        k: how many; fewer come back only when fewer words have a probability.
    Returns:
        int64, shape (k,): places in `log10_probs`, ascending.

    >>> picked = gumbel_top(np.log10([0.5, 0.3, 0.2]), k=2, rng=np.random.default_rng(1))
    >>> len(set(picked.tolist()))
    2
    """
    noise = rng.standard_exponential(len(log10_probs)).astype(np.float32)  # drawn as float64: a float32 draw can be 0, a certain win
    keys = log10_probs * np.float32(_LN10) - np.log(noise)
    k = min(k, int(np.isfinite(log10_probs).sum()))
    return np.sort(np.argpartition(-keys, k - 1)[:k]) if k else np.zeros(0, np.int64)
