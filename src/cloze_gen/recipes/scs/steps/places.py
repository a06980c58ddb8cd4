"""Whether a word takes a place: how often, for a word of its kind, the training books put it in such places.

The paper takes the right class and inflection for syntactic correctness (3.3). They are not enough: *talked* has no object, *numerous* no
singular noun, *back* qualifies no adjective. What a word takes is a fact of the word alone. It is counted from what stands beside it by
closed classes of words, and by the classes of other words, never by which word (`english.token_kinds`): no relation between two content
words is looked at, so as far as this knows no answer is more at home in its sentence than its impostors are.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from pydantic import Field
from scipy.sparse import csc_array

from cloze_gen.english.neighbour_kinds import N_KINDS
from cloze_gen.english.places import ACTIVE, ATTRIBUTIVE, CLASSES, N_USES, PASSIVE, Place
from cloze_gen.english.token_kinds import Kind
from cloze_gen.settings import IgnoredWhen, SettingsGroup
from cloze_gen.stats.lemma_counts import Pair
from cloze_gen.stats.place_counts import split_keys

_RIGHTS = N_KINDS**2  # codes of what stands after
_OBJECTS = (Kind.NOUN, Kind.OBJECT, Kind.REFLEXIVE)  # of what may follow a verb (`english.places`)
_MIN_OBJECT_SHARE = 0.25  # of a verb's active uses: sigh 0.1, work 0.2, say 0.4, read 0.6, enclose 0.8
_PRIOR_TOKENS = 20  # of the average word, added to each word's own before places are compared
_LEAST_SHARE = 0.1  # of what stands near a word that it is taken to be unlike: no weight is raised more than that makes of it
_HELD_SHARE = 500  # tokens of a word that weigh in its kind's average: the commonest words must not be the measure of the others


class PlacesSettings(SettingsGroup):
    """Settings of what place a word takes."""

    min_affinity: float = Field(
        0.5,
        ge=0,
        le=10,
        description="inclusive: share of the word's uses that are in such a place, over the average word's; 0 asks nothing",
    )
    min_verb_affinity: float = Field(0.7, ge=0, le=10, description="inclusive: the same of verbs, whose frames are finer")
    prior_affinity: float = Field(0.25, ge=0, le=10, description="of a word about which nothing is known")
    prior_uses: float = Field(4.0, gt=0, le=1000, description="uses expected in such a place that weigh as much as knowing nothing")
    min_takers: float = Field(
        0.12, ge=0, lt=1, description="inclusive: share of the words of a class, weighed by their uses, that a place must take; 0: any"
    )
    alike_share: float = Field(
        0.16,
        ge=0,
        lt=1,
        description="share of its class most like a word in its places; no two options are so to each other; 0: any are",
    )

    ignored_when = (IgnoredWhen(("prior_affinity", "prior_uses"), {"min_affinity": (0,), "min_verb_affinity": (0,)}),)


class Likeness(NamedTuple):
    """Which words of a class are alike.

    Attributes:
        number_of: pair -> its row and column.
        matrix: bool, shape (words, words), symmetric.
    """

    number_of: Mapping[Pair, int]
    matrix: np.ndarray


class PlaceTable:
    """What places words take.

    Three times it is asked how many of a word's uses are like the place, over how many would be were it an average word of its class and
    use: by what stands before, by what stands after, by both. Each ratio is drawn towards `prior_affinity` by `prior_uses` expected uses
    (a gamma prior on a Poisson rate), so a rare word must be seen in a rare place, and none must be below `min_affinity`. A passive place
    asks besides for a verb that has objects: *is risen* and the tagger's slips look like passives.
    """

    def __init__(self, pairs: Sequence[Pair], *, keys: np.ndarray, counts: np.ndarray, settings: PlacesSettings) -> None:
        """A table of counts.

        Args:
            pairs: (lemma, class) of every row.
            keys, counts: int64, shape (different keys,): as `stats.place_counts` counts them.
        """
        self._settings = settings
        self._row_of = {pair: row for row, pair in enumerate(pairs)}
        self._class_of = np.array([CLASSES.index(name) for _, name in pairs], np.int64)
        row, use, left, right = split_keys(keys)
        unit = row * N_USES + use
        shape = len(pairs) * N_USES
        self._uses = np.bincount(unit, counts, shape)
        active = (use == ACTIVE) & (self._class_of[row] == CLASSES.index("verb"))
        has_object = active & np.isin(right // N_KINDS, _OBJECTS)
        total, transitive = (np.bincount(row[some], counts[some], len(pairs)) for some in (active, has_object))
        self._has_objects = transitive >= _MIN_OBJECT_SHARE * np.maximum(total, 1)
        groups = self._group(np.arange(shape))
        self._facets = [_Facet(code, unit, counts, self._uses, groups) for code in (left, right, left * _RIGHTS + right)]

    def _group(self, unit: np.ndarray) -> np.ndarray:
        return self._class_of[unit // N_USES] * N_USES + unit % N_USES

    @functools.cache  # noqa: B019 - one object a process, living as long as its cache
    def takers(self, place: Place) -> np.ndarray:
        """bool, shape (rows,): which words take a place."""
        own = self._class_of == CLASSES.index(place.word_class)
        units = np.flatnonzero(own) * N_USES + place.use
        group = CLASSES.index(place.word_class) * N_USES + place.use
        takes = np.ones(len(units), bool)
        least = self._settings.min_verb_affinity if place.word_class == "verb" else self._settings.min_affinity
        prior, weight = self._settings.prior_affinity, self._settings.prior_uses
        for facet, code in zip(self._facets, (place.left, place.right, place.left * _RIGHTS + place.right), strict=True):
            seen, share = facet.column(code, group)
            takes &= (seen[units] + prior * weight) / (self._uses[units] * share + weight) >= least
        found = np.zeros(len(self._class_of), bool)
        found[own] = takes
        if place.word_class == "verb" and place.use == PASSIVE:
            found &= self._has_objects
        return found

    def takes(self, pair: Pair, place: Place) -> bool:
        """Whether a word takes a place."""
        return bool(self.takers(place)[self._row_of[pair]])

    @functools.cache  # noqa: B019 - the same
    def _shares(self, place: Place) -> np.ndarray:
        """float64, shape (rows,): share of each word's uses that are in such a place, on both sides, drawn to the average word's."""
        number = CLASSES.index(place.word_class)
        seen, share = self._facets[2].column(place.left * _RIGHTS + place.right, number * N_USES + place.use)
        units = np.arange(len(self._class_of)) * N_USES + place.use
        shares: np.ndarray = (seen[units] + _PRIOR_TOKENS * share) / (self._uses[units] + _PRIOR_TOKENS)
        return shares

    def share(self, pair: Pair, place: Place) -> float:
        """Share of a word's uses that are in such a place."""
        return float(self._shares(place)[self._row_of[pair]])

    @functools.cache  # noqa: B019 - the same
    def is_open(self, place: Place) -> bool:
        """Whether a place takes enough words to ask one of them.

        Where few can stand, those few do the same work: verbs before an infinitive begin, try or cease. Or the tags are wrong.
        A participle right after a noun may as well be a past tense (*clouds gathered*), one before its noun an adjective or a noun.
        """
        if place.word_class == "verb" and (place.use == ATTRIBUTIVE or (place.use == PASSIVE and place.left == Kind.NOUN)):
            return False
        own = np.flatnonzero(self._class_of == CLASSES.index(place.word_class))
        weight = np.minimum(self._uses[own * N_USES + place.use], _HELD_SHARE)
        return bool(weight[self.takers(place)[own]].sum() >= self._settings.min_takers * weight.sum())

    @functools.cache  # noqa: B019 - the same
    def likeness(self, word_class: str, use: int) -> Likeness:
        """Which words of a class are alike in their places: each is among the `alike_share` that are most like the other.

        Synonyms, and words that do the same work (*answered*, *cried*; *equally*, *particularly*), stand in the same places about as often.
        Each word's places are counted by itself, so this compares two facts of single words, as a dictionary's labels would be compared.
        """
        own, profiles = self._profiles(CLASSES.index(word_class), use)
        matrix = np.zeros((len(own), len(own)), bool)
        n = round(self._settings.alike_share * len(own))
        if n:
            for i, profile in enumerate(profiles):
                matrix[i, np.argpartition(-(profiles @ profile), n - 1)[:n]] = True
        numbers = {pair: number for number, pair in enumerate(pair for pair in self._row_of if pair[1] == word_class)}
        return Likeness(numbers, matrix & matrix.T)

    def _profiles(self, number: int, use: int) -> tuple[np.ndarray, np.ndarray]:
        """The rows of a class, and float32, shape (rows of it, codes): roots of each word's shares of what stands before and after.

        The product of two rows is twice the mean of their Bhattacharyya coefficients. A rare word's shares are drawn to the average word's.
        """
        own = np.flatnonzero(self._class_of == number)
        parts = [facet.shares(own * N_USES + use, number * N_USES + use, self._uses) for facet in self._facets[:2]]
        return own, np.sqrt(np.hstack(parts)).astype(np.float32)


