"""What people said of single items, as the lines of a file of verdicts have it: of finished items, whose key the file does not hold.

``{"id": "b:7:3", "set": "mine", "item": "9f0c...", "answers": [{"judge": 1, "answer": 2, ...}], "adjudicated": null}``. Judges are
numbers. `item` is a digest of what the judges saw and of its key: a verdict is counted for the question that it was given on and for
no other, whatever file that stands in now, under whatever id.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cloze_gen.errors import FormatError
from cloze_gen.judging import fill, read
from cloze_gen.judging.consensus import SaidBy
from cloze_gen.notation import shown as noted
from cloze_gen.records.judgement import StudyItem, Task

_ANY = range(1_000_000)  # options or candidates of an item that is not at hand, so that they cannot be counted


@dataclass(frozen=True, slots=True)
class ItemVerdicts:
    """What people said of one item.

    Attributes:
        of_set: the set that it is of, as the study named it.
        item: `item_digest` of what they saw.
        said: number of a judge, as text -> that judge's first verdict; at least one.
        adjudicated: what an adjudicator decided; None where nobody did.
    """

    id: str
    of_set: str
    item: str
    said: SaidBy
    adjudicated: Mapping[str, Any] | None


def item_digest(shown: Mapping[str, Any], key: Mapping[str, Any]) -> str:
    """What judges saw, and its key, as 16 hexadecimal digits.

    >>> item_digest({"options": ["a", "b"]}, {"answer": 0}) == item_digest({"options": ["b", "a"]}, {"answer": 1})
    False
    """
    text = json.dumps([shown, key], ensure_ascii=False, sort_keys=True)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def verdict_row(item: StudyItem, said: Mapping[int, Mapping[str, Any]], adjudicated: Mapping[str, Any] | None) -> dict[str, Any]:
    """The line of one item.

    Args:
        said: number of a judge -> first verdict, canonical.
    """
    return {
        "id": item.id,
        "set": item.source,
        "item": item_digest(item.shown, item.key),
        "answers": [{"judge": judge} | dict(said[judge]) for judge in sorted(said)],
        "adjudicated": None if adjudicated is None else dict(adjudicated),
    }


def parse_verdict_row(row: Mapping[str, Any], task: Task) -> ItemVerdicts:
    """What one line of a file says; of reading and filling.

    Raises:
        FormatError: it is no such line, a verdict is none, or a judge is there twice; names the item.

    >>> item = StudyItem("b:7", (), {"options": ["a", "b"]}, {"answer": 0}, "mine")
    >>> said = {"answer": 1, "fits_as_well": [0], "ungrammatical": [], "broken": False, "trivial": False}
    >>> parse_verdict_row(verdict_row(item, {2: said}, None), Task.READ).said == {"2": said}
    True
    """
    where = f"item {noted(row.get('id'))}"
    answers, adjudicated = row.get("answers"), row.get("adjudicated")
    if not all(isinstance(row.get(name), str) for name in ("id", "set", "item")):
        raise FormatError(f"{where}: expected `id`, `set` and `item` as texts, found {noted(dict(row))}")
    if not isinstance(answers, list) or not answers or not all(isinstance(one, Mapping) for one in answers):
        raise FormatError(f"{where}: expected `answers`, an object a judge, found {noted(answers)}")
    said: dict[str, Mapping[str, Any]] = {}
    for answer in answers:
        judge = answer.get("judge")
        if type(judge) is not int or judge < 1 or f"{judge}" in said:
            raise FormatError(f"{where}: expected a number of its own for each judge, found {noted(judge)}")
        said[f"{judge}"] = _said({name: value for name, value in answer.items() if name != "judge"}, task, where)
    return ItemVerdicts(row["id"], row["set"], row["item"], said, None if adjudicated is None else _said(adjudicated, task, where))


def _said(said: Any, task: Task, where: str) -> dict[str, Any]:
    try:
        if task is Task.READ:
            return read.taken(said, {"options": _ANY})
        fills = said.get("fills") if isinstance(said, Mapping) else None
        return fill.taken(said, {"parts": [{} for _ in fills] if isinstance(fills, list) else [], "candidates": _ANY})
    except FormatError as error:
        raise FormatError(f"{where}: {error}") from None
