"""Function words tell the language of a book."""

from __future__ import annotations

from cloze_gen.english.function_words import function_word_share


def test_english_has_many_function_words_and_french_few() -> None:
    """The share tells the language apart."""
    english = dict.fromkeys("It was the best of times , it was worst".split(), 1)
    french = dict.fromkeys("Longtemps , je me suis couché de bonne heure".split(), 1)
    assert function_word_share(english, 9) > 0.5
    assert function_word_share(french, 8) < 0.2
    assert function_word_share({}, 0) == 0
