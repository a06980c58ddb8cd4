"""The table that a person fills in."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from cloze_gen.errors import FormatError
from cloze_gen.formats.judging.cells import safe_cell
from cloze_gen.formats.judging.csv_table import packets_csv, parse_verdicts_csv
from cloze_gen.formats.judging.packet import PacketRow, VerdictRow

PacketOf = Callable[[str], PacketRow | None]
Filled = Mapping[str, Mapping[str, str]]
REASONS = ("ungrammatical", "no_four_wrong_ones")


def filled_in(text: str, filled: Filled, mark: str = ",") -> str:
    """The table as a spreadsheet writes it after cells were filled in, by assignment and column; those of no column are new columns."""
    table = list(csv.DictReader(io.StringIO(text, newline="")))
    for row in table:
        row.update(filled.get(row["assignment"], {}))
    columns = dict.fromkeys(column for row in table for column in row)
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, [*columns], delimiter=mark, lineterminator="\r\n")
    writer.writeheader()
    writer.writerows(table)
    return out.getvalue()


def said_of(task: str, cells: Mapping[str, str], rows: Mapping[str, PacketRow], packet_of: PacketOf) -> Any:
    text = filled_in(packets_csv(rows.values()), {task: cells})
    [verdict] = parse_verdicts_csv(text, packet_of, name="bob.csv")
    assert (verdict.assignment, verdict.judge, verdict.seconds, verdict.id) == (task, "bo", None, "")
    return verdict.said


def test_the_table_shows_the_item_and_asks_for_its_answer(rows: dict[str, PacketRow]) -> None:
    """Numbered candidates, options by letter; columns to be filled in are empty; no cell is a formula."""
    cells = {row["assignment"]: row for row in csv.DictReader(io.StringIO(packets_csv(rows.values()), newline=""))}
    assert cells["groom"]["text"] == "'=He said, “_____” & <b>"
    assert cells["groom"]["word"] == "cat"
    assert cells["groom"]["candidates"].startswith("1 owl; 2 'Tis; 3 =lamp; 4 3; ")
    assert cells["fill"]["candidates"].split("\n")[:2] == ["1 One; 2 two.", "2 1 One."]
    assert [cells["read"][letter] for letter in "abcde"] == ["'+cat", "owl", "bc", "I", "sea"]
    asked = {column for column in cells["groom"] if column.startswith(("pick_", "guess_", "blank_"))}
    assert asked == {"pick_1", "pick_2", "pick_3", "pick_4", "guess_1", "guess_2", "guess_3", "blank_1", "blank_2"}
    assert {cells[task][column] for task in cells for column in (*asked, "reject", "note", "answer", "broken")} == {""}
    assert all(safe_cell(cell) == cell or cell.startswith("'") for row in cells.values() for cell in row.values())


def test_machine_verdicts_and_instructions_are_shown_where_the_item_has_them(rows: dict[str, PacketRow]) -> None:
    """A study that hides them hands out no column of them."""
    plain, shown = rows["groom"], {**rows["groom"].shown, "machine": {"owl": "fits"}, "instruction": "Pick 1 to 4."}
    assert not {"machine", "instruction"} & {*packets_csv([plain]).split("\n")[0].replace('"', "").split(",")}
    [row] = csv.DictReader(io.StringIO(packets_csv([PacketRow("1", "", "groom", "", shown)]), newline=""))
    assert (row["machine"], row["instruction"]) == ("owl: fits", "Pick 1 to 4.")


def test_no_packet_is_a_table_too() -> None:
    """Of no row, with the first columns."""
    assert packets_csv([]) == '"assignment","judge","task"\n'


BLANK = {"answer": 1, "fits_as_well": [], "ungrammatical": [], "broken": False, "trivial": False}
NONE = {"pick_1": "", "pick_2": "", "pick_3": "", "pick_4": ""}


@pytest.mark.parametrize(
    ("task", "cells", "said"),
    [
        ("groom", {"pick_1": "owl", "pick_2": " 5 ", "pick_3": "'Tis", "pick_4": "'=lamp"}, {"picked": [1, 2, 3, 5]}),
        ("groom", {"pick_1": "=LAMP", "pick_2": "NAÏVE", "pick_3": "10 @home", "pick_4": "-ear", "note": "hm"}, {"picked": [3, 8, 9, 10]}),
        ("groom", {"reject": "No four-wrong ones", "note": " two fit "}, {"rejected": "no_four_wrong_ones", "note": "two fit"}),
        ("guess", {"guess_1": "menu"}, {"guesses": ["menu"]}),
        ("guess", {"guess_2": "a", "guess_3": "'=b"}, {"guesses": ["a", "=b"]}),
        ("guess", {"guess_1": "-"}, {"guesses": []}),
        ("guess", {"guess_1": "–"}, {"guesses": []}),
        ("read", {"answer": "B"}, BLANK),
        ("read", {"answer": "Owl"}, BLANK),
        ("read", {"answer": "b)", "fits_as_well": "A; e", "ungrammatical": "dC", "broken": "X"},
         {**BLANK, "fits_as_well": [0, 4], "ungrammatical": [2, 3], "broken": True}),
        ("read", {"answer": "bc"}, {**BLANK, "answer": 2}),
        ("read", {"answer": "i", "broken": "no", "trivial": "0"}, {**BLANK, "answer": 3}),
        ("read", {"broken": "Yes"}, {**BLANK, "answer": None, "broken": True}),
        ("read", {"answer": "b", "broken": "TRUE", "fits_as_well": "-"}, {**BLANK, "broken": True}),
        ("fill", {"blank_1": "3", "blank_2": "One; 2 two."}, {"fills": [2, 0]}),
        ("fill", {"blank_1": "4 =Four.", "blank_2": "2"}, {"fills": [3, 1]}),
    ],
)  # fmt: skip
def test_what_people_write_is_understood(
    task: str, cells: dict[str, str], said: Any, rows: dict[str, PacketRow], packet_of: PacketOf
) -> None:
    """Words or numbers, letters of any case, together or apart, marks of several kinds."""
    assert said_of(task, cells, rows, packet_of) == said


@pytest.mark.parametrize(
    ("task", "cells"),
    [
        ("groom", {"pick_1": "owl"}), ("groom", {"pick_1": "owl", "reject": "ungrammatical"}),
        ("groom", {"reject": "bad"}), ("groom", {"note": "hm"}),
        *(("groom", {"pick_1": "owl", "pick_2": "sea", "pick_3": "cup", "pick_4": cell})
          for cell in ("owl", "1", "0", "11", "cat", "1 sea", "-")),
        # A candidate that is itself a number, and another of that number.
        ("groom", {"pick_1": "owl", "pick_2": "sea", "pick_3": "cup", "pick_4": "3"}),
        ("groom", {"reject": "ungrammatical", "note": "x" * 201}), ("guess", {"guess_1": "x" * 101}),
        *(("read", {"answer": cell}) for cell in ("f", "ab", "1", "cat", "?")),
        ("read", {"trivial": "x"}), ("read", {"answer": "a", "fits_as_well": "f"}),
        ("read", {"answer": "a", "broken": "maybe"}), ("fill", {"blank_1": "1"}), ("fill", {"blank_1": "1", "blank_2": "1"}),
        ("fill", {"blank_1": "5", "blank_2": "1"}),
    ],
)  # fmt: skip
def test_what_can_not_be_meant_is_told(task: str, cells: dict[str, str], rows: dict[str, PacketRow], packet_of: PacketOf) -> None:
    """With file and row."""
    with pytest.raises(FormatError, match=r"^bob\.csv, row [2-5]"):
        said_of(task, cells, rows, packet_of)


@pytest.mark.parametrize("mark", [*",;\t"])
def test_rows_that_are_not_answered_are_passed_over(mark: str, rows: dict[str, PacketRow], packet_of: PacketOf) -> None:
    """A table half filled in comes back by what is filled in, whatever stands between its cells."""
    text = packets_csv(rows.values())
    assert parse_verdicts_csv(text, packet_of) == []
    half = filled_in(text, {"guess": {"guess_1": "menu"}, "read": {"note": "not ours to read"}}, mark)
    assert parse_verdicts_csv(f"\ufeff{half}", packet_of) == [VerdictRow("guess", {"guesses": ["menu"]}, "bo")]


@pytest.mark.parametrize(
    "text",
    [
        "", "menu\n", "assignment,guess_1\nnobody,menu\n", "assignment,judge,guess_1\nguess,ann,menu\n", "assignment,pick_1\nguess,owl\n",
        "assignment,guess_1\n,menu\n", 'assignment,guess_1\nguess,"menu\n', '{"assignment": "guess"}',
    ],
)  # fmt: skip
def test_other_tables_are_refused(text: str, packet_of: PacketOf) -> None:
    """No table of ours, or rows of nobody's and of somebody else's."""
    with pytest.raises(FormatError, match=r"^bob\.csv"):
        parse_verdicts_csv(text, packet_of, name="bob.csv")
