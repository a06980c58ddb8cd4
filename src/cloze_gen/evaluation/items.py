"""Item analysis: difficulty, discrimination and suspicion of each item from several models' choices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cloze_gen.evaluation.rows import Recorded
from cloze_gen.text_layout import printable

LEAST_MODELS = 3
SUSPECT = 0.1  # least suspicion of a suspect item

_FAULT_PRIOR = 0.02  # that the key is not the best option
_ROUNDS = 50


@dataclass(frozen=True, slots=True, eq=False)
class ItemSet:
    """Items with a key.

    Attributes:
        options: of each item; empty tuples for items without options (LAMBADA's passages).
        answers: index of the key among the options; 0 without options.
    """

    ids: tuple[str, ...]
    options: tuple[tuple[str, ...], ...]
    answers: NDArray[np.int64]
    noun: str

    @property
    def has_options(self) -> bool:
        return any(self.options)


class ItemFigures(Recorded):
    """One item.

    Attributes:
        difficulty: share of models that are right.
        item_rest: correlation of being right here with the share right on all other items.
        rival, rival_models: the wrong option that most models choose, and their number.
        suspicion: probability that the key is not the best option; None without options.
        reason: why the item is suspect; empty below `SUSPECT`.
    """

    id: str
    difficulty: float
    item_rest: float | None
    rival: str
    rival_models: int
    suspicion: float | None
    reason: str

    @property
    def is_suspect(self) -> bool:
        return self.suspicion is not None and self.suspicion >= SUSPECT


def analyse(items: ItemSet, choices: NDArray[np.int64]) -> list[ItemFigures]:
    """The figures of each item.

    Args:
        choices: option that each model chooses, shape (items, models); without options 0 for a
            right answer and 1 for a wrong one.
    """
    right = choices == items.answers[:, None]
    item_rest = item_rest_correlations(right)
    suspicion = suspicions(choices, items) if items.has_options else None
    found = []
    for i, options in enumerate(items.options):
        key, n_right = int(items.answers[i]), int(right[i].sum())
        votes = np.bincount(choices[i], minlength=len(options))
        votes[key] = 0
        rival_models = int(votes.max()) if options else 0
        rival = options[int(votes.argmax())] if rival_models else ""
        probability = None if suspicion is None else round(float(suspicion[i]), 4)
        reason = ""
        if probability is not None and probability >= SUSPECT:
            reason = (
                f"{rival_models} of {choices.shape[1]} models choose {printable(rival)}, {n_right} "
                f"the key {printable(options[key])}"
            )
        found.append(
            ItemFigures(
                id=items.ids[i],
                difficulty=float(right[i].mean()),
                item_rest=None if np.isnan(item_rest[i]) else round(float(item_rest[i]), 4),
                rival=rival,
                rival_models=rival_models,
                suspicion=probability,
                reason=reason,
            )
        )
    return found


def suspects(figures: Sequence[ItemFigures]) -> list[ItemFigures]:
    """The suspect items, most suspect first."""
    found = [one for one in figures if one.is_suspect]
    return sorted(found, key=lambda one: (-(one.suspicion or 0), one.difficulty))


def item_rest_correlations(right: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Corrected point-biserial correlation per item; NaN if the item or the rest does not vary.

    Args:
        right: shape (items, models).

    >>> right = np.array([[0, 0, 1, 1], [0, 1, 1, 1], [1, 1, 0, 0]], bool)
    >>> item_rest_correlations(right).round(2).tolist()
    [-0.58, nan, -0.9]
    """
    hits = right.astype(np.float64)
    rest = (hits.sum(axis=0) - hits) / max(1, len(hits) - 1)
    hits -= hits.mean(axis=1, keepdims=True)
    rest -= rest.mean(axis=1, keepdims=True)
    scale = np.sqrt((hits**2).sum(axis=1) * (rest**2).sum(axis=1))
    varies = scale > 1e-12
    return np.where(varies, (hits * rest).sum(axis=1) / np.where(varies, scale, 1), np.nan)


def suspicions(choices: NDArray[np.int64], items: ItemSet) -> NDArray[np.float64]:
    """P(another option than the key is the right one), by EM (Dawid and Skene 1979).

    Every model has one accuracy, its wrong answers are spread evenly over the other options, and
    models are independent given the right option.
    """
    counts = np.array([len(options) for options in items.options])
    places = np.arange(counts.max())
    chose = choices[:, :, None] == places  # (items, models, options)
    is_key = places == items.answers[:, None]
    of_others = np.log(_FAULT_PRIOR / np.maximum(1, counts - 1))[:, None]
    prior = np.where(is_key, np.log(1 - _FAULT_PRIOR), of_others)
    prior = np.where(places < counts[:, None], prior, -np.inf)
    accuracy = (choices == items.answers[:, None]).mean(axis=0)
    for _ in range(_ROUNDS):
        share = np.clip(accuracy, 0.01, 0.99)
        wrong = np.log((1 - share) / np.maximum(1, counts - 1)[:, None])
        odds = prior + (chose * (np.log(share) - wrong)[:, :, None]).sum(axis=1)
        posterior = np.exp(odds - odds.max(axis=1, keepdims=True))
        posterior /= posterior.sum(axis=1, keepdims=True)
        accuracy = (posterior[:, None, :] * chose).sum(axis=(0, 2)) / len(choices)
    return np.asarray(np.where(is_key, 0, posterior).sum(axis=1))
