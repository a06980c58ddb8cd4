"""A classifier that never sees the passage: what it tells of a candidate, answer or distractor, the candidates tell by themselves.

Source: Kong et al. 2020, 5.6 (annotation artifacts, after Gururangan et al. 2018), where BERT, trained on candidates alone, has F1 38 %.
That is *below* the floor: where 26.5 % of the candidates are distractors, to call all of them distractors has F1 41.9 %. So the positive
class (the distractors), their share and that floor stand beside each figure, and the area under the curve (AUC), which chance alone
brings to 0.5 whatever the share is, is the measure. Two families, of which neither searches for its settings: a logistic regression of
words and pairs of words, and boosted trees over the candidate's shape; the trees a second time beside the passage's other candidates.

Cross-validation is by book: no book is on both sides of a fold. Where there is one book, or none is known, it is by passage.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cloze_gen.evaluate.blanks.asked import AskedBlanks
from cloze_gen.evaluate.blanks.candidate_features import features_beside_others, shape_features
from cloze_gen.evaluate.blanks.pmi import ngrams

FOLD_COUNT = 5
PAPER = {"f1": 0.38, "distractors": 0.265, "always_distractor_f1": 0.419}  # 5.6; Table 3
_HASH_BUCKETS = 1 << 16
_DRAWS_AT_ONCE = 50
_THRESHOLD = 0.5
_MIDDLE = (2.5, 97.5)  # percentiles

Judge = Callable[[Any, NDArray[np.bool_], Any], NDArray[np.float64]]  # trained features, what they are, others: P(distractor) of the others


@dataclass(frozen=True, slots=True)
class CandidateJudgement:
    """One classifier's result; a distractor is the positive class.

    Attributes:
        sees: ``text alone``, or ``beside the other candidates``.
        auc: area under the curve, of all candidates together; bounds are the middle 95 % of the bootstrap by passage.
        f1: where all with a probability of one half or more are called distractors.
    """

    name: str
    sees: str
    auc: float
    auc_low: float
    auc_high: float
    f1: float


def judge_candidates(
    passages: Sequence[AskedBlanks], draws: NDArray[np.float64], *, freq_of: Callable[[str], float]
) -> list[CandidateJudgement]:
    """Train and try each classifier; none where nothing can be told apart: with fewer than two passages, or without any distractor.

    Args:
        draws: shape (draws, passages): of `metrics.bootstrap_draws`.
        freq_of: a word's share of the word tokens of a text, in small letters; 0 for an unknown one.

    The trees want one thread, so that their figures are the same each time.
    """
    is_distractor = np.concatenate([distractor_mask(one) for one in passages]) if passages else np.zeros(0, np.bool_)
    if len(passages) < 2 or not is_distractor.any():
        return []
    sizes = [len(one.candidates) for one in passages]
    passage_of = np.repeat(np.arange(len(passages)), sizes)
    folds = _folds(passages)[passage_of]
    shapes = [shape_features(one.candidates, freq_of) for one in passages]
    words = _hashed([ngrams(tokens, 2) for one in passages for tokens in one.candidates])
    alone = np.concatenate(shapes)
    beside = np.column_stack([alone, np.concatenate([features_beside_others(shape) for shape in shapes])])
    judges: list[tuple[str, str, Any, Judge]] = [
        ("words", "text alone", words, _by_regression),
        ("shape", "text alone", alone, _by_trees),
        ("shape", "beside the other candidates", beside, _by_trees),
    ]
    found = []
    for name, sees, features, judge in judges:
        probs = _cross_validated(features, is_distractor, folds, judge)
        low, high = np.percentile(bootstrapped_auc(probs, is_distractor, passage_of, draws), _MIDDLE)
        area = auc(probs, is_distractor, np.ones((1, len(probs))))[0]
        found.append(CandidateJudgement(name, sees, float(area), float(low), float(high), f1(probs >= _THRESHOLD, is_distractor)))
    return found


def judgement_record(passages: Sequence[AskedBlanks], judgements: Sequence[CandidateJudgement]) -> Mapping[str, Any]:
    """What `evaluation.json` says of the classifiers: their rows, the share of distractors, the floor, and the paper's figures."""
    is_distractor = np.concatenate([distractor_mask(one) for one in passages])
    return {
        "candidates": len(is_distractor),
        "distractors": float(is_distractor.mean()),
        "always_distractor_f1": f1(np.ones(len(is_distractor), np.bool_), is_distractor),
        "paper": PAPER,
        "classifiers": [asdict(one) for one in judgements],
    }


