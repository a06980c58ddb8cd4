"""Machine grooming as an artifact: MSR 2.3 over every retained candidate, and over every focus word's sentence."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa

from cloze_gen.adapters.spacy_tagger import travelling_name
from cloze_gen.adapters.tagger_identity import tagger_identity
from cloze_gen.formats.verdicts import VerdictFile
from cloze_gen.recipes.msr.stages.groomed_items import GroomedItem, GroomShard, read_items
from cloze_gen.recipes.msr.stages.human_grooming import UNJUDGED, asked_of_people, judge_by_people, judged_by_part, note_people
from cloze_gen.recipes.msr.stages.parts import columns_of, focus_parts, note_parts
from cloze_gen.recipes.msr.stages.tables import DECISION_COLUMNS, DECISIONS, FIT, GROOMED, GROOMED_COLUMNS, MEASURES
from cloze_gen.recipes.msr.stages.verdicts import judge_answers, judge_articles, judge_by_readers, judge_sentences, judge_tags, judge_words
from cloze_gen.recipes.msr.stages.worker_cache import cached_index, cached_space
from cloze_gen.recipes.msr.steps.grooming import GroomingSettings
from cloze_gen.stages.corpus.counts import read_counts
from cloze_gen.stages.corpus.tags import worker_tagger
from cloze_gen.stages.offensive_words import offensive_words
from cloze_gen.stages.room import Room
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel
from cloze_gen.store.tables import read_parquet, write_parquet
from cloze_gen.text.tagging import Tagger


def groom_part(shard: GroomShard) -> tuple[int, list[dict[str, Any]]]:
    """Judge one part and write the verdicts on its candidates; returns the rows written and one row an item."""
    items = read_items(shard)
    judged = shard.people or {}
    if asked := asked_of_people(items, judged):
        index, space = cached_index(shard.index, shard.part.model), cached_space(shard.contexts, shard.part.model)
        judge_by_people(asked, judged, index, space, _tagger(shard), reach=shard.settings.tag_window)
    others = [item for item in items if item.id not in judged]
    if shard.people is not None and shard.settings.unjudged == "left_out":
        for item in others:
            item.fault = UNJUDGED
    elif shard.settings.judged == "articles":
        for item in others:
            judge_articles(item)
    else:
        _judge_all(others, shard)
    fit = [item for item in items if item.verdicts]
    count = write_parquet(shard.part.out / shard.part.name, _decision_columns(fit))
    return count, [_item_row(item) for item in items]


def _judge_all(items: list[GroomedItem], shard: GroomShard) -> None:
    tagger = _tagger(shard)
    judge_sentences(items, shard)
    if tagger is not None:
        judge_answers([item for item in items if item.fault == FIT], shard, tagger)
    fit = [item for item in items if item.fault == FIT]
    for item in fit:
        judge_words(item, shard)
    judge_by_readers(fit, shard, cached_index(shard.index, shard.part.model), cached_space(shard.contexts, shard.part.model))
    if tagger is not None:
        judge_tags(fit, shard, tagger)


def _tagger(shard: GroomShard) -> Tagger | None:
    return worker_tagger(shard.settings.tagger, shard.tagger_identity) if shard.tagger_identity else None


def _decision_columns(items: list[GroomedItem]) -> dict[str, Any]:
    rows = [(item, i) for item in items for i in range(len(item.candidates))]
    columns = (
        pa.array([item.id for item, _ in rows], pa.string()),
        pa.array([item.candidates[i] for item, i in rows], pa.string()),
        pa.array([item.verdicts[i] for item, i in rows], pa.string()),
        *np.concatenate([item.measured for item in items] or [np.zeros((0, len(MEASURES)))]).T.astype(np.float32),
        pa.array([item.tags[i] if item.tags else "" for item, i in rows], pa.string()),
    )
    return dict(zip(DECISION_COLUMNS, columns, strict=True))


def _item_row(item: GroomedItem) -> dict[str, Any]:
    fit_candidates = item.verdicts.count(FIT) if item.fault == FIT else 0
    topicality = round(item.answer_topicality, 4)
    row = (item.id, str(item.fault), item.answer_tag, topicality, str(item.frame or ""), fit_candidates)
    return dict(zip(GROOMED_COLUMNS, row, strict=True))


def write_grooming(
    writer: ArtifactWriter, room: Room, *, focus: Artifact, index: Artifact, contexts: Artifact, forward: Artifact, counts: Artifact,
    settings: GroomingSettings, classes: tuple[str, ...], people: VerdictFile | None = None,
) -> None:  # fmt: skip
    """Write a verdict on every retained candidate and on every focus word.

    Files: `decisions/part-NNNNN.parquet`, a row a retained candidate of a focus word that is fit as far as can be seen without a tagger:
    `id`, `word`, `verdict`, `similarity` (cosine), `topicality` (nats), `fits_as_well`, `ungrammatical`, `plausible` (shares of readers,
    0 to 1; NaN where not asked), `tag`. `items.parquet`, a row a focus word: `id`, `verdict`,
    `answer_tag`, `answer_topicality` (nats; NaN where not asked), `place_asks_for`, `fit_candidates`.

    Args:
        classes: coarse classes asked of answers; empty asks for all.
        people: what judges said; None where none were asked.
    Raises:
        ModelError: the tagger that the settings name is not installed, or cannot be read.
        UsageError: the list of offensive words cannot be read, or the judges' verdicts are of another run.
    """
    table = read_counts(counts)
    frequent = frozenset(table.words[i].casefold() for i in np.flatnonzero(table.freq >= settings.frequent_freq))
    offensive = offensive_words(settings.offensive_words)
    folders = (focus.folder, index.folder, contexts.folder, forward.folder)
    travelling = settings.model_copy(update={"tagger": travelling_name(settings.tagger)})
    identity = "" if settings.tagger == "none" else tagger_identity(settings.tagger)
    parts = focus_parts(focus, index, writer.folder / DECISIONS)
    said = judged_by_part(people, focus, parts)
    shards = [
        GroomShard(part, *folders, travelling, classes, offensive, frequent, identity, own) for part, own in zip(parts, said, strict=True)
    ]
    results = list(room.map(groom_part, shards, unit="parts"))
    note_parts(writer, DECISIONS, [count for count, _ in results])
    rows = [row for _, part in results for row in part]
    writer.rows[GROOMED] = write_parquet(writer.path(GROOMED), columns_of(rows, GROOMED_COLUMNS))
    verdicts = Counter(row["verdict"] for row in rows)
    kept = verdicts.pop(FIT, 0)
    writer.funnel = funnel("focus words", kept=kept, rejected=verdicts)
    candidates: Counter[str] = Counter()
    for part in parts:
        candidates.update(read_parquet(part.out / part.name, columns=["verdict"])["verdict"].to_pylist())
    fit = candidates.pop(FIT, 0)
    writer.facts |= {"tagger": settings.tagger, "candidates_funnel": funnel("candidates", kept=fit, rejected=candidates)}
    if people:
        note_people(writer, room, people, {row["id"] for row in rows}, unjudged=settings.unjudged)
    room.say(f"{kept:,} of {len(rows):,} focus words stand in a fit sentence; {fit:,} fit candidates")
