"""The matched choice: trained classifiers of the scores cannot find the answer (MSR 2.2, end).

In each round, classifiers learn to find the answer (`propensity`) and the set is chosen again. A
classifier of another family checks each set and decides which round is kept. The search stops after
two rounds without progress, because more rounds would fit the set to the classifiers' errors. The
check of the chosen set uses other folds.

The more of its pool a set uses, the less its draws can be balanced, and the more answers a
classifier finds. `n_questions = "auto"` takes the largest size that hides the answers.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from cloze_gen.engine.stage_context import StageContext
from cloze_gen.recipes.msr.choice.features import (
    comparable,
    rank_features,
    spelling_vectors,
    value_features,
)
from cloze_gen.recipes.msr.choice.herding import herd_draws
from cloze_gen.recipes.msr.choice.pool import CandidatePool
from cloze_gen.recipes.msr.choice.propensity import (
    cross_fitted_log_odds,
    folds_by_sentence,
    found_by_scores,
)
from cloze_gen.recipes.msr.choice.settings import ChoiceSettings, WordClass
from cloze_gen.recipes.msr.forward import ranks
from cloze_gen.recipes.msr.tables import N_IMPOSTORS
from cloze_gen.rng import derive_rng

_MIN_SENTENCES = 150  # fewer sentences are balanced without classifiers
_MOST_ROUNDS = 10
_PATIENCE = 2  # most rounds in a row without progress
_TRIAL_ROUNDS = 2  # rounds of the set whose classifiers serve all sizes that are tried
_CUTS = 4  # ways to cut folds for the check of the chosen set
_LEAST = 100  # questions; the check of a smaller set is too uncertain
_STEP = 1.2  # ratio of neighbouring sizes
# Largest share of a class's sentences to use while other classes have more left. Balancing needs
# several sentences to choose from.
_MOST_OF_CLASS = 0.4
_KEPT_DRAWS = 8  # draws of an item for a round's set, those of the smallest margin
# Weights relative to the values of a score: its ranks (simple rules use only these), the words'
# spelling, their association with the sentence, the propensity.
_RANK_WEIGHT = 1.5
_SPELLING_WEIGHT = 3.0
# with 1, LSA finds 50 % (0.2: 52 to 57 %) and the forward score 32 to 34 % (0.2: 27 to 29 %)
_TOPIC_WEIGHT = 0.4
_ODDS_WEIGHT = 2.0
_RANK_TOLERANCE = 0.015  # difference between a rank's share of answers and chance
_BLOCK = 8192  # draws whose features are computed at once
_MARGIN_COST = 12.0  # cost of one unit of log odds between the answer and its impostors' mean


@dataclass(frozen=True, slots=True)
class Check:
    """The share of answers that the check finds, and its standard error.

    The check uses other folds than the search, which took `rounds`.
    """

    accuracy: float
    error: float
    rounds: int


class MatchedChoice:
    """The search for a set among the draws of a pool; a set is an array of indices of draws.

    `draws`: the rows of the options in the pool, the answer first; int64, shape (draws, 5).
    """

    def __init__(
        self,
        pool: CandidatePool,
        draws: np.ndarray,
        settings: ChoiceSettings,
        *,
        seed: int,
        ctx: StageContext,
    ) -> None:
        self._settings = settings
        self._seed = seed
        self._ctx = ctx
        self._draws = draws
        self._no_odds: np.ndarray = np.zeros(draws.shape, np.float32)
        self._item = pool.item[draws[:, 0]]
        self._class_of_item = pool.word_class.astype(str)
        self._sentence_of_item = np.unique(pool.sentence.astype(str), return_inverse=True)[1]
        self._sentence = self._sentence_of_item[self._item]
        self.n_sentences = int(self._sentence_of_item.max()) + 1
        # Classifiers see only these scores; shape (draws, 5, scores).
        self._scores = comparable(pool.scores)
        self._options = self._scores[draws]
        self._spelling = spelling_vectors(pool.word.tolist())
        self._topicality = comparable(pool.topicality[:, None])
        blocks = np.array_split(draws, 1 + len(draws) // _BLOCK)  # to save memory
        self._features = np.concatenate([self._features_of(rows) for rows in blocks])

    def choose(self) -> tuple[np.ndarray, Check | None]:
        """The set of `n_questions`, or the largest whose check is within `max_leak`, else the smallest.

        There is no check with too few sentences to train on.
        """
        sizes = self._sizes()
        if self.n_sentences < _MIN_SENTENCES:
            return self._balanced(sizes[0], self._no_odds), None
        for n in sizes:
            chosen, rounds, _ = self._search(n)
            check = self._check(chosen, rounds)
            if check.accuracy <= self._settings.max_leak:
                break  # else its trial had luck
        return chosen, check

    def _sizes(self) -> list[int]:
        """The sizes to search, descending: for "auto" from the largest whose trial hides the answers."""
        if self._settings.n_questions != "auto":
            # a larger n would make the target grow with questions that cannot be chosen
            return [min(self._settings.n_questions, self.n_sentences)]
        sizes = sizes_of(self.n_sentences)
        last = len(sizes) - 1
        if not last:
            return sizes
        odds = self._search(sizes[last // 2], most_rounds=_TRIAL_ROUNDS)[2]

        def is_hidden(n: int) -> bool:
            check = self._check(self._balanced(n, odds), 0)
            self._ctx.say(
                f"tried {n:,} questions: the check finds {check.accuracy:.1%} (+- {check.error:.1%})"
            )
            # the standard error is a margin against luck
            return check.accuracy + check.error <= self._settings.max_leak

        return sizes[bisect.bisect_left(sizes, True, hi=last, key=is_hidden) :]

    def _search(
        self, n: int, *, most_rounds: int = _MOST_ROUNDS
    ) -> tuple[np.ndarray, int, np.ndarray]:
        """The set of the best round, the number of sets tried, and the odds, shape (draws, 5)."""
        fold = folds_by_sentence(self._sentence, seed=self._seed, purpose="msr.choosing_folds")
        odds = self._no_odds
        best = chosen = self._balanced(n, odds)
        gains = [self._gain(chosen)]
        for number in range(1, most_rounds + 1):
            learned = cross_fitted_log_odds(
                self._options,
                chosen,
                fold,
                seed=self._seed,
                purpose=f"msr.choosing_{number}",
                each=self._ctx.engine.map,
            )
            odds = odds + (learned - odds) / number  # the mean of all rounds
            chosen = self._balanced(n, odds)
            gain = self._gain(chosen)
            if gain < min(gains):
                best = chosen
            gains.append(gain)
            if number - np.argmin(gains) >= _PATIENCE:
                break
        return best, len(gains), odds

    # ---- the check

    def _gain(self, chosen: np.ndarray) -> float:
        """The check's mean log-likelihood of the answers, in nats above chance; lower is better."""
        return self._found(chosen, "msr.check")[1].mean()

    def _check(self, chosen: np.ndarray, rounds: int) -> Check:
        """The check on several other cuts; the error is that of a question's mean."""
        cuts = [self._found(chosen, f"msr.leak_{cut}")[0] for cut in range(_CUTS)]
        found = np.mean(cuts, axis=0)
        return Check(float(found.mean()), float(found.std() / len(found) ** 0.5), rounds)

    def _found(self, chosen: np.ndarray, purpose: str) -> tuple[np.ndarray, np.ndarray]:
        return found_by_scores(
            self._options[chosen],
            self._sentence[chosen],
            seed=self._seed,
            purpose=purpose,
            each=self._ctx.engine.map,
        )

    # ---- a balanced set

    def _balanced(self, n: int, odds: np.ndarray) -> np.ndarray:
        """The draws of a set that is balanced under every score and under the odds."""
        margin = np.abs(odds[:, 0] - odds[:, 1:].mean(axis=1))
        even = np.flatnonzero(ranks(self._item, -margin) <= _KEPT_DRAWS)
        odds = odds / np.float32(odds[even].std() or 1.0)
        quotas = class_quotas(
            self._class_of_item, self._sentence_of_item, shares=self._settings.class_shares, n=n
        )
        chosen = herd_draws(
            _with_odds(self._features[even], odds[even]),
            self._sentence[even],
            target=self._chance_target(n, even, odds),
            n=n,
            rng=derive_rng(self._seed, "msr.herding"),
            cost=_MARGIN_COST * margin[even],
            stratum=np.searchsorted(list(quotas), self._class_of_item[self._item[even]]),
            quota=list(quotas.values()),
        )
        return even[chosen]

    def _chance_target(self, n: int, even: np.ndarray, odds: np.ndarray) -> np.ndarray:
        """The sum of the features of n random draws in which a random option is the answer.

        The target is not zero, because chance does not balance a set exactly. A classifier could
        use exact balance: if four books have too many of something, the fifth must have too few.
        For the ranks, which simple rules use, the sum is clipped to the tolerance.
        """
        rng = derive_rng(self._seed, "msr.matching_target")
        picked = even[rng.integers(len(even), size=n)]
        front = rng.integers(1 + N_IMPOSTORS, size=n)
        order = np.tile(np.arange(1 + N_IMPOSTORS), (n, 1))
        order[np.arange(n), front] = 0
        order[:, 0] = front
        rows = np.take_along_axis(self._draws[picked], order, axis=1)
        odds_of_rows = np.take_along_axis(odds[picked], order, axis=1)
        target = _with_odds(self._features_of(rows), odds_of_rows).sum(axis=0)
        n_shares = self._scores.shape[1] * (1 + N_IMPOSTORS)
        limit = _RANK_WEIGHT * _RANK_TOLERANCE * n
        target[:n_shares] = np.clip(target[:n_shares], -limit, limit)
        return target

    def _features_of(self, rows: np.ndarray) -> np.ndarray:
        """Features that should sum to the target: ranks and values of scores and topicality, and
        spelling. The shares of the scores' ranks come first.
        """
        options = self._scores[rows]
        spelling = self._spelling[rows]
        topicality = self._topicality[rows]
        blocks = [
            _RANK_WEIGHT * rank_features(options),
            value_features(options),
            _SPELLING_WEIGHT * (spelling[:, 0] - spelling.mean(axis=1)),
            _TOPIC_WEIGHT * rank_features(topicality),
            _TOPIC_WEIGHT * value_features(topicality),
        ]
        return np.concatenate(blocks, axis=1)


