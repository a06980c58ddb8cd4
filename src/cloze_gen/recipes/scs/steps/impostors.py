"""Impostors of the SCS set: four lemmas of the focus word's class, within its limits, inflected as it is (Argouarc'h 2018, 3.3).

No statistic of word-to-word relations is used: an impostor is drawn by its own frequency and paradigm, whatever the sentence says. Nor do
other questions have a say: the draw knows the training books' counts and its own record, so taking a book away changes no other impostor.

`uniform` is the paper's draw. Answers are drawn from running text and so are frequent, lemmas drawn from a list are not: choosing the most
frequent option then wins about 56 % of the questions.

`matched` makes answer and impostors exchangeable. The words that inflect alike and take the place stand in the order of their frequency. A
window of them is laid over the answer's place at random, every window that holds the answer as likely as the others, and the impostors are
drawn from it as running text draws: by their tokens in such places of the training books. Had all five been drawn so from one window, laid
as often as its words occur, then given any one of them every window that holds it would be as likely as the others (Bayes): so nothing but
chance tells which was there first. Answers are drawn from other books; only where those differ more at one end of a window than at the
other would it show.

No two options may be alike in their places (`steps.places`). Five of which two are alike are dropped as a whole, and the next word of the
sentence is tried, and all of them again, until five stand together. That is what keeps the five exchangeable: the condition is the same
whichever of them was the answer. To draw on until four are found that are unlike the answer would not do: words that are unlike most
others would then be impostors more often than answers (a classifier of the options alone found 31 to 35 % so).
"""

from __future__ import annotations

import functools
from bisect import bisect_left
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

import numpy as np
from pydantic import Field

from cloze_gen.english.articles import breaks_article
from cloze_gen.english.places import Place
from cloze_gen.english.stems import stem
from cloze_gen.recipes.scs.steps.places import Likeness
from cloze_gen.records.rejection import Rejection
from cloze_gen.rng import derive_rng
from cloze_gen.settings import MOST_EACH, SettingsGroup
from cloze_gen.stats.lemma_counts import Pair


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
    rounds: int = Field(400, ge=1, le=MOST_EACH, description="times that the words of a sentence are tried in turn, each with four others")


class ImpostorReason(StrEnum):
    """Why a focus word has no impostors."""

    POOL = "too_few_words_inflect_alike"
    NOT_TRIED = "another_word_of_the_sentence_serves"


class Refusal(StrEnum):
    """Why a drawn word cannot stand in a sentence; another is then drawn."""

    ARTICLE = "impostor_breaks_a_an"
    FORM_OF_ANSWER = "impostor_is_form_of_answer"
    IN_SENTENCE = "impostor_in_sentence"


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

    def stand_together(self, options: Sequence[int]) -> bool:
        """Whether forms of different words and lemmas are unlike one another."""
        own = self.numbers[list(options)]
        if np.triu(self.matrix[np.ix_(own, own)], 1).any():
            return False
        forms = [self.forms[i] for i in options]
        return len({form.word for form in forms}) == len({form.lemma for form in forms}) == len(options)


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
        weights = np.array([1.0 if uniform else form.count * self._share(form.pair, place) for form in forms])
        return Pool(forms, weights, numbers, alike.matrix)

    @functools.cache  # noqa: B019 - the same
    def _of_kind(self, kind: tuple[str, str, str]) -> list[Form]:
        tag, trait, cells = kind
        asked = set(cells.split("+"))
        return [form for form in self._forms if form.tag == tag and form.trait == trait and asked <= set(form.cells.split("+"))]


@dataclass(frozen=True, slots=True)
class Blank:
    """A focus word that is tried.

    Attributes:
        refuses: True for a word that its sentence cannot take (`refusal`).
    """

    id: str
    answer: Form
    place: Place
    refuses: Callable[[str], bool]


def draw_impostors(
    blanks: Sequence[Blank], *, pools: ImpostorPools, settings: ImpostorsSettings, seed: int
) -> tuple[str, list[Form]] | list[Rejection]:
    """The first of a sentence's focus words that gets its impostors, and these: words of different lemmas, no two of the five alike.

    Every round each word in turn is given four words; where the five stand together, that is the question.
    """
    drawers = [_Drawer(blank, pools.pool(blank.answer.kind, blank.place), settings, seed) for blank in blanks]
    for _ in range(settings.rounds):
        for drawer in drawers:
            if found := drawer.draw():
                return drawer.blank.id, found
    return [
        Rejection(blank.id, ImpostorReason.POOL, f"{blank.answer.word} {'/'.join(blank.answer.kind)} in {blank.place}: {drawer.n} words")
        for blank, drawer in zip(blanks, drawers, strict=True)
    ]


class _Drawer:
    """Draws four words for one blank, again and again, by the record's own generator."""

    def __init__(self, blank: Blank, pool: Pool, settings: ImpostorsSettings, seed: int) -> None:
        self.blank = blank
        self.n = len(pool.forms)
        self._pool, self._settings = pool, settings
        self._own = bisect_left(pool.forms, _rank(blank.answer), key=_rank)
        self._rng = derive_rng(seed, "scs.impostors", blank.id)

    def draw(self) -> list[Form]:
        """Four forms by their weights without replacement (Efraimidis & Spirakis 2006); none where they do not stand with the answer."""
        window = self._window()
        chances = self._rng.exponential(size=len(window)) / self._pool.weights[window.start : window.stop]
        if self._own in window:
            chances[self._own - window.start] = np.inf
        n = self._settings.n_impostors
        if len(window) <= n:
            return []
        drawn = [int(i) + window.start for i in np.argsort(chances, kind="stable")[:n]]
        words = [self._pool.forms[i] for i in drawn]
        if not self._pool.stand_together([self._own, *drawn]) or any(self.blank.refuses(form.word) for form in words):
            return []
        return words

    def _window(self) -> range:
        """A window over the answer's place; one laid over an end has fewer words."""
        reach = self._settings.window_ranks
        if self._settings.impostor_draw == "uniform" or reach >= self.n:
            return range(self.n)
        middle = self._own + int(self._rng.integers(-reach, reach + 1))
        return range(max(0, middle - reach), min(self.n, middle + reach + 1))


def refusal(word: str, *, answer: str, predecessor: str, sentence_stems: Container[str]) -> Refusal | None:
    """What speaks against a word in the place of the answer; None when nothing does.

    A word that does not agree with the article before the blank is refused; never is the article changed, for that would name the answer.

    Args:
        predecessor: the token printed before the blank.
        sentence_stems: of the sentence's own tokens.

    >>> stems = {"he", "saw", "an", "owl", "."}
    >>> [refusal(word, answer="owl", predecessor="an", sentence_stems=stems) for word in ("apple", "house", "owls")]
    [None, <Refusal.ARTICLE: 'impostor_breaks_a_an'>, <Refusal.FORM_OF_ANSWER: 'impostor_is_form_of_answer'>]
    """
    if breaks_article(word, predecessor):
        return Refusal.ARTICLE
    root = stem(word)
    if root == stem(answer):
        return Refusal.FORM_OF_ANSWER
    return Refusal.IN_SENTENCE if root in sentence_stems else None


def _rank(form: Form) -> tuple[float, str, str]:
    return form.freq, form.word, form.lemma
