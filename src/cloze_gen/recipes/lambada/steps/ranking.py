"""The order in which passages are given to people, who are dear: the paper keeps one in 25 of those it asks about.

A passage is worth asking about when two readers of the whole passage are likely to guess its target and ten of the sentence are not. Both
are estimated without people (`readers`), and passages stand in the order of the estimate. The best by the estimate alone would make a
poor set: nearly all its targets would stand in the context, and a rule as crude as *the last name* would solve a fifth. So

- of the head, whatever its length, a fixed share has its target outside the context;
- each rule of the passage alone (`english.names.PASSAGE_RULES`, and whatever else a stage tries) is right in at most a fixed share of it,
  and so is a capitalised word of the passage taken at random, on average;
- no two passages of it overlap, and a book's word is the target at most a few times.

What these bounds hold back follows behind, best first, and in the end at random whatever no signal speaks for. `random` is the paper's
order: "a random sample of the remaining passages".
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from pydantic import Field

from cloze_gen.recipes.lambada.steps.guessing import GuessingSettings, Verdict
from cloze_gen.recipes.lambada.steps.readers import Signals
from cloze_gen.rng import derive_rng
from cloze_gen.settings import MOST_EACH, SettingsGroup

_SHARPER = 10.0  # people guess the end of a sentence that much better than an n-gram model does
_LEAST_YIELD = 1e-5  # below it nothing speaks for a passage
_FREE = 2  # passages solved by a rule that any head may have, however short
_SHARE_STEPS = 20  # passages are queued by their share of capitalised words in twentieths, so that one that may not come holds up few


class RankingSettings(SettingsGroup):
    """Settings of the order in which passages are given to people."""

    order: Literal["signals", "random"] = Field("signals", description="by signals that need no people, or at random; 3.1: at random")
    outside_share: float = Field(0.25, ge=0, le=1, description="share of the head whose targets are not in the context; published: 17 %")
    max_rule_share: float = Field(0.06, ge=0, le=1, description="inclusive: share of the head that any one rule of the passage solves")
    max_capitalised_share: float = Field(
        0.08, ge=0, le=1, description="inclusive: share of the head that a random capitalised word of the passage solves; published: 7 %"
    )
    max_same_target: int = Field(2, ge=1, le=MOST_EACH, description="inclusive: passages of the head from one book with one target")


def expected_yield(signals: Signals, guessing: GuessingSettings) -> float:
    """How likely a passage passes all three steps, subjects taken to guess independently; 0 to 1.

    >>> known = Signals("b:7", "b", 0, 9, "joe", True, read_prob=0.8, alone_prob=1e-4)
    >>> round(expected_yield(known, GuessingSettings()), 2)
    0.62
    """
    alone = min(1.0, _SHARPER * guessing.sentence_guesses * signals.alone_prob)
    return signals.read_prob**guessing.passage_subjects * (1 - alone) ** guessing.sentence_subjects


def rank_passages(survivors: Iterable[Signals], *, settings: RankingSettings, guessing: GuessingSettings, seed: int) -> list[str]:
    """Ids of all survivors in the order in which people are asked about them; every head of it keeps the bounds.

    >>> known = [Signals(f"b:{n}", f"b{n}", 0, 9, "joe", n < 2, read_prob=n / 4, alone_prob=0.0) for n in range(4)]
    >>> rank_passages(known, settings=RankingSettings(outside_share=0.5), guessing=GuessingSettings(), seed=1)
    ['b:3', 'b:1', 'b:2', 'b:0']
    """
    queues: dict[_Kind, list[_Waiting]] = {}
    hopeless: list[str] = []
    for one in survivors:
        expected = 0.0 if settings.order == "random" else expected_yield(one, guessing)
        if expected < _LEAST_YIELD:
            hopeless.append(one.id)
        else:
            kind = _Kind(one.in_context, one.rules, math.ceil(_SHARE_STEPS * one.capitalised_share))
            queues.setdefault(kind, []).append((-expected, one.id, one))
    for queue in queues.values():
        heapq.heapify(queue)
    head: list[str] = []
    taken = _Taken(settings)
    while (best := _next(queues, taken)) is not None:
        head.append(heapq.heappop(queues[best])[1])
    behind = sorted((*taken.held_back, *itertools.chain(*queues.values())), key=lambda entry: entry[:2])
    return [*head, *(entry[1] for entry in behind), *random_order(hopeless, seed=seed)]


def random_order(ids: Iterable[str], *, seed: int) -> list[str]:
    """The paper's order: each id by a draw of its own, so that one more moves no other.

    >>> order = random_order(["a", "b", "c", "d"], seed=1)
    >>> [one for one in random_order(["d", "c", "b"], seed=1)] == [one for one in order if one != "a"]
    True
    """
    return [passage_id for _, passage_id in sorted((derive_rng(seed, "lambada.order", one).random(), one) for one in ids)]


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
        self._size = self._outside = 0
        self._capitalised = 0.0
        self._solved: Counter[str] = Counter()
        self._targets: Counter[tuple[str, str]] = Counter()
        self._spans: dict[str, list[tuple[int, int]]] = {}
        self.held_back: list[_Waiting] = []

    @property
    def wants_outside(self) -> bool:
        return self._outside < self._settings.outside_share * (self._size + 1)

    def allows(self, one: Signals) -> bool:
        """Whether the rules that solve a passage may solve one more."""
        most, most_capitalised = (
            max(_FREE, share * (self._size + 1)) for share in (self._settings.max_rule_share, self._settings.max_capitalised_share)
        )
        few = all(self._solved[rule] + 1 <= most for rule in one.rules)
        return few and (not one.capitalised_share or self._capitalised + one.capitalised_share <= most_capitalised)

    def repeats(self, one: Signals) -> bool:
        """Whether a passage overlaps another, or has the target of too many; it never will do."""
        overlaps = any(start < one.end and one.start < end for start, end in self._spans.get(one.book_id, ()))
        return overlaps or self._targets[one.book_id, one.target] >= self._settings.max_same_target

    def add(self, one: Signals) -> None:
        self._size += 1
        self._outside += not one.in_context
        self._solved.update(one.rules)
        self._capitalised += one.capitalised_share
        self._targets[one.book_id, one.target] += 1
        self._spans.setdefault(one.book_id, []).append((one.start, one.end))


def _next(queues: dict[_Kind, list[_Waiting]], taken: _Taken) -> _Kind | None:
    """The queue whose first passage comes next, counted as taken; None where the bounds allow none."""
    for queue in queues.values():
        while queue and taken.repeats(queue[0][2]):
            taken.held_back.append(heapq.heappop(queue))
    free = [kind for kind, queue in queues.items() if queue and taken.allows(queue[0][2])]
    wanted = [kind for kind in free if kind.in_context != taken.wants_outside]
    best = min(wanted or free, key=lambda kind: queues[kind][0][:2], default=None)
    if best is not None:
        taken.add(queues[best][0][2])
    return best


def head_shares(order: Sequence[Signals]) -> dict[str, float]:
    """Of a head of the order the shares that each rule and a random capitalised word solve, and whose target is outside the context.

    >>> head_shares([Signals("b:7", "b", 0, 9, "joe", True, 0.8, 0.0, rules=frozenset({"last name"})),
    ...              Signals("b:9", "b", 9, 12, "sea", False, 0.3, 0.0)])
    {'last name': 0.5, 'capitalised word': 0.0, 'outside': 0.5}
    """
    solved = Counter(rule for one in order for rule in one.rules)
    sums = {"capitalised word": sum(one.capitalised_share for one in order), "outside": sum(not one.in_context for one in order)}
    return {name: total / len(order) for name, total in (dict(sorted(solved.items())) | sums).items()}
