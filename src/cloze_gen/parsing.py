"""Untrusted JSON and TOML, and their quotation in messages.

Parsers raise RecursionError on deep nesting, ValueError on integers of more than 4,300 digits;
Python's JSON parser accepts `NaN`, repeated keys and lone surrogates.
"""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections.abc import Sequence
from typing import Any, NoReturn

NAMED = 10  # in one message; the rest is counted
_MOST_ERROR_CHARS = 300
_TOO_DEEP = "nested too deep"
_TOO_LONG = "a number of more digits than can be read"


class ParseError(ValueError):
    """Neither JSON nor TOML; the message is a few words, without the text's name."""


def parse_json(text: str | bytes) -> Any:
    """The value of a JSON text; bytes are UTF-8, with or without a byte-order mark.

    ParseError unless strict JSON: no repeated key, NaN or lone surrogate, not too deep or long.

    >>> parse_json('{"n": 1}'), parse_json(b'[]')
    ({'n': 1}, [])
    >>> parse_json('{"id": "a", "id": "b"}')
    Traceback (most recent call last):
    cloze_gen.parsing.ParseError: the key 'id' is there twice
    >>> parse_json("[" * 100_000)
    Traceback (most recent call last):
    cloze_gen.parsing.ParseError: nested too deep
    """
    try:
        plain = text.decode("utf-8-sig") if isinstance(text, bytes) else text.removeprefix("\ufeff")
        value = json.loads(plain, object_pairs_hook=_object, parse_constant=_refuse_constant)
        if "\\ud" in plain or "\\uD" in plain:
            _require_whole_characters(value)
    except ParseError:
        raise
    except json.JSONDecodeError as error:
        raise ParseError(f"{error.msg} at line {error.lineno}, column {error.colno}") from None
    except UnicodeDecodeError as error:
        raise ParseError(f"not UTF-8, byte {error.start}") from None
    except RecursionError:
        raise ParseError(_TOO_DEEP) from None
    except ValueError:
        raise ParseError(_TOO_LONG) from None
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for place, key in enumerate(keys) if key in keys[:place])
        raise ParseError(f"the key {quote(twice)} is there twice")
    return record


def _refuse_constant(name: str) -> NoReturn:
    raise ParseError(f"{name} is no number of JSON")


def parse_toml(text: str) -> dict[str, Any]:
    """The table of a TOML text, with or without a byte-order mark; ParseError otherwise.

    >>> parse_toml('n = 1')
    {'n': 1}
    >>> parse_toml('n = 1_')
    Traceback (most recent call last):
    cloze_gen.parsing.ParseError: Expected newline or end of document after a statement (at line 1, column 6)
    """
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        raise ParseError(str(error)) from None
    except RecursionError:
        raise ParseError(_TOO_DEEP) from None
    except ValueError:
        raise ParseError(_TOO_LONG) from None


def as_number(value: Any) -> float:
    """A number of a JSON text as a float; NaN if it is no number, infinite if too large.

    >>> as_number(2), as_number("2"), as_number(True), as_number(10**400)
    (2.0, nan, nan, inf)
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _require_whole_characters(value: Any) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        raise ParseError("half a character (a lone surrogate such as \\ud800)") from None


def error_text(error: Exception) -> str:
    """An error's message, cut where it is long, without the path that an OSError repeats.

    >>> error_text(FileNotFoundError(2, "No such file or directory", "a.txt")), error_text(ValueError("no"))
    ('No such file or directory', 'no')
    """
    text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return text[:_MOST_ERROR_CHARS]


def quote(value: Any, *, most_chars: int = 60) -> str:
    """A value as a message quotes it: on one line, and cut where it is long.

    >>> quote("many"), quote("x" * 100, most_chars=10), quote(16**4000)
    ("'many'", "'xxxxxxxx...", 'a number of more digits than can be read')
    """
    try:
        text = ascii(value) if isinstance(value, str) and not value.isprintable() else repr(value)
    except ValueError:
        text = _TOO_LONG
    except RecursionError:
        text = _TOO_DEEP
    return text if len(text) <= most_chars else text[: most_chars - 1] + "..."


def counted(count: int, noun: str) -> str:
    """
    >>> counted(1, "book"), counted(2000, "book")
    ('1 book', '2,000 books')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def name_list(names: Sequence[str]) -> str:
    """The first of many, and the number of the rest.

    >>> name_list(["a", "b"]), name_list([str(n) for n in range(12)])
    ('a, b', '0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 more')
    """
    more = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {more:,} more" if more > 0 else "")


_HALVES = re.compile("[\ud800-\udfff]")


def one_line(text: str) -> str:
    r"""Unprintable characters and line ends become a space, and spaces become one.

    >>> one_line("The Moonstone\n---\x1b[1m  by W. C.")
    'The Moonstone --- [1m by W. C.'
    """
    return " ".join("".join(mark if mark.isprintable() else " " for mark in text).split())


def whole_characters(text: str) -> str:
    r"""With U+FFFD for each lone surrogate, which UTF-8 cannot hold.

    >>> whole_characters("\ud83d!") == "\ufffd!"
    True
    """
    return _HALVES.sub("\ufffd", text)
