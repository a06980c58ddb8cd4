"""Coherence of a sentence with the context of a blank (`models.sentence_cues`); ours."""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

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
    rarity_of,
    sentence_rows,
)
from cloze_gen.rng import derive_rng
from cloze_gen.store.artifacts import Artifact, ArtifactWriter
from cloze_gen.store.tables import memory_mapped, read_tsv, write_tsv
from cloze_gen.word_tokens import is_word

WORDS, BEFORE, AFTER, STEMS = "words.txt", "before.npy", "behind.npy", "stems.tsv"
_VOCABULARY = 20_000  # most frequent words, in lower case
_MAX_PAIRS = 400_000  # of adjacent sentences
_MAX_DIMENSIONS = 100  # of the word vectors
_PAIRS_A_DIMENSION = 80  # few pairs support few dimensions: 1,600 pairs of the sample support 20


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


def write_coherence(
    writer: ArtifactWriter,
    ctx: StageContext,
    *,
    text: Artifact,
    counts: Artifact,
    seed: int,
) -> None:
    """Train on pairs of adjacent sentences of the training novels, and count stems."""
    table = read_counts(counts)
    numbers, words = _vocabulary(table)
    before, after = _pairs(memory_mapped(text.path(TOKENS)), numbers)
    if not before:
        raise CorpusError(
            "coherence: the training novels have no adjacent sentences with known words. Add "
            "novels."
        )
    vectors_before, vectors_after, _ = fit_adjacent_sentences(
        sentence_rows(before, len(words)),
        sentence_rows(after, len(words)),
        min(_MAX_DIMENSIONS, max(1, len(before) // _PAIRS_A_DIMENSION)),
        derive_rng(seed, "scde.coherence"),
    )
    np.save(writer.path(BEFORE), vectors_before)
    np.save(writer.path(AFTER), vectors_after)
    writer.path(WORDS).write_text("".join(f"{word}\n" for word in words), encoding="utf-8")
    stems = _stem_counts(table)
    writer.rows |= {
        WORDS: len(words),
        STEMS: write_tsv(writer.path(STEMS), ("stem", "count"), stems.items()),
    }
    writer.facts |= {"sentences": int(text.facts["sentences"]), "pairs": len(before)}
    writer.note_libraries("numpy", "scipy")
    ctx.say(f"trained on {len(before):,} pairs of adjacent sentences, {len(words):,} words")


@functools.lru_cache(maxsize=1)
def open_coherence(coherence: Artifact) -> AdjacentSentences:
    words = coherence.path(WORDS).read_text(encoding="utf-8").split("\n")[:-1]
    return AdjacentSentences(
        {word: i for i, word in enumerate(words)},
        memory_mapped(coherence.path(BEFORE)),
        memory_mapped(coherence.path(AFTER)),
    )


@functools.lru_cache(maxsize=1)
def stem_rarity(coherence: Artifact) -> Callable[[str], float]:
    """Rarity of a stem in the training novels (`rarity_of`)."""
    counts = {row["stem"]: int(row["count"]) for row in read_tsv(coherence.path(STEMS))}
    return rarity_of(counts, int(coherence.facts["sentences"]))


def _vocabulary(table: CountTable) -> tuple[np.ndarray, list[str]]:
    """int64, shape (types + 1,): index of each type, or -1; and the words of the vocabulary."""
    counts: Counter[str] = Counter()
    for word, count in zip(table.words, table.count.tolist(), strict=True):
        if is_word(word):
            counts[word.casefold()] += count
    words = sorted(counts, key=lambda word: (-counts[word], word))[:_VOCABULARY]
    number = {word: i for i, word in enumerate(words)}
    numbers = [-1, *(number.get(word.casefold(), -1) for word in table.words)]
    return np.array(numbers, np.int64), words


def _pairs(tokens: np.ndarray, numbers: np.ndarray) -> tuple[list[list[int]], list[list[int]]]:
    """Known words of the first and of the second sentence of evenly spaced adjacent pairs."""
    ends = np.flatnonzero(np.asarray(tokens) == 0)
    starts = np.concatenate(([0], ends[:-1] + 1))
    before: list[list[int]] = []
    after: list[list[int]] = []
    for first in range(0, len(ends) - 1, max(1, math.ceil((len(ends) - 1) / _MAX_PAIRS))):
        known = [
            [number for number in numbers[tokens[starts[i] : ends[i]]].tolist() if number >= 0]
            for i in (first, first + 1)
        ]
        if all(known):
            before.append(known[0])
            after.append(known[1])
    return before, after


def _stem_counts(table: CountTable) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for word, count in zip(table.words, table.count.tolist(), strict=True):
        if is_word(word):
            counts[stem(word.casefold())] += count
    return {key: counts[key] for key in sorted(counts, key=lambda key: (-counts[key], key))}
