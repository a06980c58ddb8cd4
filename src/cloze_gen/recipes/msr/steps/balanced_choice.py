"""The balanced choice over all fit items: draws by record, one choice over the set (MSR 2.2, last paragraph; 2.3, guideline 7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from cloze_gen.recipes.msr.steps.balance import answer_shares, rank_features
from cloze_gen.recipes.msr.steps.choice import BALANCED_SCORES, ChoiceSettings, Chosen, ScoredItem, verdicts
from cloze_gen.recipes.msr.steps.herding import herd_draws
from cloze_gen.records.rejection import Rejection
from cloze_gen.rng import derive_rng


def choose_balanced(
    items: Sequence[ScoredItem], offered: Mapping[str, np.ndarray], *, settings: ChoiceSettings, seed: int
) -> tuple[list[Chosen | Rejection], dict[str, float]]:
    """Choose the set so that the answer's rank is uniform under every balanced score.

    Args:
        offered: id of an item -> the draws that it offers (`impostor_draws.offered_draws`); an item without any is not there.
    Returns:
        one verdict for each item in the order of the items, and how often the answer has the highest and the lowest of each score.
    """
    fit = sorted((one for one in items if one.item.id in offered), key=lambda one: (one.item.sentence_id, one.item.id))
    if not fit:
        return verdicts([scored.item for scored in items], settings=settings, impostors={}, offered=offered), {}
    draws = [offered[one.item.id] for one in fit]
    features = np.concatenate([rank_features(_options(scored, drawn)) for scored, drawn in zip(fit, draws, strict=True)])
    start = np.concatenate(([0], np.cumsum([len(drawn) for drawn in draws])))
    sentence_ids, sentences = np.unique([scored.item.sentence_id for scored in fit], return_inverse=True)
    group = np.repeat(np.sort(sentences), np.diff(start))
    n = min(settings.n_questions, len(sentence_ids))  # what can be chosen: a target for more would ask for leaks
    target = _target(fit, draws, n=n, settings=settings, seed=seed)
    chosen = herd_draws(features, group, target=target, n=n, passes=settings.passes, seed=seed)
    impostors: dict[str, tuple[str, ...]] = {}
    option_scores = []
    for row in chosen.tolist():
        place = int(np.searchsorted(start, row, "right")) - 1
        scored, drawn = fit[place], draws[place][row - start[place]]
        impostors[scored.item.id] = tuple(scored.item.candidates[i] for i in drawn)
        option_scores.append(_options(scored, drawn[None])[0])
    found = verdicts([scored.item for scored in items], settings=settings, impostors=impostors, offered=offered)
    return found, _shares(option_scores)


def _target(fit: Sequence[ScoredItem], draws: Sequence[np.ndarray], *, n: int, settings: ChoiceSettings, seed: int) -> np.ndarray:
    """What the feature vectors of the set are to sum to: the scatter of chance, in each rank's share no more than the slack."""
    target = _chance_sum(fit, draws, n=n, seed=seed)
    if not settings.slack:
        return np.zeros_like(target)
    shares = len(BALANCED_SCORES) * (settings.n_impostors + 1)
    target[:shares] = np.clip(target[:shares], -settings.slack * n, settings.slack * n)
    return target


def _chance_sum(fit: Sequence[ScoredItem], draws: Sequence[np.ndarray], *, n: int, seed: int) -> np.ndarray:
    """What the feature vectors of n random draws sum to when a random option is called the answer: no leak, and the usual scatter.

    A set balanced to the last question is itself a sign: what four books have too much of, the fifth has too little of, and a classifier
    trained on the four scores below chance on the fifth.
    """
    rng = derive_rng(seed, "msr.balance_target")
    picked = rng.integers(len(fit), size=n)
    total = 0.0
    for i in picked.tolist():
        options = _options(fit[i], draws[i][:1])
        front = int(rng.integers(options.shape[1]))
        total = total + rank_features(options[:, [front, *(k for k in range(options.shape[1]) if k != front)]])[0]
    return np.asarray(total, np.float64)


def _options(scored: ScoredItem, drawn: np.ndarray) -> np.ndarray:
    """Balanced scores of the answer and the drawn impostors; shape (draws, 1 + impostors, scores)."""
    scores = scored.scores[:, : len(BALANCED_SCORES)]
    answer = np.broadcast_to(scores[0], (len(drawn), 1, scores.shape[1]))
    return np.concatenate([answer, scores[1:][drawn]], axis=1)


def _shares(option_scores: Sequence[np.ndarray]) -> dict[str, float]:
    highest, lowest = answer_shares(option_scores)
    shares: Mapping[str, float] = {
        f"answer_{end}_{name}": round(float(values[i]), 4)
        for i, name in enumerate(BALANCED_SCORES)
        for end, values in (("highest", highest), ("lowest", lowest))
    }
    return dict(shares)
