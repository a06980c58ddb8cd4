"""`run.json` as a user may have left it: read, and held to the shape that everything after relies on."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from cloze_gen.errors import UsageError
from cloze_gen.notation import NotationError, parse_json, shown
from cloze_gen.store.files import open_regular

_PLAIN = (str, int, float, bool, type(None))
_MAX_BYTES = 16 * 1024 * 1024  # a run of 522 books has 100 kB
_Check = Callable[[Any], bool]


def _is(kind: type) -> _Check:
    return lambda value: isinstance(value, kind) and not (kind is int and isinstance(value, bool))


def _matches(pattern: str) -> _Check:
    whole = re.compile(pattern)
    return lambda value: isinstance(value, str) and whole.fullmatch(value) is not None


def _is_list_of(check: _Check) -> _Check:
    return lambda value: isinstance(value, list) and all(check(one) for one in value)


def _is_table_of(check: _Check) -> _Check:
    return lambda value: isinstance(value, dict) and all(check(one) for one in value.values())


def _is_setting(value: Any) -> bool:
    """A plain value, a list or a table of them."""
    some = value if isinstance(value, list) else value.values() if isinstance(value, dict) else [value]
    return all(isinstance(one, _PLAIN) for one in some)


_RUN: Mapping[str, _Check] = {
    "name": _matches(r"[A-Za-z0-9._-]+"),
    "style": _matches(r"[a-z-]+"),
    "config": lambda value: isinstance(value, str) and "\0" not in value,
    "overrides": _is_list_of(_is(str)),
    "seed": _is(int),
    "sample": _is(bool),
    "settings": _is_table_of(_is_table_of(_is_setting)),
    "stages": lambda value: isinstance(value, list) and bool(value),
}
_STAGE: Mapping[str, _Check] = {
    "number": lambda value: _is(int)(value) and 0 < value < 1000,
    "label": _matches(r"[a-z0-9 _-]+"),
    "folder": _matches(r"[A-Za-z0-9_-]+"),
    "fingerprint": _matches(r"[0-9a-f]+"),
    "stage": _is(str),
    "version": _is(int),
    "settings": _is_table_of(_is_setting),
    "inputs": _is_table_of(_is(str)),
    "seed": lambda value: value is None or _is(int)(value),
}


def read_run_file(path: Path) -> dict[str, Any]:
    """What a run says of itself.

    Raises:
        UsageError: it cannot be read, or lacks what a run says, or says it in another shape.
    """
    remedy = "Run again under this name to rewrite it."
    try:
        with open_regular(path) as handle:
            run = parse_json(handle.read(_MAX_BYTES))
    except (OSError, NotationError) as error:
        raise UsageError(f"{path}: not readable as a run's description ({error}). {remedy}") from None
    fault = _fault(run, _RUN, "") or next((found for one in run["stages"] if (found := _fault(one, _STAGE, "a stage's "))), "")
    if fault:
        raise UsageError(f"{path}: no run's description: {fault}. {remedy}")
    return dict(run)


def _fault(record: Any, shape: Mapping[str, _Check], whose: str) -> str:
    if not isinstance(record, dict):
        return f"{whose or 'the whole '}record is {shown(record)}"
    for key, check in shape.items():
        if key not in record:
            return f"lacks {whose}{key!r}"
        if not check(record[key]):
            return f"{whose}{key!r} is {shown(record[key])}"
    return ""
