"""Impostors of the SCS set: four lemmas of the focus word's class, within its limits, inflected as it is (Argouarc'h 2018, 3.3).

No statistic of word-to-word relations is used: an impostor is drawn by its own frequency and paradigm, whatever the sentence says.

`uniform` is the paper's draw. Answers are drawn from running text and so are frequent, lemmas drawn from a list are not: choosing the most
frequent option then wins about 56 % of the questions. `matched` draws a frequency from the answers' own distribution (of the same
class, tag and trait) and takes a word near it, so that answer and impostors are exchangeable as far as frequency goes.
"""

from __future__ import annotations

import functools
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

import numpy as np
from pydantic import Field

from cloze_gen.records import Rejection
from cloze_gen.rng import derive_rng
from cloze_gen.settings import MOST_EACH, SettingsGroup

# Answers of a pool that make a distribution of their own; a smaller pool borrows that of its class.
_MIN_ANSWERS = 30
_TRIES_AN_IMPOSTOR = 100  # draws before a pool is given up; a pool of 20 with 10 refused words fails once in 2**100


class ImpostorSettings(SettingsGroup):
    """Settings of the impostors."""

    impostor_draw: Literal["uniform", "matched"] = Field(
        "matched", description="uniform over the lemmas (3.3), or by the answers' frequencies"
    )
    n_impostors: int = Field(4, ge=4, le=4, description="wrong options a question; 3.3, and the file formats hold the answer and four")
    window_ranks: int = Field(
        8, ge=0, le=MOST_EACH, description="matched: words on each side of the drawn frequency, in order of frequency, drawn from alike"
    )


class ImpostorReason(StrEnum):
    """Why a focus word has no impostors."""

    POOL = "too_few_words_inflect_alike"


@dataclass(frozen=True, slots=True)
class Form:
    """A word that may be an option: a form of the inflection table within the limits.

    Attributes:
        tag, trait, cells: as in the inflection table.
        freq: case-folded share of training word tokens of the form itself, what a reader of frequencies would look up.
    """

    word: str
    lemma: str
    word_class: str
    tag: str
    trait: str
    cells: str
    freq: float

    @property
    def kind(self) -> tuple[str, str, str]:
        return self.tag, self.trait, self.cells


class ImpostorPools:
    """Forms that can stand for one another, sorted by frequency.

    A form can stand for another when it has its tag and trait and spells at least the same cells of its paradigm: for `walked` (VBD+VBN)
    only words whose past and participle look alike, so that a tagger's slip between the two harms no question.
    """

    def __init__(self, forms: Iterable[Form]) -> None:
        self._forms = sorted(forms, key=lambda form: (form.freq, form.word, form.lemma))

    @functools.cache  # noqa: B019 - one object a process, living as long as its cache
    def pool(self, kind: tuple[str, str, str]) -> tuple[list[Form], list[float]]:
        """All forms that can stand for one of this kind, rarest first, and their frequencies."""
        tag, trait, cells = kind
        asked = set(cells.split("+"))
        found = [form for form in self._forms if form.tag == tag and form.trait == trait and asked <= set(form.cells.split("+"))]
        return found, [form.freq for form in found]


def answer_freqs(answers: Iterable[Form]) -> dict[tuple[str, ...], list[float]]:
    """The answers' frequencies, sorted, by kind and by class."""
    table: dict[tuple[str, ...], list[float]] = {}
    for form in answers:
        table.setdefault(form.kind, []).append(form.freq)
        table.setdefault((form.word_class,), []).append(form.freq)
    return {key: sorted(freqs) for key, freqs in table.items()}


def draw_impostors(
    item_id: str,
    answer: Form,
    *,
    pools: ImpostorPools,
    freqs: Mapping[tuple[str, ...], Sequence[float]],
    refuses: Callable[[str], bool],
    settings: ImpostorSettings,
    seed: int,
) -> list[Form] | Rejection:
    """Draw the impostors of one focus word: distinct words of distinct lemmas, none of them the answer's.

    Args:
        freqs: `answer_freqs` of all candidate answers.
        refuses: True for a word that this sentence cannot take (it stands there already, breaks `a`/`an`, ...); it is then drawn anew.
    """
    pool, pool_freqs = pools.pool(answer.kind)
    targets = freqs.get(answer.kind, ())
    if len(targets) < _MIN_ANSWERS:
        targets = freqs.get((answer.word_class,), (answer.freq,))
    rng = derive_rng(seed, "scs.impostors", item_id)
    drawn: list[Form] = []
    seen = {answer.word, answer.lemma}
    for _ in range(_TRIES_AN_IMPOSTOR * settings.n_impostors):
        if not pool or len(drawn) == settings.n_impostors:
            break
        if settings.impostor_draw == "uniform":
            form = pool[int(rng.integers(len(pool)))]
        else:
            form = pool[_near(pool_freqs, float(targets[int(rng.integers(len(targets)))]), settings.window_ranks, rng)]
        if form.word in seen or form.lemma in seen or refuses(form.word):
            continue
        seen |= {form.word, form.lemma}
        drawn.append(form)
    if len(drawn) < settings.n_impostors:
        return Rejection(item_id, ImpostorReason.POOL, f"{answer.word} {'/'.join(answer.kind)}: {len(drawn)} of {len(pool)} words")
    return drawn


def _near(freqs: Sequence[float], target: float, window: int, rng: np.random.Generator) -> int:
    """A rank near the target's, above and below alike; the window narrows towards the ends so that it stays symmetric."""
    rank = min(bisect_left(freqs, target), len(freqs) - 1)
    reach = min(window, rank, len(freqs) - 1 - rank)
    return int(rng.integers(rank - reach, rank + reach + 1))
