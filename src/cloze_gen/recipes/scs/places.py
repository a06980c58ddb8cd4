"""The place of a content word: what is before and after it, by kinds of tokens, without parsing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from cloze_gen.english.penn_tags import CONTENT_CLASSES, TAGS_OF_CLASS, coarse_class
from cloze_gen.recipes.scs.token_kinds import (
    ADJECTIVES,
    ADVERBIAL,
    AFTER_ADJECTIVE,
    BEFORE_ADJECTIVE,
    COMPLEMENT,
    DETERMINERS,
    FOLLOWER,
    GAP,
    GOVERNOR,
    N_KINDS,
    NEAR_ADVERB,
    NOUNS,
    OPENER,
    SECOND,
    Kind,
    kind_of,
)

ACTIVE, PASSIVE, ATTRIBUTIVE = 0, 1, 2  # voices of a verb
N_USES = 3  # voices of a verb, inflections of an adjective or adverb
# A noun phrase may hold these before its last noun.
_MODIFIERS = (*ADJECTIVES, Kind.NOUN, Kind.NOUNS, Kind.NAME, Kind.ING, Kind.PARTICIPLE, *ADVERBIAL)


class Place(NamedTuple):
    """A place: word class, use (verb's voice, other word's inflection), left and right context."""

    word_class: str
    use: int
    left: int
    right: int

    def __str__(self) -> str:
        """The spelling in tables.

        >>> str(Place("verb", 1, Kind.BE, Kind.NOUN * N_KINDS + Kind.PARTICLE))
        'verb 1 be _ noun+particle'
        """
        first, second = divmod(self.right, N_KINDS)
        right = Kind(second).name
        if self.word_class == "verb" and self.use != ATTRIBUTIVE:
            right = f"{Kind(first).name}+{right}"
        return f"{self.word_class} {self.use} {Kind(self.left).name} _ {right}".lower()


class PlaceCodes(NamedTuple):
    """The use, left and right (`Place`) of each token of a text; int64, shape (tokens,).

    `right` of a verb in a clause has two kinds: first * `N_KINDS` + second.
    """

    use: np.ndarray
    left: np.ndarray
    right: np.ndarray


def token_codes(token: str, tag: str) -> tuple[int, int, int]:
    """Kind, index in `CONTENT_CLASSES` and inflection (index of the tag in its class); -1 and 0 for
    other classes.
    """
    kind = kind_of(token, tag)
    word_class = coarse_class(tag)
    if word_class not in CONTENT_CLASSES:
        return kind, -1, 0
    return kind, CONTENT_CLASSES.index(word_class), TAGS_OF_CLASS[word_class].index(tag)


def find_places(kinds: np.ndarray, classes: np.ndarray, inflections: np.ndarray) -> PlaceCodes:
    """The places of all printed tokens, by their `token_codes`; sentences are between `END`."""
    before = np.roll(kinds, 1)
    after = np.roll(kinds, -1)
    governs = _last(~np.isin(kinds, ADVERBIAL))[np.arange(len(kinds)) - 1]
    governor = kinds[governs]
    participle = kinds == Kind.PARTICIPLE
    attributive = (
        (participle | (kinds == Kind.ING))
        & np.isin(before, (*DETERMINERS, *ADJECTIVES, Kind.NUMBER, *ADVERBIAL))
        & np.isin(after, (Kind.NOUN, Kind.NOUNS, *ADJECTIVES))
    )
    voice = np.where(participle & (governor != Kind.HAVE), PASSIVE, ACTIVE)
    voice[attributive] = ATTRIBUTIVE
    gap = np.isin(governor, (Kind.SUBJECT, Kind.PRONOUN)) & np.isin(
        kinds[governs - 1], (Kind.RELATIVE, Kind.WHO, Kind.NOUN, Kind.NOUNS)
    )
    left = {
        "noun": OPENER[_openers(kinds, before, after)],
        "verb": np.where(gap, GAP, GOVERNOR[governor]),
        "adjective": BEFORE_ADJECTIVE[before],
        "adverb": NEAR_ADVERB[before],
    }
    right = {
        "noun": FOLLOWER[after],
        "verb": np.where(attributive, FOLLOWER[after], _complements(kinds, before)),
        "adjective": AFTER_ADJECTIVE[after],
        "adverb": NEAR_ADVERB[after],
    }
    of_class = [classes == CONTENT_CLASSES.index(name) for name in left]
    return PlaceCodes(
        np.where(classes == CONTENT_CLASSES.index("verb"), voice, inflections),
        np.select(of_class, list(left.values())),
        np.select(of_class, list(right.values())),
    )


def places_of(tokens: Sequence[str], tags: Sequence[str]) -> dict[int, Place]:
    """Position -> place of every content word of a sentence.

    >>> places = places_of("He gave the old man up .".split(), ["PRP", "VBD", "DT", "JJ", "NN", "RP", "."])
    >>> [(position, str(place)) for position, place in places.items()]
    [(1, 'verb 0 subject _ noun+particle'), (3, 'adjective 0 the _ noun'), (4, 'noun 0 the _ particle')]
    """
    end = token_codes(".", ".")
    codes = np.array([end, *map(token_codes, tokens, tags), end])
    printed = np.flatnonzero(codes[:, 0] != Kind.UNPRINTED)
    kinds, classes, inflections = codes[printed].T
    found = np.column_stack([printed - 1, classes, *find_places(kinds, classes, inflections)])
    return {
        position: Place(CONTENT_CLASSES[number], use, left, right)
        for position, number, use, left, right in found[classes >= 0].tolist()
    }


def _openers(kinds: np.ndarray, before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """The opening kind of the noun phrase that ends at each position, modifiers skipped."""
    modifier = np.isin(kinds, _MODIFIERS)
    modifier |= (
        np.isin(kinds, (Kind.COMMA, Kind.AND))
        & np.isin(before, ADJECTIVES)
        & np.isin(after, ADJECTIVES)
    )
    opener: np.ndarray = kinds[_last(~modifier)[np.arange(len(kinds)) - 1]]
    return opener


def _complements(kinds: np.ndarray, before: np.ndarray) -> np.ndarray:
    """Kinds after a verb (adverbs skipped) and after its object: first * kinds + second."""
    last = len(kinds) - 1
    noun = np.isin(kinds, NOUNS)
    determiner = np.isin(kinds, DETERMINERS)
    nominal = noun | determiner | np.isin(kinds, ADJECTIVES)
    next_word = _next(~np.isin(kinds, ADVERBIAL))
    phrase_end = _next(~nominal | (determiner & np.isin(before, NOUNS)))
    ahead = next_word[np.minimum(np.arange(len(kinds)) + 1, last)]
    behind = np.minimum(ahead + 1, last)
    starts = nominal[ahead]
    end = np.where(starts, phrase_end[behind], behind)
    end = np.minimum(end, last)
    first = COMPLEMENT[kinds[ahead]]
    first = np.where(starts & (first == Kind.ADJECTIVE) & noun[end - 1], Kind.NOUN, first)
    has_second = np.isin(first, (Kind.NOUN, Kind.PARTICLE))
    has_second |= np.isin(kinds[ahead], (Kind.OBJECT, Kind.PRONOUN, Kind.REFLEXIVE))
    second = SECOND[kinds[np.minimum(next_word[end], last)]]
    return first * N_KINDS + np.where(has_second, second, Kind.END)


def _next(here: np.ndarray) -> np.ndarray:
    """The first position from each one on where `here` holds, else the length."""
    positions = np.where(here, np.arange(len(here)), len(here))
    return np.minimum.accumulate(positions[::-1])[::-1]


def _last(here: np.ndarray) -> np.ndarray:
    """The last position up to each one where `here` holds, else 0."""
    return np.maximum.accumulate(np.where(here, np.arange(len(here)), 0))
