"""What a model of somebody else's is asked about passages, and its answers: JSON Lines out, JSON Lines in."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cloze_gen.errors import FormatError
from cloze_gen.notation import NotationError, parse_json, shown

ANSWER = '{"id": ..., "log10_prob": ...}'


def format_requests(texts: Iterable[tuple[str, str, str]]) -> Iterator[str]:
    """One JSON object a passage, from its id, what stands before the target, and the target: `id`, `context`, `continuation`.

    >>> list(format_requests([("emma:7", "Who called? It was ", "Jane")]))
    ['{"id": "emma:7", "context": "Who called? It was ", "continuation": "Jane"}']
    """
    for passage_id, context, continuation in texts:
        yield json.dumps({"id": passage_id, "context": context, "continuation": continuation}, ensure_ascii=False)


def parse_answers(lines: Iterable[str], ids: Sequence[str], *, name: str = "scores") -> NDArray[np.float64]:
    """The answers: of each passage `id` and `log10_prob`, log10 P(continuation | context), in any order; more fields and passages may be.

    Args:
        ids: of the passages asked about.
        name: of the file, for messages.
    Returns:
        float64, shape (passages,), in the order of `ids`.
    Raises:
        FormatError: a line is no such object, a passage lacks its answer or has two, or one is no log-probability.

    >>> parse_answers(['{"id": "b:2", "log10_prob": -1.5}', '{"id": "b:1", "log10_prob": 0}'], ["b:1", "b:2"]).tolist()
    [0.0, -1.5]
    """
    place = {passage_id: i for i, passage_id in enumerate(ids)}
    found = np.full(len(ids), np.nan)
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        where = f"{name}, line {number}"
        record = _record(line, where)
        row = place.get(record["id"])
        if row is None:
            continue
        if not math.isnan(found[row]):
            raise FormatError(f"{where}: the passage {record['id'][:80]} has an answer on an earlier line")
        found[row] = _log10_prob(record["log10_prob"], where)
    missing = np.flatnonzero(np.isnan(found))
    if len(missing):
        raise FormatError(f"{name}: no answer for {len(missing):,} of {len(ids):,} passages, the first is {ids[int(missing[0])]}")
    return found


def _record(line: str, where: str) -> Mapping[str, Any]:
    try:
        record = parse_json(line)
    except NotationError as error:
        raise FormatError(f"{where}: not JSON ({error}); expected {ANSWER}") from None
    if not isinstance(record, dict) or not isinstance(record.get("id"), str) or "log10_prob" not in record:
        raise FormatError(f"{where}: expected {ANSWER}, found {shown(line)}")
    return record


def _log10_prob(value: Any, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise FormatError(f"{where}: {shown(value)} is not a finite number")
    if value > 0:
        raise FormatError(f"{where}: {value} is above 0, so it is the log10 of no probability")
    return float(value)
