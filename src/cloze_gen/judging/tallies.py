"""What one verdict adds to the counts that are kept of a judge: (count, of) by the name of what is counted.

Counted of the items, mostly: marks of the options of one item come together, and a share of options would have too narrow an interval. Only
`blanks right` counts blanks; `passages right`, beside it, counts passages.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from cloze_gen.judging.ratings import Asked, Said
from cloze_gen.records.judgement import Task

Tally = Mapping[str, tuple[int, int]]


def tally(asked: Asked, one: Said) -> Tally:
    """What a first verdict adds.

    groom: rejected. read: right (where the key tells the answer and the reader chose one), fits as well and ungrammatical (at least one
    option marked), broken, trivial. fill: blanks right, passages right. guess: passage or sentence, right.

    >>> from cloze_gen.records.judgement import Kind, StudyItem
    >>> asked = Asked(Task.FILL, {"p": StudyItem("p", (), {}, {"answers": [2, 0]}, "run")}, str.__eq__)
    >>> tally(asked, Said("p", "ann", Kind.FIRST, "", {"fills": [2, 1]}, 60.0))
    {'blanks right': (1, 2), 'passages right': (0, 1)}
    """
    return _TALLIES[asked.task](one.said, asked.items[one.item].key, one.condition, asked.is_right)


def _groom(said: Mapping[str, Any], key: Mapping[str, Any], condition: str, is_right: Callable[[str, str], bool]) -> Tally:
    return {"rejected": (int("rejected" in said), 1)}


def _read(said: Mapping[str, Any], key: Mapping[str, Any], condition: str, is_right: Callable[[str, str], bool]) -> Tally:
    found = {"broken": (int(said["broken"]), 1)}
    if said["answer"] is None:
        return found
    if "answer" in key:
        found["right"] = (int(said["answer"] == key["answer"]), 1)
    found["fits as well"] = (int(bool(said["fits_as_well"])), 1)
    found["ungrammatical"] = (int(bool(said["ungrammatical"])), 1)
    found["trivial"] = (int(said["trivial"]), 1)
    return found


def _fill(said: Mapping[str, Any], key: Mapping[str, Any], condition: str, is_right: Callable[[str, str], bool]) -> Tally:
    if "answers" not in key:
        return {}
    right = sum(given == own for given, own in zip(said["fills"], key["answers"], strict=True))
    return {"blanks right": (right, len(key["answers"])), "passages right": (int(right == len(key["answers"])), 1)}


def _guess(said: Mapping[str, Any], key: Mapping[str, Any], condition: str, is_right: Callable[[str, str], bool]) -> Tally:
    if "target" not in key:
        return {}
    return {f"{condition}, right": (int(any(is_right(guess, key["target"]) for guess in said["guesses"])), 1)}


_TALLIES = {Task.GROOM: _groom, Task.READ: _read, Task.FILL: _fill, Task.GUESS: _guess}


def repeat_tally(task: Task, first: Mapping[str, Any], again: Mapping[str, Any]) -> Tally:
    """How far a judge said the same when an item came again.

    groom: verdict (kept or rejected), picks (words picked again, where both times kept). read: answer, marks (of all options, and whether
    trivial). fill: blanks. guess: first guess, whatever the letter case.

    >>> repeat_tally(Task.GROOM, {"picked": ["a", "b", "c", "d"]}, {"picked": ["d", "b", "c", "e"]})
    {'verdict': (1, 1), 'picks': (3, 4)}
    """
    if task is Task.GROOM:
        kept, kept_again = first.get("picked"), again.get("picked")
        found = {"verdict": (int((kept is None) == (kept_again is None)), 1)}
        if kept is not None and kept_again is not None:
            found["picks"] = (len(set(kept) & set(kept_again)), len(kept))
        return found
    if task is Task.READ:
        answer = {"answer": (int(first["answer"] == again["answer"]), 1)}
        if first["answer"] is None or again["answer"] is None:
            return answer
        alike = all(_plain(first[name]) == _plain(again[name]) for name in ("fits_as_well", "ungrammatical", "trivial"))
        return {**answer, "marks": (int(alike), 1)}
    if task is Task.FILL:
        return {"blanks": (sum(one == other for one, other in zip(first["fills"], again["fills"], strict=True)), len(first["fills"]))}
    return {"first guess": (int([_plain(one) for one in first["guesses"][:1]] == [_plain(one) for one in again["guesses"][:1]]), 1)}


def is_as_instructed(task: Task, expected: Mapping[str, Any], said: Mapping[str, Any]) -> bool:
    """Whether an attention item was answered as it told: all that is expected was said; a note does not count (Meade & Craig 2012).

    Picks and marks have no order; of guesses one must be the one that was asked for.

    >>> is_as_instructed(Task.READ, {"answer": 2}, {"answer": 2, "fits_as_well": [1]})
    True
    >>> is_as_instructed(Task.GUESS, {"guesses": ["lamp"]}, {"guesses": ["I see", "Lamp "]})
    True
    """
    if task is Task.GUESS:
        return {_plain(one) for one in expected["guesses"]} <= {_plain(one) for one in said["guesses"]}
    if task is Task.FILL:
        return list(expected["fills"]) == list(said["fills"])
    return all(name in said and _plain(said[name]) == _plain(value) for name, value in expected.items() if name != "note")


def _plain(value: Any) -> Any:
    """A value as it is compared: lists without their order, words without case and blanks around them."""
    if isinstance(value, list | tuple):
        return frozenset(value)
    return value.strip().casefold() if isinstance(value, str) else value
