"""The order in which people judge the passages; the paper keeps one passage in 25.

Passages that probably pass (`readers`) come first. No rule of the passage alone (`PASSAGE_RULES`)
solves more than a fixed share of the first passages, and a fixed share has the target outside the
context, as far as there are such passages. The paper's order is `random`.
"""

from __future__ import annotations

import functools
import heapq
import itertools
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

import numpy as np
import pyarrow as pa
from pydantic import Field

from cloze_gen.corpus.books import kept_books, write_book_table
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.recipes.common import printed_before
from cloze_gen.recipes.lambada.committee import read_survivors
from cloze_gen.recipes.lambada.guessing import GuessingSettings, Verdict
from cloze_gen.recipes.lambada.passages import PASSAGES, batches, read_passages
from cloze_gen.recipes.lambada.readers import ReaderModels, Signals, read_reader_models, signals_of
from cloze_gen.records.passage import Passage
from cloze_gen.records.rejection import Reason
from cloze_gen.records.spans import TakenSpans
from cloze_gen.rng import stable_fraction
from cloze_gen.settings import MOST_COUNTED, MOST_EACH, SettingsGroup
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel, open_artifact
from cloze_gen.store.tables import REJECTED, read_parquet, write_parquet

_HUMAN_ADVANTAGE = 10.0  # people guess the end of a sentence that much better than an n-gram model
# A reader sees the whole sentence, but the n-gram model only its last three words. With 15 tokens
# before the target, one of two readers guessed it half the time (`benchmarks/readings.parquet`, development
# round). With half as many tokens it was one time in ten, with twice as many nine in ten.
_HALF_GUESSED_TOKENS, _GUESSED_STEEPNESS = 15.0, 3.0
_MIN_YIELD = 1e-5  # below it a passage has no signal
# Passages kept by the committee that get signals; those whose target occurs in the context come first.
_POOL = 100_000
_MOST_AUTO = 10_000  # passages if `n_passages` is "auto"
# Tokens of the training novels that are tagged; the model reader takes each word's class from them.
_TAGGED_TOKENS = 3_000_000
_MIN_ALLOWED = 2  # passages solved by a rule that any prefix of the order may have
# Passages are queued by their share of capitalised words in twentieths, so a blocked passage delays
# few others.
_SHARE_STEPS = 20


