"""The matched choice: trained classifiers of the scores cannot find the answer (MSR 2.2, end).

In each round, classifiers learn to find the answer (`propensity`) and the set is chosen again. A
classifier of another family checks each set and decides which round is kept. The search stops after
two rounds without progress, because more rounds would fit the set to the classifiers' errors. The
check of the chosen set uses other folds; `set_size` chooses the size by it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from cloze_gen.recipes.questions.balance import (
    named_answer_shares,
    rank_features,
    spelling_vectors,
    value_features,
)
from cloze_gen.recipes.questions.herding import herd_draws
from cloze_gen.recipes.questions.propensity import (
    Each,
    comparable,
    cross_fitted_log_odds,
    folds_by_group,
    found_by_scores,
)
from cloze_gen.recipes.questions.random_choice import (
    N_IMPOSTORS,
    ChoicePlan,
    Chosen,
    ScoredItem,
    verdicts,
)
from cloze_gen.recipes.questions.set_size import Leak, largest_hidden, sizes_of
from cloze_gen.records.rejection import Rejection

# Largest share of a class's sentences to use while other classes have more left. Balancing needs
# several sentences to choose from.
_MOST_OF_CLASS = 0.4
_MIN_SENTENCES = 150  # fewer sentences are balanced without classifiers
_PATIENCE = 2  # most rounds in a row without progress
_TRIAL_ROUNDS = 2  # rounds of the set whose classifiers serve all sizes that are tried
_CUTS = 4  # ways to cut folds for the check of the chosen set
_KEPT_DRAWS = (
    8  # draws per item for a round's set: those with the smallest difference in propensity
)
# Weights relative to the values of a score: its ranks (simple rules use only these), the words'
# spelling, their association with the sentence, the propensity.
_RANK_WEIGHT = 1.5
_SPELLING_WEIGHT = 3.0
# with 1, LSA finds 50 % (0.2: 52 to 57 %) and the forward score 32 to 34 % (0.2: 27 to 29 %)
_TOPIC_WEIGHT = 0.4
_ODDS_WEIGHT = 2.0
_RANK_TOLERANCE = 0.015  # difference between a rank's share of answers and chance
_SWAP_PASSES = 1  # swaps tried per question after the greedy choice
_MARGIN_COST = 12.0  # cost of one unit of log odds between the answer and its impostors' mean


@dataclass(frozen=True, slots=True, eq=False)
class Quotas:
    """Number of questions of each class: `wanted` from the shares, `most` possible with the pool."""

    wanted: Mapping[str, int] = field(default_factory=dict)
    most: Mapping[str, int] = field(default_factory=dict)
    names: tuple[str, ...] = ()
    class_of_item: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))

    @property
    def quota(self) -> list[int]:
        return [self.most[name] for name in self.names]


def class_quotas(
    classes: Sequence[str], sentences: Sequence[str], *, shares: Mapping[str, float], n: int
) -> Quotas:
    """How many of n questions each class gets; `classes` and `sentences` have one entry per item.

    A class uses at most two fifths of its sentences. Classes with more sentences left fill the
    rest, and so does the part of 1 that `shares` does not assign.

    >>> found = class_quotas(["noun"] * 90 + ["verb"] * 10, [str(i) for i in range(100)], shares={"noun": 0.5, "verb": 0.5}, n=40)
    >>> found.wanted, found.most
    ({'noun': 20, 'verb': 20}, {'noun': 36, 'verb': 4})
    """
    if not shares or set(classes) <= {"other"}:  # no shares are set, or no word was tagged
        return Quotas()
    names = tuple(sorted({*classes, *shares}))
    sentence_counts = {
        name: len(
            {sentence for one, sentence in zip(classes, sentences, strict=True) if one == name}
        )
        for name in names
    }
    wanted = {name: round(shares[name] * n) for name in names if name in shares}
    most = dict.fromkeys(names, 0)
    given = {
        name: min(wanted.get(name, 0), int(_MOST_OF_CLASS * sentence_counts[name]))
        for name in names
    }
    most.update(given)
    for limit in (
        {name: int(_MOST_OF_CLASS * sentence_counts[name]) for name in names},
        sentence_counts,
    ):
        _share_out(most, limit, n - sum(most.values()))
    number = {name: i for i, name in enumerate(names)}
    return Quotas(wanted, most, names, np.array([number[name] for name in classes], np.int64))


def _share_out(most: dict[str, int], limit: Mapping[str, int], rest: int) -> None:
    free = {name: max(0, limit[name] - most[name]) for name in most}
    rest = max(0, min(rest, sum(free.values())))
    if not rest:
        return
    exact = {name: rest * free[name] / sum(free.values()) for name in most}
    for name in most:
        most[name] += int(exact[name])
    missing = rest - sum(int(value) for value in exact.values())
    for name in sorted(most, key=lambda one: (int(exact[one]) - exact[one], one))[:missing]:
        most[name] += 1


@dataclass(frozen=True, slots=True)
class Round:
    """How well a classifier finds the answers: the check's accuracy, and its gain over chance in nats."""

    accuracy: float
    gain: float


