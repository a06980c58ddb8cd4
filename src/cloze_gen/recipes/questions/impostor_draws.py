"""Draws of four impostors: at least one is plausible to readers and none fits as well as the answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from cloze_gen.recipes.questions.random_choice import N_IMPOSTORS, ChoicePlan, ScoredItem

# Base weight of a candidate word, added to 1 for each item that has it as the answer. With 0.5, a
# classifier found 28 to 29 % of the answers from the options alone (docs/explanation/matched-choice.md).
_UNUSED_WEIGHT = 0.15


_TRIED = 12  # most draws tried per accepted draw


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


def matched_weights(
    answers: Sequence[str], candidates: Sequence[Sequence[str]]
) -> dict[str, float]:
    """How often each word is an answer, plus a base weight, divided by how often it is a candidate.

    Words are then impostors about as often as they are answers. The base weight keeps other words.

    >>> matched_weights(["lamp", "oar"], [["oar", "rug"], ["lamp", "rug"]])
    {'lamp': 1.15, 'oar': 1.15, 'rug': 0.075}
    """
    offered = Counter(word for words in candidates for word in words)
    answered = Counter(answers)
    return {word: (answered[word] + _UNUSED_WEIGHT) / offered[word] for word in sorted(offered)}


def offered_draws(items: Iterable[ScoredItem], plan: ChoicePlan) -> dict[str, np.ndarray]:
    """Id of an item -> distinct draws of impostors, shape (at most `draws`, n_impostors).

    A draw is skipped if its impostors may fit as well as the answer (MSR 2.3, guideline 2) or are
    trivial (guideline 4). Items without an accepted draw are left out.
    """
    settings = plan.settings
    able = [one for one in items if len(one.item.candidates) >= N_IMPOSTORS]
    weight_of = matched_weights(
        [one.item.answer for one in able], [one.item.candidates for one in able]
    )
    found = {}
    for one in able:
        weights = np.array([weight_of[word] for word in one.item.candidates])
        tried = weighted_draws(
            weights,
            n_impostors=N_IMPOSTORS,
            draws=_TRIED * settings.draws,
            rng=plan.rng("offered_draws", one.item.id),
        )
        ambiguity, triviality = (
            1.0 - np.prod(1.0 - one.fits_as_well[tried], axis=1),
            np.prod(1.0 - one.plausible[tried], axis=1),
        )
        fit = tried[(ambiguity < settings.max_ambiguity) & (triviality < settings.max_triviality)]
        if len(fit):
            found[one.item.id] = fit[_first_of_each(fit, len(weights))][: settings.draws]
    return found


def _first_of_each(drawn: np.ndarray, n_candidates: int) -> np.ndarray:
    """Index of the first occurrence of each draw, ascending.

    >>> _first_of_each(np.array([[0, 2], [1, 2], [0, 2]]), 3).tolist()
    [0, 1]
    """
    places = [n_candidates] * drawn.shape[1]
    numbers = np.ravel_multi_index(tuple(drawn.T), places)
    return np.sort(np.unique(numbers, return_index=True)[1])
