"""Exact test of the order of a file's lines (Oren et al. 2023, section 3, arXiv 2310.17623)."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from cloze_gen.errors import FormatError, UsageError
from cloze_gen.json_lines import LogProb, Text, read_records
from cloze_gen.parsing import quote
from cloze_gen.rng import derive_rng

# ---- Orders

MOST_ORDERS = 10_000_000  # of all shards together; a limit against typing errors
PAPER_SHARDS, LINES_A_SHARD = 50, 10
_DISTINCT_LINES = 20  # with this many lines, random orders practically never repeat


@dataclass(frozen=True, slots=True)
class OrderPlan:
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
        return f"{self.name}:{shard}:{order}"


def plan_orders(lines: Sequence[str], *, shards: int, permutations: int, seed: int) -> OrderPlan:
    """Cut a file into shards of consecutive lines of nearly equal size; order 0 is as published.

    `shards` 0: the paper's 50, or fewer so that each has 10 lines.

    >>> plan_orders([str(n) for n in range(7)], shards=2, permutations=5, seed=1).sizes
    (4, 3)
    """
    n = len(lines)
    shards = shards or max(1, min(PAPER_SHARDS, n // LINES_A_SHARD))
    if not 1 <= shards <= max(1, n):
        raise UsageError(
            f"cannot cut {n:,} lines into {shards:,} shards; choose between 1 and {max(1, n):,} "
            "shards."
        )
    if not 1 <= permutations < MOST_ORDERS // shards:
        raise UsageError(
            f"{shards:,} shards x {permutations:,} permutations: choose at least 1 permutation, "
            f"and fewer than {MOST_ORDERS:,} texts in all."
        )
    least = n // shards
    if least < _DISTINCT_LINES and permutations >= math.factorial(least):
        others = math.factorial(least) - 1
        raise UsageError(
            f"{shards:,} shards of {n:,} lines: a shard of {least} lines has only {others:,} "
            f"shuffled orders, fewer than {permutations:,} permutations; choose fewer shards or "
            "fewer permutations."
        )
    digest = hashlib.blake2b("\n".join(lines).encode(), digest_size=6).hexdigest()
    base, longer = divmod(n, shards)
    return OrderPlan(
        tuple(base + (shard < longer) for shard in range(shards)), permutations, seed, digest
    )


def prompt_texts(lines: Sequence[str], plan: OrderPlan) -> Iterator[tuple[str, str]]:
    r"""``(id, text)`` of every shard in every order; texts include line ends.

    >>> lines = ["a", "b", "c", "d"]
    >>> list(prompt_texts(lines, plan_orders(lines, shards=2, permutations=1, seed=1)))[2:]
    [('2x1-s1-ac59a23b83c5:1:0', 'c\nd\n'), ('2x1-s1-ac59a23b83c5:1:1', 'd\nc\n')]
    """
    start = 0
    for shard, size in enumerate(plan.sizes):
        shard_lines = lines[start : start + size]
        for order, places in enumerate(shard_orders(plan, shard)):
            yield plan.id(shard, order), "".join(f"{shard_lines[place]}\n" for place in places)
        start += size


def shard_orders(plan: OrderPlan, shard: int) -> Iterator[Sequence[int]]:
    """Line positions from 0: the published order of a shard, then distinct shuffled orders."""
    size = plan.sizes[shard]
    rng = derive_rng(plan.seed, "contamination.order", str(shard))
    seen = {tuple(range(size))}
    yield range(size)
    left = plan.permutations
    while left:
        places = tuple(rng.permutation(size).tolist())
        if places in seen:
            continue
        if size < _DISTINCT_LINES:
            seen.add(places)
        left -= 1
        yield places


# ---- The test

# Relative tolerance for sums in different orders.
SAME = 1e-9
LEVEL = Fraction(1, 20)  # a larger p is no evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderTest:
    """The result of `order_test` with M shards and R shuffled orders of each.

    Attributes:
        ranks: per shard, the number of shuffled orders less probable than the published one; 0..R.
        tied_count: shards in which a shuffled order ties with the published one, up to rounding.
        exact_p: P(sum of ranks >= observed sum) for a model that has not seen the order; > 0.
    """

    shards: int
    permutations: int
    ranks: tuple[int, ...]
    tied_count: int
    exact_p: Fraction


def order_test(log_likelihoods: NDArray[np.float64]) -> OrderTest:
    """Test whether the published order is more probable than shuffled orders.

    The paper has a permutation test of one file, and a sharded t test, which is asymptotic. Ours is
    exact: for a model that has not seen the order, the rank of the published order is uniform on
    0..R and independent between shards. Ties count against the published order.

    Args:
        log_likelihoods: shape (M, R + 1), in any base; the published order in column 0.
    """
    published, shuffled = log_likelihoods[:, :1], log_likelihoods[:, 1:]
    shards, permutations = shuffled.shape
    same = SAME * np.abs(published)
    tied = np.abs(shuffled - published) <= same
    ranks = (shuffled < published - same).sum(axis=1)
    return OrderTest(
        shards=shards,
        permutations=permutations,
        ranks=tuple(int(rank) for rank in ranks),
        tied_count=int(tied.any(axis=1).sum()),
        exact_p=rank_sum_p(int(ranks.sum()), shards=shards, permutations=permutations),
    )


def rank_sum_p(rank_sum: int, *, shards: int, permutations: int) -> Fraction:
    """P(sum of `shards` independent ranks, each uniform on 0..permutations, >= rank_sum), exactly
    (de Moivre's formula for dice).

    >>> rank_sum_p(0, shards=3, permutations=9), rank_sum_p(27, shards=3, permutations=9)
    (Fraction(1, 1), Fraction(1, 1000))
    >>> rank_sum_p(10, shards=2, permutations=5)  # two dice show twelve
    Fraction(1, 36)
    """
    sides = permutations + 1
    shortfall = shards * permutations - rank_sum
    ways = sum(
        (-1) ** over
        * math.comb(shards, over)
        * math.comb(shortfall - over * sides + shards, shards)
        for over in range(min(shards, shortfall // sides) + 1)
    )
    return Fraction(ways, sides**shards)


def format_p(p: Fraction) -> str:
    """p as text, also below the smallest float.

    >>> [format_p(Fraction(1, n)) for n in (8, 3 * 10**6, 10**400, 1)]
    ['0.125', '3.3e-07', '1e-400', '1.000']
    """
    if p >= Fraction(1, 1000):
        return f"{float(p):.3f}"
    if float(p) > 1e-300:
        return f"{float(p):.1e}"
    return f"1e{math.floor(math.log10(p.numerator) - math.log10(p.denominator))}"


# ---- A model's log

_ID = re.compile(
    r"(0|[1-9]\d{0,7})x(0|[1-9]\d{0,7})-s(0|[1-9]\d{0,18})-([0-9a-f]{12}):\d{1,8}:\d{1,8}",
    re.ASCII,
)
_EXPECTED = '{"id": ..., "log_likelihood": ...}'


@dataclass(frozen=True, slots=True)
class _Answer:
    id: Text
    log_likelihood: LogProb


def parse_order_log(
    text: str, lines: Sequence[str], *, name: str
) -> tuple[OrderPlan, NDArray[np.float64]]:
    """The plan, and log-likelihoods of shape (M, R + 1) with the published order in column 0.

    Raises:
        FormatError: the log is of another file or order, is incomplete, or has bad values.
    """
    plan: OrderPlan | None = None
    values: dict[str, float] = {}
    for where, answer in read_records(text.split("\n"), _Answer, name=name, form=_EXPECTED):
        if plan is None:
            plan = _plan(answer.id, lines, where)
            places = {
                plan.id(shard, order): (shard, order)
                for shard in range(plan.shards)
                for order in range(plan.permutations + 1)
            }
        if answer.id not in places:
            raise FormatError(
                f"{where}: the id {quote(answer.id, most_chars=100)} does not belong to the requests "
                f"{plan.name} of the lines before; give one log of one file of requests."
            )
        values[answer.id] = answer.log_likelihood
    if plan is None:
        raise FormatError(f"{name}: the file is empty; expected a line for each text.")
    missing = [item_id for item_id in places if item_id not in values]
    if missing:
        raise FormatError(
            f"{name}: {len(missing):,} of {len(places):,} texts have no answer (first: "
            f"{missing[0]}); score every text."
        )
    log_likelihoods = np.empty((plan.shards, plan.permutations + 1))
    for item_id, place in places.items():
        log_likelihoods[place] = values[item_id]
    return plan, log_likelihoods


def _plan(item_id: str, lines: Sequence[str], where: str) -> OrderPlan:
    """The plan in an id; FormatError if the lines do not give the same one."""
    found = _ID.fullmatch(item_id)
    if found is None:
        raise FormatError(
            f"{where}: unknown id {quote(item_id)}; use the ids that `contamination write` writes."
        )
    shards, permutations, seed = (int(found[group]) for group in (1, 2, 3))
    another = (
        "is of another release, another file or another order of its lines; give the release of "
        "the requests, and their --file if they had one."
    )
    try:
        plan = plan_orders(lines, shards=shards or -1, permutations=permutations, seed=seed)
    except UsageError as error:
        raise FormatError(f"{where}: the id {item_id} {another} ({error})") from None
    if plan.digest != found[4]:
        raise FormatError(
            f"{where}: the id {item_id} {another} Its digest is {found[4]}, but the file has "
            f"{plan.digest}."
        )
    return plan
