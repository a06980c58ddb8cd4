"""What of an item leaves the study."""

from __future__ import annotations

import csv
import io
import json
import unicodedata
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.errors import FormatError
from cloze_gen.judging.exchange import (
    PacketOf,
    PacketRow,
    VerdictRow,
    _parse_table,
    _table_text,
    checked,
    find_packet,
    packet_row,
    packets_csv,
    packets_jsonl,
    parse_verdicts_csv,
    parse_verdicts_jsonl,
    plain_cell,
    safe_cell,
    total_seconds,
)


def test_a_judge_sees_the_fields_of_the_task_and_no_other() -> None:
    """The key and whatever else an item carries stay in the study, for every task."""
    secret = {"target": "menu", "key": {"answer": 1}, "source": "pg42", "expected": {}}
    items = {
        "groom": {"before": "A ", "answer": "b", "after": ".", "candidates": ["c"]},
        "guess": {"text": "P", "guesses": 1},
        "read": {"before": "A ", "after": ".", "options": ["b", "c"]},
        "fill": {"parts": ["A.", {"blank": 1}], "candidates": ["B."]},
    }
    for task, item in items.items():
        row = packet_row(
            {**item, **secret, "instruction": "do"},
            assignment="1",
            judge="",
            task=task,
            condition="passage",
        )
        assert not secret.keys() & row.shown.keys()
        assert row.shown["instruction"] == "do"


def test_texts_are_put_together_as_they_stand(rows: dict[str, PacketRow]) -> None:
    assert rows["groom"].judging.text(rows["groom"].shown) == "=He said, “_____” & <b>"
    assert (
        rows["fill"].judging.text(rows["fill"].shown) == "It rained. (1) _____ They left. (2) _____"
    )
    assert [len(row.judging.choices(row.shown)) for row in rows.values()] == [10, 0, 5, 4]


BLANK = {"answer": 0, "fits_as_well": [], "ungrammatical": [], "broken": False, "trivial": False}
BAD_PICKS: list[Any] = [
    3, "owl", [1, 2, 3], [1, 2, 3, 3], [1, 2, 3, 4, 5], [0, 1, 2, 3], [1, 2, 3, 11], [1, 2, 3, True], [1, 2, 3, 4.0], ["owl", 1, 2, 3],
    [1, 2, 3, "nobody"], [1, 2, 3, [4]], [1, 2, 3, 10**400],
]  # fmt: skip


@pytest.mark.parametrize(
    ("task", "response", "whole"),
    [
        ("groom", {"picked": ["sea", 1, "'Tis", 3]}, {"picked": [1, 2, 3, 5]}),
        ("groom", {"rejected": "other"}, {"rejected": "other", "note": ""}),
        ("groom", {"rejected": "other", "note": None}, {"rejected": "other", "note": ""}),
        ("guess", {"guesses": [" menu ", "soup"]}, {"guesses": ["menu", "soup"]}),
        ("guess", {"guesses": []}, {"guesses": []}),
        ("guess", {"guesses": ["", " - "]}, {"guesses": []}),
        ("read", {"answer": 0}, BLANK),
        ("read", {"answer": 0, "fits_as_well": [3, 0], "ungrammatical": [4, 2]}, {**BLANK, "fits_as_well": [3], "ungrammatical": [2, 4]}),
        ("read", {"answer": "B", "fits_as_well": ["b", " d"], "ungrammatical": ["e", 2]},
         {**BLANK, "answer": 1, "fits_as_well": [3], "ungrammatical": [2, 4]}),
        ("read", {"answer": None, "broken": True}, {**BLANK, "answer": None, "broken": True}),
        ("fill", {"fills": [3, 0]}, {"fills": [3, 0]}),
    ],
)  # fmt: skip
def test_a_verdict_comes_out_whole(
    rows: dict[str, PacketRow], task: str, response: dict[str, Any], whole: dict[str, Any]
) -> None:
    assert checked(rows[task], response, where="a") == whole
    assert checked(rows[task], whole, where="a") == whole


