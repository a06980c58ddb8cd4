"""`cloze-gen contamination`: has a model been trained on a release? What it is asked, and what its answers show."""

from __future__ import annotations

import itertools
import json
import shlex
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

from cloze_gen.commands.asked import read_scores
from cloze_gen.commands.published_lines import read_published_lines
from cloze_gen.engine.progress import say
from cloze_gen.errors import UsageError
from cloze_gen.evaluate.contamination import OrderTest, order_test, shown_p
from cloze_gen.evaluate.order_log import parse_order_log
from cloze_gen.evaluate.orders import OrderPlan, asked_texts, plan_orders
from cloze_gen.notation import reason

PERMUTATIONS, SEED = 99, 1
CHARS_A_TOKEN = 4  # of English text, about
LONG_TOKENS = 4_000  # more than some models read at once
LARGE_BYTES = 20_000_000
FEWER = 19  # permutations: the smallest p of the whole file is then 0.05
SMALL_P = Fraction(1, 20)  # above it the words say that there is no evidence


def contamination(
    release: Path, *, file: str, requests: Path | None, log: Path | None, shards: int | None, permutations: int | None, seed: int | None,
    exchangeable: bool,
) -> str:  # fmt: skip
    """Write what a model is asked (`requests`), or read what it answered (`log`); returns what to print.

    Args:
        file: of the release; empty: its items.
        shards, permutations, seed: of `requests`; None: the defaults. The ids of a log say them.
        exchangeable: the user vouches that the lines of somebody else's file were published in random order.
    Raises:
        UsageError: neither or both are given, or a number that the log's ids say; what `read_published_lines` and `plan_orders` raise.
    """
    if (requests is None) == (log is None):
        raise UsageError("give --requests FILE to write what a model is asked, then --log FILE with its log-likelihoods; one of the two.")
    if log is not None:
        if (shards, permutations, seed) != (None, None, None):
            raise UsageError("--shards, --permutations and --seed belong to --requests; of a log its ids say them.")
        return _tested(release, file, log, exchangeable=exchangeable)
    assert requests is not None
    name, lines = read_published_lines(release, file, exchangeable=exchangeable)
    wanted = PERMUTATIONS if permutations is None else permutations
    plan = plan_orders(lines, shards=shards or 0, permutations=wanted, seed=SEED if seed is None else seed)
    for line in _announced(name, lines, plan):
        say(line)
    _write(requests, lines, plan)
    say('Next: score each text with the model, write {"id": ..., "log_likelihood": ...} for each, and give that file to')
    more = f"{f' --file {shlex.quote(file)}' if file else ''}{' --exchangeable' if exchangeable else ''}"
    say(f"`cloze-gen contamination {shlex.quote(str(release))} --log FILE{more}`.")
    return f"written to {requests}"


def _announced(name: str, lines: list[str], plan: OrderPlan) -> Iterator[str]:
    """How many requests there will be, how large, and what makes them fewer or shorter."""
    rest, orders = iter(lines), plan.permutations + 1
    texts = ["".join(f"{line}\n" for line in itertools.islice(rest, size)) for size in plan.sizes]  # in any order they are as long
    longest, chars = max(map(len, texts)), sum(map(len, texts))
    size = orders * sum(len(_request(plan.id(shard, 0), text).encode()) for shard, text in enumerate(texts))
    size += plan.shards * sum(len(str(order)) - 1 for order in range(orders))  # an id ends in its order
    yield (
        f"{name}: {len(lines):,} lines in {plan.shards:,} shards, each in {orders:,} orders: {plan.shards * orders:,} requests, "
        f"{_size_text(size)}, about {orders * chars // CHARS_A_TOKEN:,} tokens; the longest has {longest:,} characters, about "
        f"{longest // CHARS_A_TOKEN:,} tokens."
    )
    if size > LARGE_BYTES and plan.permutations > FEWER:
        share = (FEWER + 1) / orders
        yield f"For {share:.0%} of that use --permutations {FEWER}; --file names another file of the release, with shorter lines."
    if longest > LONG_TOKENS * CHARS_A_TOKEN:
        yield f"If the model reads less at once than the longest text, use --shards {plan.shards * 2}: the texts are half as long."


def _size_text(size: int) -> str:
    return f"{size / 1e6:,.1f} MB"


def _request(item_id: str, text: str) -> str:
    return json.dumps({"id": item_id, "text": text}, ensure_ascii=False) + "\n"


def _write(path: Path, lines: list[str], plan: OrderPlan) -> None:
    """Write the texts as JSON lines to a new file. What cannot be finished is taken away again."""
    begun = False
    try:
        with open(path, "x", encoding="utf-8", newline="\n") as handle:
            begun = True
            for item_id, text in asked_texts(lines, plan):
                handle.write(_request(item_id, text))
    except FileExistsError:
        raise UsageError(f"{path}: is there already. Nothing was written; name a new file with --requests.") from None
    except BaseException as error:
        if begun:
            path.unlink(missing_ok=True)
        if isinstance(error, OSError | ValueError):
            raise UsageError(f"{path}: cannot be written ({reason(error)})") from None
        raise


def _tested(release: Path, file: str, log: Path, *, exchangeable: bool) -> str:
    name, lines = read_published_lines(release, file, exchangeable=exchangeable)
    text = read_scores(log, expected="the JSON lines that answer --requests")
    plan, values = parse_order_log(text, lines, name=str(log))
    return "\n".join(_told(order_test(values), plan, name))


def _told(test: OrderTest, plan: OrderPlan, name: str) -> list[str]:
    highest, first = test.shards * test.permutations, sum(rank == test.permutations for rank in test.ranks)
    least = Fraction(1, test.permutations + 1)
    paper = "none (one shard, or no spread)" if test.t is None or test.t_p is None else f"{test.t_p:.1e}, asymptotic (t = {test.t:.2f})"
    ties = [f"ties             in {test.tied_count:,} shards; they count against the published order"] if test.tied_count else []
    figures = [
        f"sum of ranks     {sum(test.ranks):,} of {highest:,}, {highest / 2:,.0f} if unseen; above all its shuffles in {first:,} shards",
        *ties,
        f"gain             {test.gain:.4g} a shard over the mean of its shuffles, in the log's unit",
        f"p, exact         {shown_p(test.exact_p)}",
        f"p, whole file    {shown_p(test.whole_p)}, exact too, {shown_p(least)} at least",
        f"p, the paper's t {paper}",
    ]
    head = f"{name}: {sum(plan.sizes):,} lines, {test.shards:,} shards, {test.permutations:,} shuffled orders of each ({plan.name})"
    return [head, *(f"  {line}" for line in figures), "", *_meaning(test)]


def _meaning(test: OrderTest) -> list[str]:
    if test.exact_p <= SMALL_P:
        verdict = [
            "The model likes the published order better than chance explains: evidence that it was trained on these lines in this order.",
            "p is of one test: of several files, seeds or models take the smallest times their number.",
        ]
    else:
        verdict = ["No evidence that the model has seen these lines in this order. That does not show that it was not trained on them."]
    return [
        *verdict,
        "A copy that was shuffled, written in another form or seen too seldom is not found (power: docs/contamination.md of cloze-gen).",
    ]
