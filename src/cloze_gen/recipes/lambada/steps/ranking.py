"""The order in which passages are given to people, who are dear: the paper keeps one in 25 of those it asks about.

A passage is worth asking about when two readers of the whole passage are likely to guess its target and ten of the sentence are not. Both
are estimated without people (`readers`), and passages stand in the order of the estimate. The best by the estimate alone would make a
poor set: nearly all its targets would stand in the context, and a rule as crude as *the last name* would solve a fifth. So

- of the head, whatever its length, a fixed share has its target outside the context;
- each rule of the passage alone (`english.names.PASSAGE_RULES`, and whatever else a stage tries) is right in at most a fixed share of it;
- no two passages of it overlap, and a book's word is the target at most a few times.

What these bounds hold back follows behind, best first. `random` is the paper's order: "a random sample of the remaining passages".
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from cloze_gen.recipes.lambada.steps.guessing import GuessingSettings, Verdict
from cloze_gen.rng import derive_rng
from cloze_gen.settings import MOST_EACH, SettingsGroup

_SHARPER = 10.0  # people guess the end of a sentence that much better than an n-gram model does
_FREE = 2  # passages solved by a rule that any head may have, however short


class RankingSettings(SettingsGroup):
    """Settings of the order in which passages are given to people."""

    order: Literal["signals", "random"] = Field("signals", description="by signals that need no people, or at random; 3.1: at random")
    outside_share: float = Field(0.25, ge=0, le=1, description="share of the head whose targets are not in the context; published: 17 %")
    max_rule_share: float = Field(0.08, ge=0, le=1, description="inclusive: share of the head that any one rule of the passage solves")
    max_same_target: int = Field(2, ge=1, le=MOST_EACH, description="inclusive: passages of the head from one book with one target")


@dataclass(frozen=True, slots=True)
class Signals:
    """What is known of a survivor before anybody reads it.

    Attributes:
        target: in small letters.
        in_context: the target stands in the context.
        read_prob: how likely a reader of the whole passage guesses it.
        alone_prob: its probability after the sentence alone, by an n-gram model.
        read_rank, alone_rank: how many words each of the two readers would sooner say.
        rules: names of the rules of the passage alone that say it.
    """

    id: str
    book_id: str
    start: int
    end: int
    target: str
    in_context: bool
    read_prob: float
    alone_prob: float
    read_rank: int = 0
    alone_rank: int = MOST_EACH
    rules: frozenset[str] = frozenset()


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
    survivors = list(survivors)
    if settings.order == "random":
        return random_order((one.id for one in survivors), seed=seed)
    queues: dict[tuple[bool, frozenset[str]], list[tuple[float, str, Signals]]] = {}
    for one in survivors:
        queues.setdefault((one.in_context, one.rules), []).append((-expected_yield(one, guessing), one.id, one))
    for queue in queues.values():
        heapq.heapify(queue)
    head: list[str] = []
    taken = _Taken(settings)
    while (best := _next(queues, taken)) is not None:
        head.append(heapq.heappop(queues[best])[1])
    behind = sorted((entry for queue in queues.values() for entry in queue), key=lambda entry: entry[:2])
    return head + [entry[1] for entry in sorted(taken.held_back + behind, key=lambda entry: entry[:2])]


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


class _Taken:
    """What the head holds so far, and what it may take next."""

    def __init__(self, settings: RankingSettings) -> None:
        self._settings = settings
        self._size = self._outside = 0
        self._solved: Counter[str] = Counter()
        self._targets: Counter[tuple[str, str]] = Counter()
        self._spans: dict[str, list[tuple[int, int]]] = {}
        self.held_back: list[tuple[float, str, Signals]] = []

    @property
    def wants_outside(self) -> bool:
        return self._outside < self._settings.outside_share * (self._size + 1)

    def allows(self, rules: frozenset[str]) -> bool:
        """Whether a passage that these rules solve may come next."""
        most = max(_FREE, self._settings.max_rule_share * (self._size + 1)) if self._settings.max_rule_share else 0
        return all(self._solved[rule] + 1 <= most for rule in rules)

    def repeats(self, one: Signals) -> bool:
        """Whether a passage overlaps another, or has the target of too many; it never will do."""
        overlaps = any(start < one.end and one.start < end for start, end in self._spans.get(one.book_id, ()))
        return overlaps or self._targets[one.book_id, one.target] >= self._settings.max_same_target

    def add(self, one: Signals) -> None:
        self._size += 1
        self._outside += not one.in_context
        self._solved.update(one.rules)
        self._targets[one.book_id, one.target] += 1
        self._spans.setdefault(one.book_id, []).append((one.start, one.end))


def _next(queues: dict[tuple[bool, frozenset[str]], list[tuple[float, str, Signals]]], taken: _Taken) -> tuple[bool, frozenset[str]] | None:
    """The queue whose first passage comes next, counted as taken; None where the bounds allow none."""
    for queue in queues.values():
        while queue and taken.repeats(queue[0][2]):
            taken.held_back.append(heapq.heappop(queue))
    open_queues = [key for key, queue in queues.items() if queue and taken.allows(key[1])]
    wanted = [key for key in open_queues if key[0] != taken.wants_outside]
    best = min(wanted or open_queues, key=lambda key: queues[key][0][:2], default=None)
    if best is not None:
        taken.add(queues[best][0][2])
    return best


def head_shares(order: Sequence[Signals]) -> dict[str, float]:
    """Of a head of the order, the share that each rule solves, and ``outside`` the share whose target is not in the context.

    >>> head_shares([Signals("b:7", "b", 0, 9, "joe", True, 0.8, 0.0, rules=frozenset({"last name"})),
    ...              Signals("b:9", "b", 9, 12, "sea", False, 0.3, 0.0)])
    {'last name': 0.5, 'outside': 0.5}
    """
    solved = Counter(rule for one in order for rule in one.rules)
    return {rule: solved[rule] / len(order) for rule in sorted(solved)} | {"outside": sum(not one.in_context for one in order) / len(order)}
