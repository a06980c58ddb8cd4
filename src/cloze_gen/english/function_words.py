"""The function words of English: the commonest, which tell an English book from others, and those that taggers file as content."""

from __future__ import annotations

from collections.abc import Mapping

# The words that make up close to half of any running English text, whatever its subject.
FUNCTION_WORDS = frozenset(
    """the of and to a in that he was i it his is with as had you for her not be at on but she him have my by which from they all this we or
    me were so are their there if them would no been when an who one what will your more do has said could then than out into its some up
    only should now did upon such our any other very these how may can too much over must am most down""".split()
)
# Auxiliaries, modals, negation, pronouns, words of degree and place: their Penn tag is a noun's, verb's, adjective's or adverb's, and yet
# they name nothing.
FUNCTION_LEMMAS = frozenset(
    """
    be have do will shall would should can could may might must ought
    not no nor so as too very quite rather than then there here thus hence ever never just even only also still yet
    much many more most less least few little enough such own same other another several all both each every either neither
    how why when where whence whither whether however therefore else again
    yesterday today tonight tomorrow to-day to-night to-morrow
    one two first second last next thing something nothing anything everything anybody nobody somebody everybody
    mr mrs ms dr st sir madam miss o oh ah
    """.split()
)
_FUNCTION_FORMS = tuple(sorted({form for word in FUNCTION_WORDS for form in (word, word.capitalize(), word.upper())}))


def function_word_share(type_counts: Mapping[str, int], word_tokens: int) -> float:
    """Share of English function words among the word tokens; in small letters, capitalised or in capitals.

    >>> function_word_share({"the": 2, "The": 1, "whale": 1, ".": 2}, 4)
    0.75
    """
    seen = sum(type_counts.get(form, 0) for form in _FUNCTION_FORMS)
    return seen / word_tokens if word_tokens else 0.0
