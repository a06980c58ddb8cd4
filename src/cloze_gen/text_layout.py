r"""Text for a terminal: control characters escaped, cut to a length, and tables in padded columns."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

# Control and format characters, surrogates, private and unassigned ones, Unicode's own line ends: a
# book's title must not be able to clear the screen.
_UNSHOWN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_DOTS = "..."


def printable(text: str) -> str:
    r"""The text with all control characters escaped as in Python.

    >>> print(printable("a\x1b[31mred\ttitle\n"), printable("\u202eevil"), printable("日本"))
    a\x1b[31mred\ttitle\n \u202eevil 日本
    """
    if text.isprintable():
        return text
    return "".join(
        one.encode("unicode_escape").decode("ascii")
        if unicodedata.category(one) in _UNSHOWN
        else one
        for one in text
    )


def printable_lines(text: str) -> str:
    r"""As `printable`, but line ends stay.

    >>> print(printable_lines("a\x07\nb"))
    a\x07
    b
    """
    return "\n".join(map(printable, text.split("\n")))


def cut(text: str, length: int) -> str:
    """The text, or the beginning that fits, followed by dots.

    >>> cut("a long sentence", 10), cut("short", 10)
    ('a long ...', 'short')
    """
    return text if len(text) <= length else text[: length - len(_DOTS)] + _DOTS


def table_lines(
    header: Sequence[str], rows: Sequence[Sequence[str]], *, left: frozenset[str] = frozenset()
) -> list[str]:
    """A table of printable cells, each column as wide as its longest cell.

    `left`: names of left-aligned columns.

    >>> print("\\n".join(table_lines(["word", "rank"], [["fastened", "6"], ["saw", "12"]], left=frozenset({"word"}))))
    word      rank
    fastened     6
    saw         12
    """
    cells = [[printable(cell) for cell in row] for row in (header, *rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = []
    for row in cells:
        padded = (
            cell.ljust(width) if name in left else cell.rjust(width)
            for cell, width, name in zip(row, widths, header, strict=True)
        )
        lines.append("  ".join(padded).rstrip())
    return lines
