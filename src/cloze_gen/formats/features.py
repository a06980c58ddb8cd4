"""Columns and types, found in all records; readers that see only the first rows guess wrong."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cloze_gen.errors import FormatError

_NAMES = {bool: "bool", int: "int64", float: "float64", str: "string"}
_NUMBERS = frozenset({"int64", "float64"})


@dataclass(frozen=True, slots=True)
class ListOf:
    """`item` is None if all lists are empty."""

    item: Feature | None


@dataclass(frozen=True, slots=True)
class Columns:
    """An object: name -> type, in order of first appearance; None if all values are null."""

    types: Mapping[str, Feature | None]


Feature = str | ListOf | Columns  # a string is `bool`, `int64`, `float64` or `string`


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """One split of one config; all splits of a config declare the same columns."""

    config: str
    split: str
    file: str
    rows: int
    bytes: int
    sha256: str
    columns: Columns
    column_docs: Mapping[str, str] = field(default_factory=dict)


def features_of(records: Iterable[Mapping[str, Any]]) -> Columns:
    """The columns of records; FormatError if types of two rows differ.

    Integers and floats together are floats. A key of some objects is a column of all. A value that
    is null in every row, or an item of lists that are all empty, is a string.

    >>> features_of([{"n": 1, "words": [], "who": None}, {"n": 0.5, "words": [{"w": "a"}]}]).types
    {'n': 'float64', 'words': ListOf(item=Columns(types={'w': 'string'})), 'who': 'string'}
    """
    found: Feature | None = Columns({})
    for record in records:
        found = _merged(found, _type_of(record, ""), "")
    return (
        Columns({name: _finalized(feature) for name, feature in found.types.items()})
        if isinstance(found, Columns)
        else Columns({})
    )


def _type_of(value: Any, place: str) -> Feature | None:
    if value is None:
        return None
    if isinstance(value, Mapping):
        return Columns({name: _type_of(inner, f"{place}.{name}") for name, inner in value.items()})
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        item: Feature | None = None
        for inner in value:
            item = _merged(item, _type_of(inner, f"{place}[]"), f"{place}[]")
        return ListOf(item)
    if type(value) not in _NAMES:
        raise FormatError(
            f"column {place.lstrip('.')}: a value has the Python type {type(value).__name__}; use "
            "a JSON type."
        )
    return _NAMES[type(value)]


def _merged(one: Feature | None, other: Feature | None, place: str) -> Feature | None:
    if one == other or other is None:
        return one
    if one is None:
        return other
    if isinstance(one, ListOf) and isinstance(other, ListOf):
        return ListOf(_merged(one.item, other.item, f"{place}[]"))
    if isinstance(one, Columns) and isinstance(other, Columns):
        names = [*one.types, *(name for name in other.types if name not in one.types)]
        return Columns(
            {
                name: _merged(one.types.get(name), other.types.get(name), f"{place}.{name}")
                for name in names
            }
        )
    if isinstance(one, str) and isinstance(other, str) and {one, other} <= _NUMBERS:
        return "float64"
    raise FormatError(
        f"column {place.lstrip('.')}: {_type_name(one)} in one record, {_type_name(other)} in another; "
        "use one type per column."
    )


def _type_name(feature: Feature) -> str:
    return (
        feature
        if isinstance(feature, str)
        else "a list"
        if isinstance(feature, ListOf)
        else "an object"
    )


def _finalized(feature: Feature | None) -> Feature:
    if isinstance(feature, ListOf):
        return ListOf(_finalized(feature.item))
    if isinstance(feature, Columns):
        return Columns({name: _finalized(inner) for name, inner in feature.types.items()})
    return "string" if feature is None else feature


def declared(columns: Columns) -> list[dict[str, Any]]:
    """Columns as in `dataset_info` of a card (huggingface/datasets 4, `Features._to_yaml_list`).

    >>> declared(Columns({"id": "string", "scores": Columns({"p": "float64"}), "tokens": ListOf(ListOf("string"))}))
    ... # doctest: +NORMALIZE_WHITESPACE
    [{'name': 'id', 'dtype': 'string'}, {'name': 'scores', 'struct': [{'name': 'p', 'dtype': 'float64'}]},
     {'name': 'tokens', 'list': {'list': 'string'}}]
    """
    return [{"name": name} | _type(feature) for name, feature in columns.types.items()]


def _type(feature: Feature | None) -> dict[str, Any]:
    if isinstance(feature, Columns):
        return {"struct": declared(feature)}
    if isinstance(feature, ListOf):
        item = feature.item
        inner = (
            declared(item)
            if isinstance(item, Columns)
            else item
            if isinstance(item, str)
            else _type(item)
        )
        return {"list": inner}
    return {"dtype": feature}
