"""A judging task: one class holds everything that is specific to the task."""

from __future__ import annotations

import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from cloze_gen.errors import FormatError
from cloze_gen.parsing import quote
from cloze_gen.records.judgement import StudyItem, Task

Values = Mapping[str, Any]  # JSON values: an item as shown, a key or a response
Fields = dict[str, Any]  # the same as a new dictionary
VerdictsByJudge = Mapping[str, Values]
Tally = Mapping[str, tuple[int, int]]  # name of the measure -> (count, of)
Rating = tuple[str, tuple[str, ...], str]  # question, rest of the unit after the item, label
IsRight = Callable[[str, str], bool]  # (guess, target) -> whether the guess is the target

LETTERS = "abcdefghijklmnopqrstuvwxyz"  # names of options, by index
GAP = "_____"
_UNKNOWN = range(1_000_000)  # choices of an unknown item


@dataclass(frozen=True, slots=True)
class Judged:
    """The latest verdict of an assignment.

    Attributes:
        seconds: 0 if it was not timed.
        is_right: used for guesses only.
    """

    item: StudyItem
    judge: str
    verdict: Values
    condition: str = ""
    seconds: float = 0.0
    is_right: IsRight = str.__eq__


class JudgingTask(ABC):
    """A judging task. It also needs a template and a script for its page.

    `item` is `StudyItem.shown`; `seen` is what one judge sees. Judges may see choices in an order of
    their own; a response names those by their text.

    Attributes:
        questions: question -> its text; agreement is measured for each.
        conditions: the parts of an item that judges may see, if there are several.
        unused_options: options of `judge new` that have no effect.
        choice: field of a response with the choice among the choices; empty if there are none.
        positions: all fields of a response with positions in the choices.
        choices_field: field of `seen` that lists the choices.
    """

    name: ClassVar[Task]
    title: ClassVar[str]
    instruction: ClassVar[str]
    questions: ClassVar[Mapping[str, str]]
    main_question: ClassVar[str]
    alpha_note: ClassVar[str] = ""
    conditions: ClassVar[tuple[str, ...]] = ()
    unused_options: ClassVar[tuple[str, ...]] = ("draw", "show_machine")
    choice: ClassVar[str] = ""
    positions: ClassVar[tuple[str, ...]] = ()
    choices_field: ClassVar[str] = "candidates"

    # Items as judges see them, and their responses

    def n_ordered(self, item: Values) -> int:
        """Number of choices of an item that are shown in the judge's own order."""
        return 0

    def seen(self, item: Values, order: Sequence[int], condition: str) -> Fields:
        """The part of an item that one judge sees; nothing else of it leaves the study."""
        return dict(item)

    @abstractmethod
    def parse(self, response: Any, item: Values, condition: str) -> Fields:
        """A judge's response in canonical form; FormatError if it is not valid for this item."""

    def placeholder_item(self, response: Any) -> Values:
        """An item with so many choices that every well-formed response is valid."""
        return {"options": _UNKNOWN, "candidates": _UNKNOWN}

    # Measures of verdicts

    @abstractmethod
    def ratings(self, one: Judged) -> Iterator[Rating]:
        """The labels of one verdict, by question and unit."""

    @abstractmethod
    def tally(self, one: Judged) -> Tally:
        """Counts of a verdict, mostly per item: an item's options are not independent."""

    def in_both_orders(self, first: Values, other: Values) -> Fields | None:
        """The content that two verdicts of a model share; None if its choice is not the same."""
        return dict(first) if first == other else None

    def page(self, seen: Values) -> Fields:
        return {}

    # The second order in which a model gets the choices: the later half comes first, so that each
    # choice has another letter or number.

    def turned(self, seen: Values) -> Fields:
        """
        >>> from cloze_gen.judging.tasks.read import READ
        >>> READ.turned({"options": ["ant", "bee", "cat", "dog", "elk"]})
        {'options': ['cat', 'dog', 'elk', 'ant', 'bee']}
        """
        listed = seen[self.choices_field]
        shift = len(listed) // 2
        return {**seen, self.choices_field: [*listed[shift:], *listed[:shift]]}

    def turned_back(self, response: Values, seen: Values) -> Fields:
        """A response on `turned(seen)` as one on `seen`.

        >>> from cloze_gen.judging.tasks.read import READ
        >>> READ.turned_back({"answer": 3, "fits_as_well": [0]}, {"options": list("abcde")})
        {'answer': 0, 'fits_as_well': [2]}
        """
        n = len(seen[self.choices_field])

        def place(at: int | None) -> int | None:
            return None if at is None else (at + n // 2) % n

        return {
            name: each_or_one(value, place) if name in self.positions else value
            for name, value in response.items()
        }

    # Packets: an item is exported as a table row or a prompt; a response is imported

    def text(self, seen: Values) -> str:
        return f"{seen['before']}{GAP}{seen['after']}"

    def cells(self, seen: Values) -> dict[str, str]:
        """Table cells that show the item, in addition to its instruction and text."""
        return {}

    @abstractmethod
    def columns(self, seen: Values) -> list[str]:
        """Table columns that the judge fills in."""

    @abstractmethod
    def from_cells(self, cells: Mapping[str, str], seen: Values, where: str) -> Fields:
        """A response from all `columns`; `parse` checks the rest.

        FormatError, starting with `where`.
        """

    @abstractmethod
    def question(self, seen: Values) -> str:
        """The question for a language model, and the format of its reply."""

    def prompt_data(self, seen: Values) -> Fields:
        listed = seen.get("candidates")
        return {"text": self.text(seen), **({"candidates": numbered(listed)} if listed else {})}

    def from_reply(self, reply: Values, seen: Values) -> Fields:
        """A response from a model's names of choices; `parse` checks the rest."""
        return dict(reply)


# Checks of imported responses


def fields_of(response: Any, *names: str) -> Values:
    """The response if it has no other fields than `names`, else FormatError."""
    if not isinstance(response, Mapping) or not response.keys() <= set(names):
        raise FormatError(f"expected an object with {', '.join(names)}, found {quote(response)}")
    return response


def places(value: Any, n: int, what: str) -> list[int]:
    """Distinct integers from 0 to n - 1, sorted, else FormatError."""
    if (
        not isinstance(value, Sequence)
        or isinstance(value, str | bytes)
        or not all(type(one) is int and 0 <= one < n for one in value)
        or len(set(value)) != len(value)
    ):
        raise FormatError(
            f"{what}: expected different whole numbers from 0 to {n - 1}, found {quote(value)}"
        )
    return sorted(value)


def truth(value: Any, what: str) -> bool:
    if not isinstance(value, bool):
        raise FormatError(f"{what}: expected true or false, found {quote(value)}")
    return value


def line(value: Any, what: str, *, most: int) -> str:
    """One line of text (NFC), stripped, without control characters; FormatError if too long."""
    if not isinstance(value, str) or len(value) > 4 * most:
        raise FormatError(
            f"{what}: expected a text of at most {most} characters, found {quote(value)}"
        )
    seen = "".join(
        mark if unicodedata.category(mark)[0] != "C" else " "
        for mark in unicodedata.normalize("NFC", value)
    )
    text = " ".join(seen.split())
    if len(text) > most:
        raise FormatError(f"{what}: expected at most {most} characters, found {len(text)}")
    return text


# Choices by name


def numbered(texts: Iterable[str]) -> dict[str, str]:
    return {str(number): text for number, text in enumerate(texts, 1)}


def choice_in_cell(cell: str, choices: Sequence[str], where: str) -> int:
    """The index of a choice by number, text or both ("3 owl"); FormatError unless unique."""
    found = {
        n
        for n, text in enumerate(choices, 1)
        if cell in (text, text.strip(), str(n), f"{n} {text}")
    } or {n for n, text in enumerate(choices, 1) if cell.casefold() == text.strip().casefold()}
    if len(found) == 1:
        return min(found) - 1
    what = "matches several" if found else "matches none"
    raise FormatError(
        f"{where}: {quote(cell)} {what} of the {len(choices)} candidates. Write its number"
    )


def each_or_one(value: Any, index: Callable[[Any], Any]) -> Any:
    """`index` of a value, or of each element of a list."""
    return [index(one) for one in value] if isinstance(value, list) else index(value)
