"""The matched choice: trained classifiers of the scores cannot find the answer (MSR 2.2, end).

In each round, classifiers learn to find the answer (`propensity`) and the set is chosen again. A
classifier of another family checks each set and decides which round is kept. The search stops after
two rounds without progress, because more rounds would fit the set to the classifiers' errors. The
check of the chosen set uses other folds.

The more of its pool a set uses, the less its draws can be balanced, and the more answers a
classifier finds. `n_questions = "auto"` takes the largest size that hides the answers.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from cloze_gen.recipes.msr.choice.draws import Draws
from cloze_gen.recipes.msr.choice.features import rank_features, spelling_vectors, value_features
from cloze_gen.recipes.msr.choice.herding import herd_draws
from cloze_gen.recipes.msr.choice.pool import SCORE_NAMES, CandidatePool
from cloze_gen.recipes.msr.choice.propensity import (
    Each,
    comparable,
    cross_fitted_log_odds,
    folds_by_group,
    found_by_scores,
)
from cloze_gen.recipes.msr.choice.settings import N_IMPOSTORS, ChoiceSettings
from cloze_gen.rng import derive_rng

MOST_ROUNDS = 10
_MIN_SENTENCES = 150  # fewer sentences are balanced without classifiers
_PATIENCE = 2  # most rounds in a row without progress
_TRIAL_ROUNDS = 2  # rounds of the set whose classifiers serve all sizes that are tried
_CUTS = 4  # ways to cut folds for the check of the chosen set
_LEAST = 100  # questions; the check of a smaller set is too uncertain
_STEP = 1.2  # ratio of neighbouring sizes
# Largest share of a class's sentences to use while other classes have more left. Balancing needs
# several sentences to choose from.
_MOST_OF_CLASS = 0.4
_KEPT_DRAWS = 8  # draws of an item for a round's set
# Weights relative to the values of a score: its ranks (simple rules use only these), the words'
# spelling, their association with the sentence, the propensity.
_RANK_WEIGHT = 1.5
_SPELLING_WEIGHT = 3.0
# with 1, LSA finds 50 % (0.2: 52 to 57 %) and the forward score 32 to 34 % (0.2: 27 to 29 %)
_TOPIC_WEIGHT = 0.4
_ODDS_WEIGHT = 2.0
_RANK_TOLERANCE = 0.015  # difference between a rank's share of answers and chance
_BLOCK = 8192  # draws whose features are computed at once
_SWAP_PASSES = 1  # swaps tried per question after the greedy choice
_MARGIN_COST = 12.0  # cost of one unit of log odds between the answer and its impostors' mean


@dataclass(frozen=True, slots=True)
class Round:
    """How well a classifier finds the answers: the check's accuracy, and its gain over chance in nats."""

    accuracy: float
    gain: float


@dataclass(frozen=True, slots=True, order=True)
class Leak:
    """Accuracy of the check, on other folds than those that chose the set, and its standard error."""

    accuracy: float
    error: float

    def is_hidden(self, max_leak: float) -> bool:
        """Whether the answers stay hidden, with the standard error as a margin against luck."""
        return self.accuracy + self.error <= max_leak


@dataclass(frozen=True, slots=True, eq=False)
class MatchedSet:
    """A chosen set, and how well classifiers find its answers.

    Attributes:
        chosen: int64, shape (questions,): the chosen draws.
        rounds: the balanced set first, then each round's set; `kept`: index of the kept round.
        leak: the check of the set on folds that did not choose it. With too few sentences to train
            on, `kept` and `leak` are None.
        odds: propensity of each option, (draws, 5); None with too few sentences.
        wanted: class -> questions that its share asks for.
        tried: size -> check of a set of this size, if n_questions is ``auto``.
    """

    chosen: NDArray[np.int64]
    rounds: Sequence[Round] = ()
    kept: int | None = None
    leak: Leak | None = None
    odds: NDArray[np.float32] | None = None
    wanted: Mapping[str, int] = field(default_factory=dict)
    tried: Mapping[int, Leak] = field(default_factory=dict)