@pytest.mark.parametrize(
    ("task", "response"),
    [
        *((task, response) for task in ("groom", "guess", "read", "fill") for response in (None, [], "x", {}, {"what": 1})),
        *(("groom", {"picked": picked}) for picked in BAD_PICKS),
        ("groom", {"picked": [1, 2, 3, 4], "rejected": "other"}), ("groom", {"rejected": "because"}), ("groom", {"rejected": ["other"]}),
        ("groom", {"rejected": "other", "note": "x" * 201}), ("groom", {"rejected": "other", "note": 3}),
        ("groom", {"picked": [1, 2, 3, 4], "note": "why"}), ("read", {"answer": 0, "ungrammatical": [0]}),
        ("read", {"answer": 0, "fits_as_well": [1], "trivial": True}),
        *(("guess", {"guesses": guesses}) for guesses in ("menu", [3], ["x" * 101], ["a", "b", "c", "d"], None)),
        *(("read", {"answer": answer}) for answer in (5, -1, "f", "ab", "", True, None, 1.0)),
        *(("read", {"answer": 0, "fits_as_well": value}) for value in (1, "b", [5], ["f"], None, [[]])),
        *(("read", {"answer": 0, "ungrammatical": value}) for value in (1, "b", [5], ["f"], None, [[]])),
        *(("read", {"answer": 0, field: value}) for field in ("broken", "trivial") for value in (1, "yes", None)),
        ("read", {"answer": 9, "broken": True}), ("read", {"answer": 0, "fits": []}),
        *(("fill", {"fills": fills}) for fills in ([0], [0, 1, 2], [0, 0], [0, 4], [-1, 0], ["0", 1], "01", [0, None])),
    ],
)  # fmt: skip
def test_what_can_not_be_said_is_refused(
    rows: dict[str, PacketRow], task: str, response: Any
) -> None:
    """Named with its place, on one line of bounded length, whatever it is."""
    with pytest.raises(FormatError, match=r"^bob, line 7: ") as error:
        checked(rows[task], response, where="bob, line 7")
    assert len(str(error.value)) < 300
    assert "\n" not in str(error.value)


def test_a_refusal_counts_as_the_packet_does(rows: dict[str, PacketRow]) -> None:
    """Candidates from 1, as they were handed out; and four of them, each once."""
    for picked, says in (
        ([0, 1, 2, 3], "0 is not a candidate.*from 1 to 10"),
        ([1, 2, 3, 11], "11 is not a candidate"),
        ([1, 2, 3, 3, 4], "four different"),
    ):
        with pytest.raises(FormatError, match=says):
            checked(rows["groom"], {"picked": picked}, where="a")


@pytest.mark.parametrize(
    ("assignment", "judge"),
    [("nobody", None), (3, None), (None, None), (["read"], None), ("read", "ann"), ("read", 3)],
)
def test_somebody_elses_assignment_is_refused(
    packet_of: PacketOf, assignment: Any, judge: Any
) -> None:
    """As is one that the study never dealt."""
    with pytest.raises(FormatError, match=r"^f, row 2: "):
        find_packet(assignment, judge, packet_of, where="f, row 2")


def test_a_verdict_may_leave_its_judge_out(packet_of: PacketOf) -> None:
    """The assignment tells whose it is."""
    assert [
        find_packet("read", judge, packet_of, where="").judge for judge in ("bo", "", None)
    ] == ["bo"] * 3


def test_seconds_are_a_number_from_0() -> None:
    """Neither a text nor NaN nor less than nothing."""
    assert [total_seconds(value, where="") for value in (None, 0, 4, 2.5)] == [None, 0.0, 4.0, 2.5]
    for value in (-1, "4", True, float("nan"), float("inf"), 10**400, [4]):
        with pytest.raises(FormatError, match="seconds"):
            total_seconds(value, where="f")


Filled = Mapping[str, Mapping[str, str]]
REASONS = ("ungrammatical", "too_few_wrong_options")


def filled_in(text: str, filled: Filled, mark: str = ",") -> str:
    """The table as a spreadsheet writes it after cells were filled in, by assignment and column."""
    table = list(csv.DictReader(io.StringIO(text, newline="")))
    for row in table:
        row.update(filled.get(row["assignment"], {}))
    columns = dict.fromkeys(column for row in table for column in row)
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, [*columns], delimiter=mark, lineterminator="\r\n")
    writer.writeheader()
    writer.writerows(table)
    return out.getvalue()


