"""The order in which people are asked about the survivors, and the signals that it is made by, as an artifact."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import numpy as np
import pyarrow as pa

from cloze_gen.recipes.lambada.stages.decisions import RANKING, SIGNALS, read_survivors
from cloze_gen.recipes.lambada.stages.reader_models import read_reader_models
from cloze_gen.recipes.lambada.stages.tables import PASSAGES, read_passages
from cloze_gen.recipes.lambada.steps.guessing import GuessingSettings
from cloze_gen.recipes.lambada.steps.ranking import RankingSettings, draw_pool, expected_yield, head_shares, machine_verdict, rank_passages
from cloze_gen.recipes.lambada.steps.readers import Signals
from cloze_gen.recipes.lambada.steps.signals import ReaderModels, signals_of
from cloze_gen.recipes.questions.printed_once import printed_before
from cloze_gen.records.passage import Passage
from cloze_gen.stages.room import Room
from cloze_gen.stages.tables import REJECTED
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel, open_artifact
from cloze_gen.store.tables import read_parquet, write_parquet

NOT_LOOKED_AT, SAID_BEFORE, BEHIND = "not_looked_at", "same_text_as_another", "behind_the_head"
_PASSAGES_A_SHARD = 256
_RULES_JOINED = "; "


@dataclass(frozen=True, slots=True)
class Readers:
    """Folders of the artifacts that the readers know words from."""

    index: Path
    counts: Path
    tagged_counts: Path
    contexts: Path
    max_echo_freq: float


@dataclass(frozen=True, slots=True)
class SignalShard:
    """Some passages for a worker."""

    passages: tuple[Passage, ...] = field(repr=False)
    readers: Readers


@functools.lru_cache(maxsize=1)
def _models(readers: Readers) -> ReaderModels:
    folders = {name: getattr(readers, name) for name in ("index", "counts", "tagged_counts", "contexts")}
    opened = {name: open_artifact(folder) for name, folder in folders.items()}
    return read_reader_models(**opened, max_echo_freq=readers.max_echo_freq)


def read_signals(shard: SignalShard) -> list[Signals]:
    """Ask the readers about one shard."""
    models = _models(shard.readers)
    return [
        signals_of(
            one.id,
            one.context,
            one.target_sentence[: one.target_at],
            one.target,
            span=(one.book_id, one.start, one.end),
            models=models,
        )
        for one in shard.passages
    ]


def write_ranking(
    writer: ArtifactWriter,
    room: Room,
    *,
    passages: Artifact,
    committee: Artifact,
    index: Artifact,
    counts: Artifact,
    tagged_counts: Artifact,
    contexts: Artifact,
    settings: RankingSettings,
    guessing: GuessingSettings,
    seed: int,
) -> None:
    """Write the head of the order in which people are asked about the passages that no model has guessed.

    Files: `signals.parquet`, a row a survivor that was looked at, in the order of the passages: `id`, `book_id`, `start`, `end`, `target`
    (in small letters), and of `Signals` `in_context`, `read_prob`, `alone_prob`, `read_rank`, `alone_rank`, `sentence_tokens`, `rules`
    (joined by `; `) and `capitalised_share`; `expected_yield` (`steps.ranking.expected_yield`) and `machine`, what the stand-in says
    (`machine_verdict`). `ranking.parquet`, the head of the order: `id`, `rank` from 1. `rejected.parquet`: `id`, `reason`
    (``not_looked_at``, ``same_text_as_another``, ``behind_the_head``: it overlaps a passage of the head, or comes after it), `detail`
    (the passage with the same text, else empty).

    The fact `head` tells of the head what share each rule of the passage alone solves, a random capitalised word, and what share of its
    targets stands outside the context.
    """
    table = read_parquet(passages.path(PASSAGES), columns=["id", "in_context"])
    survivors = read_survivors(committee)
    pairs = zip(table["id"].to_pylist(), table["in_context"].to_pylist(), strict=True)
    pool = frozenset(draw_pool(((one, count > 0) for one, count in pairs if one in survivors), settings=settings, seed=seed))
    readers = Readers(index.folder, counts.folder, tagged_counts.folder, contexts.folder, settings.max_echo_freq)
    said_before = printed_before((one.id, texts_of(one)) for one in read_passages(passages, which=pool.__contains__))
    looked_at = read_passages(passages, which=pool.difference(said_before).__contains__)
    shards = (SignalShard(some, readers) for some in _batches(looked_at))
    parts = room.map_as_they_come(read_signals, shards, unit="parts", total=-(-len(pool) // _PASSAGES_A_SHARD))
    signals = [one for part in parts for one in part]
    order = rank_passages(signals, settings=settings, guessing=guessing, seed=seed)
    ranked = frozenset(order)
    writer.rows[SIGNALS] = write_parquet(writer.path(SIGNALS), _signal_columns(signals, guessing))
    writer.rows[RANKING] = write_parquet(writer.path(RANKING), {"id": order, "rank": np.arange(1, len(order) + 1, dtype=np.int32)})
    rejected = [
        (one, NOT_LOOKED_AT if one not in pool else SAID_BEFORE if one in said_before else BEHIND, said_before.get(one, ""))
        for one in table["id"].to_pylist()
        if one in survivors and one not in ranked
    ]
    writer.rows[REJECTED] = write_parquet(writer.path(REJECTED), _rejected_columns(rejected))
    writer.funnel = funnel("passages", kept=len(order), rejected=Counter(reason for _, reason, _ in rejected))
    expected = float(np.mean([expected_yield(one, guessing) for one in signals if one.id in ranked]))
    shares = head_shares([one for one in signals if one.id in ranked])
    writer.facts |= {"looked_at": len(signals), "expected_yield": round(expected, 4)}
    writer.facts["head"] = {name: round(share, 4) for name, share in shares.items()}
    room.say(f"{len(order):,} of {len(survivors):,} passages, of which {expected:.0%} are expected to be guessed with their context alone")


def texts_of(passage: Passage) -> list[tuple[str, ...]]:
    """What no other passage may print: the target sentence, and the whole context, marked as one, for a sentence may be a context too."""
    return [passage.target_sentence, ("context", *(token for sentence in passage.context for token in sentence))]


def _batches(passages: Iterator[Passage]) -> Iterator[tuple[Passage, ...]]:
    while batch := tuple(islice(passages, _PASSAGES_A_SHARD)):
        yield batch


def _signal_columns(signals: Sequence[Signals], guessing: GuessingSettings) -> dict[str, pa.Array]:
    plain = {name: [getattr(one, name) for one in signals] for name in Signals.__dataclass_fields__ if name != "rules"}
    kinds: Mapping[str, pa.DataType] = {
        "start": pa.int32(), "end": pa.int32(), "in_context": pa.bool_(), "read_prob": pa.float32(), "alone_prob": pa.float32(),
        "read_rank": pa.int32(), "alone_rank": pa.int32(), "sentence_tokens": pa.int16(), "capitalised_share": pa.float32(),
    }  # fmt: skip
    columns = {name: pa.array(values, kinds.get(name, pa.string())) for name, values in plain.items()}
    return columns | {
        "book_id": columns["book_id"].dictionary_encode(),
        "rules": pa.array([_RULES_JOINED.join(sorted(one.rules)) for one in signals], pa.string()),
        "expected_yield": pa.array([expected_yield(one, guessing) for one in signals], pa.float32()),
        "machine": pa.array([str(machine_verdict(one, guessing)) for one in signals], pa.string()).dictionary_encode(),
    }


def _rejected_columns(rejected: Sequence[tuple[str, str, str]]) -> dict[str, pa.Array]:
    return {
        "id": pa.array([one for one, _, _ in rejected], pa.string()),
        "reason": pa.array([reason for _, reason, _ in rejected], pa.string()).dictionary_encode(),
        "detail": pa.array([detail for _, _, detail in rejected], pa.string()),
    }
