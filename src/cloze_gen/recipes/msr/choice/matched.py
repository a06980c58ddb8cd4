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
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from cloze_gen.recipes.msr.choice.draws import Draws
from cloze_gen.recipes.msr.choice.features import (
    comparable,
    rank_features,
    spelling_vectors,
    value_features,
)
from cloze_gen.recipes.msr.choice.herding import herd_draws
from cloze_gen.recipes.msr.choice.pool import SCORE_NAMES, CandidatePool
from cloze_gen.recipes.msr.choice.propensity import (
    Each,
    cross_fitted_log_odds,
    folds_by_group,
    found_by_scores,
)
from cloze_gen.recipes.msr.choice.settings import N_IMPOSTORS, ChoiceSettings, WordClass
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
_MARGIN_COST = 12.0  # cost of one unit of log odds between the answer and its impostors' mean


@dataclass(frozen=True, slots=True)
class Check:
    """The share of answers that the check finds, and its standard error.

    The check uses other folds than the search, which took `rounds`.
    """

    accuracy: float
    error: float
    rounds: int = 0


class MatchedChoice:
    """The search for a set among the draws of a pool.

    Draws are given by their index. A set is an array of such indices.
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
        self._draws = draws
        self._word_class = pool.word_class
        self._sentence_of_item = np.unique(pool.sentence.astype(str), return_inverse=True)[1]
        self._sentence = self._sentence_of_item[draws.item]
        self.n_sentences = int(self._sentence_of_item.max()) + 1
        scores = pool.scores.copy()
        scores[:, SCORE_NAMES.index("freq")] = np.log10(scores[:, SCORE_NAMES.index("freq")])
        # Classifiers see only these scores; shape (draws, 5, scores).
        self._scores = comparable(scores)
        self._options = self._scores[draws.rows]
        self._spelling = spelling_vectors(pool.word.tolist())
        self._topicality = comparable(pool.topicality[:, None])
        blocks = np.array_split(draws.rows, 1 + len(draws.rows) // _BLOCK)  # to save memory
        self._features = np.concatenate([self._features_of(rows) for rows in blocks])

    def choose(self) -> tuple[np.ndarray, Check | None]:
        """The set of `n_questions`, or the largest whose check is within `max_leak`, else the smallest.

        There is no check with too few sentences to train on.
        """
        if self._settings.n_questions != "auto":
            # a larger n would make the target grow with questions that cannot be chosen
            return self._search(min(self._settings.n_questions, self.n_sentences))[:2]
        for n in self._sizes_to_search():
            chosen, check, _ = self._search(n)
            if check is None or check.accuracy <= self._settings.max_leak:
                break  # else its trial had luck
        return chosen, check

    def _sizes_to_search(self) -> list[int]:
        """The largest size whose trial is within `max_leak`, and the smaller ones."""
        sizes = sizes_of(self.n_sentences)
        last = len(sizes) - 1
        if not last:
            return sizes
        odds = self._search(sizes[last // 2], most_rounds=_TRIAL_ROUNDS)[2]

        def is_hidden(n: int) -> bool:
            check = self._check(self._balanced(n, odds))
            self._say(
                f"tried {n:,} questions: the check finds {check.accuracy:.1%} (+- {check.error:.1%})"
            )
            # the standard error is a margin against luck
            return check.accuracy + check.error <= self._settings.max_leak

        return sizes[bisect.bisect_left(sizes, True, hi=last, key=is_hidden) :]

    def _search(
        self, n: int, *, most_rounds: int = _MOST_ROUNDS
    ) -> tuple[np.ndarray, Check | None, np.ndarray]:
        """The best set of all rounds, its check, and the propensity of every option, (draws, 5)."""
        odds = np.zeros(self._draws.rows.shape, np.float32)
        best = chosen = self._balanced(n, odds)
        if self.n_sentences < _MIN_SENTENCES:
            return chosen, None, odds
        fold = folds_by_group(self._sentence, seed=self._seed, purpose="msr.choosing_folds")
        gains = [self._gain(chosen)]
        for number in range(1, most_rounds + 1):
            learned = cross_fitted_log_odds(
                self._options,
                chosen,
                fold,
                seed=self._seed,
                purpose=f"msr.choosing_{number}",
                each=self._each,
            )
            odds += (learned - odds) / number
            chosen = self._balanced(n, odds)
            gains.append(self._gain(chosen))
            if gains[-1] < min(gains[:-1]):
                best = chosen
            if number - np.argmin(gains) >= _PATIENCE:
                break
        return best, self._check(best, rounds=len(gains)), odds

    # ---- the check

    def _gain(self, chosen: np.ndarray) -> float:
        """The check's mean log-likelihood of the answers, in nats above chance."""
        return float(self._found(chosen, "msr.check")[1].mean())

    def _check(self, chosen: np.ndarray, *, rounds: int = 0) -> Check:
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
            each=self._each,
        )

    # ---- a balanced set

    def _balanced(self, n: int, odds: np.ndarray) -> np.ndarray:
        """The draws of a set that is balanced under every score and under the odds."""
        margin = np.abs(odds[:, 0] - odds[:, 1:].mean(axis=1))
        even = self._most_even(margin)
        scale = np.float32(odds[even].std() or 1.0)
        quotas = class_quotas(
            self._word_class, self._sentence_of_item, shares=self._settings.class_shares, n=n
        )
        classes = np.array(list(quotas))
        chosen = herd_draws(
            np.concatenate([self._features[even], _odds_features(odds[even] / scale)], axis=1),
            self._sentence[even],
            target=self._chance_target(n, even, odds / scale),
            n=n,
            rng=derive_rng(self._seed, "msr.herding"),
            cost=_MARGIN_COST * margin[even],
            stratum=np.searchsorted(classes, self._word_class[self._draws.item[even]].astype(str)),
            quota=list(quotas.values()),
        )
        return np.asarray(even[chosen])

    def _most_even(self, margin: np.ndarray) -> np.ndarray:
        """Of each item the draws with the smallest margin, ascending; of equal ones the first."""
        item = self._draws.item
        order = np.lexsort((margin, item))
        first = np.searchsorted(item, item)
        return np.sort(order[np.arange(len(order)) - first < _KEPT_DRAWS])

    def _chance_target(self, n: int, even: np.ndarray, odds: np.ndarray) -> np.ndarray:
        """The sum of the features of n random draws in which any option is the answer."""
        rng = derive_rng(self._seed, "msr.matching_target")
        picked = even[rng.integers(len(even), size=n)]
        front = rng.integers(1 + N_IMPOSTORS, size=n)
        features = [
            self._features_of(_move_to_front(self._draws.rows[picked], front)),
            _odds_features(_move_to_front(odds[picked], front)),
        ]
        target = np.concatenate(features, axis=1).sum(axis=0)
        n_shares = self._scores.shape[1] * (1 + N_IMPOSTORS)
        limit = _RANK_WEIGHT * _RANK_TOLERANCE * n
        target[:n_shares] = np.clip(target[:n_shares], -limit, limit)
        return np.asarray(target)

    def _features_of(self, rows: np.ndarray) -> np.ndarray:
        """Features that should sum to zero: ranks and values of scores and topicality, and spelling."""
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