def _with_odds(features: np.ndarray, odds: np.ndarray) -> np.ndarray:
    """The features, and ranks and values of the odds, which are in standard deviations."""
    scores = odds[:, :, None]
    blocks = [features, _ODDS_WEIGHT * rank_features(scores), _ODDS_WEIGHT * value_features(scores)]
    return np.concatenate(blocks, axis=1)


# ---- sizes


def sizes_of(n_sentences: int) -> list[int]:
    """Sizes to choose from, descending, from half of the sentences; one if these are 100 or fewer.

    >>> sizes_of(400), sizes_of(120)
    ([200, 167, 139, 116], [60])
    """
    most = max(1, n_sentences // 2)
    steps = int(math.log(max(1.0, most / _LEAST), _STEP))
    return [round(most / _STEP**step) for step in range(steps + 1)]


# ---- classes


def class_quotas(
    word_class: np.ndarray, sentence: np.ndarray, *, shares: Mapping[WordClass, float], n: int
) -> dict[str, int]:
    """How many of n questions each class gets, by name; both arrays have shape (items,).

    A class uses at most two fifths of its sentences. Classes with more sentences left fill the
    rest, and so does the part of 1 that `shares` does not assign.

    >>> classes = np.array(["noun"] * 90 + ["verb"] * 10)
    >>> class_quotas(classes, np.arange(100), shares={"noun": 0.5, "verb": 0.5}, n=40)
    {'noun': 36, 'verb': 4}
    """
    names = np.unique(word_class).tolist()
    sentences = np.array([len(np.unique(sentence[word_class == name])) for name in names])
    limits = (_MOST_OF_CLASS * sentences).astype(np.int64)
    wanted = [round(shares.get(name, 0) * n) for name in names]
    quotas = np.minimum(wanted, limits)
    for limit in (limits, sentences):
        quotas += _in_proportion(n - quotas.sum(), np.maximum(limit - quotas, 0))
    return dict(zip(names, quotas.tolist(), strict=True))


def _in_proportion(rest: int, free: np.ndarray) -> np.ndarray:
    """The rest in whole numbers in proportion to what is free; the largest remainders round up."""
    rest = np.clip(rest, 0, free.sum())
    exact = rest * free / max(1, free.sum())
    whole = np.floor(exact).astype(np.int64)
    by_remainder = np.argsort(whole - exact, kind="stable")
    whole[by_remainder[: rest - whole.sum()]] += 1
    return whole
