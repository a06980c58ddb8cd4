from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.models import context_vectors as module
from cloze_gen.models.context_vectors import (
    Associations,
    associations,
    context_counts,
    context_vectors,
    positive_pmi,
)

# 0 ends a sentence; words 1 2 3 | 2 1 | 3
CORPUS = np.array([1, 2, 3, 0, 2, 1, 0, 3, 0], np.uint32)
ROWS = np.array([-1, 0, 1, 2])


def test_neighbours_within_the_window_and_the_sentence():
    one = context_counts(CORPUS, target_row=ROWS, feature_column=ROWS, window=1).toarray()
    assert one.tolist() == [[0, 2, 0], [2, 0, 1], [0, 1, 0]]
    two = context_counts(CORPUS, target_row=ROWS, feature_column=ROWS, window=2).toarray()
    assert two.tolist() == [[0, 2, 1], [2, 0, 1], [1, 1, 0]]


@pytest.mark.parametrize("chunk_tokens", [1, 2, 3, 4, 7])
def test_pieces_do_not_count(monkeypatch, chunk_tokens):
    """Reading the corpus in chunks gives the same counts."""
    whole = context_counts(CORPUS, target_row=ROWS, feature_column=ROWS, window=2).toarray()
    monkeypatch.setattr(module, "_CHUNK_TOKENS", chunk_tokens)
    assert (
        context_counts(CORPUS, target_row=ROWS, feature_column=ROWS, window=2).toarray().tolist()
        == whole.tolist()
    )


def test_pmi_is_positive_and_of_counted_pairs():
    pmi = positive_pmi(sp.csr_matrix(np.array([[8.0, 1.0], [1.0, 8.0]], np.float32))).toarray()
    assert (pmi > 0).tolist() == [[True, False], [False, True]]


def test_same_contexts_same_direction():
    counts = np.zeros((4, 6), np.float32)
    counts[0, :3] = counts[1, :3] = [5, 3, 2]
    counts[2, 3:] = [4, 4, 2]
    vectors = context_vectors(sp.csr_matrix(counts), dimensions=3, seed=0).units
    assert vectors.dtype == np.float32
    assert vectors[0] @ vectors[1] == pytest.approx(1.0, abs=1e-4)
    assert abs(vectors[0] @ vectors[2]) < 0.1
    assert vectors[3].tolist() == [0.0] * vectors.shape[1]


@pytest.mark.parametrize(
    "counts", [np.zeros((3, 5)), np.ones((1, 5)), np.array([[0.0, 2.0], [0.0, 0.0]])]
)
def test_hardly_any_contexts(counts):
    vectors = context_vectors(sp.csr_matrix(counts.astype(np.float32)), dimensions=50, seed=0)
    assert (len(vectors.units), len(vectors.norms), len(vectors.features)) == (
        len(counts),
        len(counts),
        counts.shape[1],
    )
    assert all(
        np.isfinite(array).all() for array in (vectors.units, vectors.norms, vectors.features)
    )


def test_the_product_of_a_target_and_a_feature_is_their_pmi():
    """Exact with full rank; a lower rank smooths."""
    counts = sp.csr_matrix(np.random.default_rng(3).integers(0, 9, (12, 7)).astype(np.float32))
    whole = context_vectors(sp.vstack([counts, counts]).tocsr(), dimensions=12, seed=0)
    pmi = positive_pmi(sp.vstack([counts, counts]).tocsr()).toarray()
    product = whole.norms[:, None] * (whole.units @ whole.features.T)
    assert np.abs(product - pmi).max() < 0.3 * pmi.max()
    assert np.corrcoef(product.ravel(), pmi.ravel())[0, 1] > 0.95


def test_pairs_met_once_are_no_association():
    found = associations(sp.csr_matrix(np.array([[9, 0, 1], [2, 9, 0], [0, 1, 1]], np.float32)))
    assert found.start.tolist() == [0, 1, 2, 2]
    assert found.feature.tolist() == [0, 1]
    assert (found.pmi > 0).all()


@given(st.integers(0, 2**31))
def test_associations_are_those_of_the_full_table(seed):
    rng = np.random.default_rng(seed)
    dense = np.where(rng.random((4, 10)) < 0.4, rng.random((4, 10)), 0).astype(np.float16)
    table = sp.csr_matrix(dense.astype(np.float32))
    sparse = Associations(
        table.indptr.astype(np.int64),
        table.indices.astype(np.uint16),
        table.data.astype(np.float16),
    )
    targets, features = (grid.ravel() for grid in np.meshgrid([0, 1, 2, 3, -1], np.arange(10)))
    expected = np.vstack([dense, np.zeros(10)])[targets, features]
    assert sparse.pmi_of(targets, features).tolist() == expected.tolist()
