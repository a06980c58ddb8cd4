"""The forward score P(next token | predecessor, option), "the probability of 'and' following 'most
handsome'" (MSR 2.2, steps 4 and 5); the best `keep` are retained.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pydantic import Field

from cloze_gen.engine.stage_context import StageContext
from cloze_gen.models.ngram_index import ForwardIndex
from cloze_gen.recipes.msr.tables import (
    ALTERNATES,
    ANSWER_COLUMNS,
    ANSWERS,
    HISTORY_SCORE,
    SCORED,
    Part,
    cached_index,
    cached_sentence_ids,
    columns_of,
    focus_columns,
    focus_parts,
    item_slices,
    note_parts,
    passed_screening,
    read_rows,
    write_rows,
)
from cloze_gen.records.rejection import Reason
from cloze_gen.settings import MOST_EACH, SettingsGroup
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel
from cloze_gen.store.tables import write_parquet


class ForwardReason(Reason):
    NO_ALTERNATES = ("no_alternates", "the model offers no alternate for the word")


class ForwardSettings(SettingsGroup):
    keep: int = Field(
        30,
        ge=4,
        le=MOST_EACH,
        description="alternates kept, best forward score first; MSR 2.2, step 5",
    )


@dataclass(frozen=True, slots=True)
class FilledSentence:
    """A sentence's int64 ids, `<s>` first and `</s>` last, with int64 options for one position."""

    ids: np.ndarray
    position: int
    options: np.ndarray


def forward_log10_probs(
    index: ForwardIndex, *, predecessors: np.ndarray, options: np.ndarray, next_words: np.ndarray
) -> np.ndarray:
    """float32, shape (n,): log10 P(next word | predecessor, option); int64 ids of shape (n,) in."""
    histories = np.column_stack([predecessors, options])
    return index.log10_probs(histories[:, -(index.order - 1) :], next_words)


def sentence_log10_probs(
    index: ForwardIndex, sentences: Sequence[FilledSentence]
) -> list[np.ndarray]:
    """log10 P(sentence, `</s>` | `<s>`) with each option; float64, shape (options,) per sentence."""
    touched, rest = (
        zip(*(_windows(sentence, index.order) for sentence in sentences), strict=True)
        if sentences
        else ((), ())
    )
    parts = [
        part.reshape(-1, index.order) for pair in zip(touched, rest, strict=True) for part in pair
    ]
    if not parts:
        return []
    joined = np.concatenate(parts)
    scores = index.log10_probs(joined[:, :-1], joined[:, -1]).astype(np.float64)
    pieces = np.split(scores, np.cumsum([len(part) for part in parts])[:-1])
    return [
        moving.reshape(len(sentence.options), -1).sum(axis=1) + still.sum()
        for sentence, moving, still in zip(sentences, pieces[::2], pieces[1::2], strict=True)
    ]


def _windows(sentence: FilledSentence, order: int) -> tuple[np.ndarray, np.ndarray]:
    """n-grams with the option, (options, touched, order), and without, (others, order); padded with -1."""
    reach, position, length = order - 1, sentence.position, len(sentence.ids)
    padded = np.concatenate([np.full(reach, -1, np.int64), sentence.ids])
    # one for each id after `<s>`
    grams = np.lib.stride_tricks.sliding_window_view(padded, order)[1:]
    first, last = position - 1, min(position + reach, length - 1)
    near = padded[first + 1 : last + reach + 1]
    filled = np.repeat(near[None, :], len(sentence.options), axis=0)
    filled[:, position + reach - first - 1] = sentence.options
    touched = np.lib.stride_tricks.sliding_window_view(filled, order, axis=1)
    return touched, np.concatenate([grams[:first], grams[last:]])


def best_forward(forward_log10: np.ndarray, history_log10: np.ndarray, *, keep: int) -> np.ndarray:
    """Indices of the `keep` best by forward score; ties by the history score, then by index.

    >>> best_forward(np.array([-2.0, -1.0, -2.0]), np.array([-3.0, -9.0, -1.0]), keep=2)
    array([1, 2])
    """
    order = np.lexsort((np.arange(len(forward_log10)), -history_log10, -forward_log10))
    return order[:keep]


@dataclass(frozen=True, slots=True)
class ForwardShard:
    part: Part
    focus: Path
    index: Path
    alternates: Path
    screening: Path
    settings: ForwardSettings