def said_of(
    task: str, cells: Mapping[str, str], rows: Mapping[str, PacketRow], packet_of: PacketOf
) -> Any:
    text = filled_in(packets_csv(rows.values()), {task: cells})
    [verdict] = parse_verdicts_csv(text, packet_of, name="bob.csv")
    assert (verdict.assignment, verdict.judge, verdict.seconds, verdict.id) == (
        task,
        "bo",
        None,
        "",
    )
    return verdict.response


def test_the_table_shows_the_item_and_asks_for_its_answer(rows: dict[str, PacketRow]) -> None:
    cells = {
        row["assignment"]: row
        for row in csv.DictReader(io.StringIO(packets_csv(rows.values()), newline=""))
    }
    assert cells["groom"]["text"] == "'=He said, “_____” & <b>"
    assert cells["groom"]["word"] == "cat"
    assert cells["groom"]["candidates"].startswith("1 owl; 2 'Tis; 3 =lamp; 4 3; ")
    assert cells["fill"]["candidates"].split("\n")[:2] == ["1 One; 2 two.", "2 1 One."]
    assert [cells["read"][letter] for letter in "abcde"] == ["'+cat", "owl", "bc", "I", "sea"]
    asked = {
        column for column in cells["groom"] if column.startswith(("pick_", "guess_", "blank_"))
    }
    assert asked == {
        "pick_1",
        "pick_2",
        "pick_3",
        "pick_4",
        "guess_1",
        "guess_2",
        "guess_3",
        "blank_1",
        "blank_2",
    }
    assert {
        cells[task][column]
        for task in cells
        for column in (*asked, "reject", "note", "answer", "broken")
    } == {""}
    assert all(
        safe_cell(cell) == cell or cell.startswith("'")
        for row in cells.values()
        for cell in row.values()
    )


def test_machine_verdicts_and_instructions_are_shown_where_the_item_has_them(
    rows: dict[str, PacketRow],
) -> None:
    """A study that hides them hands out no column of them."""
    plain, shown = (
        rows["groom"],
        {**rows["groom"].shown, "machine": {"owl": "fits"}, "instruction": "Pick 1 to 4."},
    )
    assert not {"machine", "instruction"} & {
        *packets_csv([plain]).split("\n")[0].replace('"', "").split(",")
    }
    [row] = csv.DictReader(
        io.StringIO(packets_csv([PacketRow("1", "", "groom", "", shown)]), newline="")
    )
    assert (row["machine"], row["instruction"]) == ("owl: fits", "Pick 1 to 4.")


def test_no_packet_is_a_table_too() -> None:
    """Of no row, with the first columns."""
    assert packets_csv([]) == '"assignment","judge","task"\n'


ANSWERED_B = {
    "answer": 1,
    "fits_as_well": [],
    "ungrammatical": [],
    "broken": False,
    "trivial": False,
}
NONE = {"pick_1": "", "pick_2": "", "pick_3": "", "pick_4": ""}


@pytest.mark.parametrize(
    ("task", "cells", "response"),
    [
        ("groom", {"pick_1": "owl", "pick_2": " 5 ", "pick_3": "'Tis", "pick_4": "'=lamp"}, {"picked": [1, 2, 3, 5]}),
        ("groom", {"pick_1": "=LAMP", "pick_2": "NAÏVE", "pick_3": "10 @home", "pick_4": "-ear", "note": "hm"}, {"picked": [3, 8, 9, 10]}),
        ("groom", {"reject": "Too few-wrong options", "note": " two fit "}, {"rejected": "too_few_wrong_options", "note": "two fit"}),
        ("guess", {"guess_1": "menu"}, {"guesses": ["menu"]}),
        ("guess", {"guess_2": "a", "guess_3": "'=b"}, {"guesses": ["a", "=b"]}),
        ("guess", {"guess_1": "-"}, {"guesses": []}),
        ("guess", {"guess_1": "–"}, {"guesses": []}),
        ("read", {"answer": "B"}, ANSWERED_B),
        ("read", {"answer": "Owl"}, ANSWERED_B),
        ("read", {"answer": "b)", "fits_as_well": "A; e", "ungrammatical": "dC", "broken": "X"},
         {**ANSWERED_B, "fits_as_well": [0, 4], "ungrammatical": [2, 3], "broken": True}),
        ("read", {"answer": "bc"}, {**ANSWERED_B, "answer": 2}),
        ("read", {"answer": "i", "broken": "no", "trivial": "0"}, {**ANSWERED_B, "answer": 3}),
        ("read", {"broken": "Yes"}, {**ANSWERED_B, "answer": None, "broken": True}),
        ("read", {"answer": "b", "broken": "TRUE", "fits_as_well": "-"}, {**ANSWERED_B, "broken": True}),
        ("fill", {"blank_1": "3", "blank_2": "One; 2 two."}, {"fills": [2, 0]}),
        ("fill", {"blank_1": "4 =Four.", "blank_2": "2"}, {"fills": [3, 1]}),
    ],
)  # fmt: skip
def test_what_people_write_is_understood(
    task: str, cells: dict[str, str], response: Any, rows: dict[str, PacketRow], packet_of: PacketOf
) -> None:
    """Words or numbers, letters of any case, together or apart, marks of several kinds."""
    assert said_of(task, cells, rows, packet_of) == response


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
def test_what_can_not_be_meant_is_told(
    task: str, cells: dict[str, str], rows: dict[str, PacketRow], packet_of: PacketOf
) -> None:
    """With file and row."""
    with pytest.raises(FormatError, match=r"^bob\.csv, row [2-5]"):
        said_of(task, cells, rows, packet_of)