def _odds_features(odds: np.ndarray) -> np.ndarray:
    """Ranks and values of the propensity, in units of its standard deviation."""
    scores = odds[:, :, None]
    blocks = [_ODDS_WEIGHT * rank_features(scores), _ODDS_WEIGHT * value_features(scores)]
    return np.concatenate(blocks, axis=1)


def _move_to_front(options: np.ndarray, front: np.ndarray) -> np.ndarray:
    """Draws with another option in the answer's place, which moves to that option's."""
    moved = options.copy()
    draws = np.arange(len(options))
    moved[:, 0] = options[draws, front]
    moved[draws, front] = options[:, 0]
    return moved


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
    names = sorted({*word_class.tolist(), *shares})
    sentences = np.array([len(np.unique(sentence[word_class == name])) for name in names])
    wanted = np.array([round(shares.get(name, 0) * n) for name in names])
    limits = (_MOST_OF_CLASS * sentences).astype(np.int64)
    quotas = np.minimum(wanted, limits)
    for limit in (limits, sentences):
        quotas += _in_proportion(n - quotas.sum(), np.maximum(limit - quotas, 0))
    return dict(zip(names, quotas.tolist(), strict=True))


def _in_proportion(rest: int, free: np.ndarray) -> np.ndarray:
    """The rest in whole numbers in proportion to what is free; the largest remainders round up."""
    rest = min(rest, free.sum())
    if rest <= 0:
        return np.zeros_like(free)
    exact = rest * free / free.sum()
    whole = np.floor(exact).astype(np.int64)
    by_remainder = np.argsort(whole - exact, kind="stable")
    whole[by_remainder[: rest - whole.sum()]] += 1
    return whole
