"""A judging task: one class holds everything that is specific to the task."""

from __future__ import annotations

import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from cloze_gen.errors import FormatError
from cloze_gen.parsing import quote
from cloze_gen.records.judgement import Task

Values = Mapping[str, Any]  # JSON values: an item as shown, a key or a response
Fields = dict[str, Any]  # the same as a new dictionary
FormValues = Mapping[str, list[str]]  # control -> its values
VerdictsByJudge = Mapping[str, Values]
Tally = Mapping[str, tuple[int, int]]  # name of the measure -> (count, of)
Rating = tuple[str, tuple[str, ...], str]  # question, rest of the unit after the item, label
IsRight = Callable[[str, str], bool]  # (guess, target) -> whether the guess is the target

LETTERS = "abcdefghijklmnopqrstuvwxyz"  # names of options, by index
GAP = "_____"
READS_CHECK = "This item checks that you are reading:"
_UNKNOWN = range(1_000_000)  # choices of an unknown item


@dataclass(frozen=True, slots=True)
class VoteSummary:
    """Others' verdicts on an item: `of_place` by position as seen, `more` on the whole item."""

    n: int
    of_place: Mapping[int, str] = field(default_factory=dict)
    more: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Control:
    """A field of a Label Studio form: a choice, a text field, or text to read.

    `choices`: the variable that lists them, such as ``$candidates``, or the choices themselves.
    """

    names: Sequence[str]
    heading: str = ""
    choices: str | Sequence[str] = ()
    many: bool = False
    texts: int = 0
    required: bool = False


@dataclass(frozen=True, slots=True)
class Judged:
    """A verdict and its item; `is_right` is used for guesses only."""

    verdict: Values
    item: Values
    key: Values
    condition: str
    is_right: IsRight


@dataclass(frozen=True, slots=True)
class CheckMaterial:
    """The material of an attention item; `words` are shuffled, `order` shuffles `sentences`."""

    words: Sequence[str]
    sentences: Sequence[str]
    order: Sequence[int]
    guesses: Values