@dataclass(frozen=True, slots=True)
class ChoiceFacts:
    """How well classifiers find the answers of the chosen set.

    Attributes:
        rounds: the balanced set first, then each round's set.
        kept: index of the kept round; None if there were too few sentences to train on.
        leak: the check of the chosen set on folds that did not choose it; None as `kept`.
        n_sentences: sentences that offer a question.
        tried: size -> check of a set of this size, if n_questions is ``auto``.
        classes: class -> questions (wanted, chosen); empty without shares.
    """

    rounds: Sequence[Round] = ()
    kept: int | None = None
    leak: Leak | None = None
    n_sentences: int = 0
    tried: Mapping[int, Leak] = field(default_factory=dict)
    shares: dict[str, float] = field(default_factory=dict)
    classes: dict[str, tuple[int, int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class _Pool:
    """All draws of all fit items, in the order of their sentences.

    Attributes:
        item, drawn, group: item, candidate indices and sentence of each draw.
        raw, scores: one row per word, each item's answer first; `start`: first row of each item.
        spelling, topicality: one row per word; used for balancing, not by the classifiers.
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
        first = self.start[self.item[draws], None]
        return np.concatenate([first, first + 1 + self.drawn[draws]], axis=1)

    def options(self, draws: NDArray[np.int64]) -> NDArray[np.float32]:
        """Comparable scores of the options of draws, shape (draws, options, scores)."""
        return self.scores[self.rows(draws)]

    @property
    def n_sentences(self) -> int:
        return int(self.group[-1]) + 1


def choose_matched(
    items: Sequence[ScoredItem],
    offered: Mapping[str, NDArray[np.int64]],
    plan: ChoicePlan,
    *,
    each: Each = map,
    say: Callable[[str], object] = lambda line: None,
) -> tuple[list[Chosen | Rejection], ChoiceFacts]:
    """A verdict on each item, and how well classifiers still find the answers from scores.

    `say` gets a line for each size that is tried.
    """
    settings = plan.settings
    fit = sorted(
        (one for one in items if one.item.id in offered),
        key=lambda one: (one.item.sentence_id, one.item.id),
    )
    if not fit:
        return verdicts([one.item for one in items], impostors={}, offered=offered), ChoiceFacts()
    pool = _pool(fit, [offered[one.item.id] for one in fit], plan)
    every = np.arange(len(pool.item))
    features = _features(
        pool.options(every), pool.spelling[pool.rows(every)], pool.topicality[pool.rows(every)]
    )
    classes, sentences = [one.item.word_class for one in fit], [one.item.sentence_id for one in fit]
    shares = {str(name): share for name, share in settings.class_shares.items()}

    def quotas_of(n: int) -> Quotas:
        return class_quotas(classes, sentences, shares=shares, n=n)

    def set_of(n: int, rounds: int) -> _Found:
        return _search(pool, features, quotas_of(n), n, rounds, plan, each)

    tried: dict[int, Leak] = {}
    if settings.n_questions == "auto":
        sizes = sizes_of(pool.n_sentences)
        place = len(sizes) - 1
        if place and pool.n_sentences >= _MIN_SENTENCES:
            odds = set_of(sizes[len(sizes) // 2], min(_TRIAL_ROUNDS, settings.rounds)).odds

            def leak_of(n: int) -> Leak:
                leak = _leak(
                    pool, _balanced(pool, features, quotas_of(n), odds, n, plan), plan, each
                )
                say(
                    f"tried {n:,} questions: the check finds {leak.accuracy:.1%} (+- {leak.error:.1%})"
                )
                return leak

            place, tried = largest_hidden(sizes, leak_of, max_leak=settings.max_leak)
        found = set_of(sizes[place], settings.rounds)
        while place and found.leak and found.leak.accuracy > settings.max_leak:
            tried[sizes[place]] = found.leak  # its trial had luck
            place -= 1
            found = set_of(sizes[place], settings.rounds)
    else:  # a larger n would make the target grow with questions that cannot be chosen
        found = set_of(min(settings.n_questions, pool.n_sentences), settings.rounds)
    taken = [(fit[pool.item[row]].item, pool.drawn[row].tolist()) for row in found.chosen.tolist()]
    impostors = {item.id: tuple(item.candidates[place] for place in drawn) for item, drawn in taken}
    of_class = Counter(item.word_class for item, _ in taken)
    facts = ChoiceFacts(
        found.rounds,
        found.kept,
        found.leak,
        pool.n_sentences,
        tried,
        named_answer_shares(list(pool.raw[pool.rows(found.chosen)]), plan.score_names),
        {name: (count, of_class[name]) for name, count in found.wanted.items()},
    )
    return verdicts([one.item for one in items], impostors=impostors, offered=offered), facts


def _pool(fit: Sequence[ScoredItem], offered: Sequence[np.ndarray], plan: ChoicePlan) -> _Pool:
    item = np.repeat(np.arange(len(fit)), [len(drawn) for drawn in offered])
    sentence = np.unique([one.item.sentence_id for one in fit], return_inverse=True)[1]
    raw = np.concatenate([one.scores for one in fit])
    scaled = raw.copy()
    if "freq" in plan.score_names:
        freq = plan.score_names.index("freq")
        with np.errstate(divide="ignore"):
            scaled[:, freq] = np.log10(scaled[:, freq])
    start = np.concatenate(([0], np.cumsum([len(one.scores) for one in fit])))[:-1]
    spelling = spelling_vectors(
        [word for one in fit for word in (one.item.answer, *one.item.candidates)]
    )
    topicality = comparable(np.concatenate([one.topicality for one in fit])[:, None])
    return _Pool(
        item,
        np.concatenate(offered),
        sentence[item],
        raw,
        comparable(scaled),
        start,
        spelling,
        topicality,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    """A set as rows of the pool, what `ChoiceFacts` reports of it, and each draw's propensity."""

    chosen: NDArray[np.int64]
    wanted: Mapping[str, int]
    rounds: Sequence[Round] = ()
    kept: int | None = None
    leak: Leak | None = None
    odds: NDArray[np.float32] | None = None


def _search(
    pool: _Pool,
    features: NDArray[np.float32],
    quotas: Quotas,
    n: int,
    most_rounds: int,
    plan: ChoicePlan,
    each: Each,
) -> _Found:
    settings, seed = plan.settings, plan.seed
    chosen = _balanced(pool, features, quotas, None, n, plan)
    if pool.n_sentences < _MIN_SENTENCES or not settings.rounds:
        return _Found(chosen, quotas.wanted)
    fold = folds_by_group(pool.group, seed=seed, purpose=f"{plan.recipe}.choosing_folds")
    rounds, sets = [_check(pool, chosen, plan, each)], [chosen]
    odds = np.zeros((len(pool.item), N_IMPOSTORS + 1), np.float32)
    for number in range(1, most_rounds + 1):
        found = cross_fitted_log_odds(
            pool.options,
            sets[-1],
            fold,
            seed=seed,
            purpose=f"{plan.recipe}.choosing_{number}",
            each=each,
        )
        odds += (found - odds) / number
        sets.append(_balanced(pool, features, quotas, odds, n, plan))
        rounds.append(_check(pool, sets[-1], plan, each))
        best = min(range(len(rounds)), key=lambda i: rounds[i].gain)
        if number - best >= _PATIENCE:
            break
    leak = _leak(pool, sets[best], plan, each)
    return _Found(sets[best], quotas.wanted, rounds, best, leak, odds)


def _check(pool: _Pool, chosen: NDArray[np.int64], plan: ChoicePlan, each: Each) -> Round:
    found, gain = _checked(pool, chosen, ["check"], plan, each)
    return Round(float(found.mean()), float(gain.mean()))


def _leak(pool: _Pool, chosen: NDArray[np.int64], plan: ChoicePlan, each: Each) -> Leak:
    """The check of a chosen set on several other cuts; the error is that of a question's mean."""
    cuts = [f"leak_{cut}" for cut in range(_CUTS)]
    found = _checked(pool, chosen, cuts, plan, each)[0].mean(axis=0)
    return Leak(float(found.mean()), float(found.std() / len(found) ** 0.5))


def _checked(
    pool: _Pool, chosen: NDArray[np.int64], purposes: Sequence[str], plan: ChoicePlan, each: Each
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    return found_by_scores(
        pool.options(chosen),
        pool.group[chosen],
        seed=plan.seed,
        purposes=[f"{plan.recipe}.{purpose}" for purpose in purposes],
        each=each,
    )


def _balanced(
    pool: _Pool,
    features: NDArray[np.float32],
    quotas: Quotas,
    odds: NDArray[np.float32] | None,
    n: int,
    plan: ChoicePlan,
) -> NDArray[np.int64]:
    """The draws of a set that is balanced under every score, and under `odds` if given."""
    margin = (
        np.zeros(len(pool.item), np.float32)
        if odds is None
        else np.abs(odds[:, 0] - odds[:, 1:].mean(axis=1))
    )
    order = np.lexsort((margin, pool.item))  # stable: of equal draws, the first one
    first = np.searchsorted(pool.item, np.arange(pool.item[-1] + 1))
    offered = np.sort(order[np.arange(len(order)) - first[pool.item] < _KEPT_DRAWS])
    rng = plan.rng("matching_target")
    picked, front = (
        rng.integers(len(offered), size=n),
        rng.integers(1 + N_IMPOSTORS, size=n),
    )
    rows = pool.rows(offered[picked])
    fronted = [
        _move_to_front(values[rows], front)
        for values in (pool.scores, pool.spelling, pool.topicality)
    ]
    blocks, of_target = [features[offered]], [_features(fronted[0], fronted[1], fronted[2])]
    if odds is not None:
        unit = np.float32(odds[offered].std() or 1.0)
        blocks.append(_odds_features(odds[offered] / unit))
        of_target.append(_odds_features(_move_to_front(odds[offered[picked]], front) / unit))
    target = np.concatenate(of_target, axis=1).sum(axis=0)
    shares = pool.scores.shape[1] * (1 + N_IMPOSTORS)
    limit = _RANK_WEIGHT * _RANK_TOLERANCE * n
    target[:shares] = np.clip(target[:shares], -limit, limit)
    stratum = quotas.class_of_item[pool.item[offered]] if quotas.most else None
    found = herd_draws(
        np.concatenate(blocks, axis=1), pool.group[offered], target=target, n=n,
        passes=_SWAP_PASSES, rng=plan.rng("herding"), cost=_MARGIN_COST * margin[offered], stratum=stratum, quota=quotas.quota,
    )  # fmt: skip
    return np.asarray(offered[found], np.int64)


def _features(
    options: NDArray[np.float32], spelling: NDArray[np.float32], topicality: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Features that should sum to zero: ranks and values of scores and topicality, and spelling."""
    blocks = [
        _RANK_WEIGHT * rank_features(options),
        value_features(options),
        _SPELLING_WEIGHT * (spelling[:, 0] - spelling.mean(axis=1)),
    ]
    blocks += [
        _TOPIC_WEIGHT * rank_features(topicality),
        _TOPIC_WEIGHT * value_features(topicality),
    ]
    return np.concatenate(blocks, axis=1)


def _odds_features(odds: NDArray[np.float32]) -> NDArray[np.float32]:
    """Ranks and values of the propensity, in units of its standard deviation."""
    return np.concatenate(
        [
            _ODDS_WEIGHT * rank_features(odds[:, :, None]),
            _ODDS_WEIGHT * value_features(odds[:, :, None]),
        ],
        axis=1,
    )


def _move_to_front(values: NDArray[np.float32], front: NDArray[np.int64]) -> NDArray[np.float32]:
    """Draws with another option moved to the answer's place, same shape, (draws, options, ...)."""
    out = values.copy()
    rows = np.arange(len(values))
    out[:, 0], out[rows, front] = values[rows, front], values[:, 0]
    return out
