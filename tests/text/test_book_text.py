"""A book's arrays give its sentences back."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.text.book_text import book_text

WORDS = st.sampled_from(["Don't", "he", '"', ".", "--", "3", "lamp"])
LINES = st.lists(st.lists(WORDS, min_size=1, max_size=8).map(" ".join), min_size=1, max_size=8)


@given(LINES)
def test_arrays_give_the_lines_back(lines: list[str]) -> None:
    """Each sentence's tokens are those that went in."""
    book = book_text(lines)
    assert [" ".join(book.tokens(i)) for i in range(book.sentence_count)] == lines


def test_types_broken_at_a_line_end_are_mended() -> None:
    """They are read in the form that was decided."""
    assert book_text(["The lamp\xadlight fell ."], forms={"lamp\xadlight": "lamplight"}).tokens(0) == ("The", "lamplight", "fell", ".")
