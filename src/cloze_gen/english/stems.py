"""A crude stem, to tell whether two words are forms of one another."""

from __future__ import annotations

import functools
import re

_POSSESSIVE = re.compile(r"(?:'s|(?<=s)')$")
_ENDINGS = "fulness lessness ations ation ingly edly ments ment ness ings iest ing ied ies ier est ers ely ily ed er es ly s y e".split()


@functools.lru_cache(maxsize=200_000)
def stem(word: str) -> str:
    """A crude stem: spelling variants made one, endings dropped, a doubled last consonant made single.

    Only meant to tell whether two words are forms of one another; it errs towards yes.

    >>> stem("climbing") == stem("climbed") == stem("climber"), stem("to-morrow") == stem("tomorrow"), stem("colour") == stem("color")
    (True, True, True)
    """
    text = _POSSESSIVE.sub("", word.casefold()).replace("-", "").replace("our", "or").replace("ise", "ize").replace("yse", "yze")
    for ending in _ENDINGS:
        if text.endswith(ending) and len(text) - len(ending) >= 3:
            text = text[: -len(ending)]
            break
    if len(text) > 3 and text[-1] == text[-2]:
        text = text[:-1]
    return text[:-1] if len(text) > 3 and text[-1] in "iey" else text
