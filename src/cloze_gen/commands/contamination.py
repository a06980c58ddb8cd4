"""`cloze-gen contamination`: has a model been trained on a release? What it is asked, and what its answers show."""

from __future__ import annotations

import json
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
LONG_CHARS = 16_000  # some 4,000 tokens
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
    longest = _write(requests, lines, plan)
    say(f"{name}: {len(lines):,} lines in {plan.shards:,} shards, each in {plan.permutations + 1:,} orders; the longest text has")
    say(f'{longest:,} characters. Answer each with {{"id": ..., "log_likelihood": ...}}, then `cloze-gen contamination --log`.')
    if longest > LONG_CHARS:
        say(f"More than many models read at once: --shards {plan.shards * 2} halves it, and --file asks about another file of the release.")
    return f"written to {requests}"


def _write(path: Path, lines: list[str], plan: OrderPlan) -> int:
    """Write the texts as JSON lines to a new file; returns the characters of the longest. What cannot be finished is taken away again."""
    longest, begun = 0, False
    try:
        with open(path, "x", encoding="utf-8", newline="\n") as handle:
            begun = True
            for item_id, text in asked_texts(lines, plan):
                handle.write(json.dumps({"id": item_id, "text": text}, ensure_ascii=False) + "\n")
                longest = max(longest, len(text))
    except FileExistsError:
        raise UsageError(f"{path}: is there already. Nothing was written; name a new file with --requests.") from None
    except BaseException as error:
        if begun:
            path.unlink(missing_ok=True)
        if isinstance(error, OSError | ValueError):
            raise UsageError(f"{path}: cannot be written ({reason(error)})") from None
        raise
    return longest


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
