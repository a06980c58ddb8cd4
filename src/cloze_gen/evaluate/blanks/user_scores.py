"""Scores of a model of the user's own: of every candidate in every blank, as JSON Lines or as a log of lm-evaluation-harness."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cloze_gen.errors import FormatError
from cloze_gen.evaluate.sample_log import Sample, is_sample_log, parse_sample_log
from cloze_gen.notation import NotationError, as_number, parse_json, shown
from cloze_gen.records.blanked_passage import BlankedPassage

ANSWER = '{"id": ..., "scores": [[...], ...]}'


def parse_blank_scores(text: str, passages: Sequence[BlankedPassage], *, name: str = "scores") -> list[NDArray[np.float64]]:
    """A line a passage, in any order: its `id` and its `scores`, a row a blank in the order of their numbers, a number a candidate.

    Higher is better. More fields and passages may be. The id of a passage of a published file is its `eid`, as text or number. A log of
    lm-evaluation-harness (`sample_log`) has a line a blank, its id ``PASSAGE:BLANK``, the blank from 1.

    Args:
        name: of the file, for messages.
    Returns:
        float64, shape (blanks, candidates) of each passage, in the order of `passages`.
    Raises:
        FormatError: a line is no such object, a passage lacks its scores or has them twice, they are too many or too few, or one is no
            finite number; of a log, a blank is missing, or its candidates are others.

    >>> passage = BlankedPassage("7", ("A.", "B."), (0,), ("A.", "C."), (0,))
    >>> parse_blank_scores('{"id": 7, "scores": [[0.5, -1]]}', [passage])[0].tolist()
    [[0.5, -1.0]]
    """
    if is_sample_log(text):
        return _from_log(parse_sample_log(text, name=name), passages, name)
    by_id = {passage.id: passage for passage in passages}
    found: dict[str, NDArray[np.float64]] = {}
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        if not line.strip():
            continue
        where = f"{name}, line {number}"
        record = _record(line, where)
        passage = by_id.get(str(record["id"]))
        if passage is None:
            continue  # scores of a larger set serve a part of it
        if passage.id in found:
            raise FormatError(f"{where}: the passage {passage.id[:80]} has scores on an earlier line")
        found[passage.id] = _matrix(record["scores"], passage, where)
    missing = [passage.id for passage in passages if passage.id not in found]
    if missing:
        raise FormatError(f"{name}: no scores for {len(missing):,} of {len(passages):,} passages, the first is {missing[0][:80]}")
    return [found[passage.id] for passage in passages]


def _from_log(samples: Sequence[Sample], passages: Sequence[BlankedPassage], name: str) -> list[NDArray[np.float64]]:
    """A row a blank of every passage, natural logarithms of probabilities as they are."""
    by_id = {sample.id: sample for sample in samples}
    asked = {passage.id: [f"{passage.id}:{blank}" for blank in range(1, len(passage.blanks) + 1)] for passage in passages}
    missing = [blank for blanks in asked.values() for blank in blanks if blank not in by_id]
    if missing:
        of = sum(map(len, asked.values()))
        hint = (
            "A log holds one split; put those of all measured splits into one file" if len(missing) < of else "Give the log of NAME_blanks"
        )
        raise FormatError(f"{name}: no scores for {len(missing):,} of {of:,} blanks, the first is {missing[0][:80]}. {hint}")
    for passage in passages:
        for blank, answer in zip(asked[passage.id], passage.answers, strict=True):
            by_id[blank].check_options(passage.candidates, answer)
    return [np.array([by_id[blank].ln_probs for blank in asked[passage.id]], np.float64) for passage in passages]


def _record(line: str, where: str) -> Mapping[str, Any]:
    try:
        record = parse_json(line)
    except NotationError as error:
        raise FormatError(f"{where}: not JSON ({error}); expected {ANSWER}") from None
    named = isinstance(record, dict) and isinstance(record.get("id"), str | int) and not isinstance(record["id"], bool)
    if not named or not isinstance(record.get("scores"), list):
        raise FormatError(f"{where}: expected {ANSWER}, found {shown(line)}")
    return record


def _matrix(rows: Sequence[Any], passage: BlankedPassage, where: str) -> NDArray[np.float64]:
    blanks, candidates = len(passage.blanks), len(passage.candidates)
    if len(rows) != blanks:
        raise FormatError(f"{where}: {len(rows)} rows of scores for the {blanks} blanks of {passage.id[:80]}")
    for blank, row in enumerate(rows, 1):
        if not isinstance(row, list) or len(row) != candidates:
            count = f"{len(row)} scores" if isinstance(row, list) else shown(row)
            raise FormatError(f"{where}: {count} for the {candidates} candidates of blank {blank} of {passage.id[:80]}")
        for value in row:
            if not math.isfinite(as_number(value)):
                raise FormatError(f"{where}: {shown(value)}, of blank {blank} of {passage.id[:80]}, is not a finite number")
    return np.array(rows, np.float64)
