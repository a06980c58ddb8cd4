"""The fours that a focus word offers to the choice: random draws of its fit candidates, clear to a reader and worth a thought.

Two wishes of the paper's judges pull apart: no impostor may fit as well as the answer (MSR 2.3, guideline 2), and the question should
take some thought (guideline 4). The likelier a candidate is to fit, the likelier it is to be worth a thought. So both are asked of the
four together: of one that is bold and three that are safe more is gained than of four that are neither. What readers would say is
`reader_models`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from cloze_gen.recipes.msr.steps.choice import ChoiceSettings, ScoredItem
from cloze_gen.rng import derive_rng

# Weight of a word beside one for each item whose answer it is: at 0.5 the options alone told 28 to 29 % of the answers (docs/balance.md).
_UNASKED = 0.15
_TRIED = 12  # fours tried for each that is offered, at most


def weighted_draws(weights: np.ndarray, *, n_impostors: int, draws: int, rng: np.random.Generator) -> np.ndarray:
    """Random draws of impostors for one item, without replacement (Efraimidis & Spirakis 2006).

    Args:
        weights: float64, shape (candidates,), not negative: a candidate of weight 0 is drawn only when the others do not suffice.
    Returns:
        int64, shape (draws, n_impostors), each row ascending and without repetition.
    """
    with np.errstate(divide="ignore"):
        arrival = rng.exponential(size=(draws, len(weights))) / weights
    return np.sort(np.argsort(arrival, axis=1, kind="stable")[:, :n_impostors], axis=1)


def matched_weights(answers: Sequence[str], candidates: Sequence[Sequence[str]]) -> dict[str, float]:
    """Weight of each candidate word: how often it is an answer, and a little more, over how often it is a candidate.

    Drawn by these weights, a word is an impostor about as often, for each time it is an answer, as every other word; else words that fit
    many places would mostly be impostors, and a reader of the options alone could learn which. The little keeps a word in play that is the
    answer of no item here.

    >>> matched_weights(["lamp", "oar"], [["oar", "rug"], ["lamp", "rug"]])
    {'lamp': 1.15, 'oar': 1.15, 'rug': 0.075}
    """
    offered = Counter(word for words in candidates for word in words)
    answered = Counter(answers)
    return {word: (answered[word] + _UNASKED) / offered[word] for word in sorted(offered)}


def offered_draws(items: Iterable[ScoredItem], *, settings: ChoiceSettings, seed: int) -> dict[str, np.ndarray]:
    """The draws of impostors that each item offers, by its own generator.

    Returns:
        id of an item -> int64, shape (at most `draws`, n_impostors): places among its candidates, every four once. An item that offers
        none is not there: it has fewer candidates than there are impostors, or no four that was tried is clear and worth a thought.
    """
    able = [one for one in items if len(one.item.candidates) >= settings.n_impostors]
    weight_of = matched_weights([one.item.answer for one in able], [one.item.candidates for one in able])
    matched = settings.impostor_draw == "matched"
    found = {}
    for one in able:
        weights = np.array([weight_of[word] if matched else 1.0 for word in one.item.candidates])
        rng = derive_rng(seed, "msr.offered_draws", one.item.id)
        tried = weighted_draws(weights, n_impostors=settings.n_impostors, draws=_TRIED * settings.draws, rng=rng)
        ambiguity, triviality = 1.0 - np.prod(1.0 - one.fits_as_well[tried], axis=1), np.prod(1.0 - one.plausible[tried], axis=1)
        fit = tried[(ambiguity < settings.max_ambiguity) & (triviality < settings.max_triviality)]
        if len(fit):
            found[one.item.id] = fit[_first_of_each(fit, len(weights))][: settings.draws]
    return found


def _first_of_each(fours: np.ndarray, n_candidates: int) -> np.ndarray:
    """Where each four occurs first, ascending; of 30 candidates they are told apart by one number, for rows are slow to compare.

    >>> _first_of_each(np.array([[0, 2], [1, 2], [0, 2]]), 3).tolist()
    [0, 1]
    """
    places = [n_candidates] * fours.shape[1]
    told = np.ravel_multi_index(tuple(fours.T), places)
    return np.sort(np.unique(told, return_index=True)[1])