@pytest.mark.parametrize("mark", [*",;\t"])
def test_rows_that_are_not_answered_are_passed_over(
    mark: str, rows: dict[str, PacketRow], packet_of: PacketOf
) -> None:
    """A table half filled in comes back by what is filled in, whatever stands between its cells."""
    text = packets_csv(rows.values())
    assert parse_verdicts_csv(text, packet_of) == []
    half = filled_in(
        text, {"guess": {"guess_1": "menu"}, "read": {"note": "not ours to read"}}, mark
    )
    assert parse_verdicts_csv(f"\ufeff{half}", packet_of) == [
        VerdictRow("guess", {"guesses": ["menu"]}, "bo")
    ]


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


# Any text that a book or a person can hold: all but half characters.
TEXTS = st.text(
    st.one_of(
        st.sampled_from("'\"=+-@\t\r\n ,;\u00a0\u3000\ufeff\u200b＝＋－＠ab"),
        st.characters(exclude_categories=["Cs"]),
    ),
    max_size=12,
)
SIGNS = "=+-@＝＋－＠"


@given(TEXTS)
def test_a_cell_comes_back_as_it_was(text: str) -> None:
    """Whatever it begins with, an apostrophe among it."""
    assert plain_cell(safe_cell(text)) == text


@given(TEXTS)
def test_no_cell_is_a_formula(text: str) -> None:
    """Not even after blanks or invisible characters; nor does it begin with a tab."""
    cell = safe_cell(text)
    seen = next(
        (
            letter
            for letter in cell
            if not letter.isspace() and unicodedata.category(letter) not in ("Cc", "Cf")
        ),
        "",
    )
    assert seen not in {*SIGNS}
    assert cell[:1] not in {"\t", "\r", "\n"}


@pytest.mark.parametrize("sign", SIGNS)
@pytest.mark.parametrize(
    "before", ["", " ", "\t", "\r\n", "\u00a0", "\u3000", "\ufeff", "\x00", "\u200b "]
)
def test_a_sign_is_found_behind_what_is_not_seen(sign: str, before: str) -> None:
    """Of either width."""
    assert safe_cell(f"{before}{sign}1") == f"'{before}{sign}1"


@pytest.mark.parametrize(
    "text", ["'Tis", "'", "''", "menu", "a=b", "3-4", "it's", " 'x", "1+1", "'a=b", "—", ""]
)
def test_other_cells_are_left_alone(text: str) -> None:
    """What is no formula is written as it is, a word with an apostrophe before it too."""
    assert safe_cell(text) == text


@given(st.lists(st.tuples(TEXTS, TEXTS), max_size=4), st.sampled_from(",;\t"))
def test_a_table_comes_back_from_any_spreadsheet(pairs: list[tuple[str, str]], mark: str) -> None:
    rows = [{"a": first, "b": second} for first, second in pairs]
    text = _table_text(["a", "b"], rows)
    filled = [row for row in rows if any(safe_cell(cell).strip() for cell in row.values())]
    cells = list(csv.reader(_chunks(text)))
    assert cells[1:] == [[safe_cell(cell) for cell in pair] for pair in pairs]
    again = "".join(
        mark.join('"' + cell.replace('"', '""') + '"' for cell in row) + "\r\n" for row in cells
    )
    for one in (text, again, f"\ufeff{again}"):
        assert [row for _, row in _parse_table(one, name="t", needed=["a"])] == filled


