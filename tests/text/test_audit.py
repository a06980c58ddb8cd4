"""What the audit row measures."""

from __future__ import annotations

from cloze_gen.english.function_words import function_word_share
from cloze_gen.text.audit import BookReason, count_residual_boilerplate


def test_english_has_many_function_words_and_french_few() -> None:
    """The share tells the language apart."""
    english = dict.fromkeys("It was the best of times , it was worst".split(), 1)
    french = dict.fromkeys("Longtemps , je me suis couché de bonne heure".split(), 1)
    assert function_word_share(english, 9) > 0.5
    assert function_word_share(french, 8) < 0.2
    assert function_word_share({}, 0) == 0


def test_licence_left_in_the_text_is_counted() -> None:
    """Tokens that no novel has are what is left of the licence."""
    assert count_residual_boilerplate({"Gutenberg": 2, "etext": 1, "night": 5}) == 3


def test_reasons_read_aloud() -> None:
    """A reason is a lower-case key of the funnel."""
    assert all(reason.value == reason.name.lower() for reason in BookReason)
