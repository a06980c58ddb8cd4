"""Tables that a spreadsheet opens without running anything."""

from __future__ import annotations

import csv
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.errors import FormatError
from cloze_gen.formats.judging.cells import parse_table, plain_cell, safe_cell, table_text

# Any text that a book or a person can hold: all but half characters.
TEXTS = st.text(
    st.one_of(st.sampled_from("'\"=+-@\t\r\n ,;\u00a0\u3000\ufeff\u200b＝＋－＠ab"), st.characters(exclude_categories=["Cs"])), max_size=12
)
SIGNS = "=+-@＝＋－＠"


@given(TEXTS)
def test_a_cell_comes_back_as_it_was(text: str) -> None:
    """Whatever it begins with, an apostrophe among it."""
    assert plain_cell(safe_cell(text)) == text


@given(TEXTS)
def test_no_cell_is_a_formula(text: str) -> None:
    """Behind blanks, and what is seen as nothing, stands no sign that a spreadsheet calculates from; nor does a tab begin it."""
    cell = safe_cell(text)
    seen = next((letter for letter in cell if not letter.isspace() and unicodedata.category(letter) not in ("Cc", "Cf")), "")
    assert seen not in {*SIGNS}
    assert cell[:1] not in {"\t", "\r", "\n"}


@pytest.mark.parametrize("sign", SIGNS)
@pytest.mark.parametrize("before", ["", " ", "\t", "\r\n", "\u00a0", "\u3000", "\ufeff", "\x00", "\u200b "])
def test_a_sign_is_found_behind_what_is_not_seen(sign: str, before: str) -> None:
    """Of either width."""
    assert safe_cell(f"{before}{sign}1") == f"'{before}{sign}1"


@pytest.mark.parametrize("text", ["'Tis", "'", "''", "menu", "a=b", "3-4", "it's", " 'x", "1+1", "'a=b", "—", ""])
def test_other_cells_are_left_alone(text: str) -> None:
    """What is no formula is written as it is, a word with an apostrophe before it too."""
    assert safe_cell(text) == text


@given(st.lists(st.tuples(TEXTS, TEXTS), max_size=4), st.sampled_from(",;\t"))
def test_a_table_comes_back_from_any_spreadsheet(pairs: list[tuple[str, str]], mark: str) -> None:
    """Saved with commas, semicolons or tabs, with or without the mark of UTF-8; rows without a filled cell are passed over."""
    rows = [{"a": first, "b": second} for first, second in pairs]
    text = table_text(["a", "b"], rows)
    filled = [row for row in rows if any(safe_cell(cell).strip() for cell in row.values())]
    cells = list(csv.reader(_chunks(text)))
    assert cells[1:] == [[safe_cell(cell) for cell in pair] for pair in pairs]
    again = "".join(mark.join('"' + cell.replace('"', '""') + '"' for cell in row) + "\r\n" for row in cells)
    for one in (text, again, f"\ufeff{again}"):
        assert [row for _, row in parse_table(one, name="t", needed=["a"])] == filled


def _chunks(text: str) -> list[str]:
    """The text in pieces that end where a row does: every cell is quoted, so two quotes and the end of a line."""
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
        list(parse_table(text, name="t", needed=["a"]))
    assert str(error.value).startswith(place)


def test_rows_are_counted_as_the_spreadsheet_counts() -> None:
    """A cell of two lines is one row, and so is a row of empty cells; cells that a row lacks are empty."""
    text = 'A ,b,\r"1\n2",x\r,\r\r3\r'
    assert list(parse_table(text, name="t", needed=["a"])) == [(2, {"a": "1\n2", "b": "x", "": ""}), (5, {"a": "3", "b": "", "": ""})]
