"""One definition of words for counts, audits and the choice of focus words."""

from __future__ import annotations

import functools
import re

_LETTER_OR_DIGIT = re.compile(r"[^\W_]")


@functools.lru_cache(maxsize=200_000)
def is_word(token: str) -> bool:
    """True when the token holds a letter or a digit; other tokens have no frequency.

    >>> [is_word(token) for token in ("mother's", "60,000", "Mr.", "--", "_", ".")]
    [True, True, True, False, False, False]
    """
    return _LETTER_OR_DIGIT.search(token) is not None
