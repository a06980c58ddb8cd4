"""Screening: a sentence whose right word scores best is rejected (MSR 2.2 step 3).

Step 3 as corrected on 20 February 2012: "a sentence was discarded if the correct answer scored best
(not worst) according to the language model prediction score". We read this score as P(word | two
preceding tokens).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from cloze_gen.engine.stage_context import StageContext
from cloze_gen.recipes.msr.tables import (
    ALTERNATES,
    ANSWER_SCORES_BEST,
    HISTORY_SCORE,
    KEPT,
    SCREENED,
    SCREENED_COLUMNS,
    Part,
    cached_index,
    columns_of,
    focus_columns,
    focus_parts,
    item_slices,
    read_rows,
)
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel
from cloze_gen.store.tables import write_parquet


def answer_scores_best(answer_log10: float, alternates_log10: np.ndarray) -> bool:
    """Whether the right word beats every alternate, or there is none; scores are log10.

    >>> answer_scores_best(-2.0, np.array([-3.0, -2.5])), answer_scores_best(-2.0, np.array([-3.0, -1.5]))
    (True, False)
    """
    return bool(len(alternates_log10) == 0 or answer_log10 > alternates_log10.max())


def answer_rank(answer_log10: float, alternates_log10: np.ndarray) -> int:
    """Rank of the right word among itself and its alternates, 1 is best; it wins ties.

    >>> answer_rank(-2.0, np.array([-3.0, -1.5, -1.0]))
    3
    """
    return 1 + int((alternates_log10 > answer_log10).sum())


@dataclass(frozen=True, slots=True)
class ScreeningShard:
    part: Part
    focus: Path
    index: Path
    alternates: Path


def screen_part(shard: ScreeningShard) -> list[dict[str, Any]]:
    """One row per item: the answer's history score, its rank, and the verdict."""
    index, focus = (
        cached_index(shard.index, shard.part.model),
        focus_columns(shard.focus, shard.part),
    )
    item, _, table = read_rows(shard.alternates / ALTERNATES / shard.part.name, index)
    scores = table[HISTORY_SCORE].to_numpy()
    places = {int(item[place.start]): place for place in item_slices(item)}
    histories = np.array(
        [
            index.ids(pair)[-(index.order - 1) :]
            for pair in zip(focus["history1"], focus["history2"], strict=True)
        ]
    )
    answers = np.array(index.ids(focus["word"]))
    answer_log10 = index.log10_probs(histories, answers)
    rows = []
    for row, item_id in enumerate(focus["id"]):
        here = places.get(row, slice(0, 0))
        own, others = float(answer_log10[row]), scores[here]
        status = ANSWER_SCORES_BEST if answer_scores_best(own, others) else KEPT
        rows.append(
            dict(
                zip(
                    SCREENED_COLUMNS,
                    (item_id, status, own, answer_rank(own, others), len(others)),
                    strict=True,
                )
            )
        )
    return rows


def write_screening(
    writer: ArtifactWriter,
    ctx: StageContext,
    *,
    focus: Artifact,
    index: Artifact,
    alternates: Artifact,
) -> None:
    """Write the verdict on every focus word. Scores are given the two-word history."""
    parts = focus_parts(focus, index, writer.folder)
    shards = [ScreeningShard(part, focus.folder, index.folder, alternates.folder) for part in parts]
    rows = [row for part in ctx.map(screen_part, shards, unit="parts") for row in part]
    writer.rows[SCREENED] = write_parquet(writer.path(SCREENED), columns_of(rows, SCREENED_COLUMNS))
    status = Counter(row["status"] for row in rows)
    writer.funnel = funnel(
        "focus words", kept=status[KEPT], rejected={ANSWER_SCORES_BEST: status[ANSWER_SCORES_BEST]}
    )
    ctx.say(
        f"{status[KEPT]:,} of {len(rows):,} focus words pass (an alternate scores at least as "
        "high as the answer)"
    )