def forward_part(shard: ForwardShard) -> tuple[int, list[dict[str, Any]]]:
    """Score one part. Returns the number of rows, and one row per item with the answer's scores."""
    index, focus = (
        cached_index(shard.index, shard.part.model),
        focus_columns(shard.focus, shard.part),
    )
    item, words, table = read_rows(shard.alternates / ALTERNATES / shard.part.name, index)
    history_log10 = table[HISTORY_SCORE].to_numpy()
    passed, sentences = (
        passed_screening(shard.screening, shard.part),
        cached_sentence_ids(shard.focus, shard.index, shard.part.model),
    )
    places = [place for place in item_slices(item) if focus["id"][int(item[place.start])] in passed]
    rows = [int(item[place.start]) for place in places]
    options = [
        np.append(words[place], index.id_of[focus["word"][row]])
        for place, row in zip(places, rows, strict=True)
    ]
    forward = _forward_scores(index, focus, rows, options)
    best = [
        best_forward(f[:-1], history_log10[place], keep=shard.settings.keep)
        for f, place in zip(forward, places, strict=True)
    ]
    filled = [
        FilledSentence(
            sentences[focus["sentence_id"][row]],
            focus["position"][row] + 1,
            np.append(own[chosen], own[-1]),
        )
        for row, own, chosen in zip(rows, options, best, strict=True)
    ]
    whole = sentence_log10_probs(index, filled)
    answers = [
        dict(
            zip(
                ANSWER_COLUMNS,
                (focus["id"][row], float(f[-1]), 1 + int((f[:-1] > f[-1]).sum()), float(w[-1])),
                strict=True,
            )
        )
        for row, f, w in zip(rows, forward, whole, strict=True)
    ]
    columns = [
        _item_columns(place, b, f[:-1], w[:-1])
        for place, b, f, w in zip(places, best, forward, whole, strict=True)
    ]
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


def _forward_scores(
    index: ForwardIndex, focus: dict[str, list[Any]], rows: list[int], options: list[np.ndarray]
) -> list[np.ndarray]:
    if not rows:
        return []
    counts = [len(own) for own in options]
    predecessors, next_words = (
        np.array(index.ids([focus[name][row] for row in rows]))
        for name in ("history2", "next_token")
    )
    scores = forward_log10_probs(
        index,
        predecessors=np.repeat(predecessors, counts),
        options=np.concatenate(options),
        next_words=np.repeat(next_words, counts),
    )
    return np.split(scores, np.cumsum(counts)[:-1])


_NOTHING = (np.zeros(0, np.int64),) + (np.zeros(0),) * 4


def _item_columns(
    place: slice, best: np.ndarray, forward: np.ndarray, whole: np.ndarray
) -> tuple[np.ndarray, ...]:
    n = len(forward)
    rank, sentence, kept = np.zeros(n, np.int64), np.full(n, np.nan), np.zeros(n, bool)
    order = np.argsort(-forward, kind="stable")
    rank[order] = np.arange(1, n + 1)
    sentence[best], kept[best] = whole, True
    return np.arange(place.start, place.stop), forward, sentence, rank, kept


def write_forward(
    writer: ArtifactWriter,
    ctx: StageContext,
    *,
    focus: Artifact,
    index: Artifact,
    alternates: Artifact,
    screening: Artifact,
    settings: ForwardSettings,
) -> None:
    parts = focus_parts(focus, index, writer.folder / SCORED)
    shards = [
        ForwardShard(
            part, focus.folder, index.folder, alternates.folder, screening.folder, settings
        )
        for part in parts
    ]
    results = list(ctx.map(forward_part, shards, unit="parts"))
    note_parts(writer, SCORED, [count for count, _ in results])
    answers = [answer for _, part in results for answer in part]
    writer.rows[ANSWERS] = write_parquet(writer.path(ANSWERS), columns_of(answers, ANSWER_COLUMNS))
    total = sum(count for count, _ in results)
    writer.funnel = funnel(
        "focus words",
        kept=len(answers),
        rejected={str(ForwardReason.NO_ALTERNATES): screening.funnel["kept"] - len(answers)},
    )
    writer.facts |= {"alternates_scored": total}
    writer.versions |= {"numpy": np.__version__, "pyarrow": pa.__version__}
    ctx.say(f"{total:,} alternates scored; the best {settings.keep} of each focus word are kept")
