"""Text as the terminal shows it."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.text_layout import printable, table_lines
from cloze_gen.word_tokens import is_word

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=200)
CELLS = st.text("ab日é\x1b", min_size=1, max_size=40)


@given(ANY_TEXT)
def test_nothing_that_a_terminal_obeys_is_shown(text):
    """No control or format character, no surrogate."""
    shown = printable(text)
    assert not {unicodedata.category(one) for one in shown} & {"Cc", "Cf", "Cs", "Zl", "Zp"}
    assert printable(shown) == shown


@given(st.lists(st.lists(CELLS, min_size=3, max_size=3), max_size=5))
def test_the_columns_of_a_table_are_straight(rows):
    lines = table_lines(["one", "two", "three"], rows)
    assert len(set(map(len, lines))) == 1  # the last column is right-aligned
    assert all(
        printable(cell) in line for row, line in zip(rows, lines[1:], strict=True) for cell in row
    )


# ---- words


@pytest.mark.parametrize(
    "token", ["a", "I", "60,000", "mother's", "to-morrow", "'tis", "é", "Mr.", "1st", "o'", "’tis"]
)
def test_words_hold_a_letter_or_a_digit(token):
    """Clitics, hyphens, numbers and abbreviations are words."""
    assert is_word(token)


@pytest.mark.parametrize("token", ["", ".", "--", "_", "* * *", "'", "...", "$", "£", "—"])
def test_marks_are_no_words(token):
    """Punctuation has no frequency."""
    assert not is_word(token)
