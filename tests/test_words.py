"""What a word token is."""

from __future__ import annotations

import pytest

from cloze_gen.words import is_word


@pytest.mark.parametrize("token", ["a", "I", "60,000", "mother's", "to-morrow", "'tis", "é", "Mr.", "1st", "o'", "’tis"])
def test_words_hold_a_letter_or_a_digit(token: str) -> None:
    """Clitics, hyphens, numbers and abbreviations are words."""
    assert is_word(token)


@pytest.mark.parametrize("token", ["", ".", "--", "_", "* * *", "'", "...", "$", "£", "—"])
def test_marks_are_no_words(token: str) -> None:
    """Punctuation has no frequency."""
    assert not is_word(token)
