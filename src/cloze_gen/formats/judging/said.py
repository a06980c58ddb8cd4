"""Is what somebody says of an item something that can be said of it? Asked of every verdict from outside, before anybody stores it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from cloze_gen.errors import FormatError
from cloze_gen.formats.judging.packet import LETTERS, PacketRow, choices_of
from cloze_gen.judging.groom import N_PICKED
from cloze_gen.judging.read import MARKS
from cloze_gen.judging.tasks import as_seen, taken
from cloze_gen.notation import shown
from cloze_gen.records.judgement import Task

PacketOf = Callable[[str], PacketRow | None]  # the row of an assignment's id; None: the study has no such assignment


def packet_named(assignment: Any, judge: Any, packet_of: PacketOf, *, where: str) -> PacketRow:
    """The assignment that a row from outside names.

    Raises:
        FormatError: the study has none of that id, or it is another judge's.
    """
    row = packet_of(assignment) if isinstance(assignment, str) else None
    if row is None:
        raise FormatError(f"{where}: {shown(assignment)} is no assignment of this study; leave the column or field as it was handed out")
    if judge is not None and not isinstance(judge, str):
        raise FormatError(f"{where}: the judge must be a name, found {shown(judge)}")
    if judge and row.judge and judge != row.judge:
        raise FormatError(f"{where}: assignment {assignment} is not {shown(judge)}'s; a verdict on it must be of the judge who was asked")
    return row


def seconds_told(value: Any, *, where: str) -> float | None:
    """Time taken, in seconds; None where none is told.

    Raises:
        FormatError: it is no number from 0.
    """
    if value is None:
        return None
    if type(value) not in (int, float) or not 0 <= value <= 1e9:  # a number of 400 digits is no float
        raise FormatError(f"{where}: seconds must be a number from 0, found {shown(value)}")
    return float(value) if math.isfinite(value) else None


def checked(row: PacketRow, said: Any, *, where: str) -> dict[str, Any]:
    """What is said in a packet, whole and tidy, by the rules of its task (`judging.tasks`): fields left out are filled in, lists sorted.

    Args:
        said: as `packet` tells; a candidate that is picked may be named by its word too, an option by its letter or its word, and the
            answer among options that fit as well is passed over: "b, and b and d fit" says that d does.
    Raises:
        FormatError: nothing of the kind can be said of this item; names `where` and what is amiss.

    >>> row = PacketRow("3f", "bo", "groom", "", {"candidates": ["owl", "map", "ear", "sea", "cup"]})
    >>> checked(row, {"picked": ["cup", 1, 2, 3]}, where="a")
    {'picked': [1, 2, 3, 5]}
    >>> checked(row, {"picked": [1, 1, 2, 3]}, where="verdicts, line 2")
    Traceback (most recent call last):
    cloze_gen.errors.FormatError: verdicts, line 2: four different candidates must be picked, found [1, 1, 2, 3]
    """
    task, order = Task(row.task), range(len(choices_of(row)))
    item = {**row.shown, "guesses": {row.condition: row.shown.get("guesses")}}
    try:
        words = taken(task, _from_0(row, said) if isinstance(said, Mapping) else said, item, order=order, condition=row.condition)
    except FormatError as error:
        raise FormatError(f"{where}: {error}") from None
    found = as_seen(task, words, item, order)
    return {**found, "picked": [place + 1 for place in found["picked"]]} if "picked" in found else found


def _from_0(row: PacketRow, said: Mapping[str, Any]) -> dict[str, Any]:
    """What a packet says, with places from 0 as a study counts them."""
    plain = dict(said)
    if row.task == Task.GROOM and "picked" in plain:
        plain["picked"] = _picked(choices_of(row), plain["picked"])
    if row.task == Task.GROOM and plain.get("note", "") is None:
        plain["note"] = ""
    if row.task == Task.READ:
        plain |= {field: _options_named(choices_of(row), field, plain[field]) for field in ("answer", *MARKS) if field in plain}
    if row.task == Task.READ and isinstance(plain.get("fits_as_well"), list):
        plain["fits_as_well"] = [one for one in plain["fits_as_well"] if one != plain.get("answer") or type(one) is not int]
    return plain


def option_named(options: list[str], name: str) -> int | None:
    """The index of the option that a letter names, or its own text; None where it names none.

    >>> option_named(["cat", "owl"], "B"), option_named(["cat", "owl"], "owl"), option_named(["cat", "owl"], "c")
    (1, 1, None)
    """
    letter = LETTERS[: len(options)].find(name.strip().casefold()) if len(name.strip()) == 1 else -1
    return letter if letter >= 0 else options.index(name) if name in options else None


def _options_named(options: list[str], field: str, value: Any) -> Any:
    """A value, or each thing of a list, with indices in the place of letters and words; what is no text stays, and is asked for later."""
    if isinstance(value, list):
        return [_options_named(options, field, one) if isinstance(one, str) else one for one in value]
    if not isinstance(value, str):
        return value
    index = option_named(options, value)
    if index is None:
        last = LETTERS[len(options) - 1]
        raise FormatError(f"{field}: {shown(value)} is no option; name it by its letter from a to {last}, its word, or its index from 0")
    return index


def _picked(words: list[str], picked: Any) -> list[int]:
    """The places, from 0, of candidates that are named by places from 1 or by their words."""
    named = [words.index(one) + 1 if isinstance(one, str) and one in words else one for one in picked] if isinstance(picked, list) else []
    for one in named:
        if type(one) is not int or not 1 <= one <= len(words):
            raise FormatError(f"picked: {shown(one)} is no candidate; name it by its word, or by a number from 1 to {len(words)}")
    if len(named) != N_PICKED or len(set(named)) != N_PICKED:
        raise FormatError(f"four different candidates must be picked, found {shown(picked)}")
    return [one - 1 for one in named]
