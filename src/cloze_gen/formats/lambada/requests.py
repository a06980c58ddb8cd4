"""What a model of somebody else's is asked about passages, and its answers: JSON Lines out, JSON Lines in."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cloze_gen.errors import FormatError
from cloze_gen.notation import NotationError, as_number, parse_json, shown

_FIRST_CHOICE = ("correct", "is_greedy")
ANSWER = '{"id": ..., "log10_prob": ...}'


def format_requests(texts: Iterable[tuple[str, str, str]]) -> Iterator[str]:
    """One JSON object a passage, from its id, what stands before the target, and the target: `id`, `context`, `continuation`.

    >>> list(format_requests([("emma:7", "Who called? It was ", "Jane")]))
    ['{"id": "emma:7", "context": "Who called? It was ", "continuation": "Jane"}']
    """
    for passage_id, context, continuation in texts:
        yield json.dumps({"id": passage_id, "context": context, "continuation": continuation}, ensure_ascii=False)


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """What somebody's model says of passages.

    Attributes:
        log10_prob: float64, shape (n,): log10 P(continuation | context).
        rank: float64, shape (n,): of the target among all that the model could say, 1 the first; NaN where it is not told.
        right: bool, shape (n,): the target is the model's first choice; None unless every answer tells.
    """

    log10_prob: NDArray[np.float64]
    rank: NDArray[np.float64]
    right: NDArray[np.bool_] | None


def parse_answers(lines: Iterable[str], ids: Sequence[str], *, name: str = "scores") -> NDArray[np.float64]:
    """The probabilities alone of `parse_full_answers`, shape (passages,).

    >>> parse_answers(['{"id": "b:2", "log10_prob": -1.5}', '{"id": "b:1", "log10_prob": 0}'], ["b:1", "b:2"]).tolist()
    [0.0, -1.5]
    """
    return parse_full_answers(lines, ids, name=name).log10_prob


def parse_full_answers(lines: Iterable[str], ids: Sequence[str], *, name: str = "scores") -> Answers:
    """The answers, in any order; more fields and passages may be.

    Of each passage `id` and `log10_prob`; where the maker knows it `rank`, and whether the target is the model's first choice, as `correct`
    or `is_greedy` (so lm-evaluation-harness calls it). Where neither is told, a rank of 1 is the first choice. The id of a line of a
    published file is its number, with or without quotation marks.

    Args:
        ids: of the passages asked about.
        name: of the file, for messages.
    Raises:
        FormatError: a line is no such object, a passage lacks its answer or has two, or a value is none.

    >>> found = parse_full_answers(['{"id": 1, "log10_prob": -1.5, "rank": 3}'], ["1"])
    >>> found.rank.tolist(), found.right.tolist()
    ([3.0], [False])
    """
    place = {passage_id: i for i, passage_id in enumerate(ids)}
    found, rank = np.full(len(ids), np.nan), np.full(len(ids), np.nan)
    right: list[bool | None] = [None] * len(ids)
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        where = f"{name}, line {number}"
        record = _record(line, where)
        row = place.get(str(record["id"]))
        if row is None:
            continue
        if not math.isnan(found[row]):
            raise FormatError(f"{where}: the passage {str(record['id'])[:80]} has an answer on an earlier line")
        found[row] = _log10_prob(record["log10_prob"], where)
        rank[row] = _rank(record.get("rank"), where)
        right[row] = _right(record, rank[row], where)
    missing = np.flatnonzero(np.isnan(found))
    if len(missing):
        raise FormatError(f"{name}: no answer for {len(missing):,} of {len(ids):,} passages, the first is {ids[int(missing[0])]}")
    return Answers(found, rank, None if None in right else np.array(right, np.bool_))


def _record(line: str, where: str) -> Mapping[str, Any]:
    try:
        record = parse_json(line)
    except NotationError as error:
        raise FormatError(f"{where}: not JSON ({error}); expected {ANSWER}") from None
    named = isinstance(record, dict) and isinstance(record.get("id"), str | int) and not isinstance(record["id"], bool)
    if not named or "log10_prob" not in record:
        raise FormatError(f"{where}: expected {ANSWER}, found {shown(line)}")
    return record


def _log10_prob(value: Any, where: str) -> float:
    number = as_number(value)
    if not math.isfinite(number):
        raise FormatError(f"{where}: {shown(value)} is not a finite number")
    if number > 0:
        raise FormatError(f"{where}: {shown(value)} is above 0, so it is the log10 of no probability")
    return number


def _rank(value: Any, where: str) -> float:
    if value is None:
        return math.nan
    rank = as_number(value)
    if not 1 <= rank < math.inf:
        raise FormatError(f"{where}: `rank` is {shown(value)}; expected a number from 1")
    return rank


def _right(record: Mapping[str, Any], rank: float, where: str) -> bool | None:
    told = next((record[name] for name in _FIRST_CHOICE if record.get(name) is not None), None)
    if told is None:
        return None if math.isnan(rank) else rank == 1
    if not isinstance(told, bool) and told not in (0, 1):
        raise FormatError(f"{where}: {' and '.join(_FIRST_CHOICE)} are true or false, found {shown(told)}")
    return bool(told)
