"""Error rates of scripted judges, estimated without their script."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse

from cloze_gen.judging import error_rates as module
from cloze_gen.judging.agreement import Ratings
from cloze_gen.judging.error_rates import error_rates, maximize, vote_shares
from tests.judging.conftest import binary_ratings

SCRIPT = {"ann": (0.1, 0.05), "bob": (0.2, 0.1), "cyd": (0.05, 0.2), "dot": (0.15, 0.15)}


CAREFUL = {"ann": (0.02, 0.02), "bob": (0.05, 0.03), "cyd": (0.02, 0.1)}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("script", "of_each", "positive"),
    [(SCRIPT, None, 0.3), (SCRIPT, 3, 0.3), (CAREFUL, None, 0.15)],
    ids=["all", "three", "careful"],
)
def test_the_script_lies_within_the_intervals(
    script: dict[str, tuple[float, float]], of_each: int | None, positive: float
) -> None:
    """Over 100 studies of 400 items: 92 % of all rates and prevalences, 87 % of each."""
    true = np.array(
        [[yes_said_of_no, no_said_of_yes] for no_said_of_yes, yes_said_of_no in script.values()]
    )
    held = []
    for seed in range(100):
        found = error_rates(
            binary_ratings(script, 400, seed=seed, of_each=of_each, positive=positive)[0],
            seed=seed,
            draws=200,
        )
        assert found is not None
        assert (found.judges, found.labels) == (tuple(script), ("no", "yes"))
        low, high = (
            bound[:, [0, 1], [1, 0]] for bound in (found.confusion_low, found.confusion_high)
        )
        held.append(
            [
                *((low <= true) & (true <= high)).ravel(),
                found.prior_low[1] <= positive <= found.prior_high[1],
            ]
        )
    assert np.mean(held) >= 0.92
    assert np.mean(held, axis=0).min() >= 0.87


def test_the_truth_is_better_told_than_by_most() -> None:
    """With one careful judge among careless ones, the posterior errs less often than the majority."""
    script = {"ann": (0.02, 0.02), "bob": (0.35, 0.35), "cyd": (0.35, 0.35)}
    ratings, truth = binary_ratings(script, 1500, seed=2)
    found = error_rates(ratings, seed=1, draws=2)
    assert found is not None
    told = dict(zip(found.units, found.posterior.argmax(axis=1), strict=True))
    wrong = sum(found.labels[told[item,]] != true for (item, true) in truth.items())
    outvoted = sum(
        (sum(label == "yes" for label in ratings[item,].values()) > 1) != (true == "yes")
        for item, true in truth.items()
    )
    assert wrong < outvoted / 3


def test_labels_keep_their_meaning_with_bad_judges() -> None:
    ratings, _ = binary_ratings(
        {"ann": (0.1, 0.1), "bob": (0.1, 0.1), "cyd": (0.1, 0.1), "mad": (0.9, 0.9)}, 500, seed=1
    )
    found = error_rates(ratings, seed=1, draws=50)
    assert found is not None
    diagonal = found.confusion[:, [0, 1], [0, 1]]
    assert (diagonal[:3] > 0.8).all()
    assert (diagonal[3] < 0.2).all()


@pytest.mark.parametrize(
    "ratings",
    [
        {},
        {(str(n),): {"a": "xy"[n % 2], "b": "x"} for n in range(9)},
        {(str(n),): {"a": "x", "b": "x", "c": "x"} for n in range(9)},
        {("1", str(n)): {"a": "x", "b": "y", "c": "xy"[n % 2]} for n in range(9)},
    ],
    ids=["nothing", "two judges", "one label", "one item"],
)
def test_what_cannot_be_told_is_none(ratings: Ratings) -> None:
    """Two judges show no error, one label no alternative, one item no interval."""
    assert error_rates(ratings, seed=1) is None


def test_units_of_one_item_are_drawn_together() -> None:
    """Copies of a unit within its item narrow no interval."""
    once, _ = binary_ratings(SCRIPT, 150, seed=4)
    copied = {(*unit, str(copy)): response for unit, response in once.items() for copy in range(20)}
    one, grouped, alone = (
        error_rates(once, seed=1),
        error_rates(copied, seed=1),
        error_rates(copied, seed=1, group_of="/".join),
    )
    assert one is not None
    assert grouped is not None
    assert alone is not None
    widths = [
        float((found.confusion_high - found.confusion_low).mean())
        for found in (one, grouped, alone)
    ]
    assert widths[1] == pytest.approx(
        widths[0], rel=0.15
    )  # of copies half a verdict of smoothing is less
    assert widths[2] < widths[0] / 2


# Dawid & Skene 1979, table 1: fitness for anaesthesia of 45 patients, 1 to 4; three looks of the
# first observer, one each of four others.
ANAESTHETISTS = """
1111111 3334334 1122122 2223121 2223222 2223322 1222111 3333433 2222223 2322223 4444444 2223343 1111111 2223212 1211111
1112111 1111111 1111111 2222221 2221322 2222222 2222221 2223222 2212222 1111111 1111111 2322222 1111111 1111111 1121121
1111111 3333233 1111111 2222222 2223232 4334343 2212232 2323233 3333432 1111111 1111111 1212111 2322222 1211111 2222222
""".split()


def counted(patients: list[str], observers: list[int], n_labels: int) -> NDArray[np.float64]:
    """How often each observer gave each label to each patient: shape (patients, observers, labels)."""
    counts = np.zeros((len(patients), max(observers) + 1, n_labels))
    for patient, labels in enumerate(patients):
        for observer, label in zip(observers, labels, strict=True):
            counts[patient, observer, int(label) - 1] += 1
    return counts


def in_loops(
    counts: NDArray[np.float64], smoothing: float, steps: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Formulas 2.3 to 2.5 and 3.1 of the paper; prior (K,) and confusion (J, truth, said)."""
    patients, observers, labels = counts.shape
    truth = counts.sum(axis=1) / counts.sum(axis=(1, 2))[:, None]
    for step in range(steps + 1):
        prior = [
            (sum(truth[i, j] for i in range(patients)) + smoothing)
            / (patients + labels * smoothing)
            for j in range(labels)
        ]
        confusion = np.zeros((observers, labels, labels))
        for k in range(observers):
            for j in range(labels):
                row = np.array(
                    [
                        sum(truth[i, j] * counts[i, k, label] for i in range(patients)) + smoothing
                        for label in range(labels)
                    ]
                )
                confusion[k, j] = row / row.sum() if row.sum() else 1 / labels
        if step < steps:
            for i in range(patients):
                joint = [prior[j] * np.prod(confusion[:, j, :] ** counts[i]) for j in range(labels)]
                truth[i] = np.array(joint) / sum(joint)
    return np.array(prior), confusion


