"""Whether a word fits a place, from its uses in the training books.

Class and inflection (3.3) are not enough: *talked* has no object, *numerous* no singular noun.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from pydantic import Field
from scipy.sparse import csc_array

from cloze_gen.corpus.counts import Pair
from cloze_gen.english.penn_tags import CONTENT_CLASSES
from cloze_gen.recipes.scs.place_counts import PLACES, join_keys, split_keys
from cloze_gen.recipes.scs.places import ACTIVE, ATTRIBUTIVE, N_USES, PASSIVE, Place
from cloze_gen.recipes.scs.token_kinds import N_KINDS, Kind
from cloze_gen.settings import SettingsGroup
from cloze_gen.store.artifacts import Artifact
from cloze_gen.store.tables import read_parquet

_RIGHTS = N_KINDS**2  # codes of the right neighbours
# right neighbours that are objects (`places.py`)
_OBJECTS = (Kind.NOUN, Kind.OBJECT, Kind.REFLEXIVE)
_MIN_OBJECT_SHARE = (
    0.25  # least share of a verb's active uses: sigh 0.1, work 0.2, say 0.4, read 0.6, enclose 0.8
)
_PRIOR_TOKENS = 20  # tokens of the average word, added before places are compared
# lower bound of a word's dissimilar share, so that weights stay small
_LEAST_SHARE = 0.1
# most tokens of a word in its kind's average, so that very frequent words do not dominate
_HELD_SHARE = 500


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
    prior_affinity: float = Field(
        0.25, ge=0, le=10, description="assumed use of a word that was not seen"
    )
    prior_uses: float = Field(
        4.0,
        gt=0,
        le=1000,
        description="weight of the assumed use, in expected uses",
    )
    min_accepting_share: float = Field(
        0.12,
        ge=0,
        lt=1,
        description="least share of a class that fits the place; 0: off",
    )
    similar_share: float = Field(
        0.16,
        ge=0,
        lt=1,
        description="share of a class that is too similar; 0: off",
    )


class Likeness(NamedTuple):
    """Which words of a class are similar: bool, symmetric. `number_of`: pair -> row and column."""

    number_of: Mapping[Pair, int]
    matrix: np.ndarray


class PlaceTable:
    """How much more often a word is used in a place than an average word of its class and use.

    `prior_uses` expected uses shrink each ratio (before, after, both) towards `prior_affinity` (a
    gamma prior on a Poisson rate). All three must reach `min_affinity`. A passive place also
    requires a verb that takes objects, because *is risen* and tagging errors look like passives.
    """

    def __init__(
        self,
        pairs: Sequence[Pair],
        *,
        keys: np.ndarray,
        counts: np.ndarray,
        settings: PlacesSettings,
    ) -> None:
        self._settings = settings
        self._row_of = {pair: row for row, pair in enumerate(pairs)}
        self._class_of = np.array([CONTENT_CLASSES.index(name) for _, name in pairs], np.int64)
        row, use, left, right = split_keys(keys)
        unit = row * N_USES + use
        shape = len(pairs) * N_USES
        self._uses = np.bincount(unit, counts, shape)
        active = (use == ACTIVE) & (self._class_of[row] == CONTENT_CLASSES.index("verb"))
        has_object = active & np.isin(right // N_KINDS, _OBJECTS)
        total, transitive = (
            np.bincount(row[some], counts[some], len(pairs)) for some in (active, has_object)
        )
        self._has_objects = transitive >= _MIN_OBJECT_SHARE * np.maximum(total, 1)
        groups = self._group(np.arange(shape))
        self._facets = [
            _Facet(code, unit, counts, self._uses, groups)
            for code in (left, right, left * _RIGHTS + right)
        ]

    def _group(self, unit: np.ndarray) -> np.ndarray:
        return self._class_of[unit // N_USES] * N_USES + unit % N_USES

    @functools.cache  # noqa: B019 - one object per process, as long-lived as its cache
    def takers(self, place: Place) -> np.ndarray:
        own = self._class_of == CONTENT_CLASSES.index(place.word_class)
        units = np.flatnonzero(own) * N_USES + place.use
        group = CONTENT_CLASSES.index(place.word_class) * N_USES + place.use
        takes = np.ones(len(units), bool)
        least = (
            self._settings.min_verb_affinity
            if place.word_class == "verb"
            else self._settings.min_affinity
        )
        prior, weight = self._settings.prior_affinity, self._settings.prior_uses
        for facet, code in zip(
            self._facets, (place.left, place.right, place.left * _RIGHTS + place.right), strict=True
        ):
            seen, share = facet.column(code, group)
            takes &= (seen[units] + prior * weight) / (self._uses[units] * share + weight) >= least
        found = np.zeros(len(self._class_of), bool)
        found[own] = takes
        if place.word_class == "verb" and place.use == PASSIVE:
            found &= self._has_objects
        return found

    def takes(self, pair: Pair, place: Place) -> bool:
        return bool(self.takers(place)[self._row_of[pair]])

    @functools.cache  # noqa: B019 - as above
    def _shares(self, place: Place) -> np.ndarray:
        number = CONTENT_CLASSES.index(place.word_class)
        seen, share = self._facets[2].column(
            place.left * _RIGHTS + place.right, number * N_USES + place.use
        )
        units = np.arange(len(self._class_of)) * N_USES + place.use
        shares: np.ndarray = (seen[units] + _PRIOR_TOKENS * share) / (
            self._uses[units] + _PRIOR_TOKENS
        )
        return shares

    def share(self, pair: Pair, place: Place) -> float:
        return float(self._shares(place)[self._row_of[pair]])

    @functools.cache  # noqa: B019 - as above
    def is_open(self, place: Place) -> bool:
        """Whether enough words fit a place; few words mean near-synonyms or wrong tags."""
        if place.word_class == "verb" and (
            place.use == ATTRIBUTIVE or (place.use == PASSIVE and place.left == Kind.NOUN)
        ):
            return False
        own = np.flatnonzero(self._class_of == CONTENT_CLASSES.index(place.word_class))
        weight = np.minimum(self._uses[own * N_USES + place.use], _HELD_SHARE)
        return bool(
            weight[self.takers(place)[own]].sum()
            >= self._settings.min_accepting_share * weight.sum()
        )

    @functools.cache  # noqa: B019 - as above
    def likeness(self, word_class: str, use: int) -> Likeness:
        """Which words are similar: each is in the other's most similar share of the class."""
        own, profiles = self._profiles(CONTENT_CLASSES.index(word_class), use)
        matrix = np.zeros((len(own), len(own)), bool)
        n = round(self._settings.similar_share * len(own))
        if n:
            for i, profile in enumerate(profiles):
                matrix[i, np.argpartition(-(profiles @ profile), n - 1)[:n]] = True
        numbers = {
            pair: number
            for number, pair in enumerate(pair for pair in self._row_of if pair[1] == word_class)
        }
        return Likeness(numbers, matrix & matrix.T)

    def _profiles(self, number: int, use: int) -> tuple[np.ndarray, np.ndarray]:
        """Roots of a class's shrunk shares, float32, shape (rows, codes).

        The product of two rows is twice the mean of their Bhattacharyya coefficients.
        """
        own = np.flatnonzero(self._class_of == number)
        parts = [
            facet.shares(own * N_USES + use, number * N_USES + use, self._uses)
            for facet in self._facets[:2]
        ]
        return own, np.sqrt(np.hstack(parts)).astype(np.float32)