class MatchedChoice:
    """The search for a set among draws.

    `sentence`: int64, shape (draws,): number of the sentence of each draw, in the order of the ids.
    Scores, spelling and topicality have one row a row of the pool; classifiers see only scores.
    """

    def __init__(
        self,
        pool: CandidatePool,
        draws: Draws,
        settings: ChoiceSettings,
        *,
        seed: int,
        each: Each = map,
        say: Callable[[str], object] = lambda line: None,
    ) -> None:
        self._settings = settings
        self._seed = seed
        self._each = each
        self._say = say
        # Draws in the order of sentences and items, so that the order of the pool does not matter.
        offered = np.unique(draws.item)
        order = sorted(offered.tolist(), key=lambda item: (pool.sentence[item], pool.id[item]))
        place = np.full(len(pool), -1)
        place[order] = np.arange(len(order))
        self.order = np.argsort(place[draws.item], kind="stable")  # places in `draws`
        self._item = place[draws.item][self.order]
        self._rows = draws.rows[self.order]
        self._class = pool.word_class[order]
        self._sentence_of_item = np.unique(pool.sentence[order].astype(str), return_inverse=True)[1]
        self.sentence = self._sentence_of_item[self._item]
        self.n_sentences = len(set(self._sentence_of_item.tolist()))
        # Scores are comparable within the rows that the offered items have.
        in_use = np.concatenate([np.arange(pool.first[i], pool.first[i + 1]) for i in order])
        scores = pool.scores[in_use].copy()
        freq = SCORE_NAMES.index("freq")
        with np.errstate(divide="ignore"):
            scores[:, freq] = np.log10(scores[:, freq])
        self._scores = _spread(comparable(scores), in_use, len(pool.word))
        spelling = spelling_vectors(pool.word[in_use].tolist())
        self._spelling = _spread(spelling, in_use, len(pool.word))
        topicality = comparable(pool.topicality[in_use][:, None])
        self._topicality = _spread(topicality, in_use, len(pool.word))
        blocks = np.array_split(self._rows, 1 + len(self._rows) // _BLOCK)  # to save memory
        tables = (self._scores, self._spelling, self._topicality)
        self._features = np.concatenate(
            [_features(*(table[rows] for table in tables)) for rows in blocks]
        )

    def options(self, draws: NDArray[np.int64]) -> NDArray[np.float32]:
        """Comparable scores of the options of draws, shape (draws, 5, scores)."""
        return self._scores[self._rows[draws]]

    def choose(self) -> MatchedSet:
        """The set of `n_questions`, or the largest that hides its answers."""
        n = self._settings.n_questions
        if n == "auto":
            return self._largest_hidden()
        # a larger n would make the target grow with questions that cannot be chosen
        return self._search(min(n, self.n_sentences), MOST_ROUNDS)

    def _largest_hidden(self) -> MatchedSet:
        """The largest set whose check is within `max_leak`; the smallest if none is."""
        sizes = sizes_of(self.n_sentences)
        place = len(sizes) - 1
        tried: dict[int, Leak] = {}
        if place and self.n_sentences >= _MIN_SENTENCES:
            odds = self._search(sizes[len(sizes) // 2], min(_TRIAL_ROUNDS, MOST_ROUNDS)).odds
            place, tried = largest_hidden(
                sizes, lambda n: self._try(n, odds), max_leak=self._settings.max_leak
            )
        result = self._search(sizes[place], MOST_ROUNDS)
        while place and result.leak and result.leak.accuracy > self._settings.max_leak:
            tried[sizes[place]] = result.leak  # its trial had luck
            place -= 1
            result = self._search(sizes[place], MOST_ROUNDS)
        return replace(result, tried=tried)

    def _try(self, n: int, odds: NDArray[np.float32] | None) -> Leak:
        leak = self._leak(self._balanced(n, odds))
        self._say(
            f"tried {n:,} questions: the check finds {leak.accuracy:.1%} (+- {leak.error:.1%})"
        )
        return leak

    def _search(self, n: int, most_rounds: int) -> MatchedSet:
        chosen = self._balanced(n, None)
        if self.n_sentences < _MIN_SENTENCES or not most_rounds:
            return MatchedSet(chosen, wanted=self._quotas(n).wanted)
        fold = folds_by_group(self.sentence, seed=self._seed, purpose="msr.choosing_folds")
        rounds = [self._check(chosen)]
        sets = [chosen]
        odds = np.zeros((len(self._rows), N_IMPOSTORS + 1), np.float32)
        for number in range(1, most_rounds + 1):
            learned = cross_fitted_log_odds(
                self.options,
                sets[-1],
                fold,
                seed=self._seed,
                purpose=f"msr.choosing_{number}",
                each=self._each,
            )
            odds += (learned - odds) / number
            sets.append(self._balanced(n, odds))
            rounds.append(self._check(sets[-1]))
            best = min(range(len(rounds)), key=lambda i: rounds[i].gain)
            if number - best >= _PATIENCE:
                break
        leak = self._leak(sets[best])
        return MatchedSet(sets[best], rounds, best, leak, odds, self._quotas(n).wanted)

    def _check(self, chosen: NDArray[np.int64]) -> Round:
        found, gain = self._found(chosen, ["msr.check"])
        return Round(float(found.mean()), float(gain.mean()))

    def _leak(self, chosen: NDArray[np.int64]) -> Leak:
        """The check of a set on several other cuts; the error is that of a question's mean."""
        cuts = [f"msr.leak_{cut}" for cut in range(_CUTS)]
        found = self._found(chosen, cuts)[0].mean(axis=0)
        return Leak(float(found.mean()), float(found.std() / len(found) ** 0.5))

    def _found(
        self, chosen: NDArray[np.int64], purposes: Sequence[str]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        return found_by_scores(
            self.options(chosen),
            self.sentence[chosen],
            seed=self._seed,
            purposes=purposes,
            each=self._each,
        )

    def _balanced(self, n: int, odds: NDArray[np.float32] | None) -> NDArray[np.int64]:
        """The draws of a set that is balanced under every score, and under `odds` if given."""
        margin = np.zeros(len(self._rows), np.float32)
        if odds is not None:
            margin = np.abs(odds[:, 0] - odds[:, 1:].mean(axis=1))
        even = self._most_even(margin)
        features = [self._features[even]]
        scale = np.float32(1.0)
        if odds is not None:
            scale = np.float32(odds[even].std() or 1.0)
            features.append(_odds_features(odds[even] / scale))
        quotas = self._quotas(n)
        chosen = herd_draws(
            np.concatenate(features, axis=1),
            self.sentence[even],
            target=self._chance_target(n, even, odds, scale),
            n=n,
            passes=_SWAP_PASSES,
            rng=derive_rng(self._seed, "msr.herding"),
            cost=_MARGIN_COST * margin[even],
            stratum=quotas.class_of_item[self._item[even]] if quotas.most else None,
            quota=list(quotas.most.values()),
        )
        return np.asarray(even[chosen], np.int64)

    def _most_even(self, margin: NDArray[np.float32]) -> NDArray[np.int64]:
        """Of each item the draws with the smallest margin, ascending; of equal ones the first."""
        order = np.lexsort((margin, self._item))
        first = np.searchsorted(self._item, np.arange(self._item[-1] + 1))
        return np.sort(order[np.arange(len(order)) - first[self._item] < _KEPT_DRAWS])

    def _chance_target(
        self,
        n: int,
        even: NDArray[np.int64],
        odds: NDArray[np.float32] | None,
        scale: np.float32,
    ) -> NDArray[np.float64]:
        """The sum of the features of n random draws in which any option is the answer."""
        rng = derive_rng(self._seed, "msr.matching_target")
        picked = even[rng.integers(len(even), size=n)]
        front = rng.integers(1 + N_IMPOSTORS, size=n)
        rows = self._rows[picked]
        tables = (self._scores, self._spelling, self._topicality)
        features = [_features(*(_move_to_front(table[rows], front) for table in tables))]
        if odds is not None:
            features.append(_odds_features(_move_to_front(odds[picked], front) / scale))
        target = np.concatenate(features, axis=1).sum(axis=0)
        n_shares = self._scores.shape[1] * (1 + N_IMPOSTORS)
        limit = _RANK_WEIGHT * _RANK_TOLERANCE * n
        target[:n_shares] = np.clip(target[:n_shares], -limit, limit)
        return target

    def _quotas(self, n: int) -> Quotas:
        shares = {str(name): share for name, share in self._settings.class_shares.items()}
        sentences = self._sentence_of_item.tolist()
        return class_quotas(self._class.tolist(), sentences, shares=shares, n=n)


def _spread(values: NDArray[np.float32], rows: np.ndarray, n_rows: int) -> NDArray[np.float32]:
    """The values at their rows among all, zeros elsewhere."""
    spread = np.zeros((n_rows, values.shape[1]), np.float32)
    spread[rows] = values
    return spread


def _features(
    options: NDArray[np.float32], spelling: NDArray[np.float32], topicality: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Features that should sum to zero: ranks and values of scores and topicality, and spelling."""
    blocks = [
        _RANK_WEIGHT * rank_features(options),
        value_features(options),
        _SPELLING_WEIGHT * (spelling[:, 0] - spelling.mean(axis=1)),
        _TOPIC_WEIGHT * rank_features(topicality),
        _TOPIC_WEIGHT * value_features(topicality),
    ]
    return np.concatenate(blocks, axis=1)


def _odds_features(odds: NDArray[np.float32]) -> NDArray[np.float32]:
    """Ranks and values of the propensity, in units of its standard deviation."""
    scores = odds[:, :, None]
    blocks = [_ODDS_WEIGHT * rank_features(scores), _ODDS_WEIGHT * value_features(scores)]
    return np.concatenate(blocks, axis=1)


def _move_to_front(values: NDArray[np.float32], front: NDArray[np.int64]) -> NDArray[np.float32]:
    """Draws with another option moved to the answer's place, same shape, (draws, options, ...)."""
    out = values.copy()
    rows = np.arange(len(values))
    out[:, 0] = values[rows, front]
    out[rows, front] = values[:, 0]
    return out


# ---- sizes


def sizes_of(n_sentences: int) -> list[int]:
    """Sizes to choose from, ascending, to half of the sentences; one if these are 100 or fewer.

    >>> sizes_of(400), sizes_of(120)
    ([116, 139, 167, 200], [60])
    """
    most = max(1, n_sentences // 2)
    steps = int(math.log(max(1.0, most / _LEAST), _STEP))
    return [round(most / _STEP**step) for step in range(steps, -1, -1)]


def largest_hidden(
    sizes: Sequence[int], leak_of: Callable[[int], Leak], *, max_leak: float
) -> tuple[int, dict[int, Leak]]:
    """Index of the largest size whose answers stay hidden, and the sizes tried; the first is not tried.

    >>> largest_hidden([100, 120, 144, 173], lambda n: Leak(n / 550, 0.01), max_leak=0.25)[0]
    1
    """
    low = 0
    high = len(sizes)
    tried = {}
    while high - low > 1:
        middle = (low + high) // 2
        leak = tried[sizes[middle]] = leak_of(sizes[middle])
        if leak.is_hidden(max_leak):
            low = middle
        else:
            high = middle
    return low, tried


# ---- classes


@dataclass(frozen=True, slots=True, eq=False)
class Quotas:
    """Number of questions of each class: `wanted` from the shares, `most` possible with the pool."""

    wanted: Mapping[str, int] = field(default_factory=dict)
    most: Mapping[str, int] = field(default_factory=dict)
    class_of_item: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))


def class_quotas(
    classes: Sequence[str], sentences: Sequence[object], *, shares: Mapping[str, float], n: int
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
    names = sorted({*classes, *map(str, shares)})
    sentence_counts = Counter(name for name, _ in set(zip(classes, sentences, strict=True)))
    wanted = {name: round(share * n) for name, share in sorted(shares.items())}
    limits = {name: int(_MOST_OF_CLASS * sentence_counts[name]) for name in names}
    most = {name: min(wanted.get(name, 0), limits[name]) for name in names}
    for limit in (limits, {name: sentence_counts[name] for name in names}):
        _share_out(most, limit, n - sum(most.values()))
    number = {name: i for i, name in enumerate(names)}
    return Quotas(wanted, most, np.array([number[name] for name in classes], np.int64))


def _share_out(most: dict[str, int], limit: Mapping[str, int], rest: int) -> None:
    """Add the rest to the classes, in proportion to what their limits leave."""
    free = {name: max(0, limit[name] - most[name]) for name in most}
    rest = max(0, min(rest, sum(free.values())))
    if not rest:
        return
    exact = {name: rest * free[name] / sum(free.values()) for name in most}
    for name, count in exact.items():
        most[name] += int(count)
    missing = rest - sum(map(int, exact.values()))
    for name in sorted(most, key=lambda name: (int(exact[name]) - exact[name], name))[:missing]:
        most[name] += 1
