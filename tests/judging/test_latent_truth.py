"""Expectation maximization beside the paper's data, beside its formulas in plain loops, and its laws."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse

from cloze_gen.judging import latent_truth
from cloze_gen.judging.latent_truth import maximize, vote_shares

# Dawid & Skene 1979, table 1: fitness for anaesthesia of 45 patients, 1 to 4; three looks of the first observer, one each of four others.
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


def in_loops(counts: NDArray[np.float64], smoothing: float, steps: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Formulas 2.3 to 2.5 and 3.1 of the paper as they stand there; prior (K,) and confusion (J, truth, said)."""
    patients, observers, labels = counts.shape
    truth = counts.sum(axis=1) / counts.sum(axis=(1, 2))[:, None]
    for step in range(steps + 1):
        prior = [(sum(truth[i, j] for i in range(patients)) + smoothing) / (patients + labels * smoothing) for j in range(labels)]
        confusion = np.zeros((observers, labels, labels))
        for k in range(observers):
            for j in range(labels):
                row = np.array([sum(truth[i, j] * counts[i, k, label] for i in range(patients)) + smoothing for label in range(labels)])
                confusion[k, j] = row / row.sum() if row.sum() else 1 / labels
        if step < steps:
            for i in range(patients):
                joint = [prior[j] * np.prod(confusion[:, j, :] ** counts[i]) for j in range(labels)]
                truth[i] = np.array(joint) / sum(joint)
    return np.array(prior), confusion


def test_the_papers_example() -> None:
    """The prevalences printed in the paper's table 4: .40, .42, .11, .07; and most patients are certain."""
    counts = counted(ANAESTHETISTS, [0, 0, 0, 1, 2, 3, 4], 4)
    said = sparse.csr_array(counts.reshape(45, -1))
    fit = maximize(said, np.ones((45, 1)), vote_shares(said, 4), n_labels=4, smoothing=0)
    assert fit.prior[:, 0].round(2).tolist() == [0.40, 0.42, 0.11, 0.07]
    assert (fit.posterior.max(axis=1) > 0.98).sum() >= 40


@pytest.mark.parametrize("smoothing", [0.0, 0.5])
def test_the_formulas_in_loops(smoothing: float) -> None:
    """Converged, both come to the same on the paper's data."""
    counts = counted(ANAESTHETISTS, [0, 0, 0, 1, 2, 3, 4], 4)
    said = sparse.csr_array(counts.reshape(45, -1))
    fit = maximize(said, np.ones((45, 1)), vote_shares(said, 4), n_labels=4, smoothing=smoothing)
    prior, confusion = in_loops(counts, smoothing, 150)
    assert fit.prior[:, 0] == pytest.approx(prior, abs=1e-4)
    assert fit.confusion[..., 0].transpose(0, 2, 1) == pytest.approx(confusion, abs=1e-4)


@given(st.lists(st.lists(st.sampled_from("12"), min_size=3, max_size=3).map("".join), min_size=2, max_size=12), st.integers(0, 99))
@settings(max_examples=60)
def test_weights_are_copies(patients: list[str], seed: int) -> None:
    """A pattern of weight w is w units of it, and the weightings beside it in the matrix do not matter: step by step, for how many are
    taken hangs on the slowest of them, and from where all labels are alike rounding alone leads on."""
    counts = counted(patients, [0, 1, 2], 2).reshape(len(patients), -1)
    weights = np.random.default_rng(seed).integers(1, 4, (len(patients), 3)).astype(float)
    said = sparse.csr_array(counts)
    with mock.patch.multiple(latent_truth, MOST_STEPS=5, TOLERANCE=0.0):
        together = maximize(said, weights, vote_shares(said, 2), n_labels=2, smoothing=0.5)
        for column in range(3):
            copied = sparse.csr_array(np.repeat(counts, weights[:, column].astype(int), axis=0))
            alone = maximize(copied, np.ones((copied.shape[0], 1)), vote_shares(copied, 2), n_labels=2, smoothing=0.5)
            assert together.prior[:, column] == pytest.approx(alone.prior[:, 0], abs=1e-9)
            assert together.confusion[..., column] == pytest.approx(alone.confusion[..., 0], abs=1e-9)


def test_all_are_probabilities() -> None:
    """Priors, rows of the confusion and posteriors sum to 1, also without smoothing and of a judge who never met a truth."""
    said = sparse.csr_array(np.array([[1.0, 0, 1, 0, 0, 0], [1, 0, 1, 0, 1, 0], [0, 1, 0, 1, 0, 0]]))
    fit = maximize(said, np.array([[5.0, 2.0], [3.0, 1.0], [4.0, 0.0]]), vote_shares(said, 2), n_labels=2, smoothing=0)
    for summed in (fit.prior.sum(axis=0), fit.confusion.sum(axis=1), fit.posterior.sum(axis=1)):
        assert summed == pytest.approx(np.ones_like(summed))
