"""The matched choice: no trained reader of the scores can tell the answer (MSR 2.2, last paragraph; 2.3, guideline 7).

Every focus word offers draws of four impostors. A first set is chosen level: ranks and distances of the answer as those of an average
option, under the scores and by its association with the sentence. Then, round after round, classifiers learn of the set what still tells
the answer (`propensity`), and it is chosen anew so that the answer looks no more like an answer than its impostors do. A check of another
family, on folds of its own, says which round's set tells least; where two rounds in a row tell no less, the search ends, for from there on
the set is fitted to the classifiers' errors.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from cloze_gen.recipes.msr.steps.balance import answer_shares, rank_features, spelling_vectors, value_features
from cloze_gen.recipes.msr.steps.choice import BALANCED_SCORES, ChoiceSettings, Chosen, ScoredItem, verdicts
from cloze_gen.recipes.msr.steps.class_shares import Quotas, class_quotas
from cloze_gen.recipes.msr.steps.herding import herd_draws
from cloze_gen.recipes.msr.steps.propensity import Each, comparable, cross_fitted_log_odds, folds_by_group, told_by_scores
from cloze_gen.records.rejection import Rejection
from cloze_gen.rng import derive_rng

_FEWEST = 150  # sentences to be asked from which classifiers learn something; fewer are levelled and nothing more
_PATIENCE = 2  # rounds in a row that tell no less
_KEPT_DRAWS = 8  # of a focus word, from which a round's set is chosen: those of the most even propensity
_FREQ = BALANCED_SCORES.index("freq")  # compared by its logarithm
# What weighs how much beside the values of a score: its ranks, for simple rules look at these alone; the words' spelling; ranks and values
# of their association with the sentence; the propensity.
_RANK_WEIGHT = 1.5
_SPELLING_WEIGHT = 3.0
_TOPIC_WEIGHT = 0.4  # at 1 LSA guesses 50 % for 52 to 57 at 0.2, and a model of the forward score 32 to 34 % for 27 to 29
_ODDS_WEIGHT = 2.0
_MARGIN_COST = 12.0  # of a unit of log odds by which the answer looks more, or less, like an answer than the mean of its impostors


@dataclass(frozen=True, slots=True)
class Round:
    """What one round's set tells.

    Attributes:
        told: share of the questions that the check gets right; chance is one in five.
        gain: the answers' mean log-likelihood above chance by the check, in nats.
    """

    told: float
    gain: float


@dataclass(frozen=True, slots=True)
class MatchedFacts:
    """What the choice leaves.

    Attributes:
        rounds: the level set first, then a round each.
        kept: index of the round whose set was kept; None where too few sentences were there to train on.
        shares: how often the answer has the highest and the lowest of each score.
        classes: coarse class of the answer -> (questions wanted, questions chosen); empty without shares asked for.
    """

    rounds: Sequence[Round] = ()
    kept: int | None = None
    shares: dict[str, float] = field(default_factory=dict)
    classes: dict[str, tuple[int, int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class _Pool:
    """All draws of all fit items, in the order of their sentences.

    Attributes:
        item, drawn: of each draw, the number of its item and the places of its impostors among the candidates.
        group: of each draw, the number of its sentence.
        raw, scores: of the words of all items, an item after the other, the answer first: as they are, and comparable.
        start: of each item, its first row there.
        spelling: of the words likewise, their vectors; `topicality` their association with the rest of the sentence, comparable. Both are
            levelled only: no classifier of the choice sees them.
    """

    item: NDArray[np.int64]
    drawn: NDArray[np.int64]
    group: NDArray[np.int64]
    raw: NDArray[np.float64]
    scores: NDArray[np.float32]
    start: NDArray[np.int64]
    spelling: NDArray[np.float32]
    topicality: NDArray[np.float32]

    def rows(self, draws: NDArray[np.int64]) -> NDArray[np.int64]:
        """Rows of `scores` of the options of draws, the answer first; shape (draws, options)."""
        first = self.start[self.item[draws], None]
        return np.concatenate([first, first + 1 + self.drawn[draws]], axis=1)

    def options(self, draws: NDArray[np.int64]) -> NDArray[np.float32]:
        """Comparable scores of the options of draws; shape (draws, options, scores)."""
        return self.scores[self.rows(draws)]

    @property
    def n_sentences(self) -> int:
        return int(self.group[-1]) + 1


def choose_matched(
    items: Sequence[ScoredItem], offered: Mapping[str, NDArray[np.int64]], *, settings: ChoiceSettings, seed: int, each: Each = map
) -> tuple[list[Chosen | Rejection], MatchedFacts]:
    """Choose the set so that a classifier trained on its scores learns nothing that it can repeat.

    Args:
        offered: id of an item -> the draws that it offers (`impostor_draws.offered_draws`); an item without any is not there.
        each: maps a function over folds, as `map` does: perhaps several at once.
    Returns:
        one verdict for each item in the order of the items, and what the choice leaves.
    """
    fit = sorted((one for one in items if one.item.id in offered), key=lambda one: (one.item.sentence_id, one.item.id))
    if not fit:
        return verdicts([one.item for one in items], settings=settings, impostors={}, offered=offered), MatchedFacts()
    pool = _pool(fit, [offered[one.item.id] for one in fit])
    n = min(settings.n_questions, pool.n_sentences)  # what can be chosen: a target for more would ask for leaks
    classes, sentences = [one.item.word_class for one in fit], [one.item.sentence_id for one in fit]
    quotas = class_quotas(classes, sentences, shares={str(name): share for name, share in settings.class_shares.items()}, n=n)
    chosen, rounds, kept = _search(pool, quotas, n, settings, seed, each)
    taken = [(fit[pool.item[row]].item, pool.drawn[row].tolist()) for row in chosen.tolist()]
    impostors = {item.id: tuple(item.candidates[place] for place in drawn) for item, drawn in taken}
    found = Counter(item.word_class for item, _ in taken)
    facts = MatchedFacts(rounds, kept, _shares(pool, chosen), {name: (count, found[name]) for name, count in quotas.wanted.items()})
    return verdicts([one.item for one in items], settings=settings, impostors=impostors, offered=offered), facts


def _pool(fit: Sequence[ScoredItem], offered: Sequence[np.ndarray]) -> _Pool:
    item = np.repeat(np.arange(len(fit)), [len(drawn) for drawn in offered])
    sentence = np.unique([one.item.sentence_id for one in fit], return_inverse=True)[1]
    raw = np.concatenate([one.scores for one in fit])
    scaled = raw.copy()
    with np.errstate(divide="ignore"):
        scaled[:, _FREQ] = np.log10(scaled[:, _FREQ])
    start = np.concatenate(([0], np.cumsum([len(one.scores) for one in fit])))[:-1]
    spelling = spelling_vectors([word for one in fit for word in (one.item.answer, *one.item.candidates)])
    topicality = comparable(np.concatenate([one.topicality for one in fit])[:, None])
    return _Pool(item, np.concatenate(offered), sentence[item], raw, comparable(scaled), start, spelling, topicality)


def _search(
    pool: _Pool, quotas: Quotas, n: int, settings: ChoiceSettings, seed: int, each: Each
) -> tuple[NDArray[np.int64], list[Round], int | None]:
    """The rows of the draws that are chosen, what each round's set tells, and whose was kept."""
    every = np.arange(len(pool.item))
    features = _features(pool.options(every), pool.spelling[pool.rows(every)], pool.topicality[pool.rows(every)])
    chosen = _level(pool, features, quotas, None, n, settings, seed)
    if pool.n_sentences < _FEWEST or not settings.rounds:
        return chosen, [], None
    fold = folds_by_group(pool.group, seed=seed, purpose="msr.choosing_folds")
    rounds, sets = [_told(pool, chosen, seed, each)], [chosen]
    odds = np.zeros((len(pool.item), settings.n_impostors + 1), np.float32)
    for number in range(1, settings.rounds + 1):
        found = cross_fitted_log_odds(pool.options, sets[-1], fold, seed=seed, purpose=f"msr.choosing_{number}", each=each)
        odds += (found - odds) / number
        sets.append(_level(pool, features, quotas, odds, n, settings, seed))
        rounds.append(_told(pool, sets[-1], seed, each))
        best = min(range(len(rounds)), key=lambda i: rounds[i].gain)
        if number - best >= _PATIENCE:
            break
    return sets[best], rounds, best


