"""Expectation maximization for judges' error rates and the truth behind their labels, over many weightings of the units at once.

Dawid & Skene 1979, section 2: each unit has one true label; given that, judges say what they say independently of each other, judge j the
label l with probability pi_j(l | truth). Neither the truth nor pi is known. Where one is known, the other follows, so both are improved in
turn: truth from error rates by Bayes' rule (2.5), error rates and prevalences from truth by counting (2.3, 2.4).

Units that were labelled alike by the same judges are one pattern, whose weight is how many they are. A resample only changes the weights;
so all resamples are columns of the same matrices, and one step for all of them is two products with the sparse matrix of who said what.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import logsumexp

MOST_STEPS = 500
TOLERANCE = 1e-6  # largest change of an estimated probability below which the steps end
_LEAST = 1e-300  # a probability of 0 as it enters a logarithm


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """Estimates of R weightings of the units, K labels, J judges, P patterns.

    Attributes:
        prior: float64, shape (K, R): share of the units whose truth is each label; columns sum to 1.
        confusion: float64, shape (J, K, K, R): [j, l, k] is P(judge j says l | truth is k); sums to 1 over l.
        posterior: float64, shape (P, K, R): P(truth | what was said of the pattern); sums to 1 over K.
    """

    prior: NDArray[np.float64]
    confusion: NDArray[np.float64]
    posterior: NDArray[np.float64]


def vote_shares(said: sparse.csr_array, n_labels: int) -> NDArray[np.float64]:
    """Shares of each label among what was said of a pattern, shape (P, K): where the estimation begins (Dawid & Skene 1979, 3.1).

    From here the labels keep their meaning: "kept" is what most judges mean by it.
    """
    votes = np.asarray(said @ np.tile(np.eye(n_labels), (said.shape[1] // n_labels, 1)))
    return votes / votes.sum(axis=1, keepdims=True)


def maximize(said: sparse.csr_array, weights: NDArray[np.float64], start: NDArray[np.float64], *, n_labels: int, smoothing: float) -> Fit:
    """Steps from a first guess of the truth until nothing changes by more than `TOLERANCE`, or `MOST_STEPS`.

    Args:
        said: shape (P, J * K): how often judge j gave label l to a unit of the pattern, in column j * K + l; mostly 0 or 1.
        weights: shape (P, R): how many units are of the pattern.
        start: shape (P, K): of all weightings.
        smoothing: added to each count before it becomes a probability, of labels given a truth and of truths. 0 gives the paper's
            estimates, in which a label that a judge never gave is impossible for that judge for ever, and one such label settles a unit's
            truth alone. 0.5, Jeffreys' prior for two labels, is half a verdict either way.

    >>> said = sparse.csr_array(np.array([[1.0, 0, 1, 0, 1, 0], [0, 1, 0, 1, 0, 1], [1, 0, 1, 0, 0, 1]]))  # aaa, bbb, aab
    >>> fit = maximize(said, np.array([[60.0], [30.0], [10.0]]), vote_shares(said, 2), n_labels=2, smoothing=0)
    >>> fit.prior[:, 0].round(3).tolist(), fit.confusion[2, 1, 0].round(3).tolist()
    ([0.7, 0.3], [0.143])
    """
    columns = weights.shape[1]
    posterior = np.repeat(start[:, :, None], columns, axis=2)
    prior, confusion = _counted(said, weights, posterior, n_labels, smoothing)
    for _ in range(MOST_STEPS):
        posterior = _believed(said, prior, confusion)
        before = prior, confusion
        prior, confusion = _counted(said, weights, posterior, n_labels, smoothing)
        if max(float(np.abs(new - old).max()) for new, old in zip((prior, confusion), before, strict=True)) < TOLERANCE:
            break
    return Fit(prior, confusion, _believed(said, prior, confusion))


def _counted(
    said: sparse.csr_array, weights: NDArray[np.float64], posterior: NDArray[np.float64], n_labels: int, smoothing: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Prior and confusion of a belief in the truth (2.3 and 2.4)."""
    patterns, _, columns = posterior.shape
    weighted = posterior * weights[:, None, :]
    counts = np.asarray(said.T @ weighted.reshape(patterns, -1)).reshape(-1, n_labels, n_labels, columns) + smoothing
    totals = weighted.sum(axis=0) + smoothing
    spoken = counts.sum(axis=1, keepdims=True)
    confusion = np.divide(counts, spoken, out=np.full_like(counts, 1 / n_labels), where=spoken > 0)
    return totals / totals.sum(axis=0), confusion


def _believed(said: sparse.csr_array, prior: NDArray[np.float64], confusion: NDArray[np.float64]) -> NDArray[np.float64]:
    """Belief in the truth of each pattern (2.5)."""
    n_labels, columns = prior.shape
    logs = np.log(np.maximum(confusion, _LEAST)).reshape(-1, n_labels * columns)
    joint = np.asarray(said @ logs).reshape(-1, n_labels, columns) + np.log(np.maximum(prior, _LEAST))
    return np.exp(joint - logsumexp(joint, axis=1, keepdims=True))
