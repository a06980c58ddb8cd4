"""The model of adjacent sentences of the training novels, as an artifact."""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np
import scipy
from threadpoolctl import threadpool_limits

from cloze_gen.english.stems import stem
from cloze_gen.errors import CorpusError
from cloze_gen.recipes.scde.steps.coherence import CoherenceSettings
from cloze_gen.rng import derive_rng
from cloze_gen.stages.corpus.counts import read_counts
from cloze_gen.stages.corpus.training_text import TOKENS
from cloze_gen.stages.room import Room
from cloze_gen.stats.adjacent_sentences import AdjacentSentences, fit_adjacent_sentences, sentence_rows
from cloze_gen.stats.counts import CountTable
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, open_artifact
from cloze_gen.store.tables import memory_mapped, read_tsv, write_tsv
from cloze_gen.words import is_word

WORDS, BEFORE, BEHIND, STEMS = "words.txt", "before.npy", "behind.npy", "stems.tsv"
_MIN_STEM_COUNT = 2  # what is said once is as rare as what is not said


def write_coherence(
    writer: ArtifactWriter, room: Room, *, text: Artifact, counts: Artifact, settings: CoherenceSettings, seed: int
) -> None:
    """Learn which words of a sentence and of the next go together, of the training novels.

    Files: `words.txt`, the words it knows, in small letters, a line each: the rows of `before.npy` and `behind.npy` (float32, shape (words,
    dimensions)), as `stats.adjacent_sentences.AdjacentSentences`. `stems.tsv`, how often each stem is said in the training novels: `stem`,
    `count`; those said once are left out.

    Raises:
        CorpusError: the novels hold no two sentences that follow one another.
    """
    table = read_counts(counts)
    numbers, words = _vocabulary(table, settings.vocabulary)
    before, behind = _pairs(memory_mapped(text.path(TOKENS)), numbers, settings.max_pairs)
    if not before:
        raise CorpusError("coherence: no two sentences of the training novels follow one another. Give more novels.")
    rows_before, rows_behind = (sentence_rows(side, len(words)) for side in (before, behind))
    rng = derive_rng(seed, "scde.coherence")
    with threadpool_limits(limits=1):  # the last digits of a product depend on how many threads share it
        vectors = fit_adjacent_sentences(rows_before, rows_behind, settings.dimensions, rng)
    np.save(writer.path(BEFORE), vectors[0])
    np.save(writer.path(BEHIND), vectors[1])
    writer.path(WORDS).write_text("".join(f"{word}\n" for word in words), encoding="utf-8")
    stems = _stem_counts(table)
    writer.rows[STEMS] = write_tsv(writer.path(STEMS), ("stem", "count"), stems.items())
    writer.rows |= {WORDS: len(words), BEFORE: len(words), BEHIND: len(words)}
    strengths = [round(float(one), 3) for one in vectors[2][:3]]
    writer.facts |= {"sentences": int(text.facts["sentences"]), "pairs": len(before), "first_strengths": strengths}
    writer.versions |= {"numpy": np.__version__, "scipy": scipy.__version__}
    room.say(f"{len(before):,} pairs of adjacent sentences, {len(words):,} words")


@functools.lru_cache(maxsize=1)
def open_coherence(folder: Path) -> AdjacentSentences:
    """The model back from disk, read once a worker."""
    artifact = open_artifact(folder)
    words = artifact.path(WORDS).read_text(encoding="utf-8").split("\n")[:-1]
    return AdjacentSentences(
        {word: i for i, word in enumerate(words)}, memory_mapped(artifact.path(BEFORE)), memory_mapped(artifact.path(BEHIND))
    )


@functools.lru_cache(maxsize=1)
def read_stems(folder: Path) -> tuple[dict[str, int], int]:
    """How often each stem is said in the training novels, and how many sentences they have; read once a worker."""
    artifact = open_artifact(folder)
    return {row["stem"]: int(row["count"]) for row in read_tsv(artifact.path(STEMS))}, int(artifact.facts["sentences"])


def _vocabulary(table: CountTable, most: int) -> tuple[np.ndarray, list[str]]:
    """Number of each type's word in small letters, -1 where it is not known, shape (types + 1,), and the known words."""
    counts: dict[str, int] = {}
    for word, count in zip(table.words, table.count.tolist(), strict=True):
        if is_word(word):
            folded = word.casefold()
            counts[folded] = counts.get(folded, 0) + count
    words = sorted(counts, key=lambda word: (-counts[word], word))[:most]
    number = {word: i for i, word in enumerate(words)}
    return np.array([-1, *(number.get(word.casefold(), -1) for word in table.words)], np.int64), words


def _pairs(tokens: np.ndarray, numbers: np.ndarray, most: int) -> tuple[list[list[int]], list[list[int]]]:
    """Known words of the sentences of every so many-th pair that follow one another."""
    ends = np.flatnonzero(np.asarray(tokens) == 0)
    starts = np.concatenate(([0], ends[:-1] + 1))
    step = max(1, -(-(len(ends) - 1) // most))
    first = range(0, len(ends) - 1, step)
    known = [[[n for n in numbers[tokens[starts[i] : ends[i]]].tolist() if n >= 0] for i in (pair, pair + 1)] for pair in first]
    kept = [pair for pair in known if pair[0] and pair[1]]
    return [pair[0] for pair in kept], [pair[1] for pair in kept]


def _stem_counts(table: CountTable) -> dict[str, int]:
    """How often each stem is said, the commonest first."""
    counts: dict[str, int] = {}
    for word, count in zip(table.words, table.count.tolist(), strict=True):
        if is_word(word):
            key = stem(word.casefold())
            counts[key] = counts.get(key, 0) + count
    return {key: counts[key] for key in sorted(counts, key=lambda key: (-counts[key], key)) if counts[key] >= _MIN_STEM_COUNT}