def _told(pool: _Pool, chosen: NDArray[np.int64], seed: int, each: Each) -> Round:
    return Round(*told_by_scores(pool.options(chosen), pool.group[chosen], seed=seed, each=each))


def _level(
    pool: _Pool,
    features: NDArray[np.float32],
    quotas: Quotas,
    odds: NDArray[np.float32] | None,
    n: int,
    settings: ChoiceSettings,
    seed: int,
) -> NDArray[np.int64]:
    """The draws of a set that is level under every score, and under the propensity where it is known.

    Args:
        features: of every draw what does not change with the odds, shape (draws, features).
    """
    margin = np.zeros(len(pool.item), np.float32) if odds is None else np.abs(odds[:, 0] - odds[:, 1:].mean(axis=1))
    order = np.lexsort((margin, pool.item))  # stable: the first drawn of equals
    first = np.searchsorted(pool.item, np.arange(pool.item[-1] + 1))
    offered = np.sort(order[np.arange(len(order)) - first[pool.item] < _KEPT_DRAWS])
    rng = derive_rng(seed, "msr.matching_target")
    picked, front = rng.integers(len(offered), size=n), rng.integers(1 + settings.n_impostors, size=n)
    rows = pool.rows(offered[picked])
    fronted = [_fronted(values[rows], front) for values in (pool.scores, pool.spelling, pool.topicality)]
    blocks, of_target = [features[offered]], [_features(fronted[0], fronted[1], fronted[2])]
    if odds is not None:
        unit = np.float32(odds[offered].std() or 1.0)
        blocks.append(_odds_features(odds[offered] / unit))
        of_target.append(_odds_features(_fronted(odds[offered[picked]], front) / unit))
    target = np.concatenate(of_target, axis=1).sum(axis=0)
    shares = pool.scores.shape[1] * (1 + settings.n_impostors)
    target[:shares] = np.clip(target[:shares], -_RANK_WEIGHT * settings.slack * n, _RANK_WEIGHT * settings.slack * n)
    stratum = quotas.class_of_item[pool.item[offered]] if quotas.most else None
    found = herd_draws(
        np.concatenate(blocks, axis=1), pool.group[offered], target=target if settings.slack else np.zeros_like(target), n=n,
        passes=settings.passes, seed=seed, cost=_MARGIN_COST * margin[offered], stratum=stratum, quota=quotas.quota,
    )  # fmt: skip
    return np.asarray(offered[found], np.int64)


