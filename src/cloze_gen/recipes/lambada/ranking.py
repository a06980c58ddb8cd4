"""The order in which people judge the passages; the paper keeps one passage in 25.

Passages that probably pass (`readers`) come first. No rule of the passage alone (`PASSAGE_RULES`)
solves more than a fixed share of the first passages, and a fixed share has the target outside the
context, as far as there are such passages. The paper's order is `random`.
"""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from typing import Any, Literal, NamedTuple

import pyarrow as pa
from pydantic import Field

from cloze_gen.corpus.books import kept_books, write_book_table
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.recipes.common import printed_before
from cloze_gen.recipes.lambada.committee import read_survivors
from cloze_gen.recipes.lambada.guessing import GuessingSettings, Verdict
from cloze_gen.recipes.lambada.passages import PASSAGES, batches, read_passages
from cloze_gen.recipes.lambada.readers import (
    NO_RANK,
    Readers,
    Signals,
    read_readers,
    signals_of,
)
from cloze_gen.recipes.tables import write_rejections
from cloze_gen.records.passage import Passage
from cloze_gen.records.rejection import Reason, Rejection
from cloze_gen.records.spans import TakenSpans
from cloze_gen.rng import seeded_fraction, stable_fraction
from cloze_gen.settings import SettingsGroup
from cloze_gen.store.artifacts import Artifact, ArtifactWriter
from cloze_gen.store.schema import CODED, Column, Table

_HUMAN_ADVANTAGE = 10.0  # people guess the end of a sentence that much better than an n-gram model
# A reader sees the whole sentence, but the n-gram model only its last three words. With 15 tokens
# before the target, one of two readers guessed it half the time (`benchmarks/readings.parquet`, development
# round). With half as many tokens it was one time in ten, with twice as many nine in ten.
_HALF_GUESSED_TOKENS, _GUESSED_STEEPNESS = 15.0, 3.0
_MIN_YIELD = 1e-5  # below it no reader is expected to guess the passage
# Passages kept by the committee that get signals; those whose target occurs in the context come first.
_POOL = 100_000
# Tokens of the training novels that are tagged; the model reader takes each word's class from them.
_TAGGED_TOKENS = 3_000_000
_MIN_ALLOWED = 2  # passages solved by a rule that any prefix of the order may have
_MAX_SAME_TARGET = 2  # passages of a book with the same target
# Passages are queued by their share of capitalised words in twentieths, so a blocked passage delays
# few others.
_SHARE_STEPS = 20
_PASSAGES_PER_SHARD = 256


class RankingSettings(SettingsGroup):
    order: Literal["signals", "random"] = Field(
        "signals",
        description="order of judging; 3.1: random",
    )
    n_passages: int = Field(
        10_000,
        ge=1,
        le=_POOL,
        description="most passages that people judge",
    )
    outside_share: float = Field(
        0.25,
        ge=0,
        le=1,
        description="share with the target outside the context; published: 0.17",
    )
    max_rule_share: float = Field(
        0.06,
        ge=0,
        le=1,
        description="greatest share that one simple rule may solve",
    )
    max_capitalised_share: float = Field(
        0.08,
        ge=0,
        le=1,
        description="greatest share that a capitalised word solves",
    )


class RankingReason(Reason):
    BEYOND_POOL = ("beyond_pool", f"not among the {_POOL:,} passages that get signals")
    DUPLICATE = ("duplicate_text", "another passage has the same context or target sentence")
    BELOW_CUTOFF = (
        "below_cutoff",
        "it overlaps a better passage, is beyond the limits, or readers will not guess it",
    )


