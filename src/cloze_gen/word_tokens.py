"""One definition of words for counts, audits and the choice of focus words."""

from __future__ import annotations

import re
from collections.abc import Mapping

_LETTER_OR_DIGIT = re.compile(r"[^\W_]")


def is_word(token: str) -> bool:
    """True when the token holds a letter or a digit; other tokens have no frequency.

    >>> [is_word(token) for token in ("mother's", "60,000", "Mr.", "--", "_", ".")]
    [True, True, True, False, False, False]
    """
    return token.isalpha() or _LETTER_OR_DIGIT.search(token) is not None


def count_words(type_counts: Mapping[str, int]) -> int:
    return sum(count for token, count in type_counts.items() if is_word(token))