def test_the_papers_example() -> None:
    """Table 4: prevalences .40, .42, .11, .07."""
    counts = counted(ANAESTHETISTS, [0, 0, 0, 1, 2, 3, 4], 4)
    response = sparse.csr_array(counts.reshape(45, -1))
    fit = maximize(response, np.ones((45, 1)), vote_shares(response, 4), n_labels=4, smoothing=0)
    assert fit.prior[:, 0].round(2).tolist() == [0.40, 0.42, 0.11, 0.07]
    assert (fit.posterior.max(axis=1) > 0.98).sum() >= 40


@pytest.mark.parametrize("smoothing", [0.0, 0.5])
def test_the_formulas_in_loops(smoothing: float) -> None:
    """Converged, both come to the same on the paper's data."""
    counts = counted(ANAESTHETISTS, [0, 0, 0, 1, 2, 3, 4], 4)
    response = sparse.csr_array(counts.reshape(45, -1))
    fit = maximize(
        response, np.ones((45, 1)), vote_shares(response, 4), n_labels=4, smoothing=smoothing
    )
    prior, confusion = in_loops(counts, smoothing, 150)
    assert fit.prior[:, 0] == pytest.approx(prior, abs=1e-4)
    assert fit.confusion[..., 0].transpose(0, 2, 1) == pytest.approx(confusion, abs=1e-4)


@given(
    st.lists(
        st.lists(st.sampled_from("12"), min_size=3, max_size=3).map("".join),
        min_size=2,
        max_size=12,
    ),
    st.integers(0, 99),
)
@settings(max_examples=60)
def test_weights_are_copies(patients: list[str], seed: int) -> None:
    """Step by step, because the number of steps depends on the slowest pattern."""
    counts = counted(patients, [0, 1, 2], 2).reshape(len(patients), -1)
    weights = np.random.default_rng(seed).integers(1, 4, (len(patients), 3)).astype(float)
    response = sparse.csr_array(counts)
    with mock.patch.multiple(module, MOST_STEPS=5, TOLERANCE=0.0):
        together = maximize(response, weights, vote_shares(response, 2), n_labels=2, smoothing=0.5)
        for column in range(3):
            copied = sparse.csr_array(np.repeat(counts, weights[:, column].astype(int), axis=0))
            alone = maximize(
                copied,
                np.ones((copied.shape[0], 1)),
                vote_shares(copied, 2),
                n_labels=2,
                smoothing=0.5,
            )
            assert together.prior[:, column] == pytest.approx(alone.prior[:, 0], abs=1e-9)
            assert together.confusion[..., column] == pytest.approx(
                alone.confusion[..., 0], abs=1e-9
            )


def test_all_are_probabilities() -> None:
    response = sparse.csr_array(
        np.array([[1.0, 0, 1, 0, 0, 0], [1, 0, 1, 0, 1, 0], [0, 1, 0, 1, 0, 0]])
    )
    fit = maximize(
        response,
        np.array([[5.0, 2.0], [3.0, 1.0], [4.0, 0.0]]),
        vote_shares(response, 2),
        n_labels=2,
        smoothing=0,
    )
    for summed in (fit.prior.sum(axis=0), fit.confusion.sum(axis=1), fit.posterior.sum(axis=1)):
        assert summed == pytest.approx(np.ones_like(summed))