SIGNALS = Table(
    "signals.parquet",
    "One row for each examined passage, in the order of the passages. A reader is a model of a "
    "person who reads a text.",
    Column("id", pa.string(), "id of the passage"),
    Column("book_id", CODED, "id of the book"),
    Column("start", pa.int32(), "first character of the passage in the text of the book"),
    Column("end", pa.int32(), "character after its last one"),
    Column("target", pa.string(), "the target in small letters"),
    Column("in_context", pa.bool_(), "the target occurs in the context"),
    Column("read_prob", pa.float32(), "P(target) of a reader of the whole passage"),
    Column(
        "read_rank",
        pa.int32(),
        f"words that this reader finds more probable; {NO_RANK:,} without a guess",
    ),
    Column("alone_prob", pa.float32(), "P(target) of a reader of the target's sentence alone"),
    Column(
        "alone_rank",
        pa.int32(),
        f"words that this reader finds more probable; {NO_RANK:,} without a guess",
    ),
    Column("sentence_tokens", pa.int16(), "tokens of the sentence before the target"),
    Column(
        "rules",
        pa.string(),
        "rules that find the target (last name, ...), joined by `; `; empty without a guess",
    ),
    Column(
        "capitalised_share",
        pa.float32(),
        "share of the target in the capitalised words before it; 0 without a guess",
    ),
    Column(
        "expected_yield",
        pa.float32(),
        "probability that the passage passes all three steps of guessing",
    ),
    Column(
        "machine",
        CODED,
        "verdict of the model reader: `kept`, or the step that rejects the passage",
    ),
    example='{"id": "aunt-sabinas-goose:8", "target": "gubbin", "in_context": true, '
    '"read_rank": 3, "sentence_tokens": 14, "rules": "", '
    '"machine": "not_guessed_from_the_passage", ...}',
)
RANKING = Table(
    "ranking.parquet",
    "The best passages in their order.",
    Column("id", pa.string(), "id of the passage"),
    Column("rank", pa.int32(), "rank, from 1"),
    example='{"id": "aunt-sabinas-goose:8", "rank": 3}',
)


def expected_yield(signals: Signals, guessing: GuessingSettings) -> float:
    """Probability that a passage passes all three steps if people guess independently.

    >>> from cloze_gen.recipes.lambada.readers import Guesses
    >>> known = Signals("b:7", "b", 0, 9, "joe", True, Guesses(read_prob=0.8, alone_prob=1e-4))
    >>> round(expected_yield(known, GuessingSettings()), 2)
    0.62
    """
    guesses = signals.guesses
    alone = min(1.0, _HUMAN_ADVANTAGE * guessing.sentence_guesses * guesses.alone_prob)
    not_guessed = 1.0
    if guessing.sentence_subjects:
        length = signals.sentence_tokens / _HALF_GUESSED_TOKENS
        not_guessed = 1 / (1 + length**_GUESSED_STEEPNESS)
    read = guesses.read_prob**guessing.passage_subjects
    return read * (1 - alone) ** guessing.sentence_subjects * not_guessed


def machine_verdict(signals: Signals, guessing: GuessingSettings) -> Verdict:
    """The model reader's verdict: its first guess from the passage, its first few from the sentence.

    >>> from cloze_gen.recipes.lambada.readers import Guesses
    >>> known = Signals("b:7", "b", 0, 9, "joe", True, Guesses(0.8, read_rank=0, alone_rank=2))
    >>> machine_verdict(known, GuessingSettings())
    <Verdict.GUESSED_ALONE: 'guessed_from_the_sentence_alone'>
    """
    if signals.guesses.read_rank > 0:
        return Verdict.MISSED
    if signals.guesses.alone_rank < guessing.sentence_guesses:
        return Verdict.GUESSED_ALONE
    return Verdict.KEPT


def draw_pool(
    survivors: Iterable[tuple[str, bool]],
    *,
    settings: RankingSettings,
    seed: int,
    size: int = _POOL,
) -> list[str]:
    """Ids of the survivors that get signals, at random; for the order by signals, targets in context
    come first.

    >>> draw_pool([("a", False), ("b", True), ("c", False)], settings=RankingSettings(), seed=1, size=2)[0]
    'b'
    """
    inside_first = settings.order == "signals"
    drawn = sorted(
        (inside_first and not in_context, draw_of(passage_id, seed), passage_id)
        for passage_id, in_context in survivors
    )
    return [passage_id for _, _, passage_id in drawn[:size]]


def draw_of(passage_id: str, seed: int) -> float:
    return seeded_fraction("lambada.order", passage_id, seed=seed)


# ---- the order


