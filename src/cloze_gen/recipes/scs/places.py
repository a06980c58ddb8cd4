"""The place of a content word: what is before and after it, by kinds of tokens, without parsing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class Places:
    """Codes of the place that a word of each class would have at every position of a text.

    Attributes:
        voice: int64, shape (tokens,), of a verb: `ACTIVE`, `PASSIVE`, `ATTRIBUTIVE`.
        left, right: int64, shape (classes, tokens): a kind; `right` of a verb: first * kinds + second.
    """

    voice: np.ndarray
    left: np.ndarray
    right: np.ndarray


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
        right = f"{Kind(first).name}+{Kind(second).name}" if self._is_clause else Kind(second).name
        return f"{self.word_class} {self.use} {Kind(self.left).name} _ {right}".lower()

    @property
    def _is_clause(self) -> bool:
        return self.word_class == "verb" and self.use != ATTRIBUTIVE


def find_places(kinds: np.ndarray) -> Places:
    """The places of all positions, from kinds of printed tokens with `END` around sentences.

    >>> words = [Kind.END, Kind.SUBJECT, Kind.FINITE, Kind.ADVERB, Kind.THE, Kind.ADJECTIVE, Kind.NOUN, Kind.PARTICLE, Kind.END]
    >>> places = find_places(np.array(words))
    >>> [Kind(kind).name for kind in divmod(int(places.right[1, 2]), N_KINDS)], Kind(places.left[0, 6]).name
    (['NOUN', 'PARTICLE'], 'THE')
    """
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
    return Places(
        voice,
        np.stack([left[name] for name in CONTENT_CLASSES]),
        np.stack([right[name] for name in CONTENT_CLASSES]),
    )


def use_of(tag: str, voice: int) -> int:
    """A verb's voice, else the index of the tag among its class's tags."""
    name = coarse_class(tag)
    return voice if name == "verb" else TAGS_OF_CLASS[name].index(tag)


def places_of(tokens: Sequence[str], tags: Sequence[str]) -> dict[int, Place]:
    """Position -> place of every content word of a sentence.

    >>> places = places_of("He gave the old man up .".split(), ["PRP", "VBD", "DT", "JJ", "NN", "RP", "."])
    >>> [(position, place.word_class) for position, place in places.items()]
    [(1, 'verb'), (3, 'adjective'), (4, 'noun')]
    """
    kinds = [kind_of(token, tag) for token, tag in zip(tokens, tags, strict=True)]
    printed = [i for i, kind in enumerate(kinds) if kind is not Kind.UNPRINTED]
    coded = find_places(np.array([Kind.END, *(kinds[i] for i in printed), Kind.END], np.int64))
    places = {}
    for at, position in enumerate(printed, 1):
        word_class = coarse_class(tags[position])
        if word_class in CONTENT_CLASSES:
            row = CONTENT_CLASSES.index(word_class)
            use = use_of(tags[position], int(coded.voice[at]))
            left, right = int(coded.left[row, at]), int(coded.right[row, at])
            places[position] = Place(word_class, use, left, right)
    return places


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
