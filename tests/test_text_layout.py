"""Text as the terminal shows it."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.text_layout import cut, fit, printable, table_lines, text_width, wrap
from cloze_gen.word_tokens import is_word

COLUMNS = st.integers(20, 100)
ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=200)
# Words with what is wide, stands on its neighbour, or may be broken; no path and no id, which alone
# may be too wide.
LINES = st.lists(st.text("ab|日é\u0301 ", max_size=60), max_size=8).map("  ".join)


@given(ANY_TEXT)
def test_nothing_that_a_terminal_obeys_is_shown(text: str) -> None:
    """No control or format character, no surrogate."""
    shown = printable(text)
    assert not {unicodedata.category(one) for one in shown} & {"Cc", "Cf", "Cs", "Zl", "Zp"}
    assert printable(shown) == shown


@given(LINES, COLUMNS)
def test_a_wrapped_line_fits_and_loses_nothing(line: str, columns: int) -> None:
    """Every line fits, and without the spaces they say together what the line said."""
    lines = wrap(line, columns)
    assert all(text_width(one) <= columns for one in lines)
    assert "".join("".join(lines).split()) == "".join(line.split())


@given(LINES, COLUMNS)
def test_wrapping_again_changes_nothing(line: str, columns: int) -> None:
    """What fits is left alone."""
    assert all(wrap(one, columns) == [one] for one in wrap(line, columns))


@given(LINES, COLUMNS)
def test_what_is_cut_fits(line: str, columns: int) -> None:
    """Text that fits is whole; other text is its own beginning and dots, as long as there is room."""
    shown = cut(line, columns)
    assert text_width(shown) <= columns
    if shown != line:
        assert text_width(line) > columns
        assert shown.endswith("...")
        assert line.startswith(shown.removesuffix("..."))
        assert text_width(shown) >= columns - 1  # a wide character may not fit into the last column


@given(ANY_TEXT)
def test_without_a_width_lines_stay_whole(text: str) -> None:
    """A pipe gets as many lines as there were."""
    assert fit(text, None).split("\n") == [printable(line) for line in text.split("\n")]


@pytest.mark.parametrize(
    "whole", ["/a/folder/of/a/very/long/name/indeed.txt", "a-book-of-a-very-long-name-indeed:12:3"]
)
def test_what_is_to_be_copied_stands_alone(whole: str) -> None:
    """A path or an id too long for the line is neither broken nor beside anything."""
    assert wrap(f"release    {whole} and more", 24) == ["release", whole, "           and more"]


@given(
    st.lists(
        st.lists(st.text("ab日\x1b", min_size=1, max_size=40), min_size=3, max_size=3), max_size=5
    ),
    COLUMNS,
)
def test_a_table_fits_and_its_columns_are_straight(rows: list[list[str]], columns: int) -> None:
    lines = table_lines(["one", "two", "three"], rows, columns)
    parts = lines.count("") + 1
    assert len(lines) == parts * (1 + len(rows)) + parts - 1
    assert all(text_width(line) <= columns for line in lines)
    free = table_lines(["one", "two", "three"], rows, None)
    assert (
        len({text_width(line) for line in free}) == 1
    )  # the last column stands to the right, so all lines end alike
    assert all(
        printable(cell) in line for row, line in zip(rows, free[1:], strict=True) for cell in row
    )


@given(
    st.lists(st.text("0123456789.", min_size=1, max_size=9), min_size=2, max_size=20),
    st.integers(28, 100),
)
def test_no_figure_of_a_wide_table_is_cut(figures: list[str], columns: int) -> None:
    names = [f"figure{place}" for place in range(len(figures))]
    lines = table_lines(["row", *names], [["the-only-row", *figures]], columns)
    assert all(text_width(line) <= columns for line in lines)
    heads, rows = (
        [lines[place].split() for place in range(0, len(lines), 3)],
        [lines[place].split() for place in range(1, len(lines), 3)],
    )
    assert [name for head in heads for name in head[1:]] == names
    assert [figure for row in rows for figure in row[1:]] == figures
    assert {head[0] for head in heads} | {row[0] for row in rows} == {"row", "the-only-row"}


def test_a_long_word_is_cut_before_a_table_is_parted() -> None:
    """One column of text among figures gives way, as far as it can still be read."""
    lines = table_lines(["text", "rank"], [["word " * 20, "6"]], 30, left=frozenset({"text"}))
    assert lines == ["text                      rank", "word word word word w...     6"]


# ---- words


@pytest.mark.parametrize(
    "token", ["a", "I", "60,000", "mother's", "to-morrow", "'tis", "é", "Mr.", "1st", "o'", "’tis"]
)
def test_words_hold_a_letter_or_a_digit(token: str) -> None:
    """Clitics, hyphens, numbers and abbreviations are words."""
    assert is_word(token)


@pytest.mark.parametrize("token", ["", ".", "--", "_", "* * *", "'", "...", "$", "£", "—"])
def test_marks_are_no_words(token: str) -> None:
    """Punctuation has no frequency."""
    assert not is_word(token)
