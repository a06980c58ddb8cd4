"""Draws of four impostors: at least one is plausible to readers and none fits as well as the answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cloze_gen.recipes.msr.choice.pool import CandidatePool
from cloze_gen.recipes.msr.choice.settings import N_IMPOSTORS, ChoiceSettings
from cloze_gen.rng import derive_rng

# Base weight of a candidate word, added to 1 for each item that has it as the answer. With 0.5, a
# classifier found 28 to 29 % of the answers from the options alone (docs/explanation/matched-choice.md).
_UNUSED_WEIGHT = 0.15
_TRIED = 12  # most draws tried per accepted draw


@dataclass(frozen=True, slots=True, eq=False)
class Draws:
    """Distinct draws, item after item.

    Attributes:
        item: int64, shape (draws,): index in the pool, ascending.
        rows: int64, shape (draws, 5): the rows of the options in the pool, the answer first.
    """

    item: np.ndarray
    rows: np.ndarray

    def first_of(self, item: int) -> np.ndarray:
        """The rows of the item's first draw."""
        return self.rows[int(np.searchsorted(self.item, item))]


def weighted_draws(
    weights: np.ndarray, *, n_impostors: int, draws: int, rng: np.random.Generator
) -> np.ndarray:
    """Random draws without replacement (Efraimidis & Spirakis 2006), shape (draws, n_impostors).

    Values ascend within a row. A candidate of weight 0 is drawn only if there are too few others.
    """
    with np.errstate(divide="ignore"):
        arrival = rng.exponential(size=(draws, len(weights))) / weights
    if n_impostors >= len(weights):
        return np.tile(np.arange(len(weights)), (draws, 1))
    return np.sort(np.argpartition(arrival, n_impostors, axis=1)[:, :n_impostors], axis=1)


def matched_weights(answers: Sequence[str], candidates: Sequence[str]) -> dict[str, float]:
    """How often each word is an answer, plus a base weight, divided by how often it is a candidate.

    Words are then impostors about as often as they are answers. The base weight keeps other words.

    >>> matched_weights(["lamp", "oar"], ["oar", "rug", "lamp", "rug"])
    {'lamp': 1.15, 'oar': 1.15, 'rug': 0.075}
    """
    offered = Counter(candidates)
    answered = Counter(answers)
    return {word: (answered[word] + _UNUSED_WEIGHT) / offered[word] for word in sorted(offered)}


def offer_draws(pool: CandidatePool, settings: ChoiceSettings, *, seed: int) -> Draws:
    """At most `settings.draws` distinct draws of every item that has four candidates or more.

    A draw is skipped if its impostors may fit as well as the answer (MSR 2.3, guideline 2) or are
    trivial (guideline 4).
    """
    items = np.flatnonzero(pool.can_be_asked).tolist()
    candidates = [word for item in items for word in pool.word[pool.candidates(item)].tolist()]
    weight_of = matched_weights(pool.answer[items].tolist(), candidates)
    offered = []
    for item in items:
        rows = pool.candidates(item)
        weights = np.array([weight_of[word] for word in pool.word[rows].tolist()])
        tried = weighted_draws(
            weights,
            n_impostors=N_IMPOSTORS,
            draws=_TRIED * settings.draws,
            rng=derive_rng(seed, "msr.offered_draws", pool.id[item]),
        )
        ambiguity = 1.0 - np.prod(1.0 - pool.fits_as_well[rows][tried], axis=1)
        triviality = np.prod(1.0 - pool.plausible[rows][tried], axis=1)
        fit = tried[(ambiguity < settings.max_ambiguity) & (triviality < settings.max_triviality)]
        distinct = fit[_first_of_each(fit, len(weights))][: settings.draws]
        offered.append(rows.start + distinct)
    item_of_draw = np.repeat(np.array(items, np.int64), [len(rows) for rows in offered])
    impostors = np.concatenate([*offered, np.zeros((0, N_IMPOSTORS), np.int64)])
    return Draws(item_of_draw, np.column_stack([pool.first[item_of_draw], impostors]))


def _first_of_each(drawn: np.ndarray, n_candidates: int) -> np.ndarray:
    """Index of the first occurrence of each draw, ascending.

    >>> _first_of_each(np.array([[0, 2], [1, 2], [0, 2]]), 3).tolist()
    [0, 1]
    """
    if not len(drawn):
        return np.zeros(0, np.int64)
    places = [n_candidates] * drawn.shape[1]
    numbers = np.ravel_multi_index(tuple(drawn.T), places)
    return np.sort(np.unique(numbers, return_index=True)[1])


# ---- the random choice


def draw_impostors(pool: CandidatePool, item: int, *, seed: int) -> np.ndarray:
    """The rows of the answer and four random candidates."""
    rows = pool.candidates(item)
    rng = derive_rng(seed, "msr.impostors", pool.id[item])
    picked = rng.choice(rows.stop - rows.start, size=N_IMPOSTORS, replace=False)
    return np.concatenate([[rows.start - 1], rows.start + np.sort(picked)])


def choose_randomly(pool: CandidatePool, settings: ChoiceSettings, *, seed: int) -> Draws:
    """One draw of one item of each sentence, and of the sentences some, by chance."""
    items_of: dict[str, list[int]] = {}
    for item in np.flatnonzero(pool.can_be_asked).tolist():
        items_of.setdefault(pool.sentence[item], []).append(item)
    ranked = sorted(
        items_of,
        key=lambda sentence: (derive_rng(seed, "msr.sentences", sentence).random(), sentence),
    )
    chosen = []
    for sentence in ranked[: int(settings.n_questions)]:
        items = items_of[sentence]
        rng = derive_rng(seed, "msr.focus_of_sentence", sentence)
        chosen.append(items[int(rng.integers(len(items)))])
    chosen.sort()
    rows = [draw_impostors(pool, item, seed=seed) for item in chosen]
    return Draws(np.array(chosen, np.int64), np.array(rows, np.int64).reshape(-1, 1 + N_IMPOSTORS))