class _Facet:
    """Counts of one side of the places, or of both sides: how often each word has each, and the average word of its kind."""

    def __init__(self, codes: np.ndarray, unit: np.ndarray, counts: np.ndarray, uses: np.ndarray, groups: np.ndarray) -> None:
        self._codes, column = np.unique(codes, return_inverse=True)
        self._counts = csc_array((counts, (unit, column)), shape=(len(uses), len(self._codes)))
        weight = np.minimum(uses, _HELD_SHARE) / np.maximum(uses, 1)  # of each token of a word
        n_groups = len(CLASSES) * N_USES
        cells = np.bincount(groups[unit] * len(self._codes) + column, counts * weight[unit], n_groups * len(self._codes))
        totals = np.bincount(groups, uses * weight, n_groups)
        self._share = cells.reshape(n_groups, -1) / np.maximum(totals, 1)[:, None]

    def column(self, code: int, group: int) -> tuple[np.ndarray, float]:
        """float64, shape (units,): each word's count of a code; and the share that the code has of an average word's uses."""
        at = int(np.searchsorted(self._codes, code))
        if at == len(self._codes) or self._codes[at] != code:
            return np.zeros(self._counts.shape[0]), 0.0
        column = self._counts[:, [at]].toarray()[:, 0]
        return column, float(self._share[group, at])

    def shares(self, units: np.ndarray, group: int, uses: np.ndarray) -> np.ndarray:
        """float64, shape (units, codes): each word's shares of the codes that its kind has, drawn to the average by `_PRIOR_TOKENS`."""
        some = np.flatnonzero(self._share[group])
        counts = self._counts[:, some].tocsr()[units].toarray()
        shares: np.ndarray = (counts + _PRIOR_TOKENS * self._share[group, some]) / (uses[units] + _PRIOR_TOKENS)[:, None]
        return shares


def unlike_share(counts: np.ndarray, numbers: np.ndarray, matrix: np.ndarray, *, reach: int) -> np.ndarray:
    """Of the tokens near each form of a pool, the share of those of forms that it is unlike.

    Args:
        counts: float64, shape (forms,): how often running text puts each in such a place.
        numbers: int64, shape (forms,): of each in `matrix`.
        matrix: bool, shape (words, words): which words are alike (`Likeness`).
        reach: ranks on each side that one window may hold with it; what is farther is in fewer windows. 0: no window, all ones.
    Returns:
        float64, shape (forms,); not below `_LEAST_SHARE`.

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
        for own, other in ((slice(0, n - apart), slice(apart, n)), (slice(apart, n), slice(0, n - apart))):
            unlike[own] += common * free * counts[other]
            near[own] += common * counts[other]
    return np.maximum(unlike / near, _LEAST_SHARE)
