"""Alternates as an artifact: MSR 2.2 step 2 over all focus words."""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np
import pyarrow as pa

from cloze_gen.recipes.msr.stages.items import Shard, focus_slice, shards, worker_index, write_parts, write_rows
from cloze_gen.recipes.msr.stages.tables import ALTERNATES
from cloze_gen.recipes.msr.steps.alternates import AllowedWords, sample_alternates
from cloze_gen.recipes.msr.steps.focus import FocusSettings
from cloze_gen.rng import derive_rng
from cloze_gen.stages.corpus.counts import read_counts
from cloze_gen.stages.room import Room
from cloze_gen.stats.vocabulary import option_mask
from cloze_gen.store.artifacts import ArtifactWriter, open_artifact


@functools.lru_cache(maxsize=1)
def _allowed(index_folder: Path, counts_folder: Path, settings: FocusSettings) -> AllowedWords:
    index, table = worker_index(index_folder), read_counts(open_artifact(counts_folder))
    words = (table.words[i] for i in np.flatnonzero(option_mask(table, settings)))
    return AllowedWords(index, np.array(sorted(index.id_of[word] for word in words), np.int64))


def sample_part(shard: Shard) -> int:
    """Draw the alternates of one part; returns the rows written."""
    index = worker_index(shard.index)
    allowed = _allowed(shard.index, shard.counts, shard.settings.focus)
    focus = focus_slice(shard)
    columns = [focus[name] for name in ("id", "word", "history1", "history2")]
    items, words, scores = [], [], []
    for row, (item_id, answer, *history) in enumerate(zip(*columns, strict=True)):
        rng = derive_rng(shard.seed, "msr.alternates", item_id)
        picked, log10_probs = sample_alternates(
            allowed.distribution(history), k=shard.settings.alternates.count, rng=rng, excluded=int(allowed.place[index.id_of[answer]])
        )
        items.append(np.full(len(picked), row, np.int32))
        words.append(allowed.words[picked])
        scores.append(log10_probs)
    return write_rows(
        shard.part.out / shard.part.name,
        ids=columns[0],
        item=np.concatenate(items),
        words=index.words,
        word=np.concatenate(words),
        history_log10_prob=np.concatenate(scores),
    )


def write_alternates(writer: ArtifactWriter, room: Room, *, shard: Shard, n_items: int) -> None:
    """Write the alternates of all focus words: one row an alternate, most probable first."""
    counts = list(room.map(sample_part, shards(shard, n_items, writer.folder / ALTERNATES), unit="parts"))
    write_parts(writer, ALTERNATES, counts)
    writer.versions |= {"numpy": np.__version__, "pyarrow": pa.__version__}
    writer.facts |= {"alternates": sum(counts)}
    room.say(f"{sum(counts):,} alternates of {n_items:,} focus words")
