"""Screening as an artifact: MSR 2.2 step 3 over all focus words."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from cloze_gen.recipes.msr.stages.parts import Part, columns_of, focus_parts, item_slices, read_rows
from cloze_gen.recipes.msr.stages.tables import ALTERNATES, ANSWER_SCORES_BEST, HISTORY_SCORE, KEPT, SCREENED, SCREENED_COLUMNS
from cloze_gen.recipes.msr.stages.worker_cache import cached_index, cached_sentence_ids, focus_columns
from cloze_gen.recipes.msr.steps.forward import FilledSentence, sentence_log10_probs
from cloze_gen.recipes.msr.steps.screening import ScreeningSettings, answer_rank, answer_scores_best
from cloze_gen.stages.room import Room
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel
from cloze_gen.store.tables import write_parquet


@dataclass(frozen=True, slots=True)
class ScreeningShard:
    """A part of the focus words, and what a worker needs to screen it."""

    part: Part
    focus: Path
    index: Path
    alternates: Path
    settings: ScreeningSettings


def screen_part(shard: ScreeningShard) -> list[dict[str, Any]]:
    """One row an item: the right word's history score, its rank among all alternates, and the verdict."""
    index, focus = cached_index(shard.index, shard.part.model), focus_columns(shard.focus, shard.part)
    item, words, table = read_rows(shard.alternates / ALTERNATES / shard.part.name, index)
    scores = table[HISTORY_SCORE].to_numpy()
    places = {int(item[place.start]): place for place in item_slices(item)}
    histories = np.array([index.ids(pair)[-(index.order - 1) :] for pair in zip(focus["history1"], focus["history2"], strict=True)])
    answers = np.array(index.ids(focus["word"]))
    answer_log10 = index.log10_probs(histories, answers)
    rows = []
    for row, item_id in enumerate(focus["id"]):
        here = places.get(row, slice(0, 0))
        own, others = float(answer_log10[row]), scores[here]
        judged_own, judged_others = own, others
        if shard.settings.score == "sentence":
            ids = cached_sentence_ids(shard.focus, shard.index, shard.part.model)[focus["sentence_id"][row]]
            options = np.append(words[here], answers[row])
            whole = sentence_log10_probs(index, [FilledSentence(ids, focus["position"][row] + 1, options)])[0]
            judged_own, judged_others = float(whole[-1]), whole[:-1]
        status = ANSWER_SCORES_BEST if answer_scores_best(judged_own, judged_others) else KEPT
        rows.append(dict(zip(SCREENED_COLUMNS, (item_id, status, own, answer_rank(own, others), len(others)), strict=True)))
    return rows


def write_screening(
    writer: ArtifactWriter, room: Room, *, focus: Artifact, index: Artifact, alternates: Artifact, settings: ScreeningSettings
) -> None:
    """Write the verdict on every focus word.

    Files: `items.parquet`, a row a focus word: `id`, `status` (`kept` or `answer_scores_best`), `answer_log10_prob` and `answer_rank` after
    the two-word history, whatever score screens, and `alternates`, their number.
    """
    parts = focus_parts(focus, index, writer.folder)
    shards = [ScreeningShard(part, focus.folder, index.folder, alternates.folder, settings) for part in parts]
    rows = [row for part in room.map(screen_part, shards, unit="parts") for row in part]
    writer.rows[SCREENED] = write_parquet(writer.path(SCREENED), columns_of(rows, SCREENED_COLUMNS))
    status = Counter(row["status"] for row in rows)
    writer.funnel = funnel("focus words", kept=status[KEPT], rejected={ANSWER_SCORES_BEST: status[ANSWER_SCORES_BEST]})
    room.say(f"{status[KEPT]:,} of {len(rows):,} focus words pass (the right word does not score best)")
