"""The two families of adversaries: trained on the options of some questions, they score those of others.

Settings are fixed, none is searched. Both are exact functions of what they are given: one thread, for sums over threads have other last
digits, and no draw.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from cloze_gen.evaluate.words.adversary_features import Features
from cloze_gen.stats.conditional_logit import fit_conditional_logit

TREES, LEAVES = 150, 8

# features, row -> its item (ascending), row -> whether it is the answer, row -> whether it is trained on: scores of the other rows
Family = Callable[[Features, NDArray[np.int64], NDArray[np.bool_], NDArray[np.bool_]], NDArray[np.float64]]


def scores_by_trees(
    features: Features, item_of_row: NDArray[np.int64], is_answer: NDArray[np.bool_], trained: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """P(answer) of every option by itself, by gradient-boosted trees (150 of 8 leaves, the library's other defaults).

    Returns:
        float64, shape (rows not trained on,).
    """
    from sklearn.ensemble import HistGradientBoostingClassifier  # here, for it takes most of a second to load

    with threadpool_limits(limits=1):
        model = HistGradientBoostingClassifier(max_iter=TREES, max_leaf_nodes=LEAVES, early_stopping=False, random_state=0)
        model.fit(features.dense[trained], is_answer[trained])
        return np.asarray(model.predict_proba(features.dense[~trained])[:, 1])


def scores_by_logit(
    features: Features, item_of_row: NDArray[np.int64], is_answer: NDArray[np.bool_], trained: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """The utility of every option, by a conditional logit with ridge 1: differences within an item are log-odds (natural).

    Returns:
        float64, shape (rows not trained on,).
    """
    items = np.unique(item_of_row[trained], return_inverse=True)[1]
    with threadpool_limits(limits=1):
        return np.asarray(features.linear[~trained] @ fit_conditional_logit(features.linear[trained], items, is_answer[trained]))


FAMILIES: Mapping[str, Family] = {"trees": scores_by_trees, "logit": scores_by_logit}
