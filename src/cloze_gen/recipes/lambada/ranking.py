"""The order in which people judge the passages; the paper keeps one passage in 25.

Passages that probably pass (`readers`) come first. No rule of the passage alone (`PASSAGE_RULES`)
solves more than a fixed share of the first passages, and a fixed share has the target outside the
context, as far as there are such passages. The paper's order is `random`.
"""

from __future__ import annotations

import functools
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from typing import Any, Literal

import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from cloze_gen.corpus.books import kept_books, write_book_table
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.english.content_words import PASSAGE_RULES
from cloze_gen.recipes.common import printed_before
from cloze_gen.recipes.lambada.committee import read_survivors
from cloze_gen.recipes.lambada.guessing import GuessingSettings
from cloze_gen.recipes.lambada.passages import (
    PASSAGES,
    SPAN,
    Row,
    batches,
    first_apart,
    read_passages,
)
from cloze_gen.recipes.lambada.readers import Guesses, Readers, read_readers
from cloze_gen.recipes.tables import write_rejections
from cloze_gen.records.passage import Passage
from cloze_gen.records.rejection import Reason, Rejection
from cloze_gen.records.spans import TakenSpans
from cloze_gen.rng import seeded_fraction, stable_fraction
from cloze_gen.settings import SettingsGroup
from cloze_gen.store.artifacts import Artifact, ArtifactWriter
from cloze_gen.store.schema import Column, Table, TableWriter

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
    Column("target", pa.string(), "the target in small letters"),
    Column("read_prob", pa.float32(), "P(target) of a reader of the whole passage"),
    Column("alone_prob", pa.float32(), "P(target) of a reader of the target's sentence alone"),
    Column(
        "rules",
        pa.string(),
        "rules that find the target (last name, ...), joined by `; `; empty without a guess",
    ),
    Column(
        "expected_yield",
        pa.float64(),
        "probability that the passage passes all three steps of guessing",
    ),
    example='{"id": "aunt-sabinas-goose:8", "target": "gubbin", "rules": "", ...}',
)
RANKING = Table(
    "ranking.parquet",
    "The best passages in their order.",
    Column("id", pa.string(), "id of the passage"),
    Column("rank", pa.int32(), "rank, from 1"),
    example='{"id": "aunt-sabinas-goose:8", "rank": 3}',
)


def expected_yield(guesses: Guesses, sentence_tokens: int, guessing: GuessingSettings) -> float:
    """Probability that a passage passes all three steps if people guess independently.

    `sentence_tokens`: tokens before the target in its sentence.

    >>> round(expected_yield(Guesses(read_prob=0.8, alone_prob=1e-4), 0, GuessingSettings()), 2)
    0.62
    """
    alone = min(1.0, _HUMAN_ADVANTAGE * guessing.sentence_guesses * guesses.alone_prob)
    not_guessed = 1.0
    if guessing.sentence_subjects:
        length = sentence_tokens / _HALF_GUESSED_TOKENS
        not_guessed = 1 / (1 + length**_GUESSED_STEEPNESS)
    read = guesses.read_prob**guessing.passage_subjects
    return read * (1 - alone) ** guessing.sentence_subjects * not_guessed


def signals_of(passage: Passage, readers: Readers, guessing: GuessingSettings) -> dict[str, Any]:
    """A row of `SIGNALS`."""
    target = passage.target.casefold()
    guesses = readers.guess(passage)
    rules: list[str] = []
    if guesses.read_prob:
        before = passage.before_target
        rules = [name for name, rule in PASSAGE_RULES.items() if rule(before) == target]
    return {
        "id": passage.id,
        "target": target,
        **asdict(guesses),
        "rules": "; ".join(rules),
        "expected_yield": expected_yield(guesses, passage.target_position, guessing),
    }


def draw_pool(
    survivors: Iterable[Row], *, settings: RankingSettings, seed: int, size: int = _POOL
) -> list[str]:
    """Ids of the survivors that get signals, at random; for the order by signals, targets in context
    come first.

    >>> rows = [{"id": "a", "in_context": 0}, {"id": "b", "in_context": 1}, {"id": "c", "in_context": 0}]
    >>> draw_pool(rows, settings=RankingSettings(), seed=1, size=2)[0]
    'b'
    """
    inside_first = settings.order == "signals"

    def precedence(row: Row) -> tuple[bool, float]:
        return inside_first and not row["in_context"], draw_of(row["id"], seed)

    return [row["id"] for row in sorted(survivors, key=precedence)[:size]]


def draw_of(passage_id: str, seed: int) -> float:
    return seeded_fraction("lambada.order", passage_id, seed=seed)


# ---- the order


def rank_passages(candidates: Iterable[Row], *, settings: RankingSettings, seed: int) -> list[str]:
    """Ids of at most `n_passages` candidates in order, no two overlapping. The order by signals
    leaves out those that no reader is expected to guess, and ends where the limits allow no other.

    Args:
        candidates: `id`, `book_id`, `start`, `end`, `in_context` of `PASSAGES`, and the signals.

    >>> rows = [
    ...     {"id": f"b:{n}", "book_id": f"b{n}", "start": 0, "end": 9, "in_context": int(n < 2),
    ...      "target": "joe", "rules": "", "expected_yield": n / 4}
    ...     for n in range(4)
    ... ]
    >>> rank_passages(rows, settings=RankingSettings(outside_share=0.5), seed=1)
    ['b:3', 'b:1', 'b:2']
    """
    if settings.order == "random":
        ordered = sorted(candidates, key=lambda row: draw_of(row["id"], seed))
        return first_apart(ordered, most=settings.n_passages)
    ranked = _Ranked(settings)
    queues: defaultdict[tuple[bool, str], list[Row]] = defaultdict(list)
    for row in sorted(candidates, key=_precedence, reverse=True):  # the best of a queue is last
        if row["expected_yield"] >= _MIN_YIELD:
            queues[row["in_context"] > 0, row["rules"]].append(row)
    while not ranked.is_full:
        queue = _next_queue(queues.values(), ranked)
        if queue is None:
            break
        row = queue.pop()
        if not ranked.repeats(row):
            ranked.add(row)
    return ranked.order


