"""What a sentence refuses: a drawn word that cannot stand in it, whatever its class and form (Argouarc'h 2018, 3.3)."""

from __future__ import annotations

from collections.abc import Container
from enum import StrEnum

from cloze_gen.english.articles import breaks_article
from cloze_gen.english.stems import stem


class Refusal(StrEnum):
    """Why a drawn word cannot stand in a sentence; another is then drawn."""

    ARTICLE = "impostor_breaks_a_an"
    FORM_OF_ANSWER = "impostor_is_form_of_answer"
    IN_SENTENCE = "impostor_in_sentence"


def refusal(word: str, *, answer: str, predecessor: str, sentence_stems: Container[str]) -> Refusal | None:
    """What speaks against a word in the place of the answer; None when nothing does.

    A word that does not agree with the article before the blank is refused; never is the article changed, for that would name the answer.

    Args:
        predecessor: the token printed before the blank.
        sentence_stems: of the sentence's own tokens.

    >>> stems = {"he", "saw", "an", "owl", "."}
    >>> [refusal(word, answer="owl", predecessor="an", sentence_stems=stems) for word in ("apple", "house", "owls")]
    [None, <Refusal.ARTICLE: 'impostor_breaks_a_an'>, <Refusal.FORM_OF_ANSWER: 'impostor_is_form_of_answer'>]
    """
    if breaks_article(word, predecessor):
        return Refusal.ARTICLE
    root = stem(word)
    if root == stem(answer):
        return Refusal.FORM_OF_ANSWER
    return Refusal.IN_SENTENCE if root in sentence_stems else None
