"""What judges may say, read with suspicion: each shape is asked for by name, and a FormatError says what was found instead."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from cloze_gen.errors import FormatError
from cloze_gen.notation import shown

MOST_NOTE_CHARS, MOST_GUESS_CHARS = 200, 100


def only(said: Any, *names: str) -> Mapping[str, Any]:
    """A verdict that has these fields, perhaps not all, and no other.

    Raises:
        FormatError: it is no object, or has another field.
    """
    if not isinstance(said, Mapping) or not said.keys() <= set(names):
        raise FormatError(f"expected a verdict with {', '.join(names)}, found {shown(said)}")
    return said


def places(value: Any, n: int, what: str) -> list[int]:
    """Different whole numbers from 0 to n - 1, in their order.

    Raises:
        FormatError: it is something else.
    """
    listed = value if isinstance(value, Sequence) and not isinstance(value, str | bytes) else [value]
    if not all(type(one) is int and 0 <= one < n for one in listed) or len(set(listed)) != len(listed) or listed is not value:
        raise FormatError(f"{what}: expected different whole numbers from 0 to {n - 1}, found {shown(value)}")
    return sorted(listed)


def truth(value: Any, what: str) -> bool:
    """True or false, and nothing that counts as one.

    Raises:
        FormatError: it is something else.
    """
    if not isinstance(value, bool):
        raise FormatError(f"{what}: expected true or false, found {shown(value)}")
    return value


def line(value: Any, what: str, *, most: int) -> str:
    """A short text in one line, composed, without blanks around it or marks that no one sees.

    Raises:
        FormatError: it is no text, or longer.
    """
    if not isinstance(value, str) or len(value) > 4 * most:
        raise FormatError(f"{what}: expected a text of at most {most} characters, found {shown(value)}")
    seen = "".join(mark if unicodedata.category(mark)[0] != "C" else " " for mark in unicodedata.normalize("NFC", value))
    text = " ".join(seen.split())
    if len(text) > most:
        raise FormatError(f"{what}: expected a text of at most {most} characters, found {len(text)}")
    return text
