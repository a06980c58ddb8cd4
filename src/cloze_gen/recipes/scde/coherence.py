"""Coherence of a sentence with the context of a blank (`models.sentence_cues`); ours."""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa
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
from cloze_gen.store.schema import Column, Table
from cloze_gen.store.tables import memory_mapped
from cloze_gen.word_tokens import is_word

_VOCABULARY = 20_000  # most frequent words, in lower case
_MAX_PAIRS = 400_000  # of adjacent sentences
_MAX_DIMENSIONS = 100  # of the word vectors
_PAIRS_A_DIMENSION = 80  # few pairs support few dimensions: 1,600 pairs of the sample support 20

WORDS = Table(
    "words.parquet",
    "The words of the model, the most frequent first.",
    Column("word", pa.string(), "the word in small letters"),
    Column("before", pa.list_(pa.float32()), "its vector in the first of two sentences"),
    Column("after", pa.list_(pa.float32()), "its vector in the second sentence"),
)
STEMS = Table(
    "stems.parquet",
    "The stems of the training books.",
    Column("stem", pa.string(), "the stem"),
    Column("count", pa.int64(), "its tokens"),
)


def neighbour_coherence(
    after: NDArray[np.float64], before: NDArray[np.float64], blanks: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Shape (draws, blanks, candidates), -1 to 1: mean coherence with a blank's neighbours.

    `after` and `before`, (sentences, candidates): scores of a candidate after and before a sentence.
    The first and the last sentence are no blanks, so each blank has both neighbours.

    >>> after, before = np.array([[0.2], [0.0], [0.0]]), np.array([[0.0], [0.0], [0.6]])
    >>> neighbour_coherence(after, before, np.array([[1]]))[:, :, 0].round(2).tolist()
    [[0.4]]
    """
    last, following = neighbours(blanks, len(after), 1)
    return np.asarray((after[last[:, :, 0]] + before[following[:, :, 0]]) / 2)


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
    count_of = {
        word.casefold(): count
        for word, count in zip(table.words, table.folded_count.tolist(), strict=True)
        if is_word(word)
    }
    words = sorted(count_of, key=lambda word: (-count_of[word], word))[:_VOCABULARY]
    before, after = _pairs(memory_mapped(text.path(TOKENS)), _word_numbers(table, words))
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
    WORDS.write(
        writer, {"word": words, "before": list(vectors_before), "after": list(vectors_after)}
    )
    stems: Counter[str] = Counter()
    for word, count in count_of.items():
        stems[stem(word)] += count
    STEMS.write(writer, {"stem": list(stems), "count": list(stems.values())})
    writer.facts |= {"sentences": int(text.facts["sentences"]), "pairs": len(before)}
    writer.note_libraries("numpy", "scipy")
    ctx.say(f"trained on {len(before):,} pairs of adjacent sentences, {len(words):,} words")


@functools.lru_cache(maxsize=1)
def open_coherence(coherence: Artifact) -> AdjacentSentences:
    table = WORDS.read(coherence.path(WORDS.name))
    return AdjacentSentences(
        {word: i for i, word in enumerate(table["word"].to_pylist())},
        np.stack(table["before"].to_numpy()),
        np.stack(table["after"].to_numpy()),
    )


@functools.lru_cache(maxsize=1)
def stem_rarity(coherence: Artifact) -> Callable[[str], float]:
    """Rarity of a stem in the training novels (`rarity_of`)."""
    table = STEMS.read(coherence.path(STEMS.name))
    counts = dict(zip(table["stem"].to_pylist(), table["count"].to_pylist(), strict=True))
    return rarity_of(counts, int(coherence.facts["sentences"]))


def _word_numbers(table: CountTable, words: Sequence[str]) -> NDArray[np.int64]:
    """Shape (types + 1,), by the ids of tokens: index in `words` of each type, or -1."""
    number = {word: i for i, word in enumerate(words)}
    return np.array([-1, *(number.get(word.casefold(), -1) for word in table.words)], np.int64)


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
