"""Packets: one judge's assignments as a CSV table, and the verdicts that come back.

A packet holds only what its judge may see, in the judge's own order. A cell that a spreadsheet
would read as a formula gets an apostrophe (OWASP, "CSV Injection"; CWE-1236), which is removed on
reading.
"""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cloze_gen.errors import FormatError
from cloze_gen.judging.tasks import TASKS
from cloze_gen.judging.tasks.task import JudgingTask
from cloze_gen.parsing import name_list, quote
from cloze_gen.records.judgement import Task


@dataclass(frozen=True, slots=True)
class PacketRow:
    """One assignment as its judge sees it."""

    assignment: str
    judge: str
    task: str
    condition: str
    shown: Mapping[str, Any]

    @property
    def judging(self) -> JudgingTask:
        return TASKS[Task(self.task)]


@dataclass(frozen=True, slots=True)
class VerdictRow:
    """An imported verdict, `checked`."""

    assignment: str
    response: Mapping[str, Any]


PacketOf = Callable[[str], PacketRow | None]  # assignment -> its row, or None if unknown


def find_packet(assignment: str, judge: str, packet_of: PacketOf, *, where: str) -> PacketRow:
    """The row of an assignment; FormatError if it is unknown or belongs to another judge."""
    row = packet_of(assignment)
    if row is None:
        raise FormatError(
            f"{where}: {quote(assignment)} is not an assignment of this study. Keep the values "
            "of `assignment` as they were exported"
        )
    if judge and judge != row.judge:
        raise FormatError(
            f"{where}: assignment {assignment} belongs to another judge than {quote(judge)}. "
            "Keep the values of `judge` as they were exported"
        )
    return row


def checked(row: PacketRow, response: Mapping[str, Any], *, where: str) -> dict[str, Any]:
    """A response with all fields, lists sorted; FormatError if it is not valid.

    >>> row = PacketRow("3f", "bo", "groom", "", {"candidates": ["owl", "map", "ear", "sea",
    ...     "cup"]})
    >>> checked(row, {"picked": ["cup", "owl", "map", "ear"]}, where="a")
    {'picked': ['owl', 'map', 'ear', 'cup']}
    >>> checked(row, {"picked": ["owl"]}, where="b")
    Traceback (most recent call last):
    cloze_gen.errors.FormatError: b: picked: expected 4 different candidates, found ['owl']
    """
    item = {**row.shown, "guesses": {row.condition: row.shown.get("guesses")}}
    try:
        return row.judging.parse(response, item, row.condition)
    except FormatError as error:
        raise FormatError(f"{where}: {error}") from None


def packets_csv(rows: Iterable[PacketRow]) -> str:
    listed = [(_shown_cells(row), row.judging.columns(row.shown)) for row in rows]
    columns = [column for cells, _ in listed for column in cells] + [
        column for _, fields in listed for column in fields
    ]
    return _table_text(
        list(dict.fromkeys(columns)) or ["assignment", "judge", "task"],
        [cells for cells, _ in listed],
    )


def parse_verdicts_csv(
    text: str, packet_of: PacketOf, *, name: str = "verdicts.csv"
) -> list[VerdictRow]:
    """Verdicts of a filled-in table. Skips empty rows; ignores notes without a rejection.

    Raises:
        FormatError: not a table, an unknown assignment, another judge's, or an invalid verdict.

    >>> row = PacketRow("3f", "bo", "guess", "passage", {"text": "_____", "guesses": 1})
    >>> parse_verdicts_csv("assignment;guess_1\\n3f;menu\\n", {"3f": row}.get)
    [VerdictRow(assignment='3f', response={'guesses': ['menu']})]
    """
    verdicts = []
    for number, cells in _parse_table(text, name=name, needed=["assignment"]):
        where = f"{name}, row {number}"
        judge = cells.get("judge", "").strip()
        row = find_packet(cells["assignment"].strip(), judge, packet_of, where=where)
        columns = row.judging.columns(row.shown)
        lacking = [column for column in columns[:1] if column not in cells]
        if lacking:
            raise FormatError(
                f"{where}: the table has no column {lacking[0]}; an item of {row.task} needs it"
            )
        filled = {column: cells.get(column, "").strip() for column in columns}
        if any(filled.values()):
            response = row.judging.from_cells(filled, row.shown, where)
            verdicts.append(VerdictRow(row.assignment, checked(row, response, where=where)))
    return verdicts


