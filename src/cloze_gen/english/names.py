"""Names and content words of running text, told by their letters alone, and what a reader in a hurry would take for the word to come.

A capital where nothing forces one makes a name: neither at the head of a sentence or a quotation, nor in a title (``Mr.``), nor in *I*.
Rules as crude as `last_name` are right now and then; a set of passages must not be one that such a rule solves.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from cloze_gen.english.abbreviations import TITLES
from cloze_gen.english.function_words import FUNCTION_LEMMAS, FUNCTION_WORDS
from cloze_gen.english.treebank import host

_OPENERS = frozenset({".", "?", "!", '"', "'", "``", "`", "(", "[", "--", ":", "..."})
_TITLES = frozenset(title.casefold().rstrip(".") for title in TITLES) | {
    "miss",
    "lady",
    "lord",
    "sir",
    "madame",
    "monsieur",
    "mademoiselle",
}
_NO_CONTENT = FUNCTION_WORDS | FUNCTION_LEMMAS | _TITLES
_SPOKEN_OF = frozenset({"i", "o", "oh"})


def name_places(tokens: Sequence[str]) -> list[int]:
    """Where names stand, in order.

    >>> name_places('" Well , " said Mr. Pip to Joe . Joe left Joe\\'s forge .'.split())
    [6, 8, 12]
    """
    return [i for i, token in enumerate(tokens) if token[:1].isupper() and i and tokens[i - 1] not in _OPENERS and is_name_like(token)]


def is_name_like(token: str) -> bool:
    """Whether a capitalised token can be a name: it is no title, no pronoun and not all capitals.

    >>> [is_name_like(token) for token in ("Joe's", "Mr.", "I'm", "LORD", "Lady")]
    [True, False, False, False, False]
    """
    word = host(token)
    return word.isalpha() and not (len(word) > 1 and word.isupper()) and word.casefold() not in _TITLES | _SPOKEN_OF


def content_words(tokens: Sequence[str]) -> list[str]:
    """The words of letters alone that are neither function words nor titles, in small letters, without their clitics.

    >>> content_words("Mr. Pip saw the old forge 's door .".split())
    ['pip', 'saw', 'old', 'forge', 'door']
    """
    return [word for token in tokens if (word := _content_word(token))]


@functools.lru_cache(maxsize=200_000)
def _content_word(token: str) -> str:
    """The content word of a token; empty for any other token. Remembered, for every passage asks again."""
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
    """The name that stands most often, of equals the last; empty without any."""
    return _most_repeated([host(tokens[place]).casefold() for place in name_places(tokens)])


def most_repeated_content_word(tokens: Sequence[str]) -> str:
    """The content word that stands most often, of equals the last; empty without any.

    >>> most_repeated_content_word("the lamp by the sea lit the lamp and the sea .".split())
    'sea'
    """
    return _most_repeated(content_words(tokens))


# What is taken for the target from the tokens before it, in small letters.
PASSAGE_RULES: Mapping[str, Callable[[Sequence[str]], str]] = {
    "last name": last_name,
    "most repeated name": most_repeated_name,
    "most repeated content word": most_repeated_content_word,
}
RULES_OF_CASE = frozenset({"last name", "most repeated name"})  # which small letters alone cannot answer


def _most_repeated(words: Sequence[str]) -> str:
    counts = Counter(words)
    last = {word: i for i, word in enumerate(words)}
    return max(counts, key=lambda word: (counts[word], last[word]), default="")
