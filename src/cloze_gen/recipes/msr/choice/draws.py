"""Draws of four impostors: at least one is plausible to readers and none fits as well as the answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from cloze_gen.recipes.msr.choice.pool import CandidatePool
from cloze_gen.recipes.msr.choice.settings import ChoiceSettings
from cloze_gen.recipes.msr.tables import N_IMPOSTORS
from cloze_gen.rng import derive_rng

# Base weight of a candidate word, added to 1 for each item that has it as the answer. With 0.5, a
# classifier found 28 to 29 % of the answers from the options alone (docs/explanation/matched-choice.md).
_UNUSED_WEIGHT = 0.15
_TRIED = 12  # most draws tried per accepted draw


def draws_of(pool: CandidatePool, impostors: Sequence[np.ndarray]) -> np.ndarray:
    """All draws, item after item: the rows of the options in the pool, the answer first.

    `impostors`: of each item, places among its candidates, shape (draws, 4). Returns int64, shape
    (draws, 5).
    """
    answer = np.repeat(pool.answers, [len(drawn) for drawn in impostors])[:, None]
    places = np.concatenate([np.zeros((0, N_IMPOSTORS), np.int64), *impostors])
    return np.concatenate([answer, answer + 1 + places], axis=1)


def weighted_draws(weights: np.ndarray, *, draws: int, rng: np.random.Generator) -> np.ndarray:
    """Random draws of four without replacement (Efraimidis & Spirakis 2006), shape (draws, 4).

    Values ascend within a row. A candidate of weight 0 is drawn only if there are too few others.
    """
    with np.errstate(divide="ignore"):
        arrival = rng.exponential(size=(draws, len(weights))) / weights
    first = np.argpartition(arrival, N_IMPOSTORS - 1, axis=1)[:, :N_IMPOSTORS]
    return np.sort(first, axis=1)


def matched_weights(answers: Sequence[str], candidates: Sequence[str]) -> dict[str, float]:
    """How often each word is an answer, plus a base weight, divided by how often it is a candidate.

    Words are then impostors about as often as they are answers. The base weight keeps other words.

    >>> matched_weights(["lamp", "oar"], ["oar", "rug", "lamp", "rug"])
    {'lamp': 1.15, 'oar': 1.15, 'rug': 0.075}
    """
    offered = Counter(candidates)
    answered = Counter(answers)
    return {word: (answered[word] + _UNUSED_WEIGHT) / offered[word] for word in sorted(offered)}


def offer_draws(pool: CandidatePool, settings: ChoiceSettings, *, seed: int) -> list[np.ndarray]:
    """At most `settings.draws` distinct draws of every item, as places among its candidates.

    A draw is skipped if its impostors may fit as well as the answer (MSR 2.3, guideline 2) or are
    trivial (guideline 4).
    """
    candidates = np.delete(pool.word, pool.answers)
    weight_of = matched_weights(pool.word[pool.answers].tolist(), candidates.tolist())
    offered = []
    for item_id, rows in zip(pool.id, pool.rows(), strict=True):
        rows = slice(rows.start + 1, rows.stop)
        tried = weighted_draws(
            np.array([weight_of[word] for word in pool.word[rows]]),
            draws=_TRIED * settings.draws,
            rng=derive_rng(seed, "msr.offered_draws", item_id),
        )
        ambiguity = 1.0 - np.prod(1.0 - pool.fits_as_well[rows][tried], axis=1)
        triviality = np.prod(1.0 - pool.plausible[rows][tried], axis=1)
        fit = tried[(ambiguity < settings.max_ambiguity) & (triviality < settings.max_triviality)]
        first = np.unique(fit, axis=0, return_index=True)[1]
        offered.append(fit[np.sort(first)[: settings.draws]])
    return offered


# ---- the random choice


def offer_randomly(pool: CandidatePool, *, seed: int) -> list[np.ndarray]:
    """One draw of four random candidates of every item."""
    drawn = []
    for item_id, n_candidates in zip(pool.id, pool.n_candidates, strict=True):
        rng = derive_rng(seed, "msr.impostors", item_id)
        picked = rng.choice(n_candidates, size=N_IMPOSTORS, replace=False)
        drawn.append(np.sort(picked)[None])
    return drawn


def choose_randomly(pool: CandidatePool, *, n: int, seed: int) -> np.ndarray:
    """One item of each sentence, and of the sentences some, by chance; indices, ascending."""
    sentences = set(pool.sentence.tolist())
    ranked = sorted(sentences, key=lambda key: derive_rng(seed, "msr.sentences", key).random())
    chosen = []
    for sentence in ranked[:n]:
        rng = derive_rng(seed, "msr.focus_of_sentence", sentence)
        chosen.append(rng.choice(np.flatnonzero(pool.sentence == sentence)))
    return np.sort(np.array(chosen, np.int64))
