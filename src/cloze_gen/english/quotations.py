"""Verbs that report speech, seen by the quotation marks beside them."""

from __future__ import annotations

from collections.abc import Sequence

_QUOTES = frozenset({'"', "'", "``", "''", "`", "\u201c", "\u201d", "\u2018", "\u2019"})
_PAUSES = frozenset({",", ":", ";", "--", "!", "?", "-"})


def reports_speech(tokens: Sequence[str], position: int) -> bool:
    """Whether a verb stands right before or after a quotation, pauses aside.

    >>> reports_speech('" Yes , " cried the men .'.split(), 4), reports_speech("He cried aloud .".split(), 1)
    (True, False)
    >>> reports_speech('She smiled and replied , " No . "'.split(), 3)
    True
    """
    before = position - 1
    while before >= 0 and tokens[before] in _PAUSES:
        before -= 1
    after = position + 1
    while after < len(tokens) and tokens[after] in _PAUSES:
        after += 1
    return (before >= 0 and tokens[before] in _QUOTES) or (after < len(tokens) and tokens[after] in _QUOTES)