class RankingSettings(SettingsGroup):
    order: Literal["signals", "random"] = Field(
        "signals",
        description="order of judging; 3.1: random",
    )
    # auto: as many as a reader may guess by the signals and the max_ limits allow, at most 10,000.
    n_passages: Annotated[int, Field(ge=1, le=_POOL)] | Literal["auto"] = Field(
        "auto",
        description="passages that people judge; auto: as many as the limits allow",
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
    max_same_target: int = Field(
        2,
        ge=1,
        le=MOST_EACH,
        description="most passages of a book with the same target",
    )
    max_echo_freq: float = Field(
        4e-4,
        gt=0,
        le=1,
        description="greatest frequency of a word that the reader repeats",
    )

    @property
    def most_passages(self) -> int:
        return _MOST_AUTO if self.n_passages == "auto" else self.n_passages


class TriggerSettings(SettingsGroup):
    max_freq: float = Field(
        1e-3,
        gt=0,
        le=1,
        description="frequency from which a word is too common",
    )
    min_count: int = Field(
        50, ge=1, le=MOST_COUNTED, description="least count of a word in the training novels"
    )
    allow_proper_names: bool = Field(False, description="use proper names too")

    @property
    def min_freq(self) -> float:
        """0: `min_count` tokens show the associations of a word in a corpus of any size."""
        return 0.0


def expected_yield(signals: Signals, guessing: GuessingSettings) -> float:
    """Probability that a passage passes all three steps if people guess independently.

    >>> known = Signals("b:7", "b", 0, 9, "joe", True, read_prob=0.8, alone_prob=1e-4)
    >>> round(expected_yield(known, GuessingSettings()), 2)
    0.62
    """
    alone = min(1.0, _HUMAN_ADVANTAGE * guessing.sentence_guesses * signals.alone_prob)
    not_guessed = (
        1 / (1 + (signals.sentence_tokens / _HALF_GUESSED_TOKENS) ** _GUESSED_STEEPNESS)
        if guessing.sentence_subjects
        else 1.0
    )
    return (
        signals.read_prob**guessing.passage_subjects
        * (1 - alone) ** guessing.sentence_subjects
        * not_guessed
    )


def draw_pool(
    survivors: Iterable[tuple[str, bool]],
    *,
    settings: RankingSettings,
    seed: int,
    size: int = _POOL,
) -> list[str]:
    """Ids of the survivors that get signals: targets in context first, each kind at random.

    >>> draw_pool([("a", False), ("b", True), ("c", False)], settings=RankingSettings(), seed=1, size=2)[0]
    'b'
    """
    inside_first = settings.order == "signals"
    drawn = ((inside_first and not inside, draw_of(one, seed), one) for one, inside in survivors)
    return [one for _, _, one in heapq.nsmallest(size, drawn)]


def rank_passages(
    survivors: Iterable[Signals],
    *,
    settings: RankingSettings,
    guessing: GuessingSettings,
    seed: int,
) -> list[str]:
    """Ids of at most `n_passages` survivors in order, no two overlapping; "auto" leaves out those
    that no reader is expected to guess, and ends where the limits allow no other passage.

    >>> known = [Signals(f"b:{n}", f"b{n}", 0, 9, "joe", n < 2, read_prob=n / 4, alone_prob=0.0) for n in range(4)]
    >>> [rank_passages(known, settings=RankingSettings(outside_share=0.5, n_passages=n), guessing=GuessingSettings(), seed=1)
    ...  for n in ("auto", 4)]
    [['b:3', 'b:1', 'b:2'], ['b:3', 'b:1', 'b:2', 'b:0']]
    """
    queues: dict[_Kind, list[_Waiting]] = {}
    others: list[Signals] = []
    for one in survivors:
        expected = 0.0 if settings.order == "random" else expected_yield(one, guessing)
        if expected < _MIN_YIELD:
            others.append(one)
        else:
            kind = _Kind(one.in_context, one.rules, math.ceil(_SHARE_STEPS * one.capitalised_share))
            queues.setdefault(kind, []).append((-expected, one.id, one))
    for queue in queues.values():
        heapq.heapify(queue)
    taken = _Taken(settings)
    while len(taken.order) < settings.most_passages and (best := _next(queues, taken)) is not None:
        heapq.heappop(queues[best])
    if settings.n_passages == "auto" and settings.order == "signals":
        return taken.order
    later = sorted(
        (*taken.held_back, *itertools.chain(*queues.values())), key=lambda entry: entry[:2]
    )
    at_random = sorted(others, key=lambda one: draw_of(one.id, seed))
    for one in itertools.chain((entry[2] for entry in later), at_random):
        if len(taken.order) == settings.most_passages:
            break
        if not taken.overlaps(one):
            taken.add(one)
    return taken.order


def draw_of(passage_id: str, seed: int) -> float:
    return stable_fraction(f"lambada.order\x1f{seed}", passage_id)


def machine_verdict(signals: Signals, guessing: GuessingSettings) -> Verdict:
    """The model reader's verdict: its first guess from the passage, its first few from the sentence.

    >>> machine_verdict(Signals("b:7", "b", 0, 9, "joe", True, 0.8, 1e-4, read_rank=0, alone_rank=2), GuessingSettings())
    <Verdict.GUESSED_ALONE: 'guessed_from_the_sentence_alone'>
    """
    if signals.read_rank > 0:
        return Verdict.MISSED
    return Verdict.GUESSED_ALONE if signals.alone_rank < guessing.sentence_guesses else Verdict.KEPT


_Waiting = tuple[float, str, Signals]  # minus the expected yield, id, signals


class _Kind(NamedTuple):
    in_context: bool
    rules: frozenset[str]
    capitalised_steps: int


class _Taken:
    def __init__(self, settings: RankingSettings) -> None:
        self._settings = settings
        self._outside = 0
        self._capitalised = 0.0
        self._solved: Counter[str] = Counter()
        self._targets: Counter[tuple[str, str]] = Counter()
        self._spans = TakenSpans()
        self.order: list[str] = []
        self.held_back: list[_Waiting] = []

    @property
    def wants_outside(self) -> bool:
        return self._outside < self._settings.outside_share * (len(self.order) + 1)

    def allows(self, one: Signals) -> bool:
        most, most_capitalised = (
            max(_MIN_ALLOWED, share * (len(self.order) + 1))
            for share in (self._settings.max_rule_share, self._settings.max_capitalised_share)
        )
        within_rules = all(self._solved[rule] + 1 <= most for rule in one.rules)
        return within_rules and (
            not one.capitalised_share
            or self._capitalised + one.capitalised_share <= most_capitalised
        )

    def repeats(self, one: Signals) -> bool:
        """Whether a passage overlaps a taken one, or its book has its target too often already."""
        return (
            self.overlaps(one)
            or self._targets[one.book_id, one.target] >= self._settings.max_same_target
        )

    def overlaps(self, one: Signals) -> bool:
        return self._spans.overlaps(one.book_id, one.start, one.end)

    def add(self, one: Signals) -> None:
        self.order.append(one.id)
        self._outside += not one.in_context
        self._solved.update(one.rules)
        self._capitalised += one.capitalised_share
        self._targets[one.book_id, one.target] += 1
        self._spans.add(one.book_id, one.start, one.end)


def _next(queues: dict[_Kind, list[_Waiting]], taken: _Taken) -> _Kind | None:
    """Take the best allowed passage and return its queue; None if no passage is allowed."""
    while True:
        free = [kind for kind, queue in queues.items() if queue and taken.allows(queue[0][2])]
        wanted = [kind for kind in free if kind.in_context != taken.wants_outside]
        best = min(wanted or free, key=lambda kind: queues[kind][0][:2], default=None)
        if best is None:
            return None
        one = queues[best][0][2]
        if not taken.repeats(one):
            taken.add(one)
            return best
        taken.held_back.append(heapq.heappop(queues[best]))


def write_tagged_novels(writer: ArtifactWriter, ctx: StageContext, *, novels: Artifact) -> None:
    """Write `books.tsv` (as `write_part`): novels in random order up to `_TAGGED_TOKENS`."""
    chosen, tokens = set[str](), 0
    for row in sorted(
        kept_books(novels), key=lambda row: stable_fraction("lambada.tagged", row["book_id"])
    ):
        if tokens >= _TAGGED_TOKENS:
            break
        chosen.add(row["book_id"])
        tokens += int(row["tokens"])
    write_book_table(
        writer, [row for row in kept_books(novels) if row["book_id"] in chosen], strict=ctx.strict
    )
    ctx.say(f"{len(chosen):,} novels with {tokens:,} tokens selected for tagging")


class RankingReason(Reason):
    BEYOND_POOL = ("beyond_pool", f"not among the {_POOL:,} passages that get signals")
    DUPLICATE = ("duplicate_text", "another passage has the same context or target sentence")
    BELOW_CUTOFF = (
        "below_cutoff",
        "it overlaps a better passage, ranks below ranking.n_passages, or readers will not guess it",
    )


BEYOND_POOL, DUPLICATE, BELOW_CUTOFF = map(str, RankingReason)
_PASSAGES_PER_SHARD = 256
_RULES_JOINED = "; "


SIGNALS, RANKING = "signals.parquet", "ranking.parquet"


def read_ranking(ranking: Artifact) -> list[str]:
    return list(read_parquet(ranking.path(RANKING), columns=["id"])["id"].to_pylist())


@dataclass(frozen=True, slots=True)
class Readers:
    index: Path
    counts: Path
    tagged_counts: Path
    contexts: Path
    max_echo_freq: float


@dataclass(frozen=True, slots=True)
class SignalShard:
    passages: tuple[Passage, ...] = field(repr=False)
    readers: Readers


@functools.lru_cache(maxsize=1)
def _models(readers: Readers) -> ReaderModels:
    folders = {
        name: getattr(readers, name) for name in ("index", "counts", "tagged_counts", "contexts")
    }
    opened = {name: open_artifact(folder) for name, folder in folders.items()}
    return read_reader_models(**opened, max_echo_freq=readers.max_echo_freq)


def read_signals(shard: SignalShard) -> list[Signals]:
    models = _models(shard.readers)
    return [
        signals_of(
            one.id,
            one.context,
            one.target_sentence[: one.target_position],
            one.target,
            span=(one.book_id, one.start, one.end),
            models=models,
        )
        for one in shard.passages
    ]


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
    table = read_parquet(passages.path(PASSAGES), columns=["id", "in_context"])
    survivors = read_survivors(committee)
    pairs = zip(table["id"].to_pylist(), table["in_context"].to_pylist(), strict=True)
    pool = frozenset(
        draw_pool(
            ((one, count > 0) for one, count in pairs if one in survivors),
            settings=settings,
            seed=seed,
        )
    )
    readers = Readers(
        index.folder, counts.folder, tagged_counts.folder, contexts.folder, settings.max_echo_freq
    )
    duplicates = printed_before(
        (one.id, texts_of(one)) for one in read_passages(passages, which=pool.__contains__)
    )
    examined = read_passages(passages, which=pool.difference(duplicates).__contains__)
    shards = (SignalShard(some, readers) for some in batches(examined, _PASSAGES_PER_SHARD))
    parts = ctx.map_as_they_come(
        read_signals, shards, unit="parts", total=-(-len(pool) // _PASSAGES_PER_SHARD)
    )
    signals = [one for part in parts for one in part]
    order = rank_passages(signals, settings=settings, guessing=guessing, seed=seed)
    ranked = frozenset(order)
    writer.rows[SIGNALS] = write_parquet(writer.path(SIGNALS), _signal_columns(signals, guessing))
    writer.rows[RANKING] = write_parquet(
        writer.path(RANKING), {"id": order, "rank": np.arange(1, len(order) + 1, dtype=np.int32)}
    )
    rejected = [
        (
            one,
            BEYOND_POOL if one not in pool else DUPLICATE if one in duplicates else BELOW_CUTOFF,
            duplicates.get(one, ""),
        )
        for one in table["id"].to_pylist()
        if one in survivors and one not in ranked
    ]
    writer.rows[REJECTED] = write_parquet(writer.path(REJECTED), _rejected_columns(rejected))
    writer.funnel = funnel(
        "passages", kept=len(order), rejected=Counter(reason for _, reason, _ in rejected)
    )
    yields = [expected_yield(one, guessing) for one in signals if one.id in ranked]
    expected = float(np.mean(yields)) if yields else 0.0
    hopeless = sum(one < _MIN_YIELD for one in yields)
    writer.facts |= {
        "examined": len(signals),
        "expected_yield": round(expected, 4),
        "guessable": len(yields) - hopeless,
    }
    ctx.say(
        f"{len(order):,} of {len(survivors):,} passages ranked; {expected:.1%} of them are "
        "expected to pass all steps of guessing"
    )
    if hopeless and settings.order == "signals":
        ctx.say(
            f"warning: no reader is expected to guess {hopeless:,} of these passages; "
            "--set ranking.n_passages=auto leaves them out"
        )


def texts_of(passage: Passage) -> list[tuple[str, ...]]:
    return [
        passage.target_sentence,
        ("context", *(token for sentence in passage.context for token in sentence)),
    ]


def _signal_columns(signals: Sequence[Signals], guessing: GuessingSettings) -> dict[str, pa.Array]:
    plain = {
        name: [getattr(one, name) for one in signals]
        for name in Signals.__dataclass_fields__
        if name != "rules"
    }
    kinds: Mapping[str, pa.DataType] = {
        "start": pa.int32(),
        "end": pa.int32(),
        "in_context": pa.bool_(),
        "read_prob": pa.float32(),
        "alone_prob": pa.float32(),
        "read_rank": pa.int32(),
        "alone_rank": pa.int32(),
        "sentence_tokens": pa.int16(),
        "capitalised_share": pa.float32(),
    }
    columns = {
        name: pa.array(values, kinds.get(name, pa.string())) for name, values in plain.items()
    }
    return columns | {
        "book_id": columns["book_id"].dictionary_encode(),
        "rules": pa.array([_RULES_JOINED.join(sorted(one.rules)) for one in signals], pa.string()),
        "expected_yield": pa.array(
            [expected_yield(one, guessing) for one in signals], pa.float32()
        ),
        "machine": pa.array(
            [str(machine_verdict(one, guessing)) for one in signals], pa.string()
        ).dictionary_encode(),
    }


def _rejected_columns(rejected: Sequence[tuple[str, str, str]]) -> dict[str, pa.Array]:
    return {
        "id": pa.array([one for one, _, _ in rejected], pa.string()),
        "reason": pa.array([reason for _, reason, _ in rejected], pa.string()).dictionary_encode(),
        "detail": pa.array([detail for _, _, detail in rejected], pa.string()),
    }
