"""Whether a word fits a place, from its uses in the training books.

Class and inflection (3.3) are not enough: *talked* has no object, *numerous* no singular noun.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from pydantic import Field

from cloze_gen.corpus.counts import Pair
from cloze_gen.english.penn_tags import CONTENT_CLASSES
from cloze_gen.recipes.scs.place_counts import PLACES
from cloze_gen.recipes.scs.places import ACTIVE, ATTRIBUTIVE, N_USES, PASSIVE, Place
from cloze_gen.recipes.scs.token_kinds import N_KINDS, Kind
from cloze_gen.settings import SettingsGroup
from cloze_gen.store.artifacts import Artifact

# Assumed use of a word that was not seen, relative to the average word, and the weight of this
# assumption in expected uses (a gamma prior on a Poisson rate).
_PRIOR_AFFINITY = 0.25
_PRIOR_USES = 4.0
# Least share of a class that must fit a place: few words mean near-synonyms or wrong tags.
_MIN_ACCEPTING_SHARE = 0.12
# Kinds after a verb that are objects, and the least share of its active uses with one:
# sigh 0.1, work 0.2, say 0.4, read 0.6, enclose 0.8.
_OBJECTS = (Kind.NOUN, Kind.OBJECT, Kind.REFLEXIVE)
_MIN_OBJECT_SHARE = 0.25
# Tokens of the average word, added before places are compared.
_PRIOR_TOKENS = 20
# Most tokens of a word in its class's average, so that very frequent words do not dominate.
_MOST_TOKENS = 500


class PlacesSettings(SettingsGroup):
    # Ratio of the word's share of uses in such a place to the average word's.
    min_affinity: float = Field(
        0.5,
        ge=0,
        le=10,
        description="least use of a word in such a place; average: 1, 0: off",
    )
    min_verb_affinity: float = Field(
        0.7, ge=0, le=10, description="the same for verbs, which have finer frames"
    )
    similar_share: float = Field(
        0.16,
        ge=0,
        lt=1,
        description="share of a class that is too similar; 0: off",
    )


@dataclass(frozen=True, slots=True)
class Fit:
    """How the words of a class fit a place, in the order of `Uses.words`.

    Attributes:
        takes: whether the word fits the place; bool, shape (words,).
        share: part of the word's uses that are in such a place, shrunk to the average.
        is_open: whether enough words fit.
    """

    takes: np.ndarray
    share: np.ndarray
    is_open: bool


class _Side:
    """Counts of the codes of one side of the places, or of both, as a dense table.

    Attributes:
        column_of: code -> column; codes that do not occur have the last column, of zeros.
        counts: shape (words, codes + 1).
        share: of each code in the uses of an average word, shape (codes + 1,).
    """

    def __init__(
        self, rows: np.ndarray, codes: np.ndarray, counts: np.ndarray, weight: np.ndarray
    ) -> None:
        distinct, columns = np.unique(codes, return_inverse=True)
        self.column_of = {code: column for column, code in enumerate(distinct.tolist())}
        self.counts = np.zeros((len(weight), len(distinct) + 1))
        np.add.at(self.counts, (rows, columns), counts)
        weighted = weight @ self.counts
        self.share = weighted / max(weighted.sum(), 1)

    def column(self, code: int) -> tuple[np.ndarray, float]:
        """The counts of a code, shape (words,), and its share of an average word's uses."""
        column = self.column_of.get(code, -1)
        return self.counts[:, column], float(self.share[column])


Codes = TypeVar("Codes", int, np.ndarray)


def _both_sides(left: Codes, right: Codes) -> Codes:
    """One code of what is before and after a word."""
    return left * N_KINDS**2 + right


