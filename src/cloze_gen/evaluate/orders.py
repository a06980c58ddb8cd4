"""Published order and shuffled orders of a file's lines: what a model is asked, so that one can tell whether it has seen the file.

The lines are cut into shards of consecutive lines. Each shard is written in the order that was published, order 0, and in `permutations`
other orders drawn at random, 1 and up. What was asked is known by its name, which stands in every id: a log of another file, of other
numbers or of another seed is told by its first line.

Source: Oren, Meister, Chatterji, Ladhak & Hashimoto 2023, section 3 (arXiv 2310.17623).
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cloze_gen.errors import UsageError
from cloze_gen.rng import derive_rng

MOST_ORDERS = 10_000_000  # of all shards together; beyond it a number is a slip of the finger
PAPER_SHARDS, LINES_A_SHARD = 50, 10
_NEVER_TWICE = 20  # lines whose orders are so many that none is drawn twice
PURPOSE = "contamination.order"


@dataclass(frozen=True, slots=True)
class OrderPlan:
    """What a model is asked about a file.

    Attributes:
        sizes: lines of each shard, in the file's order; they differ by one at most.
        permutations: shuffled orders of each shard.
        seed: of the shuffling.
        digest: 12 hexadecimal digits over the lines in their order.
    """

    sizes: tuple[int, ...]
    permutations: int
    seed: int
    digest: str

    @property
    def shards(self) -> int:
        return len(self.sizes)

    @property
    def name(self) -> str:
        """Shards x permutations, seed, digest: `50x99-s1-0123456789ab`."""
        return f"{self.shards}x{self.permutations}-s{self.seed}-{self.digest}"

    def id(self, shard: int, order: int) -> str:
        """Of one text that is asked: the plan's name, the shard, the order; both count from 0."""
        return f"{self.name}:{shard}:{order}"


def plan_orders(lines: Sequence[str], *, shards: int, permutations: int, seed: int) -> OrderPlan:
    """Cut a file's lines into shards of (nearly) one size.

    Args:
        shards: how many; 0: the paper's 50, or as many as get 10 lines each, whichever is less.
    Raises:
        UsageError: a shard's lines have not that many orders, there is no shuffled order, or there are too many.

    >>> plan_orders([str(n) for n in range(7)], shards=2, permutations=5, seed=1).sizes
    (4, 3)
    """
    n = len(lines)
    shards = shards or max(1, min(PAPER_SHARDS, n // LINES_A_SHARD))
    if not 1 <= shards <= max(1, n):
        raise UsageError(f"{shards:,} shards of {n:,} lines: give one shard or more, and no more than there are lines.")
    if not 1 <= permutations < MOST_ORDERS // shards:
        raise UsageError(f"{shards:,} shards x {permutations:,} permutations: expected one or more, and fewer than {MOST_ORDERS:,} texts.")
    least = n // shards
    if least < _NEVER_TWICE and permutations >= math.factorial(least):
        others = math.factorial(least) - 1
        raise UsageError(
            f"{shards:,} shards of {n:,} lines: one of {least} has {others:,} orders beside the published one, and {permutations:,} "
            "permutations were asked for; give fewer shards or fewer permutations."
        )
    digest = hashlib.blake2b("\n".join(lines).encode(), digest_size=6).hexdigest()
    base, longer = divmod(n, shards)
    return OrderPlan(tuple(base + (shard < longer) for shard in range(shards)), permutations, seed, digest)


def asked_texts(lines: Sequence[str], plan: OrderPlan) -> Iterator[tuple[str, str]]:
    r"""(id, text) of every shard in every order; a text is the shard's lines as they stand in the file, each with its line end.

    >>> lines = ["a", "b", "c", "d"]
    >>> list(asked_texts(lines, plan_orders(lines, shards=2, permutations=1, seed=1)))[2:]
    [('2x1-s1-ac59a23b83c5:1:0', 'c\nd\n'), ('2x1-s1-ac59a23b83c5:1:1', 'd\nc\n')]
    """
    start = 0
    for shard, size in enumerate(plan.sizes):
        own = lines[start : start + size]
        for order, places in enumerate(shard_orders(plan, shard)):
            yield plan.id(shard, order), "".join(f"{own[place]}\n" for place in places)
        start += size


def shard_orders(plan: OrderPlan, shard: int) -> Iterator[Sequence[int]]:
    """The published order of a shard's lines, then the shuffled ones, as places in it from 0. No order comes twice.

    So the published order is any of these with one chance, as the test needs it, and there are no ties but of equal lines.
    """
    size = plan.sizes[shard]
    rng = derive_rng(plan.seed, PURPOSE, str(shard))
    seen = {tuple(range(size))}
    yield range(size)
    left = plan.permutations
    while left:
        places = tuple(rng.permutation(size).tolist())
        if places in seen:
            continue
        if size < _NEVER_TWICE:
            seen.add(places)
        left -= 1
        yield places