class _Facet:
    """Counts of one side of the places, or of both, by word, and for the average word of a kind."""

    def __init__(
        self,
        codes: np.ndarray,
        unit: np.ndarray,
        counts: np.ndarray,
        uses: np.ndarray,
        groups: np.ndarray,
    ) -> None:
        self._codes, column = np.unique(codes, return_inverse=True)
        self._counts = csc_array((counts, (unit, column)), shape=(len(uses), len(self._codes)))
        # weight of each token of a word
        weight = np.minimum(uses, _HELD_SHARE) / np.maximum(uses, 1)
        n_groups = len(CONTENT_CLASSES) * N_USES
        cells = np.bincount(
            groups[unit] * len(self._codes) + column,
            counts * weight[unit],
            n_groups * len(self._codes),
        )
        totals = np.bincount(groups, uses * weight, n_groups)
        self._share = cells.reshape(n_groups, -1) / np.maximum(totals, 1)[:, None]

    def column(self, code: int, group: int) -> tuple[np.ndarray, float]:
        """Counts of a code, shape (units,), and its share of an average word's uses."""
        at = int(np.searchsorted(self._codes, code))
        if at == len(self._codes) or self._codes[at] != code:
            return np.zeros(self._counts.shape[0]), 0.0
        column = self._counts[:, [at]].toarray()[:, 0]
        return column, float(self._share[group, at])

    def shares(self, units: np.ndarray, group: int, uses: np.ndarray) -> np.ndarray:
        """Shares of the codes of a kind, shrunk to the average; float64, shape (units, codes)."""
        some = np.flatnonzero(self._share[group])
        counts = self._counts[:, some].tocsr()[units].toarray()
        shares: np.ndarray = (counts + _PRIOR_TOKENS * self._share[group, some]) / (
            uses[units] + _PRIOR_TOKENS
        )[:, None]
        return shares


def unlike_share(
    counts: np.ndarray, numbers: np.ndarray, matrix: np.ndarray, *, reach: int
) -> np.ndarray:
    """Share of the tokens near each form of a pool that belong to dissimilar forms.

    At least `_LEAST_SHARE`. `reach`: most ranks of a window on each side; 0: all shares are 1.

    >>> alike = np.array([[True, True, False], [True, True, False], [False, False, True]])
    >>> unlike_share(np.array([8.0, 8.0, 8.0]), np.arange(3), alike, reach=2).round(2).tolist()
    [0.33, 0.5, 1.0]
    """
    n = len(counts)
    if not reach:
        return np.ones(n)
    unlike, near = np.zeros(n), np.full(n, 1e-300)
    for apart in range(1, min(reach, n - 1) + 1):
        free, common = ~matrix[numbers[:-apart], numbers[apart:]], 1 - apart / (reach + 1)
        for own, other in (
            (slice(0, n - apart), slice(apart, n)),
            (slice(apart, n), slice(0, n - apart)),
        ):
            unlike[own] += common * free * counts[other]
            near[own] += common * counts[other]
    return np.maximum(unlike / near, _LEAST_SHARE)


def read_places(artifact: Artifact, *, pairs: list[Pair], settings: PlacesSettings) -> PlaceTable:
    columns = [column.to_numpy() for column in read_parquet(artifact.path(PLACES)).columns]
    return PlaceTable(pairs, keys=join_keys(*columns[:4]), counts=columns[4], settings=settings)
