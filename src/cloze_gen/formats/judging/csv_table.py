"""Packets as a table that a person fills in with a spreadsheet, one item a row, and the table as it comes back.

    task    what it shows                                       what is filled in
    groom   text, word, candidates ("1 owl; 2 lamp ...")        pick_1 to pick_4 by word or number; or reject (a reason) and note
    guess   text                                                guess_1, guess_2 ...; a dash in guess_1 is no idea
    read    text, options a, b, c ...                           answer, fits_as_well, ungrammatical (letters); broken, trivial (x, yes, 1)
    fill    text with numbered blanks, candidates, one a line   blank_1, blank_2 ... by number or by the sentence

The text of a row is not read again: what was shown is the study's to know.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from cloze_gen.errors import FormatError
from cloze_gen.formats.judging.cells import parse_table, table_text
from cloze_gen.formats.judging.packet import LETTERS, PacketRow, VerdictRow, blanks_of, choices_of, text_of
from cloze_gen.formats.judging.said import PacketOf, checked, packet_named
from cloze_gen.judging.groom import N_PICKED
from cloze_gen.notation import shown

_DASHES = {"-", "–", "—", "−"}  # what spreadsheets make of a dash
_YES, _NO = {"x", "yes", "y", "1", "true"}, {"", "no", "n", "0", "false", *_DASHES}
Cells = Mapping[str, str]


def packets_csv(rows: Iterable[PacketRow]) -> str:
    """The rows as a table (`cells.table_text`); columns that a row's task does not have are empty there."""
    listed = [({**_head(row), **_shown_cells(row)}, _answer_columns(row)) for row in rows]
    columns = [column for told, _ in listed for column in told] + [column for _, asked in listed for column in asked]
    return table_text(list(dict.fromkeys(columns)) or ["assignment", "judge", "task"], [told for told, _ in listed])


def parse_verdicts_csv(text: str, packet_of: PacketOf, *, name: str = "verdicts.csv") -> list[VerdictRow]:
    """Verdicts of a table that was filled in; a row in which nothing is filled in is not answered yet and passed over.

    A note beside four picks is not read: only what is rejected has one.

    Raises:
        FormatError: no table; a row names no assignment of the study or somebody else's; what is filled in is not whole, or can not be
            said; names file and row.

    >>> row = PacketRow("3f", "bo", "guess", "passage", {"text": "_____", "guesses": 1})
    >>> parse_verdicts_csv("assignment;guess_1\\n3f;menu\\n", {"3f": row}.get)
    [VerdictRow(assignment='3f', said={'guesses': ['menu']}, judge='bo', seconds=None, id='')]
    """
    verdicts = []
    for number, cells in parse_table(text, name=name, needed=["assignment"]):
        where = f"{name}, row {number}"
        judge = cells.get("judge", "").strip()
        row = packet_named(cells["assignment"].strip(), judge, packet_of, where=where)
        asked = _answer_columns(row)
        lacking = [column for column in asked[:1] if column not in cells]
        if lacking:
            raise FormatError(f"{where}: the table has no column {lacking[0]}, which an item of {row.task} is answered in")
        filled = {column: cells.get(column, "").strip() for column in asked}
        if any(filled.values()):
            said = _PARSERS[row.task](row, filled, where)
            verdicts.append(VerdictRow(row.assignment, checked(row, said, where=where), judge or row.judge))
    return verdicts


def _head(row: PacketRow) -> dict[str, str]:
    return {"assignment": row.assignment, "judge": row.judge, "task": row.task} | ({"condition": row.condition} if row.condition else {})


def _shown_cells(row: PacketRow) -> dict[str, str]:
    cells = {"instruction": row.shown["instruction"]} if row.shown.get("instruction") else {}
    cells["text"] = text_of(row)
    listed = choices_of(row)
    if row.task == "groom":
        cells |= {"word": row.shown["answer"], "candidates": "; ".join(f"{n} {word}" for n, word in enumerate(listed, 1))}
        if row.shown.get("machine"):
            cells["machine"] = "; ".join(f"{word}: {verdict}" for word, verdict in row.shown["machine"].items())
    elif row.task == "read":
        cells |= dict(zip(LETTERS, listed, strict=False))
    elif row.task == "fill":
        cells["candidates"] = "\n".join(f"{n} {sentence}" for n, sentence in enumerate(listed, 1))
    return cells


