"""Impostors: four lemmas of the focus word's class and inflection (Argouarc'h 2018, 3.3).

`uniform` is the paper's draw. The most frequent option is then right in about 56 % of the
questions. `matched` first draws a random frequency window that contains the answer, so that each of
the five options is equally likely to be the answer (Bayes). A set with two similar words is dropped
whole, because replacing one word would favour words that differ from most others.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from cloze_gen.english.articles import breaks_article
from cloze_gen.english.content_words import stem
from cloze_gen.recipes.scs.focus import Form
from cloze_gen.recipes.scs.place_table import PlaceTable
from cloze_gen.recipes.scs.places import Place

N_IMPOSTORS = 4  # 3.3; the file formats require four
WINDOW_RANKS = 16  # words on each side of a window, in order of frequency
# Sets drawn at a time, and how often. One in 50 to 100 fits; after 2,000 hardly another word gets
# impostors.
_SETS = 128
_ROUNDS = 16
# From the options alone, 23.7 % of the questions were solved with power 0, 21.9 % with 1.5, and
# 22.3 % without a similarity test. With a higher power, more words get no impostors.
_POWER = 1.5
# Lower bound of a word's dissimilar share, so that weights stay small.
_LEAST_SHARE = 0.1
_LEAST_WEIGHT = 1e-300


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """Forms that can replace one another in a place, rarest first.

    Attributes:
        weights: relative odds of being drawn, shape (forms,).
        numbers: of the forms in `alike`, shape (forms,).
        alike: whether two words of the class are similar or the same (`Uses.alike`).
    """

    forms: Sequence[Form]
    weights: np.ndarray
    numbers: np.ndarray
    alike: np.ndarray


class Pools:
    """The forms by inflection and place: same tag, same trait, and all that the answer shows.

    `walked` (VBD+VBN) needs words with equal past tense and participle (`cells`).

    Attributes:
        forms: (lemma, tag) -> the form that may be an option.
        matched: whether the weights are for windows of frequency.
    """

    def __init__(
        self, forms: Mapping[tuple[str, str], Form], places: PlaceTable, *, matched: bool
    ) -> None:
        self.forms = forms
        self.places = places
        self.matched = matched
        self._rarest_first = sorted(forms.values(), key=_by_frequency)
        self._pools: dict[tuple[str, str, str, Place], Pool] = {}

    def pool(self, answer: Form, place: Place) -> Pool:
        key = (answer.tag, answer.trait, answer.cells, place)
        if key not in self._pools:
            self._pools[key] = self._new_pool(answer, place)
        return self._pools[key]

    def _new_pool(self, answer: Form, place: Place) -> Pool:
        uses = self.places.uses(place)
        number_of = self.places.number_of
        fitting = self.places.fitting(place)
        cells = set(answer.cells.split("+"))
        forms = [
            form
            for form in self._rarest_first
            if (form.tag, form.trait) == (answer.tag, answer.trait)
            and cells <= set(form.cells.split("+"))
            and fitting[number_of[form.pair]]
        ]
        numbers = np.array([number_of[form.pair] for form in forms], np.int64)
        weights = np.ones(len(forms))
        if self.matched:
            counts = np.array([form.tag_count for form in forms]) * uses.share(place)[numbers]
            unlike = unlike_share(counts, numbers, uses.alike, reach=2 * WINDOW_RANKS)
            # With places.min_affinity = 0, all counts of a place may be 0; then all odds are even.
            weights = np.maximum(counts / unlike**_POWER, _LEAST_WEIGHT)
        return Pool(forms, weights, numbers, uses.alike)


def unlike_share(
    counts: np.ndarray, numbers: np.ndarray, alike: np.ndarray, *, reach: int
) -> np.ndarray:
    """Share of the tokens near each form that belong to dissimilar forms, at least `_LEAST_SHARE`.

    Near forms are up to `reach` ranks away. The nearer, the more windows hold both, and the more
    the form counts. `numbers`: of the forms in `alike`.

    >>> alike = np.array([[True, True, False], [True, True, False], [False, False, True]])
    >>> unlike_share(np.array([8.0, 8.0, 8.0]), np.arange(3), alike, reach=2).round(2).tolist()
    [0.33, 0.5, 1.0]
    """
    ranks = np.arange(len(counts))[:, None]
    apart = np.arange(-reach, reach + 1)
    near = ranks + apart
    closeness = (1 - np.abs(apart) / (reach + 1)) * (apart != 0)
    exists = (near >= 0) & (near < len(counts))
    near = np.where(exists, near, 0)
    tokens = closeness * exists * counts[near]
    unlike = (tokens * ~alike[numbers[ranks], numbers[near]]).sum(axis=1)
    return np.maximum(unlike / np.maximum(tokens.sum(axis=1), _LEAST_WEIGHT), _LEAST_SHARE)


def draw_impostors(
    answer: Form,
    pool: Pool,
    *,
    suits: Callable[[str], bool],
    n_more_frequent: int | None,
    rng: np.random.Generator,
) -> list[Form]:
    """Four forms of the pool, neither similar to each other nor to the answer; or none.

    Args:
        suits: whether a word may replace the answer in its sentence.
        n_more_frequent: how many impostors must be more frequent than the answer (`matched`);
            None: any number of them, and words of all frequencies (`uniform`).
    """
    answer_index = bisect_left(pool.forms, _by_frequency(answer), key=_by_frequency)
    reach = len(pool.forms) if n_more_frequent is None else 2 * WINDOW_RANKS
    near = range(max(0, answer_index - reach), min(len(pool.forms), answer_index + reach + 1))
    suiting = np.array(
        [i for i in near if i != answer_index and suits(pool.forms[i].word)], np.int64
    )
    if len(suiting) < N_IMPOSTORS:
        return []
    for _ in range(_ROUNDS):
        # Weighted draws without replacement: the first to arrive (Efraimidis & Spirakis 2006).
        arrival = rng.exponential(size=(_SETS, len(suiting))) / pool.weights[suiting]
        if n_more_frequent is not None:
            shift = rng.integers(-WINDOW_RANKS, WINDOW_RANKS + 1, size=(_SETS, 1))
            middle = answer_index + shift
            arrival[np.abs(suiting - middle) > WINDOW_RANKS] = np.inf
        first = np.argpartition(arrival, N_IMPOSTORS - 1, axis=1)[:, :N_IMPOSTORS]
        fits = np.isfinite(np.take_along_axis(arrival, first, axis=1)).all(axis=1)
        sets = suiting[first]
        if n_more_frequent is not None:
            fits &= (sets > answer_index).sum(axis=1) == n_more_frequent
        fives = np.insert(sets[fits], 0, answer_index, axis=1)
        words = pool.numbers[fives]
        n_alike = pool.alike[words[:, :, None], words[:, None, :]].sum(axis=(1, 2))
        dissimilar = fives[n_alike == N_IMPOSTORS + 1]  # each word is like itself alone
        if len(dissimilar):
            return [pool.forms[i] for i in dissimilar[0, 1:]]
    return []


def _by_frequency(form: Form) -> tuple[float, str, str]:
    return form.freq, form.word, form.lemma


def can_replace(word: str, *, predecessor: str, stems: Container[str]) -> bool:
    """Whether a word fits a sentence: it agrees with `a` or `an` before the blank, which is never
    changed, and is no form of a word of the sentence, the answer included.

    >>> [can_replace(word, predecessor="an", stems={"he", "saw", "an", "owl"}) for word in ("apple", "tiger", "owls")]
    [True, False, False]
    """
    return not breaks_article(word, predecessor) and stem(word) not in stems