def _shown_cells(row: PacketRow) -> dict[str, str]:
    cells = {"assignment": row.assignment, "judge": row.judge, "task": row.task}
    cells |= {"condition": row.condition} if row.condition else {}
    return {**cells, "text": row.judging.text(row.shown), **row.judging.cells(row.shown)}


def safe_cell(text: str) -> str:
    """
    >>> safe_cell("=1+1"), safe_cell(" +1"), safe_cell("'Tis"), safe_cell("'=1")
    ("'=1+1", "' +1", "'Tis", "''=1")
    """
    return f"'{text}" if _is_formula(text.lstrip("'")) else text


def plain_cell(cell: str) -> str:
    """The inverse of `safe_cell`; other cells are returned as they are.

    >>> [plain_cell(safe_cell(text)) for text in ("=1+1", "'Tis", "''=", "-")]
    ['=1+1', "'Tis", "''=", '-']
    """
    return cell[1:] if cell.startswith("'") and _is_formula(cell.lstrip("'")) else cell


def _table_text(columns: Sequence[str], rows: Iterable[Mapping[str, str]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: safe_cell(cell) for name, cell in row.items()} for row in rows)
    return text.getvalue()


def _parse_table(
    text: str, *, name: str, needed: Sequence[str]
) -> Iterator[tuple[int, dict[str, str]]]:
    """(line number from 1, cells by column) of every row that has a cell filled in.

    Separators are commas, semicolons or tabs, depending on the spreadsheet's locale.

    >>> list(_parse_table('a;B\\n1;"\\'=2"\\n;\\n', name="t", needed=["a"]))
    [(2, {'a': '1', 'b': '=2'})]
    """
    lines = io.StringIO(text.removeprefix("\ufeff"), newline="").readlines()
    delimiter = max(",;\t", key=lines[0].count) if lines else ","
    # strict: without it an unclosed quote would swallow the rows after it
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    number = 0
    columns: list[str] = []
    try:
        for number, cells in enumerate(reader, 1):
            if number == 1:
                columns = _columns(cells, name, needed)
                continue
            if any(cell.strip() for cell in cells[len(columns) :]):
                raise FormatError(
                    f"{name}, row {number}: {len(cells)} cells for {len(columns)} columns. Quote "
                    "cells that contain the separator"
                )
            if any(cell.strip() for cell in cells):
                padded = [*cells, *[""] * len(columns)]
                yield (
                    number,
                    {
                        column: plain_cell(cell)
                        for column, cell in zip(columns, padded, strict=False)
                    },
                )
    except csv.Error as error:
        raise FormatError(f"{name}, row {number + 1}: not valid CSV ({error})") from None
    if number == 0:
        raise FormatError(
            f"{name}: the file is empty; expected a table with the columns {', '.join(needed)}"
        )


def _is_formula(text: str) -> bool:
    """Also true after spaces or invisible characters, and for full-width signs."""
    first = next(
        (
            one
            for one in text
            if not one.isspace() and unicodedata.category(one) not in ("Cc", "Cf")
        ),
        "",
    )
    return text[:1] in {"\t", "\r", "\n"} or unicodedata.normalize("NFKC", first)[:1] in {
        "=",
        "+",
        "-",
        "@",
        "−",
    }


def _columns(cells: Sequence[str], name: str, needed: Sequence[str]) -> list[str]:
    columns = [cell.strip().casefold() for cell in cells]
    missing = [column for column in needed if column not in columns]
    if missing:
        raise FormatError(
            f"{name}: expected the columns {', '.join(needed)} in the first line, found "
            f"{quote(','.join(cells))}"
        )
    twice = [
        quote(column) for column in dict.fromkeys(columns) if column and columns.count(column) > 1
    ]
    if twice:
        raise FormatError(f"{name}: duplicate column: {name_list(twice)}")
    return columns
