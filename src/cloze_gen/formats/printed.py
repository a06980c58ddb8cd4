"""Questions as running text: tokens joined as in print, and the sentence with a line where the word is missing."""

from __future__ import annotations

from collections.abc import Sequence

from cloze_gen.records.question import Blank, Question

BLANK_MARK = "_____"

_ATTACHED_LEFT = frozenset({",", ";", ".", ":", "?", "!", ")"})  # marks that follow their word without a space in print
_ATTACHED_RIGHT = frozenset({"("})


def as_printed(tokens: Sequence[str]) -> str:
    """Tokens with the spaces of print around the marks that remain in the MSR rendering.

    >>> as_printed(("Ah", ",", "yes", "."))
    'Ah, yes.'
    """
    text = ""
    glue = True
    for token in tokens:
        text += token if glue or token in _ATTACHED_LEFT else f" {token}"
        glue = token in _ATTACHED_RIGHT
    return text


def blanked_sentence(question: Question) -> str:
    """The sentence as a person is asked about it: as printed, `BLANK_MARK` in the answer's place.

    >>> blanked_sentence(Question("b:0:3", "b", ("Holmes", ",", "we", "hide", "it", "."), 3, ("eat", "hide"), 1))
    'Holmes, we _____ it.'
    """
    return as_printed(question.blank.filled(BLANK_MARK))


def around_blank(blank: Blank) -> tuple[str, str]:
    """The same in two: what stands before the mark and behind it, with the spaces of print.

    >>> around_blank(Blank("b:0:3", ("Holmes", ",", "we", "hide", ",", "now", "."), 3))
    ('Holmes, we ', ', now.')
    """
    before = as_printed((*blank.tokens[: blank.position], BLANK_MARK)).removesuffix(BLANK_MARK)
    return before, as_printed(blank.filled(BLANK_MARK))[len(before) + len(BLANK_MARK) :]
