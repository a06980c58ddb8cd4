"""Alternates as an artifact: MSR 2.2 step 2 over all focus words."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from cloze_gen.recipes.msr.stages.parts import Part, count_focus_words, focus_parts, note_parts, write_rows
from cloze_gen.recipes.msr.stages.tables import ALTERNATES, HISTORY_SCORE
from cloze_gen.recipes.msr.stages.worker_cache import cached_index, focus_columns
from cloze_gen.recipes.msr.steps.alternates import AllowedWords, AlternatesSettings, sample_alternates
from cloze_gen.recipes.msr.steps.focus import FocusSettings
from cloze_gen.rng import derive_rng
from cloze_gen.stages.corpus.counts import read_counts
from cloze_gen.stages.room import Room
from cloze_gen.stats.option_words import option_mask
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, open_artifact


@dataclass(frozen=True, slots=True)
class AlternatesShard:
    """A part of the focus words, and what a worker needs to draw their alternates; `limits` says which words may be drawn."""

    part: Part
    focus: Path
    index: Path
    counts: Path
    limits: FocusSettings
    settings: AlternatesSettings
    seed: int


@functools.lru_cache(maxsize=1)
def _allowed(index_folder: Path, model: int, counts_folder: Path, limits: FocusSettings) -> AllowedWords:
    """The words that may be options and that the model knows: of several models, none knows the words of its own books alone."""
    index, table = cached_index(index_folder, model), read_counts(open_artifact(counts_folder))
    words = (table.words[i] for i in np.flatnonzero(option_mask(table, limits)))
    return AllowedWords(index, np.array(sorted(index.id_of[word] for word in words if word in index.id_of), np.int64))


def sample_part(shard: AlternatesShard) -> int:
    """Draw the alternates of one part; returns the rows written."""
    index = cached_index(shard.index, shard.part.model)
    allowed = _allowed(shard.index, shard.part.model, shard.counts, shard.limits)
    focus = focus_columns(shard.focus, shard.part)
    columns = [focus[name] for name in ("id", "word", "history1", "history2")]
    items, words, scores = [], [], []
    for row, (item_id, answer, *history) in enumerate(zip(*columns, strict=True)):
        rng = derive_rng(shard.seed, "msr.alternates", item_id)
        picked, log10_probs = sample_alternates(
            allowed.distribution(history), k=shard.settings.count, rng=rng, excluded=int(allowed.place[index.id_of[answer]])
        )
        items.append(np.full(len(picked), row, np.int32))
        words.append(allowed.words[picked])
        scores.append(log10_probs)
    drawn = {"item": np.concatenate(items), "word": np.concatenate(words), HISTORY_SCORE: np.concatenate(scores)}
    return write_rows(shard.part.out / shard.part.name, ids=columns[0], words=index.words, **drawn)


def write_alternates(
    writer: ArtifactWriter, room: Room, *, focus: Artifact, index: Artifact, counts: Artifact, limits: FocusSettings,
    settings: AlternatesSettings, seed: int,
) -> None:  # fmt: skip
    """Write the alternates of all focus words.

    Files: `alternates/part-NNNNN.parquet`, a row an alternate, most probable first: `id`, `word`, `history_log10_prob`.

    Args:
        limits: which words may be drawn; those that may be answers.
    """
    shards = [
        AlternatesShard(part, focus.folder, index.folder, counts.folder, limits, settings, seed)
        for part in focus_parts(focus, index, writer.folder / ALTERNATES)
    ]
    rows = list(room.map(sample_part, shards, unit="parts"))
    note_parts(writer, ALTERNATES, rows)
    writer.versions |= {"numpy": np.__version__, "pyarrow": pa.__version__}
    writer.facts |= {"alternates": sum(rows)}
    room.say(f"{sum(rows):,} alternates of {count_focus_words(focus):,} focus words")
