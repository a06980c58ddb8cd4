"""Forward scores as an artifact: MSR 2.2 steps 4 and 5 over the focus words that passed the screening."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from cloze_gen.cloze.forward import best_forward, forward_log10_probs, sentence_log10_probs
from cloze_gen.stages.items import (
    ALTERNATES,
    SCORED,
    Shard,
    focus_slice,
    item_slices,
    read_rows,
    sentence_ids,
    shards,
    worker_index,
    write_parts,
    write_rows,
)
from cloze_gen.stages.room import Room
from cloze_gen.stages.screening import ITEMS, KEPT
from cloze_gen.store.artifacts import ArtifactWriter
from cloze_gen.store.tables import read_parquet, write_parquet

ANSWERS = "answers.parquet"


def forward_part(shard: Shard) -> tuple[int, list[dict[str, Any]]]:
    """Score the alternates of one part; returns the rows written and one row an item with the right word's own scores."""
    index, focus = worker_index(shard.index), focus_slice(shard)
    item, words, table = read_rows(shard.upstream / ALTERNATES / shard.part.name, index)
    history_log10 = table["history_log10_prob"].to_numpy()
    passed = set(read_parquet(shard.passed / ITEMS, columns=["id", "status"]).filter(pa.compute.field("status") == KEPT)["id"].to_pylist())
    sentences = sentence_ids(shard.focus, shard.index)
    answers: list[dict[str, Any]] = []
    columns: list[tuple[np.ndarray, ...]] = []
    for place in item_slices(item):
        row = int(item[place.start])
        if focus["id"][row] not in passed:
            continue
        options = np.append(words[place], index.id_of[focus["word"][row]])
        predecessor, next_word = index.ids([focus["history2"][row], focus["next_token"][row]])
        forward = forward_log10_probs(index, predecessor=predecessor, options=options, next_word=next_word)
        best = best_forward(forward[:-1], history_log10[place], keep=shard.settings.forward.keep)
        ids, position = sentences[focus["sentence_id"][row]], focus["position"][row] + 1
        whole = sentence_log10_probs(index, ids=ids, position=position, options=np.append(options[best], options[-1]))
        columns.append(_item_columns(place, best, forward[:-1], whole[:-1]))
        own = float(forward[-1])
        answers.append({"id": focus["id"][row], "forward_log10_prob": own, "sentence_log10_prob": float(whole[-1]),
                        "forward_rank": 1 + int((forward[:-1] > own).sum())})  # fmt: skip
    chosen, forward_log10, whole_log10, rank, kept = (np.concatenate(parts) for parts in zip(*columns, strict=True)) if columns else _NOTHING
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


_NOTHING = (np.zeros(0, np.int64),) + (np.zeros(0),) * 4


def _item_columns(place: slice, best: np.ndarray, forward: np.ndarray, whole: np.ndarray) -> tuple[np.ndarray, ...]:
    """Rows of one item: all alternates with rank by forward score; the whole-sentence score for the kept ones only."""
    n = len(forward)
    rank, sentence, kept = np.zeros(n, np.int64), np.full(n, np.nan), np.zeros(n, bool)
    order = np.argsort(-forward, kind="stable")
    rank[order] = np.arange(1, n + 1)
    sentence[best], kept[best] = whole, True
    return np.arange(place.start, place.stop), forward, sentence, rank, kept


def write_forward(writer: ArtifactWriter, room: Room, *, shard: Shard, n_items: int, n_passed: int) -> None:
    """Write all alternates of the passed focus words with their forward scores; `kept` marks the retained ones."""
    results = list(room.map(forward_part, shards(shard, n_items, writer.folder / SCORED), unit="parts"))
    write_parts(writer, SCORED, [count for count, _ in results])
    answers = [answer for _, part in results for answer in part]
    names = ("id", "forward_log10_prob", "forward_rank", "sentence_log10_prob")
    writer.rows[ANSWERS] = write_parquet(writer.path(ANSWERS), {name: [answer[name] for answer in answers] for name in names})
    total = sum(count for count, _ in results)
    writer.funnel = {"unit": "focus words", "seen": n_passed, "kept": len(answers), "rejected": {"no_alternates": n_passed - len(answers)}}
    writer.facts |= {"alternates_scored": total}
    writer.versions |= {"numpy": np.__version__, "pyarrow": pa.__version__}
    room.say(f"{total:,} alternates scored, the best {shard.settings.forward.keep} of each focus word kept")
