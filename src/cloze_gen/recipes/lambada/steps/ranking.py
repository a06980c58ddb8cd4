"""The order in which passages are given to people, who are dear: the paper keeps one in 25 of those it asks about.

A passage is worth asking about when two readers of the whole passage are likely to guess its target and ten of the sentence are not. Both
are estimated without people (`readers`), and passages stand in the order of the estimate. The best by the estimate alone would make a
poor set: nearly all its targets would stand in the context, and a rule as crude as *the last name* would solve a fifth. So

- of the head, whatever its length, a fixed share has its target outside the context;
- each rule of the passage alone (`english.names.PASSAGE_RULES`, and whatever else a stage tries) is right in at most a fixed share of it,
  and so is a capitalised word of the passage taken at random, on average;
- no two passages of it overlap, and a book's word is the target at most a few times.

What these bounds hold back follows behind, best first, and in the end at random whatever no signal speaks for, as far as nothing overlaps.
`random` is the paper's order: "a random sample of the remaining passages".
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple, Self

from pydantic import Field, model_validator

from cloze_gen.recipes.lambada.steps.guessing import GuessingSettings, Verdict
from cloze_gen.recipes.lambada.steps.readers import Signals
from cloze_gen.records.spans import TakenSpans
from cloze_gen.rng import stable_fraction
from cloze_gen.settings import MOST_COUNTED, MOST_EACH, IgnoredWhen, SettingsGroup

_SHARPER = 10.0  # people guess the end of a sentence that much better than an n-gram model does
# A reader of the sentence has all of it, the n-gram model its last three words. Of a sentence of so many tokens before its target one of
# two readers guessed as often as not (`docs/readings`, development round of guessing), of half as many one in ten times, of twice nine.
_TELLING_TOKENS, _TELLING_STEEPNESS = 15.0, 3.0
_LEAST_YIELD = 1e-5  # below it nothing speaks for a passage
_FREE = 2  # passages solved by a rule that any head may have, however short
_SHARE_STEPS = 20  # passages are queued by their share of capitalised words in twentieths, so that one that may not come holds up few


class RankingSettings(SettingsGroup):
    """Settings of the order in which passages are given to people."""

    order: Literal["signals", "random"] = Field("signals", description="by signals that need no people, or at random; 3.1: at random")
    n_passages: int = Field(10_000, ge=1, le=MOST_COUNTED, description="the head of the order, which people are asked about")
    pool: int = Field(
        100_000, ge=1, le=MOST_COUNTED, description="survivors that are looked at: first those whose target their context holds"
    )
    outside_share: float = Field(0.25, ge=0, le=1, description="share of the head whose targets are not in the context; published: 17 %")
    max_rule_share: float = Field(0.06, ge=0, le=1, description="inclusive: share of the head that any one rule of the passage solves")
    max_capitalised_share: float = Field(
        0.08, ge=0, le=1, description="inclusive: share of the head that a random capitalised word of the passage solves; published: 7 %"
    )
    max_same_target: int = Field(2, ge=1, le=MOST_EACH, description="inclusive: passages of the head from one book with one target")
    max_echo_freq: float = Field(
        4e-4, gt=0, le=1, description="inclusive: share of word tokens of a word that a reader would say for having read it"
    )
    tagged_tokens: int = Field(
        3_000_000, ge=1, le=MOST_COUNTED, description="of the training novels are tagged, which tells the readers each word's class"
    )

    ignored_when = (IgnoredWhen(("outside_share", "max_rule_share", "max_capitalised_share", "max_same_target"), {"order": ("random",)}),)

    @model_validator(mode="after")
    def _the_pool_fills_the_head(self) -> Self:
        if self.pool < self.n_passages:
            raise ValueError(f"pool = {self.pool} is below n_passages = {self.n_passages}, so the pool could never fill the head")
        return self


class TriggerSettings(SettingsGroup):
    """Which words a context can speak of without naming them."""

    max_freq: float = Field(1e-3, gt=0, le=1, description="exclusive: case-folded share of word tokens")
    min_count: int = Field(50, ge=1, le=MOST_COUNTED, description="inclusive: least count of the type")
    proper_names: bool = Field(False, description="names too")

    @property
    def min_freq(self) -> float:
        """None: fifty tokens tell of a word what it goes with, however many books there are."""
        return 0.0


def expected_yield(signals: Signals, guessing: GuessingSettings) -> float:
    """How likely a passage passes all three steps, subjects taken to guess independently; 0 to 1. A long sentence tells its own end.

    >>> known = Signals("b:7", "b", 0, 9, "joe", True, read_prob=0.8, alone_prob=1e-4)
    >>> round(expected_yield(known, GuessingSettings()), 2)
    0.62
    """
    alone = min(1.0, _SHARPER * guessing.sentence_guesses * signals.alone_prob)
    untold = 1 / (1 + (signals.sentence_tokens / _TELLING_TOKENS) ** _TELLING_STEEPNESS) if guessing.sentence_subjects else 1.0
    return signals.read_prob**guessing.passage_subjects * (1 - alone) ** guessing.sentence_subjects * untold


def draw_pool(survivors: Iterable[tuple[str, bool]], *, settings: RankingSettings, seed: int) -> list[str]:
    """Ids of the survivors that are looked at at all: those whose target stands in the context come first, each kind by its own draws.

    Where the order is random no survivor comes before another.

    Args:
        survivors: id, and whether the target stands in the context.

    >>> draw_pool([("a", False), ("b", True), ("c", False)], settings=RankingSettings(n_passages=2, pool=2), seed=1)[0]
    'b'
    """
    inside_first = settings.order == "signals"
    drawn = ((inside_first and not inside, draw_of(one, seed), one) for one, inside in survivors)
    return [one for _, _, one in heapq.nsmallest(settings.pool, drawn)]


def rank_passages(survivors: Iterable[Signals], *, settings: RankingSettings, guessing: GuessingSettings, seed: int) -> list[str]:
    """Ids of survivors in the order in which people are asked about them, `n_passages` at most; no two overlap.

    By signals every head of it keeps the bounds for as long as any passage does that has something to speak for it.

    >>> known = [Signals(f"b:{n}", f"b{n}", 0, 9, "joe", n < 2, read_prob=n / 4, alone_prob=0.0) for n in range(4)]
    >>> rank_passages(known, settings=RankingSettings(outside_share=0.5), guessing=GuessingSettings(), seed=1)
    ['b:3', 'b:1', 'b:2', 'b:0']
    """
    queues: dict[_Kind, list[_Waiting]] = {}
    others: list[Signals] = []
    for one in survivors:
        expected = 0.0 if settings.order == "random" else expected_yield(one, guessing)
        if expected < _LEAST_YIELD:
            others.append(one)
        else:
            kind = _Kind(one.in_context, one.rules, math.ceil(_SHARE_STEPS * one.capitalised_share))
            queues.setdefault(kind, []).append((-expected, one.id, one))
    for queue in queues.values():
        heapq.heapify(queue)
    taken = _Taken(settings)
    while len(taken.order) < settings.n_passages and (best := _next(queues, taken)) is not None:
        heapq.heappop(queues[best])
    behind = sorted((*taken.held_back, *itertools.chain(*queues.values())), key=lambda entry: entry[:2])
    at_random = sorted(others, key=lambda one: draw_of(one.id, seed))
    for one in itertools.chain((entry[2] for entry in behind), at_random):
        if len(taken.order) == settings.n_passages:
            break
        if not taken.overlaps(one):
            taken.add(one)
    return taken.order


def draw_of(passage_id: str, seed: int) -> float:
    """The place of a passage in the paper's order, a random one, from 0 to 1; one passage more moves no other."""
    return stable_fraction(f"lambada.order\x1f{seed}", passage_id)


