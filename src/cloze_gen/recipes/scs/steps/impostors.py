"""Impostors of the SCS set: four lemmas of the focus word's class, within its limits, inflected as it is (Argouarc'h 2018, 3.3).

No statistic of word-to-word relations is used: an impostor is drawn by its own frequency and paradigm, whatever the sentence says. Nor do
other questions have a say: the draw knows the training books' counts and its own record, so taking a book away changes no other impostor.

`uniform` is the paper's draw. Answers are drawn from running text and so are frequent, lemmas drawn from a list are not: choosing the most
frequent option then wins about 56 % of the questions.

`matched` makes answer and impostors exchangeable as far as frequency goes. The words that inflect alike stand in the order of their
frequency. A window of them is laid over the answer's place at random, every window that holds the answer as likely as the others, and the
impostors are drawn from it as running text draws: by their tokens in the training books. Had all five been drawn so from one window, laid
as often as its words occur, then given any one of them every window that holds it would be as likely as the others (Bayes): so nothing but
chance tells which was there first. Answers are drawn from other books; only where those differ more at one end of a window than at the
other would it show.
"""

from __future__ import annotations

import functools
from bisect import bisect_left
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

import numpy as np
from pydantic import Field

from cloze_gen.english.articles import breaks_article
from cloze_gen.english.places import Place
from cloze_gen.english.stems import stem
from cloze_gen.records.rejection import Rejection
from cloze_gen.rng import derive_rng
from cloze_gen.settings import MOST_EACH, SettingsGroup
from cloze_gen.stats.lemma_counts import Pair

_WINDOWS = 20  # laid before they are made wider: in some no four words may stand together


class ImpostorsSettings(SettingsGroup):
    """Settings of the impostors."""

    impostor_draw: Literal["uniform", "matched"] = Field(
        "matched", description="uniform over the lemmas (3.3), or near the answer's own frequency"
    )
    n_impostors: int = Field(4, ge=4, le=4, description="wrong options a question; 3.3, and the file formats hold the answer and four")
    window_ranks: int = Field(
        8,
        ge=1,
        le=MOST_EACH,
        description="matched: words on each side of the window's middle, in order of frequency; a pool of few words widens it",
    )


class ImpostorReason(StrEnum):
    """Why a focus word has no impostors."""

    POOL = "too_few_words_inflect_alike"
    NOT_TRIED = "earlier_word_of_the_sentence_serves"


class Refusal(StrEnum):
    """Why a drawn word cannot stand in a sentence; another is then drawn."""

    ARTICLE = "impostor_breaks_a_an"
    FORM_OF_ANSWER = "impostor_is_form_of_answer"
    IN_SENTENCE = "impostor_in_sentence"
    ALIKE = "impostor_alike_in_places"


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


Refuses = Callable[[Form, Sequence[Form]], bool]  # (form, options so far)


class ImpostorPools:
    """Forms that can stand for one another, sorted by frequency.

    A form can stand for another when it has its tag and trait and spells at least the same cells of its paradigm: for `walked` (VBD+VBN)
    only words whose past and participle look alike, so that a tagger's slip between the two harms no question. And it takes the place.
    """

    def __init__(self, forms: Iterable[Form], *, takes: Callable[[Pair, Place], bool]) -> None:
        self._forms = sorted(forms, key=_rank)
        self._takes = takes

    @functools.cache  # noqa: B019 - one object a process, living as long as its cache
    def pool(self, kind: tuple[str, str, str], place: Place) -> list[Form]:
        """All forms that can stand for one of this kind in such a place, rarest first."""
        return [form for form in self._of_kind(kind) if self._takes(form.pair, place)]

    @functools.cache  # noqa: B019 - the same
    def _of_kind(self, kind: tuple[str, str, str]) -> list[Form]:
        tag, trait, cells = kind
        asked = set(cells.split("+"))
        return [form for form in self._forms if form.tag == tag and form.trait == trait and asked <= set(form.cells.split("+"))]


def draw_impostors(
    item_id: str,
    answer: Form,
    place: Place,
    *,
    pools: ImpostorPools,
    refuses: Refuses,
    settings: ImpostorsSettings,
    seed: int,
) -> list[Form] | Rejection:
    """Draw the impostors of one focus word: distinct words of distinct lemmas, no two of the five options alike in their places.

    Args:
        refuses: True for a form that this sentence cannot take (`refusal`), or that is alike one of the options that it has already.
    """
    pool = pools.pool(answer.kind, place)
    rng = derive_rng(seed, "scs.impostors", item_id)
    others = [form for form in pool if form.word != answer.word and form.lemma != answer.lemma and not refuses(form, [answer])]
    most: list[Form] = []
    for words in [others] if settings.impostor_draw == "uniform" else _windows(others, answer, settings, rng):
        drawn = _first_fit(words, answer, refuses, settings.n_impostors, rng)
        if len(drawn) == settings.n_impostors:
            return drawn
        most = max(most, drawn, key=len)
    return Rejection(item_id, ImpostorReason.POOL, f"{answer.word} {'/'.join(answer.kind)} in {place}: {len(most)} of {len(others)} words")


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


def _windows(others: Sequence[Form], answer: Form, settings: ImpostorsSettings, rng: np.random.Generator) -> Iterator[Sequence[Form]]:
    """The words of windows over the answer's place, the answer at each of their places as likely as at the others.

    Near an end of the pool a window is as narrow as it must be to be laid in every way; where not even the narrowest can there is none.
    After some that did not do they are wider.
    """
    below = bisect_left(others, _rank(answer), key=_rank)
    widest = min(below, len(others) - below) // 2
    reach = min(max(settings.window_ranks, settings.n_impostors // 2), widest)
    while 2 * reach >= settings.n_impostors:
        for _ in range(_WINDOWS):
            first = below - int(rng.integers(2 * reach + 1))
            yield others[first : first + 2 * reach]
        reach = min(2 * reach, widest) if reach < widest else 0


def _first_fit(words: Sequence[Form], answer: Form, refuses: Refuses, n: int, rng: np.random.Generator) -> list[Form]:
    """Up to n words of different lemmas in random order, each one that the others allow."""
    drawn: list[Form] = []
    for i in rng.permutation(len(words)).tolist():
        form = words[i]
        if len(drawn) == n:
            break
        if all(form.word != other.word and form.lemma != other.lemma for other in drawn) and not refuses(form, drawn):
            drawn.append(form)
    return drawn