def _precedence(row: Row) -> tuple[float, str]:
    return -row["expected_yield"], row["id"]


def _next_queue(queues: Iterable[list[Row]], ranked: _Ranked) -> list[Row] | None:
    """The queue with the best allowed passage; None if no passage is allowed."""
    allowed = [queue for queue in queues if queue and ranked.allows(queue[-1])]
    wanted = [queue for queue in allowed if (queue[-1]["in_context"] == 0) == ranked.wants_outside]
    return min(wanted or allowed, key=lambda queue: _precedence(queue[-1]), default=None)


class _Ranked:
    """The passages ranked so far, and what the limits count of them."""

    def __init__(self, settings: RankingSettings) -> None:
        self._settings = settings
        self._outside = 0
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

    def allows(self, row: Row) -> bool:
        """Whether simple rules still solve few enough passages with this one."""
        most = max(_MIN_ALLOWED, self._settings.max_rule_share * (len(self.order) + 1))
        return all(self._solved[rule] + 1 <= most for rule in _rules(row))

    def repeats(self, row: Row) -> bool:
        """Whether a passage overlaps a ranked one, or its book has its target too often already."""
        count = self._targets[row["book_id"], row["target"]]
        overlaps = self._spans.overlaps(row["book_id"], row["start"], row["end"])
        return overlaps or count >= _MAX_SAME_TARGET

    def add(self, row: Row) -> None:
        self.order.append(row["id"])
        self._outside += not row["in_context"]
        self._solved.update(_rules(row))
        self._targets[row["book_id"], row["target"]] += 1
        self._spans.add(row["book_id"], row["start"], row["end"])


def _rules(row: Row) -> list[str]:
    return row["rules"].split("; ") if row["rules"] else []


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


def examine_passages(
    passages: Sequence[Passage], *, read: Callable[[], Readers], guessing: GuessingSettings
) -> pa.Table:
    """Rows of `SIGNALS`; `read`: `read_readers` of the run."""
    readers = read()
    return SIGNALS.of_records([signals_of(passage, readers, guessing) for passage in passages])


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
    rows = PASSAGES.read(passages.path(PASSAGES.name), [*SPAN, "in_context"])
    survivors = rows.filter(pc.is_in(rows["id"], read_survivors(committee))).to_pylist()
    pool = frozenset(draw_pool(survivors, settings=settings, seed=seed))
    duplicates = printed_before(
        (passage.id, texts_of(passage))
        for passage in read_passages(passages, which=pool.__contains__)
    )
    examined = pool.difference(duplicates)
    examine = functools.partial(
        examine_passages,
        read=functools.partial(read_readers, index, counts, tagged_counts, contexts),
        guessing=guessing,
    )
    shards = batches(read_passages(passages, which=examined.__contains__), _PASSAGES_PER_SHARD)
    total = -(-len(examined) // _PASSAGES_PER_SHARD)
    signals: dict[str, Row] = {}
    with TableWriter(writer, SIGNALS) as table:
        for part in ctx.map_as_they_come(examine, shards, unit="parts", total=total):
            table.append(part)
            signals |= {row["id"]: row for row in part.to_pylist()}
    candidates = [{**row, **signals[row["id"]]} for row in survivors if row["id"] in signals]
    order = rank_passages(candidates, settings=settings, seed=seed)
    ranked = frozenset(order)
    RANKING.write(writer, {"id": order, "rank": range(1, len(order) + 1)})
    rejected = []
    for row in survivors:
        passage_id = row["id"]
        if passage_id not in pool:
            rejected.append(Rejection(passage_id, RankingReason.BEYOND_POOL))
        elif passage_id in duplicates:
            before = duplicates[passage_id]
            rejected.append(Rejection(passage_id, RankingReason.DUPLICATE, before))
        elif passage_id not in ranked:
            rejected.append(Rejection(passage_id, RankingReason.BELOW_CUTOFF))
    write_rejections(writer, rejected, unit="passages", kept=len(order))
    yields = [signals[passage_id]["expected_yield"] for passage_id in order]
    writer.facts["guessable"] = sum(expected >= _MIN_YIELD for expected in yields)
    mean = sum(yields) / max(1, len(yields))
    ctx.say(
        f"{len(order):,} of {len(survivors):,} passages ranked; {mean:.1%} of them are "
        "expected to pass all steps of guessing"
    )


def texts_of(passage: Passage) -> list[tuple[str, ...]]:
    """The texts of a passage that no other may print."""
    return [passage.target_sentence, ("context", *passage.context)]


def read_ranking(ranking: Artifact) -> list[str]:
    """Ids of the ranked passages in order."""
    return list(RANKING.read(ranking.path(RANKING.name), ["id"])["id"].to_pylist())
