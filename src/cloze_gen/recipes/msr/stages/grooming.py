"""Machine grooming as an artifact: a verdict on every retained candidate, and on every focus word's sentence."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from cloze_gen.adapters.spacy_tagger import travelling_name
from cloze_gen.recipes.msr.stages.groomed_items import GroomShard, read_items
from cloze_gen.recipes.msr.stages.items import Part, parts, write_parts
from cloze_gen.recipes.msr.stages.judging import judge_sentences, judge_tags, judge_words, told_by_topic
from cloze_gen.recipes.msr.stages.tables import DECISIONS, FIT, GROOMED
from cloze_gen.recipes.msr.steps.grooming import GroomingSettings
from cloze_gen.stages.corpus.counts import read_counts
from cloze_gen.stages.offensive_words import offensive_words
from cloze_gen.stages.room import Room
from cloze_gen.stages.tables import FOCUS
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel, open_artifact
from cloze_gen.store.tables import read_parquet, write_parquet


def groom_part(shard: GroomShard) -> tuple[int, list[dict[str, Any]]]:
    """Judge one part; returns the rows written and one row an item."""
    items = read_items(shard)
    judge_sentences(items, shard)
    fit = [item for item in items if item.fault == FIT and not told_by_topic(item, shard)]
    for item in fit:
        judge_words(item, shard)
    if shard.settings.tagger != "none":
        judge_tags(fit, shard)
    rows = [(item, i) for item in fit for i in range(len(item.candidates))]
    count = write_parquet(
        shard.part.out / shard.part.name,
        {
            "id": [item.id for item, _ in rows],
            "word": [item.candidates[i] for item, i in rows],
            "verdict": [item.verdicts[i] for item, i in rows],
            "similarity": np.array([item.similarity[i] for item, i in rows], np.float32),
            "topicality": np.array([item.topicality[i] for item, i in rows], np.float32),
            "tag": [item.tags[i] if item.tags else "" for item, i in rows],
        },
    )
    return count, [
        {
            "id": item.id,
            "verdict": str(item.fault),
            "answer_tag": item.answer_tag,
            "answer_topicality": round(float(item.answer_topicality), 4),
            "place_asks_for": str(item.need or ""),
            "fit_candidates": item.verdicts.count(FIT) if item.fault == FIT else 0,
        }
        for item in items
    ]


def write_grooming(writer: ArtifactWriter, room: Room, *, shard: GroomShard) -> None:
    """Write a verdict for every retained candidate and every focus word."""
    n_items = int(open_artifact(shard.focus).manifest["files"][FOCUS]["rows"])
    travelling = shard.settings.model_copy(update={"tagger": travelling_name(shard.settings.tagger)})
    shards = [replace(shard, part=part, settings=travelling) for part in parts(n_items, writer.folder / DECISIONS)]
    results = list(room.map(groom_part, shards, unit="parts"))
    write_parts(writer, DECISIONS, [count for count, _ in results])
    rows = [row for _, part in results for row in part]
    names = ("id", "verdict", "answer_tag", "answer_topicality", "place_asks_for", "fit_candidates")
    writer.rows[GROOMED] = write_parquet(writer.path(GROOMED), {name: [row[name] for row in rows] for name in names})
    verdicts = Counter(row["verdict"] for row in rows)
    kept = verdicts.pop(FIT, 0)
    writer.funnel = funnel("focus words", kept=kept, rejected=verdicts)
    candidates: Counter[str] = Counter()
    for part in sorted((writer.folder / DECISIONS).glob("*.parquet")):
        candidates.update(read_parquet(part, columns=["verdict"])["verdict"].to_pylist())
    fit = candidates.pop(FIT, 0)
    writer.facts |= {"tagger": shard.settings.tagger, "candidates_funnel": funnel("candidates", kept=fit, rejected=candidates)}
    room.say(f"{kept:,} of {len(rows):,} focus words stand in a fit sentence; {fit:,} fit candidates")


def groom_shard(
    settings: GroomingSettings,
    classes: tuple[str, ...],
    *,
    focus: Artifact,
    index: Artifact,
    contexts: Artifact,
    forward: Artifact,
    counts: Artifact,
) -> GroomShard:
    """What every shard of the stage shares."""
    table = read_counts(counts)
    frequent = frozenset(table.words[i].casefold() for i in np.flatnonzero(table.freq >= settings.frequent_freq))
    folders = (focus.folder, index.folder, contexts.folder, forward.folder)
    return GroomShard(Part(0, 0, Path()), *folders, settings, classes, offensive_words(settings.offensive_words), frequent)
