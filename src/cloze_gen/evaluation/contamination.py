"""Exact contamination tests: by line order (Oren et al. 2023, section 3, arXiv 2310.17623), and by
the rank of a drawn canary.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import math
import re
import statistics
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtrc, ndtr, stdtr, stdtrit
from scipy.stats import binom

from cloze_gen.errors import FormatError, UsageError
from cloze_gen.parsing import ParseError, as_number, parse_json, quote
from cloze_gen.rng import derive_rng

# ---- Orders

MOST_ORDERS = 10_000_000  # of all shards together; a limit against typing errors
PAPER_SHARDS, LINES_A_SHARD = 50, 10
_DISTINCT_LINES = 20  # with this many lines, random orders practically never repeat
PURPOSE = "contamination.order"


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
        own = lines[start : start + size]
        for order, places in enumerate(shard_orders(plan, shard)):
            yield plan.id(shard, order), "".join(f"{own[place]}\n" for place in places)
        start += size


def shard_orders(plan: OrderPlan, shard: int) -> Iterator[Sequence[int]]:
    """Line positions from 0: the published order of a shard, then distinct shuffled orders."""
    size = plan.sizes[shard]
    rng = derive_rng(plan.seed, PURPOSE, str(shard))
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


# ---- Detection of files with ordered lines

MIN_LIKELIHOOD = 1e-6  # orders less probable by chance count as made on purpose
SHUFFLES, MAX_SIMILARITY = (
    30,
    6.0,
)  # standard deviations above the mean of so many shuffles: one in a million by Student's t distribution
_LINE = "the lines themselves"


def detect_ordering(lines: Sequence[str]) -> str | None:
    """How the lines are ordered, such as `sorted by 'id'`; None for random order.

    >>> detect_ordering([f"{n}) a question" for n in range(1, 30)])
    'sorted by the lines themselves'
    >>> detect_ordering(["b", "a", "c"] * 10) is None
    True
    """
    for name, values in _columns(lines).items():
        counts = Counter(values)
        ways = sum(math.lgamma(count + 1) for count in counts.values()) - math.lgamma(
            len(values) + 1
        )  # log P(sorted)
        limit = math.log(MIN_LIKELIHOOD)
        if ways + math.log(2) < limit and _is_sorted(values):
            return f"sorted by {name}"
        runs = 1 + sum(one != other for one, other in itertools.pairwise(values))
        if ways + math.lgamma(len(counts) + 1) < limit and runs == len(counts):
            return f"grouped by {name}"
    return "each next to similar lines" if _excess_similarity(lines) > MAX_SIMILARITY else None


def _excess_similarity(lines: Sequence[str]) -> float:
    """Similarity of neighbouring lines, in standard deviations above shuffled orders."""
    words = [frozenset(re.findall(r"\w+", line)) for line in lines]
    orders = (
        derive_rng(0, "contamination.alike", str(shuffle)).permutation(len(words))
        for shuffle in range(SHUFFLES)
    )
    shuffled = [_neighbour_similarity([words[place] for place in order]) for order in orders]
    spread = statistics.stdev(shuffled)
    return (
        (_neighbour_similarity(words) - statistics.mean(shuffled)) / spread if spread > 0 else 0.0
    )


def _neighbour_similarity(words: Sequence[frozenset[str]]) -> float:
    return math.fsum(
        len(one & other) / max(1, len(one | other)) for one, other in itertools.pairwise(words)
    )


def _columns(lines: Sequence[str]) -> dict[str, list[Any]]:
    columns: dict[str, list[Any]] = {}
    records = _records(lines)
    for key in records[0] if records else ():
        values = [record.get(key) for record in records]
        if all(isinstance(value, str) for value in values):
            columns[quote(key)] = [_natural(str(value)) for value in values]
        elif all(
            isinstance(value, int | float) and value == value for value in values
        ):  # NaN has no order
            columns[quote(key)] = values
    return columns | {_LINE: [_natural(line) for line in lines]}


def _records(lines: Sequence[str]) -> list[Mapping[str, Any]]:
    try:
        records = [
            json.loads(line) for line in lines
        ]  # not `parse_json`: lines need not be strict JSON
    except (ValueError, RecursionError):
        return []
    return records if all(isinstance(record, dict) for record in records) else []


def _natural(text: str) -> tuple[Any, ...]:
    """Sort key by which `q9` comes before `q10`."""
    pieces = re.split(r"([0-9]+)", text)
    digits = [piece.lstrip("0") for piece in pieces[1::2]]
    numbers = [(len(piece), piece) for piece in digits]
    return tuple(
        part for pair in zip(pieces[::2], [*numbers, (0, "")], strict=True) for part in pair
    )


def _is_sorted(values: Sequence[Any]) -> bool:
    pairs = list(itertools.pairwise(values))
    return all(one <= other for one, other in pairs) or all(one >= other for one, other in pairs)


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
        whole_p: permutation test of the file: (1 + shuffled sums >= published sum) / (R + 1).
        gain: log-likelihood of the published order minus the mean of the shuffled ones, mean over
            shards; in the unit of the log; 0 if all orders tie.
        error: half of the 95 % interval of the gain, by Student's t; None for one shard.
        spread: standard deviation of the shuffled orders of a shard; 0 for one order.
        order_effect: root mean square difference of a shuffled and the published order, relative to
            the mean log-likelihood of a shard.
        mixed_p: P of shuffled orders that differ as much between shards, if any order may belong to
            any shard; close to 0 in a true log, since a shard's orders have the same lines.
        t: the paper's statistic: mean gain of a shard / its standard error; None if undefined.
        t_p: one-sided, Student's t with M - 1 degrees of freedom; asymptotic.
    """

    shards: int
    permutations: int
    ranks: tuple[int, ...]
    tied_count: int
    exact_p: Fraction
    whole_p: Fraction
    gain: float
    error: float | None
    spread: float
    order_effect: float
    mixed_p: float
    t: float | None
    t_p: float | None


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
    gains = published[:, 0] - shuffled.mean(axis=1)
    t = _t_statistic(gains, float(same.mean()))
    return OrderTest(
        shards=shards,
        permutations=permutations,
        ranks=tuple(int(rank) for rank in ranks),
        tied_count=int(tied.any(axis=1).sum()),
        exact_p=rank_sum_p(int(ranks.sum()), shards=shards, permutations=permutations),
        whole_p=_whole_p(log_likelihoods),
        gain=0.0 if tied.all() else float(gains.mean()),
        error=float(stdtrit(shards - 1, 0.975) * gains.std(ddof=1) / math.sqrt(shards))
        if shards > 1
        else None,
        spread=float(np.sqrt(shuffled.var(axis=1, ddof=1).mean())) if permutations > 1 else 0.0,
        order_effect=float(
            np.sqrt(((shuffled - published) ** 2).mean()) / max(np.abs(published).mean(), SAME)
        ),
        mixed_p=_mixed_p(shuffled),
        t=t,
        t_p=None if t is None else float(stdtr(shards - 1, -t)),
    )


