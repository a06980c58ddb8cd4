"""Tables of cells that a spreadsheet opens without running anything, and reads back as they were.

A spreadsheet takes a cell that begins with ``=``, ``+``, ``-`` or ``@`` for a formula, and so do some after blanks or with full-width signs
(OWASP, "CSV Injection"; CWE-1236). Such a cell gets an apostrophe in front, which is taken off again; every cell is quoted (RFC 4180).
"""

from __future__ import annotations

import csv
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence

from cloze_gen.errors import FormatError
from cloze_gen.notation import named, shown

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")  # as the csv module counts lines; one of U+2028 goes on


def safe_cell(text: str) -> str:
    """A text as a cell that is no formula.

    >>> safe_cell("=1+1"), safe_cell(" +1"), safe_cell("'Tis"), safe_cell("'=1")
    ("'=1+1", "' +1", "'Tis", "''=1")
    """
    return f"'{text}" if _is_formula(text.lstrip("'")) else text


def plain_cell(cell: str) -> str:
    """The text that `safe_cell` made a cell of; a cell that a person typed stays.

    >>> [plain_cell(safe_cell(text)) for text in ("=1+1", "'Tis", "''=", "-")]
    ['=1+1', "'Tis", "''=", '-']
    """
    return cell[1:] if cell.startswith("'") and _is_formula(cell.lstrip("'")) else cell


def table_text(columns: Sequence[str], rows: Iterable[Mapping[str, str]]) -> str:
    """The table with its columns on the first line; a cell that a row has not is empty. The mark of UTF-8 is the caller's to write."""
    lines = (",".join(_quoted(cell) for cell in cells) for cells in ((row.get(column, "") for column in columns) for row in rows))
    return "".join(f"{line}\n" for line in (",".join(map(_quoted, columns)), *lines))


def parse_table(text: str, *, name: str, needed: Sequence[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """``(row as the spreadsheet counts, the first line being 1; cells by column)`` of every row that has a cell filled in.

    Cells stand between commas, semicolons or tabs, as the spreadsheet's country has it. Names of columns are read without letter case.

    Raises:
        FormatError: no table, or one without a column that is needed, or a row longer than the first; names file and row.

    >>> list(parse_table('a;B\\n1;"\\'=2"\\n;\\n', name="t", needed=["a"]))
    [(2, {'a': '1', 'b': '=2'})]
    """
    lines = _LINE.findall(text.removeprefix("\ufeff"))
    delimiter = max(",;\t", key=lines[0].count) if lines else ","
    reader = csv.reader(lines, delimiter=delimiter, strict=True)  # strict: an open quote would swallow all rows behind it
    number = 0
    columns: list[str] = []
    try:
        for number, cells in enumerate(reader, 1):
            if number == 1:
                columns = _columns(cells, name, needed)
                continue
            if any(cell.strip() for cell in cells[len(columns) :]):
                raise FormatError(f"{name}, row {number}: {len(cells)} cells under {len(columns)} columns; is a cell not quoted?")
            if any(cell.strip() for cell in cells):
                padded = [*cells, *[""] * len(columns)]
                yield number, {column: plain_cell(cell) for column, cell in zip(columns, padded, strict=False)}
    except csv.Error as error:
        raise FormatError(f"{name}, row {number + 1}: not a table of cells ({error})") from None
    if number == 0:
        raise FormatError(f"{name}: expected a table with the columns {', '.join(needed)}; it is empty")


def _is_formula(text: str) -> bool:
    """Whether a spreadsheet may take a text for a formula: behind blanks, and what is seen as nothing, stands a sign, of whatever width.
    What begins with a tab or the end of a line counts too."""
    first = next((one for one in text if not one.isspace() and unicodedata.category(one) not in ("Cc", "Cf")), "")
    return text[:1] in {"\t", "\r", "\n"} or unicodedata.normalize("NFKC", first)[:1] in {"=", "+", "-", "@", "−"}


def _columns(cells: Sequence[str], name: str, needed: Sequence[str]) -> list[str]:
    columns = [cell.strip().casefold() for cell in cells]
    missing = [column for column in needed if column not in columns]
    if missing:
        raise FormatError(f"{name}: a table needs the columns {', '.join(needed)}; its first line is {shown(','.join(cells))}")
    twice = [shown(column) for column in dict.fromkeys(columns) if column and columns.count(column) > 1]
    if twice:
        raise FormatError(f"{name}: the column {named(twice)} is there twice")
    return columns


def _quoted(cell: str) -> str:
    return '"' + safe_cell(cell).replace('"', '""') + '"'
