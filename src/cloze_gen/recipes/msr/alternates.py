"""Alternates: distinct rare words sampled from the model's next-word distribution (MSR 2.2 step 2).

We read "150 unique alternates" as a sample without replacement from P(w | two preceding tokens).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from pydantic import Field

from cloze_gen.corpus.frequencies import read_counts
from cloze_gen.corpus.option_words import OptionLimits, option_mask
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.models.ngram_index import ForwardIndex
from cloze_gen.recipes.msr.tables import (
    HISTORY,
    HISTORY_SCORE,
    ITEM_ID,
    WORD,
    Part,
    count_focus_words,
    focus_parts,
    model_index,
    note_parts,
    read_focus,
)
from cloze_gen.rng import derive_rng
from cloze_gen.settings import MOST_EACH, SettingsGroup
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, open_artifact
from cloze_gen.store.schema import Table

_LN10 = math.log(10.0)
_REMEMBERED_CONTEXTS = 2048  # "the" and "of the" precede thousands of focus words
# draws with replacement per alternate; enough for 96 % of the Holmes books' focus words
_DRAWS_A_WORD = 3


class AlternatesSettings(SettingsGroup):
    count: int = Field(
        150, ge=4, le=MOST_EACH, description="different alternates of a focus word; MSR 2.2, step 2"
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


@dataclass(frozen=True, slots=True)
class Listed:
    """The allowed words that the model lists after one context.

    Attributes:
        places: indices of allowed words, ascending; shape (n,).
        upper: cumulative probabilities, shape (n - 1,); `mass`: their sum.
    """

    places: np.ndarray
    log10_prob: np.ndarray
    upper: np.ndarray
    mass: float

    @classmethod
    def of(cls, places: np.ndarray, log10_prob: np.ndarray) -> Listed:
        cumulative = np.cumsum(np.exp(log10_prob.astype(np.float64) * _LN10))
        return cls(
            places, log10_prob, cumulative[:-1], float(cumulative[-1]) if len(places) else 0.0
        )

    def contains(self, places: np.ndarray) -> np.ndarray:
        return self.places[self.places[:-1].searchsorted(places)] == places


@dataclass(frozen=True, slots=True)
class Distribution:
    """P(w | history) as a backoff model; `levels`: after no word, the last, the last two."""

    levels: Sequence[Listed]
    log10_backoffs: Sequence[np.float32]

    def log10_probs(self) -> np.ndarray:
        values = self.levels[0].log10_prob + self.log10_backoffs[0]
        for level, backoff in zip(self.levels[1:], self.log10_backoffs[1:], strict=True):
            values[level.places] = level.log10_prob + backoff
        return values

    def draw(
        self, n: int, rng: np.random.Generator, *, excluded: int = -1
    ) -> tuple[np.ndarray, np.ndarray]:
        """Draw n words with replacement, without computing all probabilities.

        Returns places and log10 probabilities of the distinct words, in the order of their first draws.
        """
        scales = [10.0 ** float(backoff) for backoff in self.log10_backoffs]
        masses = [level.mass * scale for level, scale in zip(self.levels, scales, strict=True)]
        edges = np.cumsum([0.0, *masses])
        marks = rng.random(n) * edges[-1]
        level_of = edges[1:-1].searchsorted(marks, "right")
        places = np.empty(n, np.int32)
        log10_probs = np.empty(n, np.float32)
        is_final = np.ones(n, bool)  # no higher level lists the word
        for i, level in enumerate(self.levels):
            drawn = level_of == i
            at = level.upper.searchsorted((marks[drawn] - edges[i]) / scales[i], "right")
            places[drawn] = level.places[at]
            log10_probs[drawn] = level.log10_prob[at] + self.log10_backoffs[i]
            if i + 1 < len(self.levels):
                is_final[drawn] = ~self.levels[i + 1].contains(places[drawn])
        kept = np.flatnonzero(is_final & (places != excluded))
        first = np.sort(np.unique(places[kept], return_index=True)[1])
        return places[kept[first]], log10_probs[kept[first]]


class AllowedWords:
    """The model restricted to the words that may be alternates, ids ascending, at least one."""

    def __init__(self, index: ForwardIndex, words: np.ndarray) -> None:
        if len(words) == 0:
            raise ValueError("no word is allowed")
        self.index = index
        self.words = words
        self.place = np.full(index.size, -1, np.int32)
        self.place[words] = np.arange(len(words), dtype=np.int32)
        self._unigrams = Listed.of(
            np.arange(len(words), dtype=np.int32), index.levels[0].log10_prob[words]
        )
        self._after = functools.lru_cache(maxsize=_REMEMBERED_CONTEXTS)(self._list)

    def distribution(self, history: Sequence[str]) -> Distribution:
        levels, backoffs = [self._unigrams], [np.float32(0)]
        for n, row in enumerate(
            self.index.context_rows(self.index.ids(history[-(self.index.order - 1) :])), start=1
        ):
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


def sample_alternates(
    distribution: Distribution, *, k: int, rng: np.random.Generator, excluded: int = -1
) -> tuple[np.ndarray, np.ndarray]:
    """At most k distinct words without replacement; places and log10 probabilities, descending.

    Draws with replacement are such a sample once repeats are removed.
    """
    places, log10_probs = distribution.draw(_DRAWS_A_WORD * k, rng, excluded=excluded)
    places, log10_probs = places[:k], log10_probs[:k]
    if len(places) < k:
        left = distribution.log10_probs()
        left[places] = -np.inf
        if excluded >= 0:
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
    return np.sort(np.argpartition(-keys, k - 1)[:k]) if k else np.zeros(0, np.int64)


@functools.lru_cache(maxsize=1)
def _allowed(index: Path, model: int, counts: Path, limits: OptionLimits) -> AllowedWords:
    opened = model_index(index, model)
    table = read_counts(open_artifact(counts))
    words = (table.words[i] for i in np.flatnonzero(option_mask(table, limits)))
    known = sorted(opened.id_of[word] for word in words if word in opened.id_of)
    return AllowedWords(opened, np.array(known, np.int64))


def sample_part(
    part: Part,
    *,
    focus: Path,
    index: Path,
    counts: Path,
    out: Path,
    limits: OptionLimits,
    count: int,
    seed: int,
) -> int:
    """Write the alternates of one part. Returns their number."""
    allowed = _allowed(index, part.model, counts, limits)
    model = allowed.index
    words = read_focus(focus, part)
    places, scores = [], []
    for row in words.to_pylist():
        picked, log10_probs = sample_alternates(
            allowed.distribution([row["history1"], row["history2"]]),
            k=count,
            rng=derive_rng(seed, "msr.alternates", row["id"]),
            excluded=int(allowed.place[model.id_of[row["word"]]]),
        )
        places.append(picked)
        scores.append(log10_probs)
    item = np.repeat(np.arange(len(words)), [len(picked) for picked in places])
    table = {
        "id": words["id"].take(pa.array(item)),
        "word": model.vocabulary.take(pa.array(allowed.words[np.concatenate(places)])),
        HISTORY_SCORE: np.concatenate(scores),
    }
    return ALTERNATES.write(out / part.file, table)


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
    parts = focus_parts(focus, index)
    sample = functools.partial(
        sample_part,
        focus=focus.folder,
        index=index.folder,
        counts=counts.folder,
        out=writer.path(ALTERNATES.name).parent,
        limits=limits,
        count=settings.count,
        seed=seed,
    )
    rows = list(ctx.map(sample, parts, unit="parts"))
    note_parts(writer, ALTERNATES.folder, parts, rows)
    writer.versions |= {"numpy": np.__version__, "pyarrow": pa.__version__}
    ctx.say(f"{sum(rows):,} alternates sampled for {count_focus_words(focus):,} focus words")
