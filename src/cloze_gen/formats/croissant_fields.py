"""The columns of a table as fields of a Croissant record set.

A column of strings, numbers or lists of them is a field; an object, and a list of objects, is a field of sub-fields, each the part of
the column that a JSON path names. What lies deeper, and a name that a JSON path cannot hold, is left out: `left_out` names it.

Source: Croissant 1.1, "Fields", "Extract", "Transform": isArray, arrayShape (-1: any length), subField, extract.column,
transform.jsonPath.
"""

from __future__ import annotations

import re
from typing import Any

from cloze_gen.formats.features import Columns, Feature, ListOf

_TYPES = {"string": "sc:Text", "int64": "cr:Int64", "float64": "cr:Float64", "bool": "sc:Boolean"}
_PATH_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_COLUMN_NAME = re.compile(r"[A-Za-z0-9_.-]+")


def fields(columns: Columns, *, record_set: str, file: str) -> list[dict[str, Any]]:
    """The fields of one record set, whose ids begin with its own.

    Args:
        file: id of the file that holds the columns.
    """
    return [field for name, feature in columns.types.items() if (field := _field(name, feature, f"{record_set}/{name}", file)) is not None]


def left_out(columns: Columns) -> list[str]:
    """Columns, and parts of columns, that `fields` cannot say.

    >>> left_out(Columns({"a": "string", "b c": "string", "d": Columns({"e": Columns({"f": "int64"}), "g": "int64"})}))
    ['b c', 'd.e']
    """
    wrong = []
    for name, feature in columns.types.items():
        parts = _parts(feature)
        if not _COLUMN_NAME.fullmatch(name) or (_leaf(feature) is None and not any(_is_said(part) for part in parts)):
            wrong.append(name)
        else:
            wrong += [f"{name}.{part[0]}" for part in parts if not _is_said(part)]
    return wrong


def _field(name: str, feature: Feature | None, field_id: str, file: str) -> dict[str, Any] | None:
    if not _COLUMN_NAME.fullmatch(name):
        return None
    head: dict[str, Any] = {"@type": "cr:Field", "@id": field_id, "name": name}
    source: dict[str, Any] = {"fileObject": {"@id": file}, "extract": {"column": name}}
    if (leaf := _leaf(feature)) is not None:
        return head | leaf | {"source": source}
    subs = [
        {"@type": "cr:Field", "@id": f"{field_id}/{part}", "name": part}
        | (_leaf(inner) or {})
        | {"source": source | {"transform": {"jsonPath": part}}}
        for part, inner in filter(_is_said, _parts(feature))
    ]
    several = {"isArray": True, "arrayShape": "-1"} if isinstance(feature, ListOf) else {}
    return head | several | {"subField": subs} if subs else None


def _parts(feature: Feature | None) -> list[tuple[str, Feature | None]]:
    item = feature.item if isinstance(feature, ListOf) else feature
    return list(item.types.items()) if isinstance(item, Columns) else []


def _is_said(part: tuple[str, Feature | None]) -> bool:
    return _PATH_NAME.fullmatch(part[0]) is not None and _leaf(part[1]) is not None


def _leaf(feature: Feature | None) -> dict[str, Any] | None:
    """Data type and shape of plain values and of lists of them, of lists of lists too; None of anything with an object in it."""
    depth = 0
    while isinstance(feature, ListOf):
        depth, feature = depth + 1, feature.item
    if not isinstance(feature, str):
        return None
    shape = {"isArray": True, "arrayShape": ",".join(["-1"] * depth)} if depth else {}
    return {"dataType": _TYPES[feature]} | shape