def rank_passages(
    survivors: Iterable[Signals],
    *,
    settings: RankingSettings,
    guessing: GuessingSettings,
    seed: int,
) -> list[str]:
    """Ids of at most `n_passages` survivors in order, no two overlapping. The order by signals
    leaves out those that no reader is expected to guess, and ends where the limits allow no other.

    >>> from cloze_gen.recipes.lambada.readers import Guesses
    >>> known = [Signals(f"b:{n}", f"b{n}", 0, 9, "joe", n < 2, Guesses(n / 4)) for n in range(4)]
    >>> rank_passages(known, settings=RankingSettings(outside_share=0.5), guessing=GuessingSettings(), seed=1)
    ['b:3', 'b:1', 'b:2']
    """
    ranked = _Ranked(settings)
    if settings.order == "random":
        for signals in sorted(survivors, key=lambda signals: draw_of(signals.id, seed)):
            if not ranked.is_full and not ranked.overlaps(signals):
                ranked.add(signals)
        return ranked.order
    queues = _queues(survivors, guessing)
    while not ranked.is_full:
        queue = _next_queue(queues, ranked)
        if queue is None:
            break
        signals = queue.pop().signals
        if not ranked.repeats(signals):
            ranked.add(signals)
    return ranked.order


class _Waiting(NamedTuple):
    """Sorted by minus the expected yield, then by id."""

    cost: float
    id: str
    signals: Signals


_Queue = list[_Waiting]  # the best is last


def _queues(survivors: Iterable[Signals], guessing: GuessingSettings) -> list[_Queue]:
    """The passages that a reader may guess; those of a queue meet the same limits."""
    queues: dict[tuple[bool, tuple[str, ...], int], _Queue] = {}
    for signals in survivors:
        expected = expected_yield(signals, guessing)
        if expected >= _MIN_YIELD:
            steps = math.ceil(_SHARE_STEPS * signals.capitalised_share)
            kind = (signals.in_context, signals.rules, steps)
            queues.setdefault(kind, []).append(_Waiting(-expected, signals.id, signals))
    for queue in queues.values():
        queue.sort(reverse=True)
    return list(queues.values())


def _next_queue(queues: list[_Queue], ranked: _Ranked) -> _Queue | None:
    """The queue with the best allowed passage; None if no passage is allowed."""
    allowed = [queue for queue in queues if queue and ranked.allows(queue[-1].signals)]
    wanted = [queue for queue in allowed if queue[-1].signals.in_context != ranked.wants_outside]
    return min(wanted or allowed, key=lambda queue: queue[-1][:2], default=None)


class _Ranked:
    """The passages ranked so far, and what the limits count of them."""

    def __init__(self, settings: RankingSettings) -> None:
        self._settings = settings
        self._outside = 0
        self._capitalised = 0.0
        self._solved: Counter[str] = Counter()
        self._targets: Counter[tuple[str, str]] = Counter()
        self._spans = TakenSpans()
        self.order: list[str] = []

    @property
    def is_full(self) -> bool:
        return len(self.order) == self._settings.n_passages

    @property
    def wants_outside(self) -> bool:
        return self._outside < self._settings.outside_share * (len(self.order) + 1)

    def allows(self, signals: Signals) -> bool:
        """Whether simple rules still solve few enough passages with this one."""
        n = len(self.order) + 1
        most = max(_MIN_ALLOWED, self._settings.max_rule_share * n)
        if any(self._solved[rule] + 1 > most for rule in signals.rules):
            return False
        most_capitalised = max(_MIN_ALLOWED, self._settings.max_capitalised_share * n)
        share = signals.capitalised_share
        return share == 0 or self._capitalised + share <= most_capitalised

    def repeats(self, signals: Signals) -> bool:
        """Whether a passage overlaps a ranked one, or its book has its target too often already."""
        count = self._targets[signals.book_id, signals.target]
        return count >= _MAX_SAME_TARGET or self.overlaps(signals)

    def overlaps(self, signals: Signals) -> bool:
        return self._spans.overlaps(signals.book_id, signals.start, signals.end)

    def add(self, signals: Signals) -> None:
        self.order.append(signals.id)
        self._outside += not signals.in_context
        self._solved.update(signals.rules)
        self._capitalised += signals.capitalised_share
        self._targets[signals.book_id, signals.target] += 1
        self._spans.add(signals.book_id, signals.start, signals.end)