def distractor_mask(asked: AskedBlanks) -> NDArray[np.bool_]:
    """Which candidates answer no blank: bool, shape (candidates,)."""
    return np.isin(np.arange(len(asked.candidates)), asked.passage.distractors)


def auc(scores: NDArray[np.float64], positive: NDArray[np.bool_], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The chance that one of the positive class scores above one of the other, a tie counting one half: float64, shape (m,).

    Args:
        scores, positive: shape (n,).
        weights: shape (m, n): how often each counts; NaN comes where one of the classes has no weight.

    >>> auc(np.array([0.1, 0.4, 0.4, 0.8]), np.array([False, True, False, True]), np.array([[1, 1, 1, 1], [1, 1, 1, 0.0]])).tolist()
    [0.875, 0.75]
    """
    order = np.argsort(scores, kind="stable")
    starts = np.flatnonzero(np.diff(scores[order], prepend=-np.inf))
    ordered, is_positive = weights[:, order], positive[order]
    above = np.add.reduceat(ordered * is_positive, starts, axis=1)
    below = np.add.reduceat(ordered * ~is_positive, starts, axis=1)
    won = (above * (np.cumsum(below, axis=1) - below / 2)).sum(axis=1)
    pairs = above.sum(axis=1) * below.sum(axis=1)
    return np.divide(won, pairs, out=np.full(len(pairs), np.nan), where=pairs > 0)


def bootstrapped_auc(
    scores: NDArray[np.float64], positive: NDArray[np.bool_], passage_of: NDArray[np.int64], draws: NDArray[np.float64]
) -> NDArray[np.float64]:
    """`auc` of each sample of passages: float64, shape (draws,), samples without one of the classes left out."""
    blocks = [draws[first : first + _DRAWS_AT_ONCE] for first in range(0, len(draws), _DRAWS_AT_ONCE)]
    found = np.concatenate([auc(scores, positive, block[:, passage_of]) for block in blocks])
    return found[~np.isnan(found)]


def f1(called: NDArray[np.bool_], positive: NDArray[np.bool_]) -> float:
    """Harmonic mean of precision and recall, 0 where nothing is called rightly.

    >>> round(f1(np.ones(1000, bool), np.arange(1000) < 265), 3)
    0.419
    """
    right = int((called & positive).sum())
    return 2 * right / (int(called.sum()) + int(positive.sum())) if right else 0.0


def _folds(passages: Sequence[AskedBlanks]) -> NDArray[np.int64]:
    """The fold of each passage: books whole, the largest first, each to the smallest fold so far."""
    by_book = [one.book for one in passages]
    groups = by_book if len(set(by_book)) > 1 else [one.passage.id for one in passages]
    sizes = Counter(groups)
    loads = [0] * min(FOLD_COUNT, len(sizes))
    fold_of = {}
    for group, size in sorted(sizes.items(), key=lambda pair: (-pair[1], pair[0])):
        fold_of[group] = loads.index(min(loads))
        loads[fold_of[group]] += size
    return np.array([fold_of[group] for group in groups], np.int64)


def _cross_validated(features: Any, positive: NDArray[np.bool_], folds: NDArray[np.int64], judge: Judge) -> NDArray[np.float64]:
    probs = np.zeros(len(positive))
    for fold in range(int(folds.max()) + 1):
        held = folds == fold
        known = positive[~held]
        both = known.any() and not known.all()
        probs[held] = judge(features[~held], known, features[held]) if both else known.mean()
    return probs


def _hashed(grams: Sequence[Sequence[str]]) -> Any:
    """Which n-grams each candidate has, in buckets, rows of length one: sparse, shape (candidates, buckets)."""
    from sklearn.feature_extraction.text import HashingVectorizer  # here, as below, for it takes most of a second to load

    return HashingVectorizer(analyzer=lambda listed: listed, n_features=_HASH_BUCKETS, alternate_sign=False).transform(grams)


def _by_regression(trained: Any, positive: NDArray[np.bool_], others: Any) -> NDArray[np.float64]:
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=1.0, max_iter=1000).fit(trained, positive)
    return np.asarray(model.predict_proba(others)[:, 1])


def _by_trees(trained: Any, positive: NDArray[np.bool_], others: Any) -> NDArray[np.float64]:
    from sklearn.ensemble import HistGradientBoostingClassifier

    model = HistGradientBoostingClassifier(max_iter=100, max_leaf_nodes=15, early_stopping=False, random_state=0).fit(trained, positive)
    return np.asarray(model.predict_proba(others)[:, 1])
