"""Alternates: distinct rare words sampled from the model's next-word distribution (MSR 2.2 step 2).

We read "150 unique alternates" as a sample without replacement from P(w | two preceding tokens).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from pydantic import Field

from cloze_gen.corpus.option_words import OptionLimits
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.models.ngram_index import ForwardIndex
from cloze_gen.recipes.msr.focus import option_words
from cloze_gen.recipes.msr.tables import (
    HISTORY,
    HISTORY_SCORE,
    ITEM_ID,
    N_IMPOSTORS,
    WORD,
    Part,
    map_parts,
    model_index,
    read_focus,
    write_part,
)
from cloze_gen.rng import derive_rng
from cloze_gen.settings import MOST_EACH, SettingsGroup
from cloze_gen.store.artifacts import Artifact, ArtifactWriter
from cloze_gen.store.schema import Table

_LN10 = math.log(10.0)
_REMEMBERED_CONTEXTS = 2048  # "the" and "of the" precede thousands of focus words
# draws with replacement per alternate; enough for 96 % of the Holmes books' focus words
_DRAWS_A_WORD = 3


class AlternatesSettings(SettingsGroup):
    count: int = Field(
        150,
        ge=N_IMPOSTORS,
        le=MOST_EACH,
        description="different alternates of a focus word; MSR 2.2, step 2",
    )


ALTERNATES = Table(
    "alternates/part-*.parquet",
    "One row an alternate, the most probable first. A part holds up to 2,048 focus words of one model.",
    ITEM_ID,
    WORD,
    HISTORY,
    example='{"id": "the-lost-luggage-of-penny-cross:70:2", "word": "examined", '
    '"history_log10_prob": -2.740351676940918}',
)


class Listed:
    """The allowed words that the model lists after one context, at least one.

    Attributes:
        places: indices of allowed words, ascending; shape (n,).
        cumulative: of the probabilities; shape (n,).
    """

    def __init__(self, places: np.ndarray, log10_prob: np.ndarray) -> None:
        self.places = places
        self.log10_prob = log10_prob
        self.cumulative = np.cumsum(np.exp(log10_prob.astype(np.float64) * _LN10))

    def contains(self, places: np.ndarray) -> np.ndarray:
        return self.places[self.places[:-1].searchsorted(places)] == places


@dataclass(frozen=True, slots=True)
class Distribution:
    """P(w | history) as a backoff model.

    `levels`: the words listed after no word, after the last, and after the last two, where there
    are any, each with the log10 of the backoffs to it.
    """

    levels: Sequence[tuple[Listed, np.float32]]

    def log10_probs(self) -> np.ndarray:
        values = np.empty(len(self.levels[0][0].places), np.float32)
        for listed, backoff in self.levels:
            values[listed.places] = listed.log10_prob + backoff
        return values

    def draw(
        self, n: int, rng: np.random.Generator, *, excluded: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Draw n words with replacement, without computing all probabilities.

        Returns places and log10 probabilities of the distinct words but `excluded`, in the order of
        their first draws.
        """
        scales = [10.0 ** float(backoff) for _, backoff in self.levels]
        masses = [
            listed.cumulative[-1] * scale
            for (listed, _), scale in zip(self.levels, scales, strict=True)
        ]
        edges = np.cumsum([0.0, *masses])
        marks = rng.random(n) * edges[-1]
        level_of = edges[1:-1].searchsorted(marks, "right")
        places = np.empty(n, np.int32)
        log10_probs = np.empty(n, np.float32)
        is_final = np.ones(n, bool)  # no higher level lists the word
        for i, (listed, backoff) in enumerate(self.levels):
            drawn = level_of == i
            at = listed.cumulative[:-1].searchsorted((marks[drawn] - edges[i]) / scales[i], "right")
            places[drawn] = listed.places[at]
            log10_probs[drawn] = listed.log10_prob[at] + backoff
            if i + 1 < len(self.levels):
                is_final[drawn] = ~self.levels[i + 1][0].contains(places[drawn])
        kept = np.flatnonzero(is_final & (places != excluded))
        first = np.sort(np.unique(places[kept], return_index=True)[1])
        return places[kept[first]], log10_probs[kept[first]]


