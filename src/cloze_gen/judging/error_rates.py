"""Judges' error rates and the true labels, estimated without a key from three judges or more.

Dawid & Skene 1979, section 2. Given the true label of a unit, judges label it independently; judge
j gives label l with probability pi_j(l | truth). EM alternates between the truth by Bayes' rule
(2.5), and pi and the prevalences by counting (2.3, 2.4). Items that are hard for all judges make
the rates too small.

Units with the same labels by the same judges are one pattern, weighted by their number. All
bootstrap resamples are columns of the same matrices.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from cloze_gen.judging.agreement import (
    NO_RATING,
    Ratings,
    Unit,
    item_of,
    middle,
    resampled_sums,
    tabulate,
)

LEAST_JUDGES = 3
DRAWS = 400
SMOOTHING = 0.5
MOST_STEPS = 500
TOLERANCE = 1e-6  # EM stops when no estimated probability changes by more
_LEAST = 1e-300  # replaces a probability of 0 before a logarithm
_PURPOSE = "judging.error_rates"
_MOST_CELLS = 4_000_000  # float64 values in memory at once
_Z = 1.959964  # half width of a 95 % interval in standard errors
_NO_INTERVAL = (np.nan, np.nan)


@dataclass(frozen=True, slots=True, eq=False)
class ErrorRates:
    """Estimates for K labels, J judges, U units, with 95 % bootstrap intervals by group.

    The interval of a confusion includes Wilson's, which matters for errors made once or never.
    Shapes: prior (K,); confusion (J, K, K), where [j, k, l] is P(judge j labels l | truth is k);
    posterior (U, K).
    """

    labels: tuple[str, ...]
    judges: tuple[str, ...]
    units: tuple[Unit, ...]
    prior: NDArray[np.float64]
    prior_low: NDArray[np.float64]
    prior_high: NDArray[np.float64]
    confusion: NDArray[np.float64]
    confusion_low: NDArray[np.float64]
    confusion_high: NDArray[np.float64]
    posterior: NDArray[np.float64]


def error_rates(
    ratings: Ratings,
    *,
    seed: int,
    record_id: str = "",
    group_of: Callable[[Unit], str] = item_of,
    draws: int = DRAWS,
) -> ErrorRates | None:
    """Error rates of judges and the true labels of units, for few nominal labels.

    Dawid & Skene 1979, with half a verdict added to each count (`maximize`). None if no unit has
    ratings by `LEAST_JUDGES`, all labels are the same, or there are fewer than two groups.

    >>> given = ["yyy"] * 40 + ["nnn"] * 40 + ["yyn"] * 10 + ["nny"] * 10
    >>> rates = error_rates({(str(n),): dict(zip("abc", labels)) for n, labels in enumerate(given)},
    ...     seed=1)
    >>> rates.labels, [round(float(rate), 2) for rate in rates.confusion[:, 0, 1]]
    (('n', 'y'), [0.01, 0.01, 0.21])
    >>> error_rates({("1",): {"a": "y", "b": "n"}, ("2",): {"a": "y", "b": "y"}}, seed=1) is None
    True
    """
    table = tabulate(ratings, group_of)
    size = len(table.labels)
    rated = (table.codes != NO_RATING).sum(axis=1) if table.codes.size else np.zeros(0, np.int64)
    if size < 2 or rated.max(initial=0) < LEAST_JUDGES or len(table.group_names) < 2:
        return None
    patterns, pattern_of = np.unique(table.codes, axis=0, return_inverse=True)
    pattern_of = pattern_of.reshape(-1)
    label_counts = _label_counts(patterns, size)
    shape = len(table.group_names), len(patterns)
    by_group = scipy.sparse.coo_array(
        (np.ones(len(rated)), (table.groups, pattern_of)), shape=shape
    ).tocsr()
    fit = maximize(
        label_counts,
        by_group.sum(axis=0)[:, None],
        vote_shares(label_counts, size),
        n_labels=size,
        smoothing=SMOOTHING,
    )
    sums = resampled_sums(by_group, seed=seed, purpose=_PURPOSE, record_id=record_id, draws=draws)
    priors, confusions = _resampled(label_counts, sums, fit, size)
    (prior_low, prior_high), (low, high) = _bounds(priors), _bounds(confusions)
    known_low, known_high = _wilson(_expected_counts(label_counts, by_group.sum(axis=0), fit))
    return ErrorRates(
        table.labels,
        table.judges,
        table.units,
        fit.prior[:, 0],
        prior_low,
        prior_high,
        fit.confusion[..., 0].transpose(0, 2, 1),
        np.minimum(low, known_low).transpose(0, 2, 1),
        np.maximum(high, known_high).transpose(0, 2, 1),
        fit.posterior[pattern_of, :, 0],
    )


def _label_counts(patterns: NDArray[np.int32], size: int) -> scipy.sparse.csr_array:
    rows, judges = np.nonzero(patterns != NO_RATING)
    columns = judges * size + patterns[rows, judges]
    return scipy.sparse.csr_array(
        (np.ones(len(rows)), (rows, columns)), shape=(len(patterns), patterns.shape[1] * size)
    )


def _resampled(
    label_counts: scipy.sparse.csr_array, sums: NDArray[np.float64], fit: Fit, size: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Prior and confusion of each resample; resamples are on the last axis."""
    start = fit.posterior[:, :, 0]
    at_once = max(1, _MOST_CELLS // (len(start) * size))
    fits = [
        maximize(
            label_counts, sums[first : first + at_once].T, start, n_labels=size, smoothing=SMOOTHING
        )
        for first in range(0, len(sums), at_once)
    ]
    return np.concatenate([one.prior for one in fits], axis=-1), np.concatenate(
        [one.confusion for one in fits], axis=-1
    )


def _bounds(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    found = np.array(
        [middle(one) or _NO_INTERVAL for one in values.reshape(-1, values.shape[-1])]
    ).reshape(*values.shape[:-1], 2)
    return found[..., 0], found[..., 1]


def _expected_counts(
    label_counts: scipy.sparse.csr_array, weights: NDArray[np.float64], fit: Fit
) -> NDArray[np.float64]:
    size = fit.prior.shape[0]
    return np.asarray(label_counts.T @ (fit.posterior[:, :, 0] * weights[:, None])).reshape(
        -1, size, size
    )


def _wilson(counts: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Wilson's 95 % interval of each count's share; `binomtest` takes integers only."""
    n = np.maximum(counts.sum(axis=1, keepdims=True), 1e-9)
    share = counts / n
    centre = share + _Z**2 / (2 * n)
    half = _Z * np.sqrt(share * (1 - share) / n + _Z**2 / (4 * n**2))
    return np.clip((centre - half) / (1 + _Z**2 / n), 0, 1), np.clip(
        (centre + half) / (1 + _Z**2 / n), 0, 1
    )


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """Estimates for R weightings of the units, K labels, J judges, P patterns.

    Shapes: prior (K, R); confusion (J, K, K, R), where [j, l, k] is P(judge j labels l | truth is
    k); posterior (P, K, R).
    """

    prior: NDArray[np.float64]
    confusion: NDArray[np.float64]
    posterior: NDArray[np.float64]


def vote_shares(label_counts: scipy.sparse.csr_array, n_labels: int) -> NDArray[np.float64]:
    """Shares of each label in a pattern, shape (P, K): initial values (Dawid & Skene 1979, 3.1)."""
    votes = np.asarray(
        label_counts @ np.tile(np.eye(n_labels), (label_counts.shape[1] // n_labels, 1))
    )
    return votes / votes.sum(axis=1, keepdims=True)


def maximize(
    label_counts: scipy.sparse.csr_array,
    weights: NDArray[np.float64],
    start: NDArray[np.float64],
    *,
    n_labels: int,
    smoothing: float,
) -> Fit:
    """Expectation maximization, until changes are below `TOLERANCE` or for `MOST_STEPS` steps.

    Args:
        label_counts: shape (P, J * K); column j * K + l counts label l by judge j.
        weights: shape (P, R); `start`: shape (P, K).
        smoothing: added to each count. It is 0 in the paper, where a label that a judge never gave
            is impossible for that judge. 0.5 is Jeffreys' prior for two labels.

    >>> aaa_bbb_aab = [[1.0, 0, 1, 0, 1, 0], [0, 1, 0, 1, 0, 1], [1, 0, 1, 0, 0, 1]]
    >>> label_counts = scipy.sparse.csr_array(np.array(aaa_bbb_aab))
    >>> fit = maximize(label_counts, np.array([[60.0], [30.0], [10.0]]), vote_shares(label_counts, 2), n_labels=2,
    ...     smoothing=0)
    >>> fit.prior[:, 0].round(3).tolist(), fit.confusion[2, 1, 0].round(3).tolist()
    ([0.7, 0.3], [0.143])
    """
    columns = weights.shape[1]
    posterior = np.repeat(start[:, :, None], columns, axis=2)
    prior, confusion = _counted(label_counts, weights, posterior, n_labels, smoothing)
    for _ in range(MOST_STEPS):
        posterior = _posterior(label_counts, prior, confusion)
        before = prior, confusion
        prior, confusion = _counted(label_counts, weights, posterior, n_labels, smoothing)
        if (
            max(
                float(np.abs(new - old).max())
                for new, old in zip((prior, confusion), before, strict=True)
            )
            < TOLERANCE
        ):
            break
    return Fit(prior, confusion, _posterior(label_counts, prior, confusion))


def _counted(
    label_counts: scipy.sparse.csr_array,
    weights: NDArray[np.float64],
    posterior: NDArray[np.float64],
    n_labels: int,
    smoothing: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    patterns, _, columns = posterior.shape
    weighted = posterior * weights[:, None, :]
    counts = (
        np.asarray(label_counts.T @ weighted.reshape(patterns, -1)).reshape(
            -1, n_labels, n_labels, columns
        )
        + smoothing
    )
    totals = weighted.sum(axis=0) + smoothing
    sums = counts.sum(axis=1, keepdims=True)
    confusion = np.divide(counts, sums, out=np.full_like(counts, 1 / n_labels), where=sums > 0)
    return totals / totals.sum(axis=0), confusion


def _posterior(
    label_counts: scipy.sparse.csr_array, prior: NDArray[np.float64], confusion: NDArray[np.float64]
) -> NDArray[np.float64]:
    n_labels, columns = prior.shape
    logs = np.log(np.maximum(confusion, _LEAST)).reshape(-1, n_labels * columns)
    joint = np.asarray(label_counts @ logs).reshape(-1, n_labels, columns) + np.log(
        np.maximum(prior, _LEAST)
    )
    return np.exp(joint - scipy.special.logsumexp(joint, axis=1, keepdims=True))
