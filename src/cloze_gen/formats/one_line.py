r"""What a user or a book's file wrote, as it may stand inside a line of a file of ours."""

from __future__ import annotations

import re

_HALVES = re.compile("[\ud800-\udfff]")


def one_line(text: str) -> str:
    r"""On one line: what cannot be printed, line ends and half characters among it, becomes a space, and spaces become one.

    >>> one_line("The Moonstone\n---\x1b[1m  by W. C.")
    'The Moonstone --- [1m by W. C.'
    """
    return " ".join("".join(mark if mark.isprintable() else " " for mark in text).split())


def whole_characters(text: str) -> str:
    r"""With U+FFFD for half a character (a lone surrogate), which UTF-8 cannot hold.

    >>> whole_characters("\ud83d!") == "\ufffd!"
    True
    """
    return _HALVES.sub("\ufffd", text)
