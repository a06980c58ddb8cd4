"""Coherence of a sentence with the context of a blank (`models.sentence_cues`); ours."""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np
import scipy
from numpy.typing import NDArray
from pydantic import Field

from cloze_gen.corpus.counts import CountTable
from cloze_gen.corpus.frequencies import read_counts
from cloze_gen.corpus.training_text import TOKENS
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.english.content_words import stem
from cloze_gen.errors import CorpusError
from cloze_gen.models.sentence_cues import (
    AdjacentSentences,
    fit_adjacent_sentences,
    neighbours,
    sentence_rows,
)
from cloze_gen.rng import derive_rng
from cloze_gen.settings import MOST_COUNTED, SettingsGroup
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, open_artifact
from cloze_gen.store.tables import memory_mapped, read_tsv, write_tsv
from cloze_gen.word_tokens import is_word


class CoherenceSettings(SettingsGroup):
    vocabulary: int = Field(
        20_000,
        ge=10,
        le=1_000_000,
        description="most frequent words, in lower case",
    )
    dimensions: int = Field(
        100,
        ge=1,
        le=2000,
        description="dimensions of the word vectors",
    )
    max_pairs: int = Field(
        400_000,
        ge=1,
        le=MOST_COUNTED,
        description="most training pairs of adjacent sentences",
    )


def coherence(
    after: NDArray[np.float64], before: NDArray[np.float64], blanks: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Shape (draws, blanks, candidates), -1 to 1: mean coherence with a blank's neighbours.

    `after` and `before`, (sentences, candidates): scores of a candidate after and before a sentence.

    >>> after, before = np.array([[0.2], [0.0], [0.0]]), np.array([[0.0], [0.0], [0.6]])
    >>> coherence(after, before, np.array([[1], [0]]))[:, :, 0].round(2).tolist()
    [[0.4], [0.0]]
    """
    last, following = (side[:, :, 0] for side in neighbours(blanks, len(after), 1))
    sides = (last >= 0).astype(np.int64) + (following >= 0)
    total = np.where((last >= 0)[:, :, None], after[last], 0.0) + np.where(
        (following >= 0)[:, :, None], before[following], 0.0
    )
    return np.asarray(total / np.maximum(sides, 1)[:, :, None])


WORDS, BEFORE, AFTER, STEMS = "words.txt", "before.npy", "behind.npy", "stems.tsv"
_MIN_STEM_COUNT = 2  # a stem that occurs once is treated as unseen


def write_coherence(
    writer: ArtifactWriter,
    ctx: StageContext,
    *,
    text: Artifact,
    counts: Artifact,
    settings: CoherenceSettings,
    seed: int,
) -> None:
    """Train on pairs of adjacent sentences of the training novels, and count stems."""
    table = read_counts(counts)
    numbers, words = _vocabulary(table, settings.vocabulary)
    before, after = _pairs(memory_mapped(text.path(TOKENS)), numbers, settings.max_pairs)
    if not before:
        raise CorpusError(
            "coherence: the training novels have no adjacent sentences with known words. Add "
            "novels."
        )
    rows_before, rows_after = (sentence_rows(side, len(words)) for side in (before, after))
    rng = derive_rng(seed, "scde.coherence")
    vectors = fit_adjacent_sentences(rows_before, rows_after, settings.dimensions, rng)
    np.save(writer.path(BEFORE), vectors[0])
    np.save(writer.path(AFTER), vectors[1])
    writer.path(WORDS).write_text("".join(f"{word}\n" for word in words), encoding="utf-8")
    stems = _stem_counts(table)
    writer.rows[STEMS] = write_tsv(writer.path(STEMS), ("stem", "count"), stems.items())
    writer.rows |= {WORDS: len(words), BEFORE: len(words), AFTER: len(words)}
    strengths = [round(float(one), 3) for one in vectors[2][:3]]
    writer.facts |= {
        "sentences": int(text.facts["sentences"]),
        "pairs": len(before),
        "first_strengths": strengths,
    }
    writer.versions |= {"numpy": np.__version__, "scipy": scipy.__version__}
    ctx.say(f"trained on {len(before):,} pairs of adjacent sentences, {len(words):,} words")


@functools.lru_cache(maxsize=1)
def open_coherence(folder: Path) -> AdjacentSentences:
    artifact = open_artifact(folder)
    words = artifact.path(WORDS).read_text(encoding="utf-8").split("\n")[:-1]
    return AdjacentSentences(
        {word: i for i, word in enumerate(words)},
        memory_mapped(artifact.path(BEFORE)),
        memory_mapped(artifact.path(AFTER)),
    )


@functools.lru_cache(maxsize=1)
def read_stems(folder: Path) -> tuple[dict[str, int], int]:
    artifact = open_artifact(folder)
    return {row["stem"]: int(row["count"]) for row in read_tsv(artifact.path(STEMS))}, int(
        artifact.facts["sentences"]
    )


def _vocabulary(table: CountTable, most: int) -> tuple[np.ndarray, list[str]]:
    """int64, shape (types + 1,): index of each type, or -1; and the words of the vocabulary."""
    counts: dict[str, int] = {}
    for word, count in zip(table.words, table.count.tolist(), strict=True):
        if is_word(word):
            folded = word.casefold()
            counts[folded] = counts.get(folded, 0) + count
    words = sorted(counts, key=lambda word: (-counts[word], word))[:most]
    number = {word: i for i, word in enumerate(words)}
    return np.array(
        [-1, *(number.get(word.casefold(), -1) for word in table.words)], np.int64
    ), words


def _pairs(
    tokens: np.ndarray, numbers: np.ndarray, most: int
) -> tuple[list[list[int]], list[list[int]]]:
    """Known words of at most `most` evenly spaced pairs of adjacent sentences."""
    ends = np.flatnonzero(np.asarray(tokens) == 0)
    starts = np.concatenate(([0], ends[:-1] + 1))
    step = max(1, -(-(len(ends) - 1) // most))
    first = range(0, len(ends) - 1, step)
    known = [
        [
            [n for n in numbers[tokens[starts[i] : ends[i]]].tolist() if n >= 0]
            for i in (pair, pair + 1)
        ]
        for pair in first
    ]
    kept = [pair for pair in known if pair[0] and pair[1]]
    return [pair[0] for pair in kept], [pair[1] for pair in kept]


def _stem_counts(table: CountTable) -> dict[str, int]:
    counts: dict[str, int] = {}
    for word, count in zip(table.words, table.count.tolist(), strict=True):
        if is_word(word):
            key = stem(word.casefold())
            counts[key] = counts.get(key, 0) + count
    return {
        key: counts[key]
        for key in sorted(counts, key=lambda key: (-counts[key], key))
        if counts[key] >= _MIN_STEM_COUNT
    }
