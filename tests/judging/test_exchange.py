"""What of an item leaves the study."""

import csv
import io
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.errors import FormatError
from cloze_gen.judging.exchange import (
    PacketRow,
    VerdictRow,
    _parse_table,
    _table_text,
    checked,
    find_packet,
    packets_csv,
    parse_verdicts_csv,
    plain_cell,
    safe_cell,
)
from tests.support.errors import refused


def test_texts_are_put_together_as_they_stand(rows):
    assert rows["groom"].judging.text(rows["groom"].shown) == "=He said, “_____” & <b>"
    assert (
        rows["fill"].judging.text(rows["fill"].shown) == "It rained. (1) _____ They left. (2) _____"
    )


def test_a_refusal_names_its_place(rows):
    """On one line of bounded length, whatever was written."""
    message = refused(
        lambda: checked(rows["guess"], {"guesses": ["x" * 1000] * 9}, where="bob, line 7"),
        FormatError,
        names="bob, line 7: ",
    )
    assert len(message) < 300


@pytest.mark.parametrize(("assignment", "judge"), [("nobody", ""), ("read", "ann")])
def test_somebody_elses_assignment_is_refused(packet_of, assignment, judge):
    """As is one that the study never dealt."""
    refused(
        lambda: find_packet(assignment, judge, packet_of, where="f, row 2"),
        FormatError,
        names="f, row 2: ",
    )


def test_a_verdict_may_leave_its_judge_out(packet_of):
    """The assignment tells whose it is."""
    assert [find_packet("read", judge, packet_of, where="").judge for judge in ("bo", "")] == [
        "bo"
    ] * 2


def filled_in(text, filled, mark=","):
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


def said_of(task, cells, rows, packet_of):
    text = filled_in(packets_csv(rows.values()), {task: cells})
    [verdict] = parse_verdicts_csv(text, packet_of, name="bob.csv")
    assert verdict.assignment == task
    return verdict.response


def test_the_table_shows_the_item_and_asks_for_its_answer(rows):
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


def test_machine_verdicts_are_shown_where_the_item_has_them(
    rows,
):
    """A study that hides them hands out no column of them."""
    plain = rows["groom"]
    shown = {**plain.shown, "machine": {"owl": "fits"}}
    assert "machine" not in packets_csv([plain]).split("\n")[0]
    [row] = csv.DictReader(
        io.StringIO(packets_csv([PacketRow("1", "", "groom", "", shown)]), newline="")
    )
    assert row["machine"] == "owl: fits"


def test_no_packet_is_a_table_too():
    """Of no row, with the first columns."""
    assert packets_csv([]) == '"assignment","judge","task"\n'


ANSWERED_B = {
    "answer": 1,
    "fits_as_well": [],
    "ungrammatical": [],
    "broken": False,
    "trivial": False,
}


@pytest.mark.parametrize(
    ("task", "cells", "response"),
    [
        ("groom", {"pick_1": "owl", "pick_2": " 5 ", "pick_3": "'Tis", "pick_4": "'=lamp"}, {"picked": ["owl", "'Tis", "=lamp", "sea"]}),
        ("groom", {"pick_1": "=LAMP", "pick_2": "NAÏVE", "pick_3": "10 @home", "pick_4": "-ear", "note": "hm"}, {"picked": ["=lamp", "-ear", "naïve", "@home"]}),
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
        ("read", {"answer": "b", "fits_as_well": "bd"}, {**ANSWERED_B, "fits_as_well": [3]}),
        ("read", {"answer": "i", "broken": "no", "trivial": "0"}, {**ANSWERED_B, "answer": 3}),
        ("read", {"broken": "Yes"}, {**ANSWERED_B, "answer": None, "broken": True}),
        ("read", {"answer": "b", "broken": "TRUE", "fits_as_well": "-"}, {**ANSWERED_B, "broken": True}),
        ("fill", {"blank_1": "3", "blank_2": "One; 2 two."}, {"fills": [2, 0]}),
        ("fill", {"blank_1": "4 =Four.", "blank_2": "2"}, {"fills": [3, 1]}),
    ],
)  # fmt: skip
def test_what_people_write_is_understood(task, cells, response, rows, packet_of):
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
def test_what_can_not_be_meant_is_told(task, cells, rows, packet_of):
    """With file and row."""
    with pytest.raises(FormatError, match=r"^bob\.csv, row [2-5]"):
        said_of(task, cells, rows, packet_of)


@pytest.mark.parametrize("mark", [*",;\t"])
def test_rows_that_are_not_answered_are_passed_over(mark, rows, packet_of):
    """A table half filled in comes back by what is filled in, whatever stands between its cells."""
    text = packets_csv(rows.values())
    assert parse_verdicts_csv(text, packet_of) == []
    half = filled_in(
        text, {"guess": {"guess_1": "menu"}, "read": {"note": "not ours to read"}}, mark
    )
    assert parse_verdicts_csv(f"\ufeff{half}", packet_of) == [
        VerdictRow("guess", {"guesses": ["menu"]})
    ]


@pytest.mark.parametrize(
    "text",
    [
        "", "menu\n", "assignment,guess_1\nnobody,menu\n", "assignment,judge,guess_1\nguess,ann,menu\n", "assignment,pick_1\nguess,owl\n",
        "assignment,guess_1\n,menu\n", 'assignment,guess_1\nguess,"menu\n', '{"assignment": "guess"}',
    ],
)  # fmt: skip
def test_other_tables_are_refused(text, packet_of):
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
def test_a_cell_comes_back_as_it_was(text):
    """Whatever it begins with, an apostrophe among it."""
    assert plain_cell(safe_cell(text)) == text


@given(TEXTS)
def test_no_cell_is_a_formula(text):
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
def test_a_sign_is_found_behind_what_is_not_seen(sign, before):
    """Of either width."""
    assert safe_cell(f"{before}{sign}1") == f"'{before}{sign}1"


@pytest.mark.parametrize(
    "text", ["'Tis", "'", "''", "menu", "a=b", "3-4", "it's", " 'x", "1+1", "'a=b", "—", ""]
)
def test_other_cells_are_left_alone(text):
    """What is no formula is written as it is, a word with an apostrophe before it too."""
    assert safe_cell(text) == text


@given(st.lists(st.tuples(TEXTS, TEXTS), max_size=4), st.sampled_from(",;\t"))
def test_a_table_comes_back_from_any_spreadsheet(pairs, mark):
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


def _chunks(text):
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
def test_what_is_no_table_is_told(text, place):
    """With file and row; an open quote does not swallow the rows behind it."""
    with pytest.raises(FormatError) as error:
        list(_parse_table(text, name="t", needed=["a"]))
    assert str(error.value).startswith(place)


def test_rows_are_counted_as_the_spreadsheet_counts():
    text = 'A ,b,\r"1\n2",x\r,\r\r3\r'
    assert list(_parse_table(text, name="t", needed=["a"])) == [
        (2, {"a": "1\n2", "b": "x", "": ""}),
        (5, {"a": "3", "b": "", "": ""}),
    ]