def _answer_columns(row: PacketRow) -> list[str]:
    if row.task == "groom":
        return [*(f"pick_{n}" for n in range(1, N_PICKED + 1)), "reject", "note"]
    if row.task == "guess":
        return [f"guess_{n}" for n in range(1, row.shown["guesses"] + 1)]
    if row.task == "read":
        return ["answer", "fits_as_well", "ungrammatical", "broken", "trivial"]
    return [f"blank_{n}" for n in range(1, blanks_of(row) + 1)]


def _groom(row: PacketRow, cells: Cells, where: str) -> dict[str, Any]:
    picks = {column: cell for column, cell in cells.items() if column.startswith("pick_") and cell}
    if cells["reject"]:
        if picks:
            raise FormatError(f"{where}: it is rejected, and has picks; leave either empty")
        return {"rejected": re.sub(r"[\s\-]+", "_", cells["reject"].casefold()), "note": cells["note"]}
    if len(picks) != N_PICKED:
        raise FormatError(f"{where}: {len(picks)} of {N_PICKED} are picked; pick four, or say in `reject` why it can not be used")
    return {"picked": [_place(row, cell, f"{where}, {column}") for column, cell in picks.items()]}


def _guess(_: PacketRow, cells: Cells, __: str) -> dict[str, Any]:
    return {"guesses": [cell for cell in cells.values() if cell and cell not in _DASHES]}


def _read(row: PacketRow, cells: Cells, where: str) -> dict[str, Any]:
    answer = _option_named(row, cells["answer"]) or _letters(row, cells["answer"], f"{where}, answer")
    if len(answer) > 1:
        raise FormatError(f"{where}, answer: one letter, found {shown(cells['answer'])}; the others belong in `fits_as_well`")
    said: dict[str, Any] = {"answer": answer[0] if answer else None}
    said |= {column: _letters(row, cells[column], f"{where}, {column}") for column in ("fits_as_well", "ungrammatical")}
    said |= {column: _is_marked(cells[column], f"{where}, {column}") for column in ("broken", "trivial")}
    if not answer and not said["broken"]:
        raise FormatError(f"{where}: no answer; only where the sentence is broken may it be missing")
    return said


def _fill(row: PacketRow, cells: Cells, where: str) -> dict[str, Any]:
    empty = [column for column, cell in cells.items() if not cell]
    if empty:
        raise FormatError(f"{where}: {empty[0]} is empty; fill all blanks, or none where the item is not answered yet")
    return {"fills": [_place(row, cell, f"{where}, {column}") - 1 for column, cell in cells.items()]}


def _place(row: PacketRow, cell: str, where: str) -> int:
    """The place from 1 of what is named by number, by its text, or by both as the table has them ("3 owl")."""
    listed = choices_of(row)
    found = {n for n, text in enumerate(listed, 1) if cell in (text, text.strip(), str(n), f"{n} {text}")}
    found = found or {n for n, text in enumerate(listed, 1) if cell.casefold() == text.strip().casefold()}
    if len(found) == 1:
        return min(found)
    what = "could be any of several" if found else "is none"
    raise FormatError(f"{where}: {shown(cell)} {what} of the {len(listed)} candidates; name one by its number")


def _letters(row: PacketRow, cell: str, where: str) -> list[int]:
    """Indices of options that letters name, together or apart."""
    options = len(choices_of(row))
    letters = re.sub(r"[\s,;/.()&+\-–—−]", "", cell).casefold()
    indices = [LETTERS.find(letter) for letter in letters]
    if any(not 0 <= index < options for index in indices):
        raise FormatError(f"{where}: expected letters from a to {LETTERS[options - 1]}, found {shown(cell)}")
    return list(dict.fromkeys(indices))


def _option_named(row: PacketRow, cell: str) -> list[int]:
    """The index of the option whose text the cell is; a single letter that the table has is a letter."""
    options = [option.strip().casefold() for option in choices_of(row)]
    if cell.casefold() in [*LETTERS[: len(options)]] or options.count(cell.casefold()) != 1:
        return []
    return [options.index(cell.casefold())]


def _is_marked(cell: str, where: str) -> bool:
    word = cell.casefold()
    if word not in _YES | _NO:
        raise FormatError(f"{where}: expected x, yes or 1, or nothing; found {shown(cell)}")
    return word in _YES


_PARSERS: Mapping[str, Callable[[PacketRow, Cells, str], dict[str, Any]]] = {
    "groom": _groom,
    "guess": _guess,
    "read": _read,
    "fill": _fill,
}
