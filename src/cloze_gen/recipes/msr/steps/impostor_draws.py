"""The fours that a focus word offers to the choice: random draws of its fit candidates, clear to a reader and worth a thought.

Two wishes of the paper's judges pull apart: no impostor may fit as well as the answer (MSR 2.3, guideline 2), and the question should
take some thought (guideline 4). The likelier a candidate is to fit, the likelier it is to be worth a thought. So both are asked of the
four together: of one that is bold and three that are safe more is gained than of four that are neither. What readers would say is
`reader_models`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np

from cloze_gen.recipes.msr.steps.choice import ChoiceSettings, ScoredItem
from cloze_gen.rng import derive_rng

_TRIED = 12  # fours tried for each that is offered, at most
# How much rather a candidate is drawn that is plausible, and how much less one that may fit as well: powers of the odds that it is neither.
_PLAUSIBLE, _AMBIGUOUS = 3.0, 60.0


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


def matched_weights(answers: Sequence[str], candidates: Sequence[Sequence[str]], wishes: Sequence[np.ndarray]) -> dict[str, float]:
    """Weight of each candidate word: how often it is an answer, and half a time more, over how often it would be drawn.

    Drawn by these weights times the wishes, a word is an impostor about as often, for each time it is an answer, as every other word; else
    words that fit many places would mostly be impostors, and a reader of the options alone could learn which. The half keeps a word in play
    that is the answer of no item here.

    Args:
        wishes: of each item how much each of its candidates is wished for, shape (candidates,); ones where all are alike.

    >>> matched_weights(["lamp", "oar"], [["oar", "rug"], ["lamp", "rug"]], [np.ones(2), np.ones(2)])
    {'lamp': 1.5, 'oar': 1.5, 'rug': 0.25}
    """
    offered: dict[str, float] = defaultdict(float)
    for words, wished in zip(candidates, wishes, strict=True):
        for word, wish in zip(words, wished.tolist(), strict=True):
            offered[word] += wish
    answered: dict[str, float] = defaultdict(float)
    for answer in answers:
        answered[answer] += 1
    return {word: (answered[word] + 0.5) / offered[word] for word in sorted(offered)}


def offered_draws(items: Iterable[ScoredItem], *, settings: ChoiceSettings, seed: int) -> dict[str, np.ndarray]:
    """The draws of impostors that each item offers, by its own generator.

    Returns:
        id of an item -> int64, shape (at most `draws`, n_impostors): places among its candidates, every four once. An item that offers
        none is not there: it has fewer candidates than there are impostors, or no four that was tried is clear and worth a thought.
    """
    able = [one for one in items if len(one.item.candidates) >= settings.n_impostors]
    able.sort(key=lambda one: (one.item.sentence_id, one.item.id))  # a word's weight is a sum over them, whose last bits tell their order
    wishes = [_wishes(one) for one in able]
    weight_of = matched_weights([one.item.answer for one in able], [one.item.candidates for one in able], wishes)
    matched = settings.impostor_draw == "matched"
    found = {}
    for one, wished in zip(able, wishes, strict=True):
        weights = wished * np.array([weight_of[word] if matched else 1.0 for word in one.item.candidates])
        rng = derive_rng(seed, "msr.offered_draws", one.item.id)
        tried = weighted_draws(weights, n_impostors=settings.n_impostors, draws=_TRIED * settings.draws, rng=rng)
        ambiguity, triviality = 1.0 - np.prod(1.0 - one.fits_as_well[tried], axis=1), np.prod(1.0 - one.plausible[tried], axis=1)
        fit = tried[(ambiguity < settings.max_ambiguity) & (triviality < settings.max_triviality)]
        if len(fit):
            found[one.item.id] = fit[np.sort(np.unique(fit, axis=0, return_index=True)[1])][: settings.draws]
    return found


def _wishes(one: ScoredItem) -> np.ndarray:
    """How much each candidate is wished for; float64, shape (candidates,), the most wished for 1."""
    said = -_PLAUSIBLE * np.log(1.0 - np.minimum(one.plausible, 0.99)) + _AMBIGUOUS * np.log(1.0 - np.minimum(one.fits_as_well, 0.99))
    return np.asarray(np.exp(said - said.max())) if len(said) else said
