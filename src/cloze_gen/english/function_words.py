"""The function words of English: what tells an English book from others."""

from __future__ import annotations

from collections.abc import Mapping

# The words that make up close to half of any running English text, whatever its subject.
FUNCTION_WORDS = frozenset(
    """the of and to a in that he was i it his is with as had you for her not be at on but she him have my by which from they all this we or
    me were so are their there if them would no been when an who one what will your more do has said could then than out into its some up
    only should now did upon such our any other very these how may can too much over must am most down""".split()
)


_FUNCTION_FORMS = tuple(sorted({form for word in FUNCTION_WORDS for form in (word, word.capitalize(), word.upper())}))


def function_word_share(type_counts: Mapping[str, int], word_tokens: int) -> float:
    """Share of English function words among the word tokens; in small letters, capitalised or in capitals.

    >>> function_word_share({"the": 2, "The": 1, "whale": 1, ".": 2}, 4)
    0.75
    """
    seen = sum(type_counts.get(form, 0) for form in _FUNCTION_FORMS)
    return seen / word_tokens if word_tokens else 0.0
