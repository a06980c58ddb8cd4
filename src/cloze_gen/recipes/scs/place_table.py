"""Whether a word fits a place, from its uses in the training books.

Class and inflection (3.3) are not enough: *talked* has no object, *numerous* no singular noun.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import scipy
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


# Columns of `Uses`: each code of what is before a word, of what is after it, and of both.
_AFTER = N_KINDS
_BOTH = _AFTER + N_KINDS**2
_N_COLUMNS = _BOTH + N_KINDS**3


def _columns(left: Any, right: Any) -> list[Any]:
    """The columns that count a place (ints), or each of several places (arrays)."""
    return [left, _AFTER + right, _BOTH + left * N_KINDS**2 + right]


class Uses:
    """The uses of the words of one class, in one voice or inflection.

    Attributes:
        held: tokens of each word, at most `_MOST_TOKENS`; shape (words,).
    """

    def __init__(
        self, n_words: int, uses: Mapping[str, np.ndarray], *, similar_share: float
    ) -> None:
        """`uses`: columns of `PLACES`, and `number`, that of the word in its class."""
        columns = np.concatenate(_columns(uses["left"], uses["right"]))
        cells = np.tile(uses["count"], 3), (np.tile(uses["number"], 3), columns)
        self._counts = scipy.sparse.csc_array(cells, shape=(n_words, _N_COLUMNS))
        self._total = np.bincount(uses["number"], uses["count"], n_words)
        self.held = np.minimum(self._total, _MOST_TOKENS)
        weights = self.held / np.maximum(self._total, 1)
        # Share of the average word's uses.
        self._average = weights @ self._counts / max(self.held.sum(), 1)
        self._similar_share = similar_share

    def takes(self, place: Place, least: float) -> np.ndarray:
        """Which words are used in such a place at least `least` times as often as the average word.

        The ratios of what is before, after, and both are shrunk to `_PRIOR_AFFINITY`.
        """
        columns = _columns(place.left, place.right)
        counts = self._counts[:, columns].toarray()
        expected = np.outer(self._total, self._average[columns])
        ratio = (counts + _PRIOR_AFFINITY * _PRIOR_USES) / (expected + _PRIOR_USES)
        return np.all(ratio >= least, axis=1)

    def share(self, place: Place) -> np.ndarray:
        """Part of each word's uses that are in such a place; shape (words,)."""
        return self._shares(_columns(place.left, place.right)[-1:])[:, 0]

    def have_objects(self) -> np.ndarray:
        """Which verbs take objects."""
        first_kind = np.arange(N_KINDS**2) // N_KINDS
        columns = _AFTER + np.flatnonzero(np.isin(first_kind, _OBJECTS))
        with_object = self._counts[:, columns].sum(axis=1)
        return with_object >= _MIN_OBJECT_SHARE * np.maximum(self._total, 1)

    @functools.cached_property
    def alike(self) -> np.ndarray:
        """Which words are similar or the same; bool, symmetric, shape (words, words).

        Each of two similar words is among the `similar_share` of the class that are nearest to the
        other, by the Bhattacharyya coefficients of what is before and what is after them.
        """
        n_words = len(self._total)
        alike = np.zeros((n_words, n_words), bool)
        n_nearest = round(self._similar_share * n_words)
        if n_nearest:
            profiles = np.sqrt(self._shares(np.flatnonzero(self._average[:_BOTH])))
            profiles = profiles.astype(np.float32)
            for number, profile in enumerate(profiles):
                nearest = np.argpartition(-(profiles @ profile), n_nearest - 1)[:n_nearest]
                alike[number, nearest] = True
        alike &= alike.T
        np.fill_diagonal(alike, True)
        return alike

    def _shares(self, columns: Sequence[int] | np.ndarray) -> np.ndarray:
        """Parts of each word's uses, shrunk to the average; shape (words, columns)."""
        counts = self._counts[:, columns].toarray() + _PRIOR_TOKENS * self._average[columns]
        return counts / (self._total[:, None] + _PRIOR_TOKENS)


class PlaceTable:
    """The uses of all words, and which words of a class fit each place.

    Attributes:
        number_of: (lemma, class) -> number of the word in its class.
    """

    def __init__(
        self, pairs: Sequence[Pair], counts: Mapping[str, np.ndarray], settings: PlacesSettings
    ) -> None:
        """`counts`: columns of `PLACES`; `row` is a number in `pairs`."""
        self._settings = settings
        self._fitting: dict[Place, np.ndarray] = {}
        self._uses: dict[tuple[str, int], Uses] = {}
        self.number_of: dict[Pair, int] = {}
        sizes: Counter[str] = Counter()
        for lemma, word_class in pairs:
            self.number_of[lemma, word_class] = sizes[word_class]
            sizes[word_class] += 1
        numbers = np.array(list(self.number_of.values()))
        classes = np.array([word_class for _, word_class in pairs])
        columns = {**counts, "number": numbers[counts["row"]]}
        for word_class in CONTENT_CLASSES:
            for use in range(N_USES):
                here = (classes[counts["row"]] == word_class) & (counts["use"] == use)
                self._uses[word_class, use] = Uses(
                    sizes[word_class],
                    {name: column[here] for name, column in columns.items()},
                    similar_share=settings.similar_share,
                )

    def uses(self, place: Place) -> Uses:
        return self._uses[place.word_class, place.use]

    def takes(self, pair: Pair, place: Place) -> bool:
        return bool(self.fitting(place)[self.number_of[pair]])

    def fitting(self, place: Place) -> np.ndarray:
        """Which words of the class fit a place, by number; none if few do."""
        if place not in self._fitting:
            self._fitting[place] = self._find_fitting(place)
        return self._fitting[place]

    def _find_fitting(self, place: Place) -> np.ndarray:
        """A passive needs a verb that takes objects: *is risen* and wrong tags look like passives."""
        uses = self.uses(place)
        least = self._settings.min_affinity
        if place.word_class == "verb":
            least = self._settings.min_verb_affinity
        fitting = uses.takes(place, least)
        if place.word_class == "verb" and place.use == PASSIVE:
            fitting &= self._uses["verb", ACTIVE].have_objects()
            fitting &= place.left != Kind.NOUN
        if place.word_class == "verb" and place.use == ATTRIBUTIVE:
            fitting[:] = False
        is_open = uses.held[fitting].sum() >= _MIN_ACCEPTING_SHARE * uses.held.sum()
        return fitting & is_open


def read_places(artifact: Artifact, pairs: list[Pair], settings: PlacesSettings) -> PlaceTable:
    table = PLACES.read(artifact.path(PLACES.name))
    counts = {name: table[name].to_numpy() for name in PLACES.names}
    return PlaceTable(pairs, counts, settings)