# ---- stages


def write_tagged_novels(writer: ArtifactWriter, ctx: StageContext, *, novels: Artifact) -> None:
    """Write `books.tsv` (as `write_part`): random novels until `_TAGGED_TOKENS` are reached."""
    rows = kept_books(novels)
    chosen: set[str] = set()
    tokens = 0
    for row in sorted(rows, key=lambda row: stable_fraction("lambada.tagged", row["book_id"])):
        if tokens < _TAGGED_TOKENS:
            chosen.add(row["book_id"])
            tokens += int(row["tokens"])
    write_book_table(writer, [row for row in rows if row["book_id"] in chosen], strict=ctx.strict)
    ctx.say(f"{len(chosen):,} novels with {tokens:,} tokens selected for tagging")


def examine_passages(passages: Sequence[Passage], *, read: Callable[[], Readers]) -> list[Signals]:
    """The signals of each passage; `read`: `read_readers` of the run."""
    readers = read()
    return [signals_of(passage, readers) for passage in passages]


def write_ranking(
    writer: ArtifactWriter,
    ctx: StageContext,
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
    kept = read_survivors(committee)
    rows = PASSAGES.read(passages.path(PASSAGES.name), ["id", "in_context"]).to_pylist()
    survivors = [(row["id"], row["in_context"] > 0) for row in rows if row["id"] in kept]
    pool = frozenset(draw_pool(survivors, settings=settings, seed=seed))
    duplicates = printed_before(
        (passage.id, texts_of(passage))
        for passage in read_passages(passages, which=pool.__contains__)
    )
    examined = pool.difference(duplicates)
    read = functools.partial(read_readers, index, counts, tagged_counts, contexts)
    examine = functools.partial(examine_passages, read=read)
    shards = batches(read_passages(passages, which=examined.__contains__), _PASSAGES_PER_SHARD)
    parts = ctx.map_as_they_come(
        examine, shards, unit="parts", total=-(-len(examined) // _PASSAGES_PER_SHARD)
    )
    signals = [of_passage for part in parts for of_passage in part]
    order = rank_passages(signals, settings=settings, guessing=guessing, seed=seed)
    ranked = frozenset(order)
    records = [_signal_record(of_passage, guessing) for of_passage in signals]
    SIGNALS.write_records(writer, records)
    RANKING.write(writer, {"id": order, "rank": range(1, len(order) + 1)})
    rejected = []
    for passage_id, _ in survivors:
        if passage_id not in pool:
            rejected.append(Rejection(passage_id, RankingReason.BEYOND_POOL))
        elif passage_id in duplicates:
            before = duplicates[passage_id]
            rejected.append(Rejection(passage_id, RankingReason.DUPLICATE, before))
        elif passage_id not in ranked:
            rejected.append(Rejection(passage_id, RankingReason.BELOW_CUTOFF))
    write_rejections(writer, rejected, unit="passages", kept=len(order))
    yields = [record["expected_yield"] for record in records if record["id"] in ranked]
    writer.facts["guessable"] = sum(expected >= _MIN_YIELD for expected in yields)
    mean = sum(yields) / max(1, len(yields))
    ctx.say(
        f"{len(order):,} of {len(survivors):,} passages ranked; {mean:.1%} of them are "
        "expected to pass all steps of guessing"
    )


def _signal_record(signals: Signals, guessing: GuessingSettings) -> dict[str, Any]:
    return {
        **asdict(signals),
        **asdict(signals.guesses),
        "rules": "; ".join(signals.rules),
        "expected_yield": expected_yield(signals, guessing),
        "machine": str(machine_verdict(signals, guessing)),
    }


def texts_of(passage: Passage) -> list[tuple[str, ...]]:
    """The texts of a passage that no other may print."""
    return [passage.target_sentence, ("context", *passage.context)]


def read_ranking(ranking: Artifact) -> list[str]:
    """Ids of the ranked passages in order."""
    return list(RANKING.read(ranking.path(RANKING.name), ["id"])["id"].to_pylist())
