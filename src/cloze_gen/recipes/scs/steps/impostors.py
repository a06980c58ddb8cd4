"""Impostors of the SCS set: four lemmas of the focus word's class, within its limits, inflected as it is (Argouarc'h 2018, 3.3).

No statistic of word-to-word relations is used: an impostor is drawn by its own frequency and paradigm, whatever the sentence says. Nor do
other questions have a say: the draw knows the training books' counts and its own record, so taking a book away changes no other impostor.

`uniform` is the paper's draw. Answers are drawn from running text and so are frequent, lemmas drawn from a list are not: choosing the most
frequent option then wins about 56 % of the questions.

`matched` makes answer and impostors exchangeable. The words that inflect alike and take the place stand in the order of their frequency. A
window of them is laid over the answer's place at random, every window that holds the answer as likely as the others, and the impostors are
drawn from it as running text draws: by their tokens in such places of the training books. Had all five been drawn so from one window, laid
as often as its words occur, then given any one of them every window that holds it would be as likely as the others (Bayes): so nothing but
chance tells which was there first.

No two options may be alike in their places (`steps.places`), which makes frequent words rarer among the five, for they are like many
others. So a five of which two are alike is dropped as a whole, a condition that is the same whichever was the answer, and the next word of
the sentence is tried, and all of them again. To draw on until four are found that are unlike one answer would not do: words that are unlike
most others would then be impostors more often than answers. What is left of that, for every sentence shall have its question, is evened out
by two things that the record knows by itself: which of the five in order of frequency the answer shall be is drawn for each sentence
beforehand, and a word's tokens are divided by a power of the share of what stands near it that it is unlike.
"""

from __future__ import annotations

import functools
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

import numpy as np
from pydantic import Field

from cloze_gen.english.places import Place
from cloze_gen.recipes.scs.steps.places import Likeness, unlike_share
from cloze_gen.records.rejection import Rejection
from cloze_gen.records.sentence import sentence_of
from cloze_gen.rng import derive_rng
from cloze_gen.settings import MOST_EACH, IgnoredWhen, SettingsGroup
from cloze_gen.stats.lemma_counts import Pair

_AT_ONCE = 64  # fours
# A word's tokens are divided by this power of its unlike share. Options alone told 23.7 % of the questions with 0, 21.9 % with 1.5, 22.3 %
# without any test of likeness; a higher power leaves more words without four to stand with.
_POWER = 1.5


class ImpostorsSettings(SettingsGroup):
    """Settings of the impostors."""

    impostor_draw: Literal["uniform", "matched"] = Field(
        "matched", description="uniform over the lemmas (3.3), or near the answer's own frequency"
    )
    n_impostors: int = Field(4, ge=4, le=4, description="wrong options a question; 3.3, and the file formats hold the answer and four")
    window_ranks: int = Field(
        16,
        ge=1,
        le=MOST_EACH,
        description="matched: words on each side of the window's middle, in order of frequency",
    )
    rounds: int = Field(32, ge=1, le=MOST_EACH, description="times that the words of a sentence are tried in turn, each with 64 fours")

    ignored_when = (IgnoredWhen(("window_ranks",), {"impostor_draw": ("uniform",)}),)


class ImpostorReason(StrEnum):
    """Why a focus word has no impostors."""

    POOL = "too_few_words_inflect_alike"
    NOT_TRIED = "another_word_of_the_sentence_serves"


@dataclass(frozen=True, slots=True)
class Form:
    """A word that may be an option: a form of the inflection table within the limits.

    Attributes:
        tag, trait, cells: as in the inflection table.
        freq: case-folded share of training word tokens of the form itself, what a reader of frequencies would look up.
        count: training tokens of the form with this tag: how often running text would draw it.
    """

    word: str
    lemma: str
    word_class: str
    tag: str
    trait: str
    cells: str
    freq: float
    count: int

    @property
    def pair(self) -> Pair:
        return self.lemma, self.word_class

    @property
    def kind(self) -> tuple[str, str, str]:
        return self.tag, self.trait, self.cells


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """Forms that can stand for one another in a place, rarest first.

    Attributes:
        weights: float64, shape (forms,): how often each is drawn, beside the others.
        numbers: int64, shape (forms,): of each in `matrix`.
        matrix: bool, shape (words, words): which words are alike (`Likeness`).
    """

    forms: list[Form]
    weights: np.ndarray
    numbers: np.ndarray
    matrix: np.ndarray

    def stand_together(self, options: np.ndarray) -> np.ndarray:
        """bool, shape (sets,): whether no two forms of a set are alike, or of one word or lemma.

        Args:
            options: int64, shape (sets, forms): places in the pool.
        """
        own = self.numbers[options]
        alike = [self.matrix[own[:, i], own[:, j]] | (own[:, i] == own[:, j]) for i in range(own.shape[1]) for j in range(i)]
        return np.asarray(~np.any(alike, axis=0))


