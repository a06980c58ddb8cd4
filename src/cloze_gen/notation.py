"""What strangers write, and how a message quotes it.

JSON and TOML: whatever their parsers raise comes out as one kind of error, with a reason of a few words.

The parsers raise more than their own errors. Five thousand nested brackets end in a RecursionError; an integer of more than 4,300 digits in
a bare ValueError, which a file from a stranger would otherwise turn into minutes of work; a lone surrogate (`"\\ud800"`) parses well and
cannot be written or printed afterwards.
"""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Sequence
from typing import Any

NAMED = 10  # as many are named in one message, the rest counted
_TOO_DEEP = "nested too deep"
_TOO_LONG = "a number of more digits than can be read"


class NotationError(ValueError):
    """A text is not JSON, or not TOML; says why in a few words, without the text's name."""


def parse_json(text: str | bytes, *, unique_keys: bool = False) -> Any:
    """The value of a JSON text; of bytes, UTF-8 with or without its mark.

    Args:
        unique_keys: refuse an object that has a key twice; else the last one counts.
    Raises:
        NotationError: not JSON, not UTF-8, nested too deep, a number too long, half a character, or a key that is there twice.

    >>> parse_json('{"n": 1}'), parse_json(b'[]')
    ({'n': 1}, [])
    >>> parse_json("[" * 5000)
    Traceback (most recent call last):
    cloze_gen.notation.NotationError: nested too deep
    """
    try:
        plain = text.decode("utf-8-sig") if isinstance(text, bytes) else text.removeprefix("\ufeff")
        value = json.loads(plain, object_pairs_hook=_with_unique_keys if unique_keys else None)
    except NotationError:
        raise
    except json.JSONDecodeError as error:
        raise NotationError(f"{error.msg} at line {error.lineno}, column {error.colno}") from None
    except UnicodeDecodeError as error:
        raise NotationError(f"not UTF-8, byte {error.start}") from None
    except RecursionError:
        raise NotationError(_TOO_DEEP) from None
    except ValueError:
        raise NotationError(_TOO_LONG) from None
    if "\\ud" in plain or "\\uD" in plain:
        _ask_whole_characters(value)
    return value


def _with_unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        keys = [key for key, _ in pairs]
        raise NotationError(f"the key {shown(next(key for key in keys if keys.count(key) > 1))} is there twice")
    return value


def parse_toml(text: str) -> dict[str, Any]:
    """The table of a TOML text, with or without a byte-order mark.

    Raises:
        NotationError: as `parse_json`.

    >>> parse_toml('n = 1')
    {'n': 1}
    >>> parse_toml('n = 1_')
    Traceback (most recent call last):
    cloze_gen.notation.NotationError: Expected newline or end of document after a statement (at line 1, column 6)
    """
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        raise NotationError(str(error)) from None
    except RecursionError:
        raise NotationError(_TOO_DEEP) from None
    except ValueError:
        raise NotationError(_TOO_LONG) from None


def as_number(value: Any) -> float:
    """A number of a JSON text as a float: not a number (NaN) of what is none, infinite of what is larger than a float can be.

    >>> as_number(2), as_number("2"), as_number(True), as_number(10**400)
    (2.0, nan, nan, inf)
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _ask_whole_characters(value: Any) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        raise NotationError("half a character (a lone surrogate such as \\ud800)") from None


def reason(error: Exception) -> str:
    """What an error says, without the path that an OSError repeats.

    >>> reason(FileNotFoundError(2, "No such file or directory", "a.txt")), reason(ValueError("no"))
    ('No such file or directory', 'no')
    """
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error)


def shown(value: Any, *, most_chars: int = 60) -> str:
    """A value as a message quotes it: on one line, cut where it is long, whatever it holds.

    >>> shown("many"), shown("x" * 100, most_chars=10), shown(16**4000)
    ("'many'", "'xxxxxxxx...", 'a number of more digits than can be read')
    """
    try:
        text = ascii(value) if isinstance(value, str) and not value.isprintable() else repr(value)
    except ValueError:
        text = _TOO_LONG
    except RecursionError:
        text = _TOO_DEEP
    return text if len(text) <= most_chars else text[: most_chars - 1] + "..."


def named(names: Sequence[str]) -> str:
    """The first of many, and the number of the rest.

    >>> named(["a", "b"]), named([str(n) for n in range(12)])
    ('a, b', '0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 more')
    """
    more = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {more:,} more" if more > 0 else "")
