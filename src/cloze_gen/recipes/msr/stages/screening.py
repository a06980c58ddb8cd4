"""Screening as an artifact: MSR 2.2 step 3 over all focus words."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from cloze_gen.recipes.msr.stages.items import Shard, focus_slice, item_slices, read_rows, sentence_ids, shards, worker_index
from cloze_gen.recipes.msr.stages.tables import ALTERNATES, ANSWER_SCORES_BEST, KEPT, SCREENED
from cloze_gen.recipes.msr.steps.forward import FilledSentence, sentence_log10_probs
from cloze_gen.recipes.msr.steps.screening import answer_rank, answer_scores_best
from cloze_gen.stages.room import Room
from cloze_gen.store.artifacts import ArtifactWriter, funnel
from cloze_gen.store.tables import write_parquet


def screen_part(shard: Shard) -> list[dict[str, Any]]:
    """One row an item: the right word's history score, its rank among all alternates, and the verdict."""
    index, focus = worker_index(shard.index), focus_slice(shard)
    item, words, table = read_rows(shard.upstream / ALTERNATES / shard.part.name, index)
    scores = table["history_log10_prob"].to_numpy()
    places = {int(item[place.start]): place for place in item_slices(item)}
    histories = np.array([index.ids(pair)[-(index.order - 1) :] for pair in zip(focus["history1"], focus["history2"], strict=True)])
    answers = np.array(index.ids(focus["word"]))
    answer_log10 = index.log10_probs(histories, answers)
    rows = []
    for row, item_id in enumerate(focus["id"]):
        here = places.get(row, slice(0, 0))
        own, others = float(answer_log10[row]), scores[here]
        judged_own, judged_others = own, others
        if shard.settings.screening.score == "sentence":
            ids = sentence_ids(shard.focus, shard.index)[focus["sentence_id"][row]]
            options = np.append(words[here], answers[row])
            whole = sentence_log10_probs(index, [FilledSentence(ids, focus["position"][row] + 1, options)])[0]
            judged_own, judged_others = float(whole[-1]), whole[:-1]
        rejected = answer_scores_best(judged_own, judged_others)
        rows.append(
            {
                "id": item_id,
                "status": ANSWER_SCORES_BEST if rejected else KEPT,
                "answer_log10_prob": own,
                "answer_rank": answer_rank(own, others),
                "alternates": len(others),
            }
        )
    return rows


def write_screening(writer: ArtifactWriter, room: Room, *, shard: Shard, n_items: int) -> None:
    """Write one row a focus word with its verdict."""
    rows = [row for part in room.map(screen_part, shards(shard, n_items, writer.folder), unit="parts") for row in part]
    writer.rows[SCREENED] = write_parquet(writer.path(SCREENED), {name: [row[name] for row in rows] for name in (rows[0] if rows else {})})
    status = Counter(row["status"] for row in rows)
    writer.funnel = funnel("focus words", kept=status[KEPT], rejected={ANSWER_SCORES_BEST: status[ANSWER_SCORES_BEST]})
    room.say(f"{status[KEPT]:,} of {n_items:,} focus words pass (the right word does not score best)")
