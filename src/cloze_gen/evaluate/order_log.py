"""A model's log-likelihoods of what `orders` asks, as JSON lines: one ``{"id": ..., "log_likelihood": ...}`` a text."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cloze_gen.errors import FormatError, UsageError
from cloze_gen.evaluate.orders import OrderPlan, plan_orders
from cloze_gen.notation import NotationError, as_number, parse_json, shown

_ID = re.compile(r"(0|[1-9]\d{0,7})x(0|[1-9]\d{0,7})-s(0|[1-9]\d{0,18})-([0-9a-f]{12}):(0|[1-9]\d{0,7}):(0|[1-9]\d{0,7})", re.ASCII)
_EXPECTED = '{"id": ..., "log_likelihood": ...}'


def parse_order_log(text: str, lines: Sequence[str], *, name: str) -> tuple[OrderPlan, NDArray[np.float64]]:
    """What was asked, by the ids, and what the model answered, in any order of lines; keys beside the two are passed over.

    Args:
        lines: of the file that the model was asked about, in the published order.
        name: of the log, for messages.
    Returns:
        the plan, and float64 of shape (M, R + 1): a row a shard, the published order in column 0.
    Raises:
        FormatError: the log is of another file or order, lacks an answer or has one twice, or one is no log-likelihood.
    """
    plan: OrderPlan | None = None
    values: NDArray[np.float64] = np.empty((0, 0))
    given: dict[tuple[int, int], int] = {}
    for number, line in enumerate(text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n"), 1):
        if not line.strip():
            continue
        where = f"{name}, line {number}"
        record = _record(line, where)
        if plan is None:
            plan = _plan(record["id"], lines, where)
            values = np.full((plan.shards, plan.permutations + 1), np.nan)
        place = _place(record["id"], plan, where)
        if place in given:
            raise FormatError(f"{where}: {record['id']} was answered on line {given[place]:,} already; give each text one answer.")
        given[place] = number
        values[place] = _log_likelihood(record["log_likelihood"], where)
    if plan is None:
        raise FormatError(f"{name}: empty; expected a line {_EXPECTED} for each text of --requests.")
    missing = np.argwhere(np.isnan(values))
    if len(missing):
        first = plan.id(int(missing[0][0]), int(missing[0][1]))
        raise FormatError(f"{name}: {len(missing):,} of {values.size:,} texts are not answered, the first is {first}; answer them all.")
    return plan, values


def _record(line: str, where: str) -> dict[str, Any]:
    try:
        record = parse_json(line)
    except NotationError as error:
        raise FormatError(f"{where}: not JSON ({error}); expected {_EXPECTED}") from None
    if not isinstance(record, dict) or not isinstance(record.get("id"), str) or "log_likelihood" not in record:
        raise FormatError(f"{where}: expected {_EXPECTED}, found {shown(line)}")
    return record


def _plan(item_id: str, lines: Sequence[str], where: str) -> OrderPlan:
    """What was asked, made again from the first id and the file."""
    found = _ID.fullmatch(item_id)
    if found is None:
        raise FormatError(f"{where}: the id {shown(item_id)} is none that --requests writes; give each answer the id of its text.")
    shards, permutations, seed = (int(found[group]) for group in (1, 2, 3))
    another = "is of another file, or of these lines in another order; give the file that was asked about (--file)."
    try:
        plan = plan_orders(lines, shards=shards or -1, permutations=permutations, seed=seed)
    except UsageError as error:
        raise FormatError(f"{where}: the id {item_id} {another} ({error})") from None
    if plan.digest != found[4]:
        raise FormatError(f"{where}: the id {item_id} {another} Its digest is {found[4]}, that of the file is {plan.digest}.")
    return plan


def _place(item_id: str, plan: OrderPlan, where: str) -> tuple[int, int]:
    found = _ID.fullmatch(item_id)
    shard, order = (int(found[5]), int(found[6])) if found else (-1, -1)
    if found is None or item_id != plan.id(shard, order) or shard >= plan.shards or order > plan.permutations:
        raise FormatError(f"{where}: {shown(item_id, most_chars=100)} was not asked beside the lines before it ({plan.name}).")
    return shard, order


def _log_likelihood(value: Any, where: str) -> float:
    number = as_number(value)
    if not math.isfinite(number):
        raise FormatError(f"{where}: log_likelihood {shown(value)} is not a finite number, so the orders cannot be compared.")
    if number > 0:
        raise FormatError(
            f"{where}: log_likelihood {number:g} is above 0, but a probability is at most 1; of a loss or a negative log-likelihood "
            "give the other sign."
        )
    return number
