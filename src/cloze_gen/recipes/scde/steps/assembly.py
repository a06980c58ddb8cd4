"""Assembly: which passages make the set, and in which order their candidates stand (SCDE 3.1: one shared list of candidates).

Where there are more passages than the set holds, those with the most tempting distractors are taken, so that distractors are the shortest,
the longest and all between as often as one another. One book more moves passages out of the set and changes none. Which places in the list
fall to the distractors is dealt evenly over the set; who stands where among the answers is each passage's own draw.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from itertools import combinations

from pydantic import Field

from cloze_gen.recipes.questions.assemble import deal_positions
from cloze_gen.rng import derive_rng, stable_fraction
from cloze_gen.settings import MOST_COUNTED, SettingsGroup


class AssemblySettings(SettingsGroup):
    """Settings of the set."""

    n_passages: int = Field(2000, ge=1, le=MOST_COUNTED, description="passages of all parts together; the paper has 5,959")
    drawn_from: float = Field(
        1.25, ge=1, le=1000, description="times as many are drawn, of which those with the most tempting distractors are taken; 1 takes all"
    )


def choose_set(passages: Mapping[str, tuple[Hashable, float]], settings: AssemblySettings) -> frozenset[str]:
    """The passages of the set.

    First `drawn_from` times as many as are wanted, by their own hashes; of these the most tempting of every kind, then the second of every
    kind, and so on. So each kind has as many as another while it lasts: places by length that rivals seldom fill are not seldom in the set.

    Args:
        passages: id -> what is to be equally frequent (the places of its distractors by length), and how tempting its distractors are.

    >>> found = {"emma:1": ((0, 1), 0.3), "emma:40": ((0, 1), 0.2), "dracula:7": ((0, 1), 0.1), "pip:3": ((2, 6), 0.0)}
    >>> sorted(choose_set(found, AssemblySettings(n_passages=2, drawn_from=2)))
    ['emma:1', 'pip:3']
    """
    by_hash = sorted(passages, key=lambda name: (stable_fraction("scde.set", name), name))
    drawn = by_hash[: math.ceil(settings.drawn_from * settings.n_passages)]
    seen: Counter[Hashable] = Counter()
    turns: dict[str, int] = {}
    order = sorted(drawn, key=lambda name: -passages[name][1])  # equals stay in the order of their hashes
    for name in order:
        kind = passages[name][0]
        turns[name] = seen[kind]
        seen[kind] += 1
    return frozenset(sorted(order, key=turns.__getitem__)[: settings.n_passages])


def order_candidates(sizes: dict[str, tuple[int, int]], seed: int) -> dict[str, tuple[int, ...]]:
    """The order of each passage's candidates.

    Args:
        sizes: id -> how many answers and how many distractors it has.
    Returns:
        id -> for each place of the printed list which candidate stands there: answers by their blanks' numbers, then distractors.

    >>> order_candidates({"emma:1": (2, 1), "emma:9": (2, 1), "emma:20": (2, 1)}, seed=1)
    {'emma:1': (0, 2, 1), 'emma:9': (1, 0, 2), 'emma:20': (2, 0, 1)}
    """
    dealt: dict[str, tuple[int, ...]] = {}
    for answers, distractors in sorted(set(sizes.values())):
        alike = [name for name, size in sizes.items() if size == (answers, distractors)]
        hands = list(combinations(range(answers + distractors), distractors))
        hand_of = deal_positions(alike, n_options=len(hands), seed=seed)
        dealt |= {name: _ordered(name, answers, hands[hand_of[name]], seed) for name in alike}
    return {name: dealt[name] for name in sizes}


def _ordered(name: str, answers: int, of_distractors: Sequence[int], seed: int) -> tuple[int, ...]:
    rng = derive_rng(seed, "scde.candidates", name)
    own, others = (rng.permutation(count).tolist() for count in (answers, len(of_distractors)))
    return tuple(answers + others.pop() if place in of_distractors else own.pop() for place in range(answers + len(of_distractors)))