def _chunks(text: str) -> list[str]:
    """The text in pieces that end with a row: every cell is quoted."""
    return [piece + '"\n' for piece in text.split('"\n')[:-1]]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("", "t: "), ("b,c\n1,2\n", "t: "), ("a,A\n1,2\n", "t: "), ("\n", "t: "), ("a,b\n1,2,3\n", "t, row 2: "),
        ('a,b\n1,2\n3,"4\n5,6\n', "t, row 3: "),
        (f'a\n"{"x" * 140_000}"\n', "t, row 2: "), ('a,b\n"1"2,3\n', "t, row 2: "),
    ],
)  # fmt: skip
def test_what_is_no_table_is_told(text: str, place: str) -> None:
    """With file and row; an open quote does not swallow the rows behind it."""
    with pytest.raises(FormatError) as error:
        list(_parse_table(text, name="t", needed=["a"]))
    assert str(error.value).startswith(place)


def test_rows_are_counted_as_the_spreadsheet_counts() -> None:
    text = 'A ,b,\r"1\n2",x\r,\r\r3\r'
    assert list(_parse_table(text, name="t", needed=["a"])) == [
        (2, {"a": "1\n2", "b": "x", "": ""}),
        (5, {"a": "3", "b": "", "": ""}),
    ]


def test_a_packet_that_is_answered_comes_back(
    rows: dict[str, PacketRow], packet_of: PacketOf
) -> None:
    """Who answers in the packet itself sends it back; what is still null is not answered."""
    lines = [json.loads(line) for line in packets_jsonl(rows.values()).splitlines()]
    assert [
        (line["assignment"], line["judge"], line["task"], line["condition"], line["response"])
        for line in lines
    ] == [(row.assignment, "bo", row.task, row.condition, None) for row in rows.values()]
    assert [line["shown"] for line in lines] == [row.shown for row in rows.values()]
    lines[1] |= {"response": {"guesses": ["menu"]}, "seconds": 3, "id": "0f"}
    lines[3] |= {"response": {"fills": [1, 2]}, "judge": ""}
    text = "".join(f"{json.dumps(line)}\n\n" for line in lines)
    assert parse_verdicts_jsonl(f"\ufeff{text}", packet_of) == [
        VerdictRow("guess", {"guesses": ["menu"]}, "bo", 3.0, "0f"),
        VerdictRow("fill", {"fills": [1, 2]}, "bo", None, ""),
    ]


@pytest.mark.parametrize(
    "line",
    [
        "{", "[]", "3", "{}", '{"assignment": "guess"}', '{"response": {"guesses": []}}', '{"assignment": "nobody", "response": null}',
        '{"assignment": "guess", "response": {"guesses": "menu"}}', '{"assignment": "guess", "response": [], "judge": "bo"}',
        '{"assignment": "guess", "response": {"guesses": []}, "judge": "ann"}',
        '{"assignment": "guess", "response": {"guesses": []}, "seconds": -1}',
        '{"assignment": "guess", "response": {"guesses": []}, "id": 3}', '{"assignment": "guess", "response": {"guesses": []}, "id": false}',
        '{"assignment": "guess", "response": {"guesses": ["a"]}, "response": {"guesses": ["b"]}}',
        '{"assignment": "guess", "response": {"guesses": ["a"], "guesses": ["b"]}}',
        '{"assignment": "guess", "response": {"guesses": []}, "id": "a\\nb"}',
        '{"assignment": "guess", "response": {"guesses": ["\\ud800"]}}',
        '{"assignment": "guess", "response": {"guesses": []}, "seconds": NaN}', "[" * 5000, '{"assignment": ' + "9" * 5000 + "}",
    ],
)  # fmt: skip
def test_other_lines_are_refused(packet_of: PacketOf, line: str) -> None:
    """What is no verdict is named with file and line."""
    with pytest.raises(FormatError, match=r"^bob\.jsonl, line 2: "):
        parse_verdicts_jsonl(
            f'{{"assignment": "read", "response": null}}\n{line}\n', packet_of, name="bob.jsonl"
        )
