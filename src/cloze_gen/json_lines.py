"""JSON Lines into typed records, with one wording of faults."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping
from operator import attrgetter
from string import Template
from typing import Annotated, Any, TypeVar, cast

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    SkipValidation,
    Strict,
    TypeAdapter,
    ValidationError,
    WrapValidator,
)
from pydantic_core import PydanticCustomError

from cloze_gen.errors import FormatError
from cloze_gen.parsing import ParseError, parse_json, quote

Record = TypeVar("Record")
_FIELD, _RECORD = "field", "record"  # types of our own errors
_OBJECT = "one JSON object a line"


def read_objects(
    lines: Iterable[str | bytes], *, name: str, form: str = _OBJECT
) -> Iterator[tuple[str, dict[str, Any]]]:
    """``(file and line, JSON object)`` of every non-empty line; FormatError for any other line.

    `form`: what is expected, in messages.
    """
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        where = f"{name}, line {number}"
        try:
            value = parse_json(line)
        except ParseError as error:
            raise FormatError(f"{where}: not JSON ({error}); expected {form}") from None
        if not isinstance(value, dict):
            raise FormatError(f"{where}: expected {form}, found {quote(value)}")
        yield where, value


def read_records(
    lines: Iterable[str | bytes],
    model: type[Record],
    *,
    name: str,
    key: tuple[str, ...] = ("id",),
    form: str = _OBJECT,
) -> Iterator[tuple[str, Record]]:
    """``(file and line, record)`` of every non-empty line; unknown fields are ignored.

    `model` is a dataclass or pydantic model; `key` are attributes that no two records share.

    >>> from dataclasses import dataclass
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
    first_places: dict[object, str] = {}
    key_of = attrgetter(*key) if key else None
    for where, value in read_objects(lines, name=name, form=form):
        record = to_record(value, model, where=where, form=form)
        if key_of is not None:
            first = first_places.setdefault(key_of(record), where)
            if first != where:
                last = getattr(record, key[-1])
                raise FormatError(
                    f"{where}: the id {quote(last)} is already in {first}; keep one of them"
                )
        yield where, record


def to_record(
    value: Mapping[str, Any], model: type[Record], *, where: str, form: str = _OBJECT
) -> Record:
    """The record of one JSON object; FormatError if a field does not fit."""
    try:
        return _adapter(cast("Any", model)).validate_python(value)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_context=False)
    missing = [str(one["loc"][-1]) for one in faults if one["type"] == "missing"]
    if missing:
        raise FormatError(f"{where}: lacks {', '.join(missing)}")
    fault = faults[0]
    if fault["type"] == _RECORD:
        raise FormatError(f"{where}: {fault['msg']}")
    if fault["type"] == _FIELD:
        field = next(place for place in reversed(fault["loc"]) if isinstance(place, str))
        raise FormatError(f"{where}: `{field}` {fault['msg']}")
    raise FormatError(f"{where}: expected {form}, found {quote(value)}")


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


_adapter = functools.cache(TypeAdapter[Any])


def _id_text(value: Any) -> Any:
    return str(value) if type(value) is int else value


def _filled(text: str) -> str:
    if not text.strip():
        raise ValueError("white space alone")
    return text


Text = Annotated[str, Field(min_length=1), must_be("a string that is not empty")]
Whole = Annotated[int, Strict(), Field(ge=0), must_be("a whole number from 0")]
Filled = Annotated[str, AfterValidator(_filled)]
Words = Annotated[tuple[Filled, ...], must_be("a list of strings that are not empty")]
ItemId = Annotated[str, BeforeValidator(_id_text)]  # of a line of a published file: its number
Index = Annotated[int, SkipValidation]  # checked by `require_index`
LogProb = Annotated[
    float,
    Strict(),
    Field(le=0, allow_inf_nan=False),
    must_be("a finite number of at most 0, found $found (change the sign of a loss)"),
]
