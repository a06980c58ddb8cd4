"""How often each judge errs, and what is true, estimated without a key from the labels of three judges or more.

The model is Dawid & Skene's (`latent_truth`). Three judges are the fewest from whom it can be told: where two differ, nothing shows who is
wrong. It takes judges to err independently given the truth. Items that are hard for everybody break that, and then the rates come out too
small; figures against a key, where there is one, are the better ones (`judges`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from cloze_gen.judging.latent_truth import Fit, maximize, vote_shares
from cloze_gen.judging.rating_table import NOT_SAID, Ratings, Unit, item_of, tabulate
from cloze_gen.judging.resampling import middle, resampled_sums

LEAST_JUDGES = 3
DRAWS = 400
SMOOTHING = 0.5
_PURPOSE = "judging.error_rates"
_MOST_CELLS = 4_000_000  # numbers of a step held at once, of 8 bytes
_Z = 1.959964  # standard errors to either side of the middle 95 %
_NO_INTERVAL = (np.nan, np.nan)


@dataclass(frozen=True, slots=True, eq=False)
class ErrorRates:
    """Estimates for K labels, J judges, U units, with 95 % intervals: the bootstrap's by group.

    The interval of a confusion holds Wilson's too, that which the same counts would have were the truth known: not to know it makes nothing
    surer. It matters for errors that a judge made once or never, which no resample makes more common.

    Attributes:
        labels, judges, units: sorted; axes of the arrays.
        prior: shape (K,): estimated share of the units whose truth is each label. `prior_low` and `prior_high` bound it.
        confusion: shape (J, K, K): [j, k, l] is P(judge j says l | truth is k); rows sum to 1. `confusion_low`, `confusion_high` bound it.
        posterior: shape (U, K): P(truth of the unit | all that was said of it); rows sum to 1.
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
    ratings: Ratings, *, seed: int, record_id: str = "", group_of: Callable[[Unit], str] = item_of, draws: int = DRAWS
) -> ErrorRates | None:
    """Error rates of the judges and the truth of the units, for nominal labels of which there are few.

    Args:
        seed, record_id: of the bootstrap.
        group_of: what a unit is resampled with; by default its item.
    Returns:
        None where it cannot be told: no unit was rated by `LEAST_JUDGES`, all labels are alike, or there are fewer than two groups.
    Source:
        Dawid & Skene 1979, with half a verdict added to each count (`latent_truth.maximize`); resamples begin at the estimate, so that the
        labels mean the same in all of them.

    >>> said = ["yyy"] * 40 + ["nnn"] * 40 + ["yyn"] * 10 + ["nny"] * 10
    >>> rates = error_rates({(str(n),): dict(zip("abc", labels)) for n, labels in enumerate(said)}, seed=1)
    >>> rates.labels, [round(float(rate), 2) for rate in rates.confusion[:, 0, 1]]
    (('n', 'y'), [0.01, 0.01, 0.21])
    >>> error_rates({("1",): {"a": "y", "b": "n"}, ("2",): {"a": "y", "b": "y"}}, seed=1) is None
    True
    """
    table = tabulate(ratings, group_of)
    size = len(table.labels)
    rated = (table.codes != NOT_SAID).sum(axis=1) if table.codes.size else np.zeros(0, np.int64)
    if size < 2 or rated.max(initial=0) < LEAST_JUDGES or len(table.group_names) < 2:
        return None
    patterns, pattern_of = np.unique(table.codes, axis=0, return_inverse=True)
    pattern_of = pattern_of.reshape(-1)
    said = _said(patterns, size)
    shape = len(table.group_names), len(patterns)
    by_group = sparse.coo_array((np.ones(len(rated)), (table.groups, pattern_of)), shape=shape).tocsr()
    fit = maximize(said, by_group.sum(axis=0)[:, None], vote_shares(said, size), n_labels=size, smoothing=SMOOTHING)
    sums = resampled_sums(by_group, seed=seed, purpose=_PURPOSE, record_id=record_id, draws=draws)
    priors, confusions = _resampled(said, sums, fit, size)
    (prior_low, prior_high), (low, high) = _bounds(priors), _bounds(confusions)
    known_low, known_high = _wilson(_expected_counts(said, by_group.sum(axis=0), fit))
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


def _said(patterns: NDArray[np.int32], size: int) -> sparse.csr_array:
    """Who said what, as `latent_truth.maximize` reads it."""
    rows, judges = np.nonzero(patterns != NOT_SAID)
    columns = judges * size + patterns[rows, judges]
    return sparse.csr_array((np.ones(len(rows)), (rows, columns)), shape=(len(patterns), patterns.shape[1] * size))


def _resampled(said: sparse.csr_array, sums: NDArray[np.float64], fit: Fit, size: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Prior and confusion of each resample, the resamples on the last axis."""
    start = fit.posterior[:, :, 0]
    at_once = max(1, _MOST_CELLS // (len(start) * size))
    fits = [
        maximize(said, sums[first : first + at_once].T, start, n_labels=size, smoothing=SMOOTHING) for first in range(0, len(sums), at_once)
    ]
    return np.concatenate([one.prior for one in fits], axis=-1), np.concatenate([one.confusion for one in fits], axis=-1)


def _bounds(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The middle 95 % over the last axis."""
    found = np.array([middle(one) or _NO_INTERVAL for one in values.reshape(-1, values.shape[-1])]).reshape(*values.shape[:-1], 2)
    return found[..., 0], found[..., 1]


def _expected_counts(said: sparse.csr_array, weights: NDArray[np.float64], fit: Fit) -> NDArray[np.float64]:
    """How often each judge said each label of units of each truth, by the belief in the truth: shape (J, said, truth)."""
    size = fit.prior.shape[0]
    return np.asarray(said.T @ (fit.posterior[:, :, 0] * weights[:, None])).reshape(-1, size, size)


def _wilson(counts: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Wilson's 95 % interval of each count's share of its truth; `binomtest` takes whole numbers only."""
    n = np.maximum(counts.sum(axis=1, keepdims=True), 1e-9)
    share = counts / n
    centre = share + _Z**2 / (2 * n)
    half = _Z * np.sqrt(share * (1 - share) / n + _Z**2 / (4 * n**2))
    return np.clip((centre - half) / (1 + _Z**2 / n), 0, 1), np.clip((centre + half) / (1 + _Z**2 / n), 0, 1)
