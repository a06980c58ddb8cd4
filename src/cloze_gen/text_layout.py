r"""Text for a terminal: control characters escaped, lines wrapped or cut to a width, small tables.

A width of None means no terminal: a pipe gets one record a line.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

# Control and format characters, surrogates, private and unassigned ones, Unicode's own line ends: a
# book's title must not be able to clear the screen.
_UNSHOWN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_ZERO_WIDTH = frozenset({"Mn", "Me"})
_LABEL = re.compile(
    r"\s*\S+(?: \S+)*?\s{2,}"
)  # a word or a few at the beginning of a line, set off by two spaces
_ID = re.compile(r"[A-Za-z0-9._-]+(?::\d+){1,2}[.,;:]?")
_WIDEST_LABEL = 26
_HANGING = 4  # columns of indentation of the rest of a line
_DOTS = "..."
_LEAST_CELL = 16  # columns: a cell is cut no further while a table can come in parts


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


def text_width(text: str) -> int:
    """Columns of printable text: two for wide East Asian characters, none for combining accents.

    >>> text_width("cafe\u0301"), text_width("日本")
    (4, 4)
    """
    if text.isascii():
        return len(text)
    return sum(
        0
        if unicodedata.category(one) in _ZERO_WIDTH
        else 2
        if unicodedata.east_asian_width(one) in "WF"
        else 1
        for one in text
    )


def cut(text: str, columns: int | None) -> str:
    """The text, or the beginning that fits, followed by dots.

    >>> cut("a long sentence", 10), cut("short", 10), cut("any length", None)
    ('a long ...', 'short', 'any length')
    """
    if columns is None or text_width(text) <= columns:
        return text
    return _beginning(text, columns - len(_DOTS)) + _DOTS


def wrap(line: str, columns: int | None, *, indent: int | None = None) -> list[str]:
    """A printable line as lines of at most `columns`; breaks at bars, never within a path or id.

    >>> print("\\n".join(wrap("signature  cloze-gen|v:1|style:holmes|seed:1", 30)))
    signature  cloze-gen|v:1|
               style:holmes|seed:1
    >>> wrap("written to /a/folder/with/a/very/long/name", 20)
    ['written to', '/a/folder/with/a/very/long/name']
    """
    if columns is None or text_width(line) <= columns:
        return [line]
    hang = _hang(line, columns) if indent is None else indent
    margin = " " * min(hang, columns // 2)
    lines: list[str] = []
    now = ""
    for space, atom in _atoms(line, columns - len(margin)):
        joined = now + atom if lines and now == margin else now + space + atom
        if text_width(joined) <= columns:
            now = joined
            continue
        if now.strip():
            lines.append(now.rstrip())
        now = margin + atom
        if text_width(now) > columns:  # a path or an id has its own line
            lines.append(atom)
            now = margin
    return [*lines, now.rstrip()] if now.strip() else lines


def fit(text: str, columns: int | None) -> str:
    r"""Text made printable and wrapped to `columns`; a longer path or id has its own line.

    >>> print(fit("focus      a long word\x07\nsentence   We saw the man .", 22))
    focus      a long
               word\x07
    sentence   We saw the
               man .
    """
    return "\n".join(part for line in text.split("\n") for part in wrap(printable(line), columns))


def table_lines(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    columns: int | None,
    *,
    left: frozenset[str] = frozenset(),
) -> list[str]:
    """A table of printable cells, each column as wide as its widest cell.

    If too wide, long words are cut, down to `_LEAST_CELL`, then columns are split into parts that
    each begin with the first one. `left`: names of left-aligned columns.

    >>> print("\\n".join(table_lines(["word", "rank"], [["fastened", "6"], ["saw", "12"]], 80, left=frozenset({"word"}))))
    word      rank
    fastened     6
    saw         12
    >>> print("\\n".join(table_lines(["word", "history", "forward"], [["saw", "-3.0124", "-0.6575"]], 14, left=frozenset({"word"}))))
    word  history
    saw   -3.0124
    <BLANKLINE>
    word  forward
    saw   -0.6575
    """
    cells = [[printable(cell) for cell in row] for row in (header, *rows)]
    widths = [max(text_width(cell) for cell in column) for column in zip(*cells, strict=True)]
    lines: list[str] = []
    for part in _parts(widths, columns):
        if lines:
            lines.append("")
        for row in cells:
            shown = [
                _padded(cut(row[place], width), width, left=header[place] in left)
                for place, width in part.items()
            ]
            lines.append("  ".join(shown).rstrip())
    return lines


def _parts(widths: Sequence[int], columns: int | None) -> list[dict[int, int]]:
    narrow = _narrowed(dict(enumerate(widths)), columns, _LEAST_CELL)
    if columns is None or _table_width(narrow) <= columns or len(widths) <= 2:
        return [_narrowed(narrow, columns, len(_DOTS) + 1)]
    parts: list[dict[int, int]] = [{0: widths[0]}]
    for place, width in enumerate(widths[1:], 1):
        if len(parts[-1]) > 1 and _table_width(parts[-1] | {place: width}) > columns:
            parts.append({0: widths[0]})
        parts[-1][place] = width
    return [_narrowed(part, columns, len(_DOTS) + 1) for part in parts]


def _narrowed(widths: dict[int, int], columns: int | None, least: int) -> dict[int, int]:
    widths = dict(widths)
    while columns is not None and _table_width(widths) > columns and max(widths.values()) > least:
        widths[max(widths, key=lambda place: widths[place])] -= 1
    return widths


def _table_width(widths: dict[int, int]) -> int:
    return sum(widths.values()) + 2 * (len(widths) - 1)


def _padded(text: str, width: int, *, left: bool) -> str:
    space = " " * (width - text_width(text))
    return text + space if left else space + text


def _hang(line: str, columns: int) -> int:
    label = _LABEL.match(line)
    if label and text_width(label[0]) <= min(_WIDEST_LABEL, columns // 2):
        return text_width(label[0])
    return len(line) - len(line.lstrip()) + _HANGING


def _atoms(line: str, columns: int) -> Iterator[tuple[str, str]]:
    """(space before, text) of unbreakable units; only paths and ids may exceed `columns`."""
    for space, word in re.findall(r"(\s*)(\S+)", line):
        parts = [word]
        if text_width(word) > columns and "|" in word:
            parts = re.findall(r"[^|]*\||[^|]+", word)
        for number, part in enumerate(parts):
            pieces = (
                [part]
                if text_width(part) <= columns or "/" in part or _ID.fullmatch(part)
                else list(_pieces(part, columns))
            )
            for place, piece in enumerate(pieces):
                yield space if number == place == 0 else "", piece


def _pieces(word: str, columns: int) -> Iterator[str]:
    while word:
        piece = _beginning(word, columns) or word[0]
        yield piece
        word = word[len(piece) :]


def _beginning(text: str, columns: int) -> str:
    if text.isascii():
        return text[: max(0, columns)]
    width = 0
    for place, one in enumerate(text):
        width += text_width(one)
        if width > columns:
            return text[:place]
    return text