def machine_verdict(signals: Signals, guessing: GuessingSettings) -> Verdict:
    """What the stand-in says, where no people are asked: its first word from the passage, its first few from the sentence.

    >>> machine_verdict(Signals("b:7", "b", 0, 9, "joe", True, 0.8, 1e-4, read_rank=0, alone_rank=2), GuessingSettings())
    <Verdict.GUESSED_ALONE: 'guessed_from_the_sentence_alone'>
    """
    if signals.read_rank > 0:
        return Verdict.MISSED
    return Verdict.GUESSED_ALONE if signals.alone_rank < guessing.sentence_guesses else Verdict.KEPT


_Waiting = tuple[float, str, Signals]  # less its estimate, its id, and it


class _Kind(NamedTuple):
    """What the bounds ask of a passage; passages of a kind wait in one queue, best first."""

    in_context: bool
    rules: frozenset[str]
    capitalised_steps: int


class _Taken:
    """What the head holds so far, and what it may take next."""

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
        """Whether the rules that solve a passage may solve one more."""
        most, most_capitalised = (
            max(_FREE, share * (len(self.order) + 1)) for share in (self._settings.max_rule_share, self._settings.max_capitalised_share)
        )
        few = all(self._solved[rule] + 1 <= most for rule in one.rules)
        return few and (not one.capitalised_share or self._capitalised + one.capitalised_share <= most_capitalised)

    def repeats(self, one: Signals) -> bool:
        """Whether a passage overlaps another, or has the target of too many; it never will do."""
        return self.overlaps(one) or self._targets[one.book_id, one.target] >= self._settings.max_same_target

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
    """The queue whose first passage comes next, counted as taken; None where the bounds allow none."""
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


def head_shares(order: Sequence[Signals]) -> dict[str, float]:
    """Of a head of the order the shares that each rule and a random capitalised word solve, and whose target is outside the context.

    >>> head_shares([Signals("b:7", "b", 0, 9, "joe", True, 0.8, 0.0, rules=frozenset({"last name"})),
    ...              Signals("b:9", "b", 9, 12, "sea", False, 0.3, 0.0)])
    {'last name': 0.5, 'capitalised word': 0.0, 'outside': 0.5}
    """
    solved = Counter(rule for one in order for rule in one.rules)
    sums = {"capitalised word": sum(one.capitalised_share for one in order), "outside": sum(not one.in_context for one in order)}
    return {name: total / len(order) for name, total in (dict(sorted(solved.items())) | sums).items()}