def _mixed_p(shuffled: NDArray[np.float64]) -> float:
    """The F test of one-way analysis of variance; 0 where it cannot be made.

    >>> [round(_mixed_p(np.array(rows)), 2) for rows in ([[1.0, 1.1], [9.0, 9.1]], [[1.0, 9.1], [9.0, 1.1]])]
    [0.0, 1.0]
    """
    shards, orders = shuffled.shape
    within = float(shuffled.var(axis=1, ddof=1).mean()) if orders > 1 else 0.0
    if shards < 2 or not within:
        return 0.0
    between = orders * float(shuffled.mean(axis=1).var(ddof=1))
    return float(fdtrc(shards - 1, shards * (orders - 1), between / within))


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


def changed_junctions(lines: float) -> float:
    """Pairs of neighbours of a shard that a shuffled order does not have, on average.

    >>> round(changed_junctions(2), 9), round(changed_junctions(100), 9)
    (1.0, 98.01)
    """
    identity = math.exp(-math.lgamma(lines + 1))
    return (lines - 1) * (1 - (1 / lines - identity) / (1 - identity))


def order_power(n_lines: int, shards: int, permutations: int, gain: float) -> float:
    """P(exact p <= `LEVEL`) for a model that prefers each published pair of neighbours by `gain`.

    Pairs have normal log-likelihoods of deviation 1. The orders of a shard are then nearly
    equicorrelated, so that the rank is binomial given the published order's score.
    benchmarks/contamination_power.py simulates the same model without this approximation, which is
    up to 6 points too low for shards of three or four lines.
    """
    permutations = min(permutations, max(19, min(199, 100_000 // shards)))  # more add little
    changed = changed_junctions(n_lines / shards)
    score = np.linspace(-8, 8, 641)
    weight = np.exp(-(score**2) / 2) / np.exp(-(score**2) / 2).sum()
    above = ndtr((score + gain * math.sqrt(changed)) / math.sqrt(1 + gain**2 / changed))
    ranks = np.arange(permutations + 1)
    unseen = _sums(np.full(len(ranks), 1 / len(ranks)), shards)
    seen = _sums(weight @ binom.pmf(ranks, permutations, above[:, None]), shards)
    found = unseen[::-1].cumsum()[::-1] <= float(LEVEL) + SAME
    return min(1.0, max(0.0, float(seen[found].sum())))


def _sums(one: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    """Distribution of the sum of n independent ranks."""
    size = n * (len(one) - 1) + 1
    padded = 1 << size.bit_length()  # the fast lengths
    return np.fft.irfft(np.fft.rfft(one, padded) ** n, padded)[:size]


def detectable_gain(n_lines: int, shards: int, permutations: int) -> float | None:
    """The gain, in spreads of a junction, with a power of 90 %; None if there is none."""
    low, high = 0.0, 100.0
    if order_power(n_lines, shards, permutations, high) < 0.9:
        return None
    while high - low > 0.01 * high:
        middle = (low + high) / 2
        enough = order_power(n_lines, shards, permutations, middle) >= 0.9
        low, high = (low, middle) if enough else (middle, high)
    return high


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


def _t_statistic(gains: NDArray[np.float64], same: float) -> float | None:
    if len(gains) < 2:
        return None
    error: Any = gains.std(ddof=1) / math.sqrt(len(gains))
    return float(gains.mean() / error) if error > same else None


def _whole_p(log_likelihoods: NDArray[np.float64]) -> Fraction:
    """One test of the whole file: order r of the file is order r of each of its shards."""
    gains = (log_likelihoods[:, 1:] - log_likelihoods[:, :1]).sum(axis=0)
    same = SAME * np.abs(log_likelihoods[:, 0]).sum()
    return Fraction(1 + int((gains >= -same).sum()), log_likelihoods.shape[1])


# ---- Rank of the published canary among unpublished ones (arXiv 2409.19798)


def canary_test(log_likelihoods: Sequence[float]) -> tuple[int, Fraction]:
    """Rank of the first canary, from 1, and P(rank or better) if the model has not seen it.

    The canaries are exchangeable for such a model, so that the rank is uniform. Ties count against
    the published canary.

    >>> canary_test([-3.0, -5.0, -3.0, -4.0])
    (2, Fraction(1, 2))
    """
    published, *others = log_likelihoods
    rank = 1 + sum(other >= published - SAME * abs(published) for other in others)
    return rank, Fraction(rank, len(log_likelihoods))


# ---- A model's answers

_ID = re.compile(
    r"(0|[1-9]\d{0,7})x(0|[1-9]\d{0,7})-s(0|[1-9]\d{0,18})-([0-9a-f]{12}):(0|[1-9]\d{0,7}):(0|[1-9]\d{0,7})",
    re.ASCII,
)
LOG_LIKELIHOOD = "log_likelihood"


def parse_order_log(
    text: str, lines: Sequence[str], *, name: str
) -> tuple[OrderPlan, NDArray[np.float64]]:
    """The plan, and log-likelihoods of shape (M, R + 1) with the published order in column 0.

    Raises:
        FormatError: the log is of another file or order, is incomplete, or has bad values.
    """
    plan: OrderPlan | None = None
    values: NDArray[np.float64] = np.empty((0, 0))
    given: dict[tuple[int, int], int] = {}
    for number, item_id, value in _log_lines(text, key=LOG_LIKELIHOOD, name=name):
        where = f"{name}, line {number}"
        if plan is None:
            plan = _plan(item_id, lines, where)
            values = np.full((plan.shards, plan.permutations + 1), np.nan)
        place = _place(item_id, plan, where)
        if place in given:
            raise _twice(where, item_id, given[place])
        given[place] = number
        values[place] = _log_likelihood(value, where)
    if plan is None:
        raise FormatError(
            f"{name}: the file is empty; expected a line for each text of --requests."
        )
    missing = np.argwhere(np.isnan(values))
    if len(missing):
        first = plan.id(int(missing[0][0]), int(missing[0][1]))
        raise _incomplete(name, len(missing), values.size, first)
    return plan, values


def parse_answers(text: str, ids: Sequence[str], *, key: str, name: str) -> dict[str, Any]:
    """Id -> the value of `key`, for each of `ids` once; FormatError otherwise."""
    known, given, found = set(ids), dict[str, int](), dict[str, Any]()
    for number, item_id, value in _log_lines(text, key=key, name=name):
        where = f"{name}, line {number}"
        if item_id not in known:
            raise FormatError(
                f"{where}: the id {quote(item_id, most_chars=100)} is not one of the requests; "
                "give the log of the file that --requests writes now."
            )
        if item_id in given:
            raise _twice(where, item_id, given[item_id])
        given[item_id] = number
        found[item_id] = _log_likelihood(value, where) if key == LOG_LIKELIHOOD else value
    if missing := [item_id for item_id in ids if item_id not in given]:
        raise _incomplete(name, len(missing), len(ids), missing[0])
    return found


def _log_lines(text: str, *, key: str, name: str) -> Iterator[tuple[int, str, Any]]:
    """Number, id and value of each line of a log."""
    expected = f'{{"id": ..., "{key}": ...}}'
    for number, line in enumerate(text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n"), 1):
        if not line.strip():
            continue
        where = f"{name}, line {number}"
        try:
            record = parse_json(line)
        except ParseError as error:
            raise FormatError(f"{where}: not JSON ({error}); expected {expected}") from None
        if (
            not isinstance(record, dict)
            or not isinstance(record.get("id"), str)
            or key not in record
        ):
            raise FormatError(f"{where}: expected {expected}, found {quote(line)}")
        yield number, record["id"], record[key]


def _twice(where: str, item_id: str, earlier: int) -> FormatError:
    return FormatError(
        f"{where}: {item_id} already has an answer on line {earlier:,}; keep one of them."
    )


def _incomplete(name: str, missing: int, n: int, first: str) -> FormatError:
    return FormatError(
        f"{name}: {missing:,} of {n:,} texts have no answer (first: {first}); score every text."
    )


def _plan(item_id: str, lines: Sequence[str], where: str) -> OrderPlan:
    found = _ID.fullmatch(item_id)
    if found is None:
        raise FormatError(
            f"{where}: unknown id {quote(item_id)}; use the ids that --requests writes."
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


def _place(item_id: str, plan: OrderPlan, where: str) -> tuple[int, int]:
    found = _ID.fullmatch(item_id)
    shard, order = (int(found[5]), int(found[6])) if found else (-1, -1)
    if (
        found is None
        or item_id != plan.id(shard, order)
        or shard >= plan.shards
        or order > plan.permutations
    ):
        raise FormatError(
            f"{where}: the id {quote(item_id, most_chars=100)} does not belong to the requests "
            f"{plan.name} of the lines before; give one log of one --requests file."
        )
    return shard, order


def _log_likelihood(value: Any, where: str) -> float:
    number = as_number(value)
    if not math.isfinite(number):
        raise FormatError(
            f"{where}: log_likelihood {quote(value)} is not a finite number; expected a number of "
            "at most 0."
        )
    if number > 0:
        raise FormatError(
            f"{where}: log_likelihood {number:g} is above 0; change the sign if it is a loss or a "
            "negative log-likelihood."
        )
    return number
