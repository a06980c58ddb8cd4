"""`a` and `an`: which of them a word takes."""

from __future__ import annotations

import re

_VOWELS = frozenset("aeiou")


# A written vowel with a consonant's sound, and the silent h: where spelling misleads about a/an.
_CONSONANT_SOUND = re.compile(r"(?:uni(?!m|n)|us[aeiu]|ut[eio]|eu|ew|on[ce]|one-|ubiq|uku|ur[aei]n|u-)")


_SILENT_H = re.compile(r"(?:hono|hones|heir|hour)")


def takes_an(word: str) -> bool:
    """True when the word begins with a vowel sound.

    >>> [takes_an(w) for w in ("hour", "house", "umbrella", "useful", "one-eyed", "honest", "uninteresting")]
    [True, False, True, False, False, True, True]
    """
    lower = word.casefold()
    if _SILENT_H.match(lower):
        return True
    return lower[:1] in _VOWELS and not _CONSONANT_SOUND.match(lower)


def breaks_article(candidate: str, predecessor: str) -> bool:
    """True when `a` or `an` stands before the blank and the candidate begins with the other sound.

    >>> breaks_article("owl", "a"), breaks_article("owl", "an"), breaks_article("owl", "the")
    (True, False, False)
    """
    article = predecessor.casefold()
    return article in {"a", "an"} and takes_an(candidate) != (article == "an")
