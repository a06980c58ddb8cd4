"""The conditional logit (McFadden 1974): an option's score is linear in its features, and the options of an item share one softmax."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import minimize

RIDGE = 1.0  # half the squared norm of the weights: a standard normal prior
_MAX_ITERATIONS = 200


def fit_conditional_logit(
    features: sparse.csr_array, item_of_row: NDArray[np.int64], is_answer: NDArray[np.bool_], *, ridge: float = RIDGE
) -> NDArray[np.float64]:
    """Weights that maximise the answers' log-probability less the ridge: convex, so the optimum does not depend on the start.

    Args:
        features: shape (rows, f), one row an option, the rows of an item together.
        item_of_row: int64, shape (rows,), 0 .. items-1, ascending.
        is_answer: bool, shape (rows,), one true row an item.
    Returns:
        float64, shape (f,).
    """
    starts = np.searchsorted(item_of_row, np.arange(int(item_of_row[-1]) + 1))
    transposed = features.T.tocsr()
    answer_sum = transposed @ is_answer.astype(np.float64)

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        utility = features @ weights
        shifted = utility - np.maximum.reduceat(utility, starts)[item_of_row]
        exponent = np.exp(shifted)
        total = np.add.reduceat(exponent, starts)
        value = np.log(total).sum() - shifted[is_answer].sum() + ridge / 2 * weights @ weights
        return float(value), transposed @ (exponent / total[item_of_row]) - answer_sum + ridge * weights

    found = minimize(loss, np.zeros(features.shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": _MAX_ITERATIONS})
    return np.asarray(found.x)