class AllowedWords:
    """The model restricted to the options that it knows.

    Attributes:
        words: their ids, ascending; `place`: the index in `words` of each id of the model, or -1.
    """

    def __init__(self, index: ForwardIndex, options: Iterable[str]) -> None:
        self.index = index
        self.words = np.sort([index.id_of[word] for word in options if word in index.id_of])
        self.place = np.full(index.size, -1, np.int32)
        self.place[self.words] = np.arange(len(self.words))
        self._unigrams = Listed(self.place[self.words], index.levels[0].log10_prob[self.words])
        self._after = functools.lru_cache(maxsize=_REMEMBERED_CONTEXTS)(self._list)

    def distribution(self, history: Sequence[str]) -> Distribution:
        levels = [(self._unigrams, np.float32(0))]
        for n, row in enumerate(self.index.context_rows(self.index.ids(history)), start=1):
            added = self.index.levels[n - 1].log10_backoff[row]
            levels = [(listed, backoff + added) for listed, backoff in levels]
            longer = self._after(n, row)
            if longer is not None:
                levels.append((longer, np.float32(0)))
        return Distribution(levels)

    def _list(self, n: int, row: int) -> Listed | None:
        words, log10_prob = self.index.continuations(n, row)
        places = self.place[words]
        allowed = places >= 0
        return Listed(places[allowed], log10_prob[allowed]) if allowed.any() else None


def sample_alternates(
    distribution: Distribution, *, k: int, rng: np.random.Generator, excluded: int
) -> tuple[np.ndarray, np.ndarray]:
    """At most k distinct words without replacement; places and log10 probabilities, descending.

    Draws with replacement are such a sample once repeats are removed.
    """
    places, log10_probs = distribution.draw(_DRAWS_A_WORD * k, rng, excluded=excluded)
    places, log10_probs = places[:k], log10_probs[:k]
    if len(places) < k:
        left = distribution.log10_probs()
        left[places] = -np.inf
        left[excluded] = -np.inf
        more = gumbel_top(left, k=k - len(places), rng=rng)
        places = np.concatenate([places, more])
        log10_probs = np.concatenate([log10_probs, left[more]])
    order = np.lexsort((places, -log10_probs))
    return places[order], log10_probs[order]


def gumbel_top(log10_probs: np.ndarray, *, k: int, rng: np.random.Generator) -> np.ndarray:
    """Sample k distinct words from log10 probabilities, shape (n,); ascending int64 indices.

    Gumbel top-k is sampling without replacement (Vieira 2014; Kool et al. 2019); -inf excludes.

    >>> picked = gumbel_top(np.log10([0.5, 0.3, 0.2]), k=2, rng=np.random.default_rng(1))
    >>> len(set(picked.tolist()))
    2
    """
    # float64, because a float32 draw can be exactly 0 and would then always win
    noise = rng.standard_exponential(len(log10_probs)).astype(np.float32)
    keys = log10_probs * np.float32(_LN10) - np.log(noise)
    k = min(k, int(np.isfinite(log10_probs).sum()))
    return np.sort(np.argpartition(-keys, k - 1)[:k])


@functools.lru_cache(maxsize=1)
def _allowed(index: Artifact, model: int, counts: Artifact, limits: OptionLimits) -> AllowedWords:
    return AllowedWords(model_index(index, model), option_words(counts, limits))


def sample_part(
    part: Part,
    *,
    focus: Artifact,
    index: Artifact,
    counts: Artifact,
    limits: OptionLimits,
    count: int,
    seed: int,
) -> pa.Table:
    """Rows of `ALTERNATES` of one part."""
    allowed = _allowed(index, part.model, counts, limits)
    model = allowed.index
    words = read_focus(focus, part)
    samples = [
        sample_alternates(
            allowed.distribution([row["history1"], row["history2"]]),
            k=count,
            rng=derive_rng(seed, "msr.alternates", row["id"]),
            # -1 if the model does not know the word; `forward` rejects it then
            excluded=int(allowed.place[model.ids([row["word"]])[0]]),
        )
        for row in words.to_pylist()
    ]
    item = np.repeat(np.arange(len(words)), [len(places) for places, _ in samples])
    word = allowed.words[np.concatenate([places for places, _ in samples])]
    return ALTERNATES.arrow(
        {
            "id": words["id"].take(pa.array(item)),
            "word": model.vocabulary.take(pa.array(word)),
            HISTORY_SCORE: np.concatenate([log10_probs for _, log10_probs in samples]),
        }
    )


def write_alternates(
    writer: ArtifactWriter,
    ctx: StageContext,
    *,
    focus: Artifact,
    index: Artifact,
    counts: Artifact,
    limits: OptionLimits,
    settings: AlternatesSettings,
    seed: int,
) -> None:
    """Write the alternates of every focus word; they are words within the limits of answers."""
    results = map_parts(
        ctx,
        sample_part,
        focus=focus,
        index=index,
        counts=counts,
        limits=limits,
        count=settings.count,
        seed=seed,
    )
    for part, rows in results:
        write_part(writer, ALTERNATES, part, rows)
    ctx.say(
        f"{sum(writer.rows.values()):,} alternates sampled for {focus.funnel['kept']:,} focus words"
    )
