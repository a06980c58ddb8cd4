"""The columns of JSON records and their types, found in the records themselves, and as the hub's card declares them.

Readers guess types from a file's first rows: a column that is null there, a list that is empty, a whole number before a fraction are
guessed wrong and fail later, so a release declares what is true of all rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cloze_gen.errors import FormatError

_NAMES = {bool: "bool", int: "int64", float: "float64", str: "string"}
_NUMBERS = frozenset({"int64", "float64"})


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list; `item` is the type of its elements, None where every list was empty."""

    item: Feature | None


@dataclass(frozen=True, slots=True)
class Columns:
    """An object: name -> type, in the order in which names first appear; None where every value was null."""

    types: Mapping[str, Feature | None]


Feature = str | ListOf | Columns  # a string is `bool`, `int64`, `float64` or `string`


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """One split of one config, as a release holds it.

    Attributes:
        file: path in the release, JSON lines or Parquet by its ending.
        rows: records in it.
        bytes: size of the file.
        sha256: of the file.
        columns: of the config; all its splits declare the same.
        told: column -> what it holds, in words, of those that are told.
    """

    config: str
    split: str
    file: str
    rows: int
    bytes: int
    sha256: str
    columns: Columns
    told: Mapping[str, str] = field(default_factory=dict)


def features_of(records: Iterable[Mapping[str, Any]]) -> Columns:
    """The columns of records: a null takes the type that other rows have, whole numbers and fractions together are fractions.

    A key that only some objects have is a column of all. What is null in every row, or an element of lists that are all empty, is a
    string; an object that is empty in every row has no columns.

    Raises:
        FormatError: two rows hold values of different types in one place, or a value that JSON has not; names the place.

    >>> features_of([{"n": 1, "words": [], "who": None}, {"n": 0.5, "words": [{"w": "a"}]}]).types
    {'n': 'float64', 'words': ListOf(item=Columns(types={'w': 'string'})), 'who': 'string'}
    """
    found: Feature | None = Columns({})
    for record in records:
        found = _merged(found, _found(record, ""), "")
    return Columns({name: _settled(feature) for name, feature in found.types.items()}) if isinstance(found, Columns) else Columns({})


def _found(value: Any, place: str) -> Feature | None:
    if value is None:
        return None
    if isinstance(value, Mapping):
        return Columns({name: _found(inner, f"{place}.{name}") for name, inner in value.items()})
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        item: Feature | None = None
        for inner in value:
            item = _merged(item, _found(inner, f"{place}[]"), f"{place}[]")
        return ListOf(item)
    if type(value) not in _NAMES:
        raise FormatError(f"column {place.lstrip('.')}: a value of Python's type {type(value).__name__}, which JSON does not have.")
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
        return Columns({name: _merged(one.types.get(name), other.types.get(name), f"{place}.{name}") for name in names})
    if isinstance(one, str) and isinstance(other, str) and {one, other} <= _NUMBERS:
        return "float64"
    raise FormatError(
        f"column {place.lstrip('.')}: {_told(one)} in one record, {_told(other)} in another; a column of a table has one type."
    )


def _told(feature: Feature) -> str:
    return feature if isinstance(feature, str) else "a list" if isinstance(feature, ListOf) else "an object"


def _settled(feature: Feature | None) -> Feature:
    if isinstance(feature, ListOf):
        return ListOf(_settled(feature.item))
    if isinstance(feature, Columns):
        return Columns({name: _settled(inner) for name, inner in feature.types.items()})
    return "string" if feature is None else feature


def declared(columns: Columns) -> list[dict[str, Any]]:
    """Columns as `dataset_info` of a card declares them.

    Source: huggingface/datasets, `Features._to_yaml_list`, as of version 4: a list is ``list: TYPE``, or ``list`` of what an
    element declares; an object is ``struct``.

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
        inner = declared(item) if isinstance(item, Columns) else item if isinstance(item, str) else _type(item)
        return {"list": inner}
    return {"dtype": feature}