class ImpostorPools:
    """The pools of all kinds of forms and places.

    A form can stand for another when it has its tag and trait and spells at least the same cells of its paradigm: for `walked` (VBD+VBN)
    only words whose past and participle look alike, so that a tagger's slip between the two harms no question. And it takes the place.
    """

    def __init__(
        self,
        forms: Iterable[Form],
        *,
        takes: Callable[[Pair, Place], bool],
        share: Callable[[Pair, Place], float],
        likeness: Callable[[str, int], Likeness],
        settings: ImpostorsSettings,
    ) -> None:
        self._forms = sorted(forms, key=_rank)
        self._takes, self._share, self._likeness, self._settings = takes, share, likeness, settings

    @functools.cache  # noqa: B019 - one object a process, living as long as its cache
    def pool(self, kind: tuple[str, str, str], place: Place) -> Pool:
        """All forms that can stand for one of this kind in such a place."""
        forms = [form for form in self._of_kind(kind) if self._takes(form.pair, place)]
        alike = self._likeness(place.word_class, place.use)
        numbers = np.array([alike.number_of[form.pair] for form in forms], np.int64)
        uniform = self._settings.impostor_draw == "uniform"
        counts = np.array([1.0 if uniform else form.count * self._share(form.pair, place) for form in forms])
        reach = 0 if uniform else 2 * self._settings.window_ranks
        return Pool(forms, counts / unlike_share(counts, numbers, alike.matrix, reach=reach) ** _POWER, numbers, alike.matrix)

    @functools.cache  # noqa: B019 - the same
    def _of_kind(self, kind: tuple[str, str, str]) -> list[Form]:
        tag, trait, cells = kind
        asked = set(cells.split("+"))
        return [form for form in self._forms if form.tag == tag and form.trait == trait and asked <= set(form.cells.split("+"))]


@dataclass(frozen=True, slots=True)
class Blank:
    """A focus word that is tried.

    Attributes:
        refuses: True for a word that its sentence cannot take (`refusals.refusal`).
    """

    id: str
    answer: Form
    place: Place
    refuses: Callable[[str], bool]


def draw_impostors(
    blanks: Sequence[Blank], *, pools: ImpostorPools, settings: ImpostorsSettings, seed: int
) -> tuple[str, list[Form]] | list[Rejection]:
    """The first of a sentence's focus words that gets its impostors, and these: words of different lemmas, no two of the five alike.

    Every round each word in turn is given some fours; the first that stands with it, and in which it has the rank drawn for the sentence,
    makes the question.
    """
    given = [(blank, pools.pool(blank.answer.kind, blank.place), derive_rng(seed, "scs.impostors", blank.id)) for blank in blanks]
    rank = int(derive_rng(seed, "scs.rank", sentence_of(blanks[0].id)).integers(settings.n_impostors + 1))
    for _ in range(settings.rounds):
        for blank, pool, rng in given:
            if found := _draw(blank, pool, rank, settings, rng):
                return blank.id, found
    return [
        Rejection(
            blank.id, ImpostorReason.POOL, f"{blank.answer.word} {'/'.join(blank.answer.kind)} in {blank.place}: {len(pool.forms)} words"
        )
        for blank, pool, _ in given
    ]


def _draw(blank: Blank, pool: Pool, rank: int, settings: ImpostorsSettings, rng: np.random.Generator) -> list[Form]:
    """The first of some fours that stands with the answer; none where none does.

    A four is drawn by the forms' weights without replacement (Efraimidis & Spirakis 2006) from a window over the answer's place; one laid
    over an end of the pool has fewer words.
    """
    size, n, matched = len(pool.forms), settings.n_impostors, settings.impostor_draw == "matched"
    if size <= n:
        return []
    own = bisect_left(pool.forms, _rank(blank.answer), key=_rank)
    if matched and settings.window_ranks < size:
        reach = settings.window_ranks
        places = own + rng.integers(-reach, reach + 1, size=(_AT_ONCE, 1)) + np.arange(-reach, reach + 1)
    else:
        places = np.tile(np.arange(size), (_AT_ONCE, 1))
    chances = rng.exponential(size=places.shape) / pool.weights[np.clip(places, 0, size - 1)]
    chances[(places < 0) | (places >= size) | (places == own)] = np.inf
    best = np.argsort(chances, axis=1, kind="stable")[:, :n]
    drawn = np.take_along_axis(places, best, axis=1)
    fit = np.isfinite(np.take_along_axis(chances, best, axis=1)).all(axis=1)
    if matched:
        fit &= (drawn > own).sum(axis=1) == rank
    for four in drawn[fit][pool.stand_together(np.insert(drawn[fit], 0, own, axis=1))].tolist():
        words = [pool.forms[i] for i in four]
        if len({form.lemma for form in [blank.answer, *words]}) > n and not any(blank.refuses(form.word) for form in words):
            return words
    return []


def _rank(form: Form) -> tuple[float, str, str]:
    return form.freq, form.word, form.lemma
