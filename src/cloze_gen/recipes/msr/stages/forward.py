"""Forward scores as an artifact: MSR 2.2 steps 4 and 5 over the focus words that passed the screening."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from cloze_gen.lm.forward_index import ForwardIndex
from cloze_gen.recipes.msr.stages.parts import (
    Part,
    columns_of,
    focus_parts,
    item_slices,
    note_parts,
    read_rows,
    write_rows,
)
from cloze_gen.recipes.msr.stages.tables import ALTERNATES, ANSWER_COLUMNS, ANSWERS, HISTORY_SCORE, SCORED
from cloze_gen.recipes.msr.stages.worker_cache import cached_index, cached_sentence_ids, focus_columns, passed_screening
from cloze_gen.recipes.msr.steps.forward import (
    FilledSentence,
    ForwardSettings,
    best_forward,
    forward_log10_probs,
    sentence_log10_probs,
)
from cloze_gen.stages.room import Room
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel
from cloze_gen.store.tables import write_parquet


@dataclass(frozen=True, slots=True)
class ForwardShard:
    """A part of the focus words, and what a worker needs to score the alternates of those that passed the screening."""

    part: Part
    focus: Path
    index: Path
    alternates: Path
    screening: Path
    settings: ForwardSettings


def forward_part(shard: ForwardShard) -> tuple[int, list[dict[str, Any]]]:
    """Score the alternates of one part; returns the rows written and one row an item with the right word's own scores."""
    index, focus = cached_index(shard.index, shard.part.model), focus_columns(shard.focus, shard.part)
    item, words, table = read_rows(shard.alternates / ALTERNATES / shard.part.name, index)
    history_log10 = table[HISTORY_SCORE].to_numpy()
    passed, sentences = passed_screening(shard.screening, shard.part), cached_sentence_ids(shard.focus, shard.index, shard.part.model)
    places = [place for place in item_slices(item) if focus["id"][int(item[place.start])] in passed]
    rows = [int(item[place.start]) for place in places]
    options = [np.append(words[place], index.id_of[focus["word"][row]]) for place, row in zip(places, rows, strict=True)]
    forward = _forward_scores(index, focus, rows, options)
    best = [best_forward(f[:-1], history_log10[place], keep=shard.settings.keep) for f, place in zip(forward, places, strict=True)]
    filled = [
        FilledSentence(sentences[focus["sentence_id"][row]], focus["position"][row] + 1, np.append(own[chosen], own[-1]))
        for row, own, chosen in zip(rows, options, best, strict=True)
    ]
    whole = sentence_log10_probs(index, filled)
    answers = [
        dict(zip(ANSWER_COLUMNS, (focus["id"][row], float(f[-1]), 1 + int((f[:-1] > f[-1]).sum()), float(w[-1])), strict=True))
        for row, f, w in zip(rows, forward, whole, strict=True)
    ]
    columns = [_item_columns(place, b, f[:-1], w[:-1]) for place, b, f, w in zip(places, best, forward, whole, strict=True)]
    chosen, forward_log10, whole_log10, rank, kept = (
        (np.concatenate(parts) for parts in zip(*columns, strict=True)) if columns else _NOTHING
    )
    count = write_rows(
        shard.part.out / shard.part.name,
        ids=focus["id"],
        item=item[chosen],
        words=index.words,
        word=words[chosen],
        history_log10_prob=history_log10[chosen],
        forward_log10_prob=forward_log10.astype(np.float32),
        forward_rank=rank.astype(np.int16),
        kept=kept.astype(bool),
        sentence_log10_prob=pa.array(whole_log10, pa.float64(), from_pandas=True),
    )
    return count, answers


def _forward_scores(index: ForwardIndex, focus: dict[str, list[Any]], rows: list[int], options: list[np.ndarray]) -> list[np.ndarray]:
    """The forward scores of all options of all items, in one search; one array an item."""
    if not rows:
        return []
    counts = [len(own) for own in options]
    predecessors, next_words = (np.array(index.ids([focus[name][row] for row in rows])) for name in ("history2", "next_token"))
    scores = forward_log10_probs(
        index, predecessors=np.repeat(predecessors, counts), options=np.concatenate(options), next_words=np.repeat(next_words, counts)
    )
    return np.split(scores, np.cumsum(counts)[:-1])


_NOTHING = (np.zeros(0, np.int64),) + (np.zeros(0),) * 4


def _item_columns(place: slice, best: np.ndarray, forward: np.ndarray, whole: np.ndarray) -> tuple[np.ndarray, ...]:
    """Rows of one item: all alternates with rank by forward score; the whole-sentence score for the kept ones only."""
    n = len(forward)
    rank, sentence, kept = np.zeros(n, np.int64), np.full(n, np.nan), np.zeros(n, bool)
    order = np.argsort(-forward, kind="stable")
    rank[order] = np.arange(1, n + 1)
    sentence[best], kept[best] = whole, True
    return np.arange(place.start, place.stop), forward, sentence, rank, kept


def write_forward(
    writer: ArtifactWriter, room: Room, *, focus: Artifact, index: Artifact, alternates: Artifact, screening: Artifact,
    settings: ForwardSettings,
) -> None:  # fmt: skip
    """Write all alternates of the passed focus words with their scores.

    Files: `scored/part-NNNNN.parquet`, a row an alternate: `id`, `word`, `history_log10_prob`, `forward_log10_prob`, `forward_rank`, `kept`
    (which marks the retained ones) and, of those alone, `sentence_log10_prob`. `answers.parquet`, a row a focus word: the answer's own
    `forward_log10_prob`, `forward_rank` and `sentence_log10_prob`.
    """
    parts = focus_parts(focus, index, writer.folder / SCORED)
    shards = [ForwardShard(part, focus.folder, index.folder, alternates.folder, screening.folder, settings) for part in parts]
    results = list(room.map(forward_part, shards, unit="parts"))
    note_parts(writer, SCORED, [count for count, _ in results])
    answers = [answer for _, part in results for answer in part]
    writer.rows[ANSWERS] = write_parquet(writer.path(ANSWERS), columns_of(answers, ANSWER_COLUMNS))
    total = sum(count for count, _ in results)
    writer.funnel = funnel("focus words", kept=len(answers), rejected={"no_alternates": screening.funnel["kept"] - len(answers)})
    writer.facts |= {"alternates_scored": total}
    writer.versions |= {"numpy": np.__version__, "pyarrow": pa.__version__}
    room.say(f"{total:,} alternates scored, the best {settings.keep} of each focus word kept")