class JudgingTask(ABC):
    """A judging task. It also needs a template and a script for its page.

    `item` is `StudyItem.shown`; `seen` is what one judge sees, in that judge's order. A canonical
    response refers to the item; judges and packets use positions in `seen`.

    Attributes:
        fields: fields of `seen` that packets contain.
        questions: question -> its text; agreement is measured for each.
        questions_with_error_rates: questions with few labels and no key.
        conditions: the parts of an item that judges may see, if there are several.
        unused_options: options of `judge new` that have no effect.
        choice: field of a response with the choice among `choices`; empty if there are none.
        positions: all fields of a response with positions in `choices`.
        choices_field: field of `seen` that lists the choices.
    """

    name: ClassVar[Task]
    title: ClassVar[str]
    instruction: ClassVar[str]
    fields: ClassVar[tuple[str, ...]]
    questions: ClassVar[Mapping[str, str]]
    main_question: ClassVar[str]
    questions_with_error_rates: ClassVar[tuple[str, ...]] = ()
    alpha_note: ClassVar[str] = ""
    conditions: ClassVar[tuple[str, ...]] = ()
    may_repeat: ClassVar[bool] = True
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
    def parse(self, response: Any, item: Values, order: Sequence[int], condition: str) -> Fields:
        """A judge's response in canonical form; FormatError if it is not valid for this item."""

    def as_seen(self, verdict: Values, item: Values, order: Sequence[int]) -> Fields:
        """The inverse of `parse`."""
        return dict(verdict)

    def placeholder_item(self, response: Any) -> Values:
        """An item with so many choices that every well-formed response is valid."""
        return {"options": _UNKNOWN, "candidates": _UNKNOWN}

    @abstractmethod
    def attention(self, of: CheckMaterial) -> tuple[Fields, Fields]:
        """An attention item, and the response that it requires."""

    # Measures of verdicts

    @abstractmethod
    def ratings(self, one: Judged) -> Iterator[Rating]:
        """The labels of one verdict, by question and unit."""

    @abstractmethod
    def tally(self, one: Judged) -> Tally:
        """Counts of a first verdict, mostly per item: an item's options are not independent."""

    @abstractmethod
    def repeat_tally(self, first: Values, again: Values) -> Tally:
        """Agreement of two verdicts of one judge on one item."""

    def in_both_orders(self, first: Values, other: Values) -> Fields | None:
        """The content that two verdicts of a model share; None if its choice is not the same."""
        return dict(first) if first == other else None

    def passes_check(self, expected: Values, verdict: Values) -> bool:
        """Whether the response to an attention item is correct; ignores order and notes."""
        return all(
            name in verdict and comparable(verdict[name]) == comparable(value)
            for name, value in expected.items()
            if name != "note"
        )

    def open_reason(self, verdicts: VerdictsByJudge) -> str:
        """Why an adjudicator should decide an item with two or more verdicts; empty: no need."""
        return ""

    def open_items(self, verdicts: Mapping[str, VerdictsByJudge]) -> dict[str, str]:
        """Item -> `open_reason`, sorted by id. `verdicts`: of items without an adjudication."""
        found = {
            item: self.open_reason(verdicts[item])
            for item in sorted(verdicts)
            if len(verdicts[item]) > 1
        }
        return {item: reason for item, reason in found.items() if reason}

    @abstractmethod
    def summarize(self, votes: Sequence[Values]) -> VoteSummary:
        """A summary of others' responses, as seen, for an adjudicator."""

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

    # Packets: an item is exported as a table, form or prompt; a response is imported

    def text(self, seen: Values) -> str:
        return f"{seen['before']}{GAP}{seen['after']}"

    def choices(self, seen: Values) -> list[str]:
        return list(seen.get("candidates", ()))

    def n_fields(self, item: Values) -> int:
        """The number of fields of the same kind that a form needs for an item."""
        return 1

    def to_packet(self, verdict: Values) -> Fields:
        """A response with positions in `seen`, as packets write it."""
        return dict(verdict)

    def from_packet(self, verdict: Values) -> Fields:
        return dict(verdict)

    def resolve(self, response: Values, choices: Sequence[str]) -> Fields:
        """Resolve names to positions in `seen`; FormatError if unknown. `parse` checks the rest."""
        return dict(response)

    def cells(self, seen: Values) -> dict[str, str]:
        """Table cells that show the item, in addition to its instruction and text."""
        return {}

    @abstractmethod
    def columns(self, seen: Values) -> list[str]:
        """Table columns that the judge fills in."""

    @abstractmethod
    def from_cells(self, cells: Mapping[str, str], seen: Values, where: str) -> Fields:
        """A packet's response from all `columns`; FormatError, starting with `where`."""

    @abstractmethod
    def controls(self, n: int) -> list[Control]:
        """The form for Label Studio; `n`: the largest `n_fields`."""

    def form_data(self, seen: Values) -> Fields:
        """The form's ``$`` variables, in addition to instruction and text."""
        return {}

    @abstractmethod
    def to_form(self, verdict: Values) -> dict[str, list[str]]:
        """Control -> its values, from a packet's response."""

    @abstractmethod
    def from_form(self, values: FormValues, seen: Values, where: str) -> Fields:
        """A packet's response from the controls; FormatError, starting with `where`."""

    @abstractmethod
    def question(self, seen: Values) -> str:
        """The question for a language model, and the format of its reply."""

    def prompt_data(self, seen: Values) -> Fields:
        listed = self.choices(seen)
        return {"text": self.text(seen), **({"candidates": numbered(listed)} if listed else {})}

    def from_reply(self, reply: Values, seen: Values) -> Fields:
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


def aliased(texts: Iterable[str], names: Iterable[str] | None = None) -> list[dict[str, str]]:
    """Choices of a form with aliases; by default numbers from 1."""
    listed = list(texts)
    return [
        {"value": text, "alias": name}
        for text, name in zip(listed, names or numbered(listed), strict=False)
    ]


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


def choice_in_form(
    name: str, choices: Sequence[str], where: str, *, names: Iterable[str] | None = None
) -> int:
    """The index of the choice with this alias (default: from 1) or text; else FormatError."""
    aliases = list(names or numbered(choices))[: len(choices)]
    for known in (aliases, [text.strip() for text in choices]):
        if name in known:
            return known.index(name)
    raise FormatError(f"{where}: {quote(name)} is not one of the {len(choices)} choices")


def only_value(values: FormValues, control: str, where: str) -> str:
    found = values.get(control, [])
    if len(found) != 1:
        raise FormatError(f"{where}: expected one value for `{control}`, found {quote(found)}")
    return found[0]


def each_or_one(value: Any, index: Callable[[Any], Any]) -> Any:
    """`index` of a value, or of each element of a list."""
    return [index(one) for one in value] if isinstance(value, list) else index(value)


def comparable(value: Any) -> Any:
    """A value for comparison: ignores the order of lists, letter case and outer spaces."""
    if isinstance(value, list | tuple):
        return frozenset(value)
    return value.strip().casefold() if isinstance(value, str) else value