class Uses:
    """The uses of the words of one class, in one voice or inflection.

    Attributes:
        words: (lemma, class) -> number of the word.
        total: uses of each word, shape (words,).
    """

    def __init__(
        self,
        words: Sequence[Pair],
        *,
        rows: np.ndarray,
        left: np.ndarray,
        right: np.ndarray,
        counts: np.ndarray,
        similar_share: float,
    ) -> None:
        self.words = {pair: number for number, pair in enumerate(words)}
        self.total = np.bincount(rows, counts, len(words))
        self.held = np.minimum(self.total, _MOST_TOKENS)
        weight = self.held / np.maximum(self.total, 1)
        self._left = _Side(rows, left, counts, weight)
        self._right = _Side(rows, right, counts, weight)
        self._both = _Side(rows, _both_sides(left, right), counts, weight)
        self._similar_share = similar_share

    def takes(self, place: Place, least: float) -> np.ndarray:
        """Which words are used in such a place at least `least` times as often as the average word.

        The ratios of what is before, after, and both are shrunk to `_PRIOR_AFFINITY`.
        """
        takes = np.ones(len(self.words), bool)
        for counts, share in (
            self._left.column(place.left),
            self._right.column(place.right),
            self._both.column(_both_sides(place.left, place.right)),
        ):
            expected = self.total * share
            ratio = (counts + _PRIOR_AFFINITY * _PRIOR_USES) / (expected + _PRIOR_USES)
            takes &= ratio >= least
        return takes

    def share(self, place: Place) -> np.ndarray:
        counts, share = self._both.column(_both_sides(place.left, place.right))
        return (counts + _PRIOR_TOKENS * share) / (self.total + _PRIOR_TOKENS)

    def have_objects(self) -> np.ndarray:
        """Which verbs take objects."""
        columns = [c for code, c in self._right.column_of.items() if code // N_KINDS in _OBJECTS]
        with_object = self._right.counts[:, columns].sum(axis=1)
        return with_object >= _MIN_OBJECT_SHARE * np.maximum(self.total, 1)

    @functools.cached_property
    def alike(self) -> np.ndarray:
        """Which words are similar or the same; bool, symmetric, shape (words, words).

        Each of two similar words is among the `similar_share` of the class that are nearest to the
        other, by the Bhattacharyya coefficients of what is before and what is after them.
        """
        n_words = len(self.words)
        alike = np.zeros((n_words, n_words), bool)
        n_nearest = round(self._similar_share * n_words)
        if n_nearest:
            shares = [
                (side.counts + _PRIOR_TOKENS * side.share) / (self.total + _PRIOR_TOKENS)[:, None]
                for side in (self._left, self._right)
            ]
            profiles = np.sqrt(np.hstack(shares)).astype(np.float32)
            for number, profile in enumerate(profiles):
                nearest = np.argpartition(-(profiles @ profile), n_nearest - 1)[:n_nearest]
                alike[number, nearest] = True
        alike &= alike.T
        np.fill_diagonal(alike, True)
        return alike


class PlaceTable:
    """The uses of all words, and how the words of a class fit each place."""

    def __init__(
        self, pairs: Sequence[Pair], counts: dict[str, np.ndarray], settings: PlacesSettings
    ) -> None:
        """`counts`: columns of `PLACES`; `row` is a number in `pairs`."""
        self._settings = settings
        self._fits: dict[Place, Fit] = {}
        self._uses: dict[tuple[str, int], Uses] = {}
        for word_class in CONTENT_CLASSES:
            words = [pair for pair in pairs if pair[1] == word_class]
            number_of = {pair: number for number, pair in enumerate(words)}
            numbers = np.array([number_of.get(pair, -1) for pair in pairs], np.int64)[counts["row"]]
            for use in range(N_USES):
                here = (numbers >= 0) & (counts["use"] == use)
                self._uses[word_class, use] = Uses(
                    words,
                    rows=numbers[here],
                    left=counts["left"][here],
                    right=counts["right"][here],
                    counts=counts["count"][here],
                    similar_share=settings.similar_share,
                )

    def uses(self, place: Place) -> Uses:
        return self._uses[place.word_class, place.use]

    def fit(self, place: Place) -> Fit:
        if place not in self._fits:
            self._fits[place] = self._new_fit(place)
        return self._fits[place]

    def takes(self, pair: Pair, place: Place) -> bool:
        """Whether the word and enough others fit the place."""
        fit = self.fit(place)
        return fit.is_open and bool(fit.takes[self.uses(place).words[pair]])

    def _new_fit(self, place: Place) -> Fit:
        """A passive needs a verb that takes objects: *is risen* and wrong tags look like passives."""
        uses = self.uses(place)
        is_verb = place.word_class == "verb"
        takes = uses.takes(
            place, self._settings.min_verb_affinity if is_verb else self._settings.min_affinity
        )
        if is_verb and place.use == PASSIVE:
            takes &= self._uses["verb", ACTIVE].have_objects()
        accepting = uses.held[takes].sum()
        is_open = bool(accepting >= _MIN_ACCEPTING_SHARE * uses.held.sum())
        after_noun = place.use == PASSIVE and place.left == Kind.NOUN
        if is_verb and (place.use == ATTRIBUTIVE or after_noun):
            is_open = False
        return Fit(takes, uses.share(place), is_open)


def read_places(artifact: Artifact, pairs: list[Pair], settings: PlacesSettings) -> PlaceTable:
    table = PLACES.read(artifact.path(PLACES.name))
    counts = {name: table[name].to_numpy() for name in PLACES.names}
    return PlaceTable(pairs, counts, settings)