def _features(options: NDArray[np.float32], spelling: NDArray[np.float32], topicality: NDArray[np.float32]) -> NDArray[np.float32]:
    """What is to sum to nothing: the ranks and values of the scores and of topicality, and how the words are spelt."""
    blocks = [_RANK_WEIGHT * rank_features(options), value_features(options), _SPELLING_WEIGHT * (spelling[:, 0] - spelling.mean(axis=1))]
    blocks += [_TOPIC_WEIGHT * rank_features(topicality), _TOPIC_WEIGHT * value_features(topicality)]
    return np.concatenate(blocks, axis=1)


def _odds_features(odds: NDArray[np.float32]) -> NDArray[np.float32]:
    """The same of the propensity, in units of its deviation."""
    return np.concatenate([_ODDS_WEIGHT * rank_features(odds[:, :, None]), _ODDS_WEIGHT * value_features(odds[:, :, None])], axis=1)


def _fronted(values: NDArray[np.float32], front: NDArray[np.int64]) -> NDArray[np.float32]:
    """The same fives with another option in the answer's place; shape as given, (draws, options, ...)."""
    out = values.copy()
    rows = np.arange(len(values))
    out[:, 0], out[rows, front] = values[rows, front], values[:, 0]
    return out


def _shares(pool: _Pool, chosen: NDArray[np.int64]) -> dict[str, float]:
    highest, lowest = answer_shares(list(pool.raw[pool.rows(chosen)]))
    ends = (("highest", highest), ("lowest", lowest))
    return {f"answer_{end}_{name}": round(float(values[i]), 4) for i, name in enumerate(BALANCED_SCORES) for end, values in ends}
