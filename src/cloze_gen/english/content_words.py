"""Function words, content words, names and stems, by spelling. A name has a capital that no rule
forces: not at the start of a sentence or quotation, no title (``Mr.``), not *I*.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from cloze_gen.english.treebank import host
from cloze_gen.english.word_lists import FINAL_MARKS, FOLDED_TITLES, OPENERS

# About half of any running English text.
FUNCTION_WORDS = frozenset(
    """the of and to a in that he was i it his is with as had you for her not be at on but she him
    have my by which from they all this we or
    me were so are their there if them would no been when an who one what will your more do has said
    could then than out into its some up
    only should now did upon such our any other very these how may can too much over must am most
    down""".split()
)
# Auxiliaries, modals, negation, pronouns, words of degree and place: function words with the Penn
# tags of nouns, verbs, adjectives or adverbs.
FUNCTION_LEMMAS = frozenset(
    """
    be have do will shall would should can could may might must ought
    not no nor so as too very quite rather than then there here thus hence ever never just even only
    also still yet
    much many more most less least few little enough such own same other another several all both
    each every either neither
    how why when where whence whither whether however therefore else again
    yesterday today tonight tomorrow to-day to-night to-morrow
    one two first second last next thing something nothing anything everything anybody nobody
    somebody everybody
    mr mrs ms dr st sir madam miss o oh ah
    """.split()
)
_FUNCTION_FORMS = tuple(
    sorted({form for word in FUNCTION_WORDS for form in (word, word.capitalize(), word.upper())})
)


def function_word_share(type_counts: Mapping[str, int], word_tokens: int) -> float:
    """Share of English function words among the word tokens.

    >>> function_word_share({"the": 2, "The": 1, "whale": 1, ".": 2}, 4)
    0.75
    """
    seen = sum(type_counts.get(form, 0) for form in _FUNCTION_FORMS)
    return seen / word_tokens if word_tokens else 0.0


_POSSESSIVE = re.compile(r"(?:'s|(?<=s)')$")
_ENDINGS = (
    "fulness lessness ations ation ingly edly ments ment ness ings iest ing ied ies ier est ers "
    "ely ily ed er es ly s y e"
).split()


@functools.lru_cache(maxsize=200_000)
def stem(word: str) -> str:
    """Unify spellings, drop endings, undouble a last consonant; errs towards merging two words.

    >>> stem("climbing") == stem("climbed") == stem("climber"), stem("to-morrow") == stem("tomorrow"), stem("colour") == stem("color")
    (True, True, True)
    """
    text = (
        _POSSESSIVE.sub("", word.casefold())
        .replace("-", "")
        .replace("our", "or")
        .replace("ise", "ize")
        .replace("yse", "yze")
    )
    for ending in _ENDINGS:
        if text.endswith(ending) and len(text) - len(ending) >= 3:
            text = text[: -len(ending)]
            break
    if len(text) > 3 and text[-1] == text[-2]:
        text = text[:-1]
    return text[:-1] if len(text) > 3 and text[-1] in "iey" else text


_BEFORE_CAPITAL = OPENERS | FINAL_MARKS | {"..."}
_TITLES = FOLDED_TITLES.union("miss lady lord sir madame monsieur mademoiselle".split())
_NO_CONTENT = FUNCTION_WORDS | FUNCTION_LEMMAS | _TITLES
_NO_NAMES = _TITLES | {"i", "o", "oh"}


def name_places(tokens: Sequence[str]) -> list[int]:
    """Positions of names, ascending.

    >>> name_places('" Well , " said Mr. Pip to Joe . Joe left Joe\\'s forge .'.split())
    [6, 8, 12]
    """
    return [
        i
        for i, token in enumerate(tokens)
        if i
        and token[:1].isupper()
        and tokens[i - 1] not in _BEFORE_CAPITAL
        and is_name_like(token)
    ]


@functools.lru_cache(maxsize=200_000)
def is_name_like(token: str) -> bool:
    """Whether a capitalised token can be a name: no title, no pronoun, not all capitals.

    >>> [is_name_like(token) for token in ("Joe's", "Mr.", "I'm", "LORD", "Lady")]
    [True, False, False, False, False]
    """
    word = host(token)
    return (
        word.isalpha()
        and not (len(word) > 1 and word.isupper())
        and word.casefold() not in _NO_NAMES
    )


def content_words(tokens: Sequence[str]) -> list[str]:
    """Alphabetic words that are neither function words nor titles, case-folded, without clitics.

    >>> content_words("Mr. Pip saw the old forge 's door .".split())
    ['pip', 'saw', 'old', 'forge', 'door']
    """
    return [word for token in tokens if (word := _content_word(token))]


@functools.lru_cache(maxsize=200_000)
def _content_word(token: str) -> str:
    word = host(token).casefold() if token[:1].isalpha() else ""
    return word if len(word) > 1 and word.isalpha() and word not in _NO_CONTENT else ""


def last_name(tokens: Sequence[str]) -> str:
    """The last name; empty without any.

    >>> last_name("I saw Joe and Pip's forge .".split())
    'pip'
    """
    places = name_places(tokens)
    return host(tokens[places[-1]]).casefold() if places else ""


def most_repeated_name(tokens: Sequence[str]) -> str:
    """The most frequent name, the last one of a tie; empty without any."""
    return _most_repeated([host(tokens[place]).casefold() for place in name_places(tokens)])


def most_repeated_content_word(tokens: Sequence[str]) -> str:
    """The most frequent content word, the last one of a tie; empty without any.

    >>> most_repeated_content_word("the lamp by the sea lit the lamp and the sea .".split())
    'sea'
    """
    return _most_repeated(content_words(tokens))


# Name of a rule -> its guess of the target from the tokens before it, case-folded.
PASSAGE_RULES: Mapping[str, Callable[[Sequence[str]], str]] = {
    "last name": last_name,
    "most repeated name": most_repeated_name,
    "most repeated content word": most_repeated_content_word,
}
RULES_OF_CASE = frozenset({"last name", "most repeated name"})  # need capitals


def _most_repeated(words: Sequence[str]) -> str:
    counts = Counter(words)
    last = {word: i for i, word in enumerate(words)}
    return max(counts, key=lambda word: (counts[word], last[word]), default="")
