"""JSON Lines into typed records, with one wording of faults."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from operator import attrgetter
from string import Template
from typing import Annotated, Any, TypeVar, cast

from pydantic import (
    AfterValidator,
    Field,
    SkipValidation,
    Strict,
    TypeAdapter,
    ValidationError,
    WrapValidator,
)
from pydantic_core import PydanticCustomError

from cloze_gen.errors import ClozeGenError, FormatError
from cloze_gen.parsing import ParseError, parse_json, quote

Record = TypeVar("Record")
_FIELD, _RECORD = "field", "record"  # types of our own errors


@dataclass(frozen=True, slots=True)
class Wording:
    """The messages about a file's lines; file and line are put before each.

    Attributes:
        other: with `$line`, `$value` and its Python `$type`.
        missing: with `$missing` fields; empty: as `other`.
        repeated: a key is on an earlier `$line`; `$key` is cut.
    """

    not_json: str = "not JSON ($reason); expected one object a line"
    other: str = "expected a JSON object, found $type"
    missing: str = "lacks $missing"
    repeated: str = "the id $key was there before, on line $line"
    error: type[ClozeGenError] = FormatError

    @classmethod
    def of_form(cls, form: str) -> Wording:
        """For lines whose form a message shows, such as ``{"id": ..., "scores": [...]}``."""
        expected = f"expected {form}"
        return cls(f"not JSON ($reason); {expected}", f"{expected}, found $line", "")

    def refuse(self, where: str, template: str, **values: object) -> ClozeGenError:
        return self.error(f"{where}: {Template(template).substitute(values)}")


def read_objects(
    lines: Iterable[str | bytes], *, name: str, wording: Wording = Wording()
) -> Iterator[tuple[str, dict[str, Any]]]:
    """``(file and line, JSON object)`` of every non-empty line; errors use `wording`."""
    for number, _, value in _numbered_objects(lines, name, wording):
        yield _where(name, number), value


def read_records(
    lines: Iterable[str | bytes],
    model: type[Record],
    *,
    name: str,
    key: tuple[str, ...] = ("id",),
    wording: Wording = Wording(),
) -> Iterator[tuple[str, Record]]:
    """``(file and line, record)`` of every non-empty line; unknown fields are ignored.

    `model` is a dataclass or pydantic model; `key` are attributes that no two records share.

    >>> @dataclass(frozen=True)
    ... class Word:
    ...     id: Text
    ...     count: Whole
    >>> [word for _, word in read_records(['{"id": "climb", "count": 3}', ""], Word, name="words")]
    [Word(id='climb', count=3)]
    >>> list(read_records(['{"id": "climb", "count": -1}'], Word, name="words"))
    Traceback (most recent call last):
    cloze_gen.errors.FormatError: words, line 1: `count` must be a whole number from 0
    """
    first_lines: dict[object, int] = {}
    key_of = attrgetter(*key) if key else None
    for number, line, value in _numbered_objects(lines, name, wording):
        where = _where(name, number)
        record = to_record(value, model, where=where, line=line, wording=wording)
        if key_of is not None:
            first = first_lines.setdefault(key_of(record), number)
            if first != number:
                last = getattr(record, key[-1])
                raise wording.refuse(where, wording.repeated, key=str(last)[:80], line=first)
        yield where, record


def to_record(
    value: Mapping[str, Any],
    model: type[Record],
    *,
    where: str,
    line: object = None,
    wording: Wording = Wording(),
) -> Record:
    """The record of one JSON object; ClozeGenError if a field does not fit. `line`: its source."""
    try:
        return _adapter(cast("Any", model)).validate_python(value)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_context=False)
    missing = [str(one["loc"][-1]) for one in faults if one["type"] == "missing"]
    if missing and wording.missing:
        raise wording.refuse(where, wording.missing, missing=", ".join(missing))
    fault = faults[0]
    if fault["type"] == _RECORD:
        raise wording.error(f"{where}: {fault['msg']}")
    if fault["type"] == _FIELD:
        field = next(place for place in reversed(fault["loc"]) if isinstance(place, str))
        raise wording.error(f"{where}: `{field}` {fault['msg']}")
    raise _other(where, wording, value if line is None else line, value)


def must_be(what: str) -> WrapValidator:
    """The message ``must be WHAT`` in place of pydantic's; `$found` is the quoted value."""

    def check(value: Any, handler: Any) -> Any:
        try:
            return handler(value)
        except ValidationError:
            wording = Template(what).substitute(found=quote(value))
            raise PydanticCustomError(_FIELD, f"must be {wording}") from None

    return WrapValidator(check)


def require(holds: bool, message: str) -> None:
    """For validators of a record: refuse what does not hold."""
    if not holds:
        raise PydanticCustomError(_RECORD, message)


def require_index(record: object, field: str, of: str) -> None:
    """For validators of a record: refuse a field that is no index of the list `of`."""
    value, last = getattr(record, field), len(getattr(record, of)) - 1
    require(
        type(value) is int and 0 <= value <= last,
        f"`{field}` must be a whole number from 0 to {last}, the last of `{of}`; found "
        f"{quote(value)}",
    )


def _numbered_objects(
    lines: Iterable[str | bytes], name: str, wording: Wording
) -> Iterator[tuple[int, str | bytes, dict[str, Any]]]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            value = parse_json(line)
        except ParseError as error:
            raise wording.refuse(_where(name, number), wording.not_json, reason=error) from None
        if not isinstance(value, dict):
            raise _other(_where(name, number), wording, line, value)
        yield number, line, value


def _where(name: str, number: int) -> str:
    return f"{name}, line {number}"


def _other(where: str, wording: Wording, line: object, value: object) -> ClozeGenError:
    return wording.refuse(
        where, wording.other, line=quote(line), value=quote(value), type=type(value).__name__
    )


_adapter = functools.cache(TypeAdapter[Any])


def _filled(text: str) -> str:
    if not text.strip():
        raise ValueError("white space alone")
    return text


Text = Annotated[str, Field(min_length=1), must_be("a string that is not empty")]
Whole = Annotated[int, Strict(), Field(ge=0), must_be("a whole number from 0")]
Filled = Annotated[str, AfterValidator(_filled)]
Words = Annotated[tuple[Filled, ...], must_be("a list of strings that are not empty")]
ItemId = Annotated[int, Strict()] | str  # of a line of a published file: its number
Index = Annotated[int, SkipValidation]  # checked by `require_index`
