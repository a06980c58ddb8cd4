"""The conditional logit."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from cloze_gen.stats.conditional_logit import fit_conditional_logit


def test_conditional_logit_has_no_gradient_left() -> None:
    """At the weights found, expected and observed features differ by the ridge alone."""
    rng = np.random.default_rng(0)
    features = sparse.csr_array(rng.normal(size=(50, 3)))
    item_of_row, is_answer = np.repeat(np.arange(10), 5), np.tile([True, False, False, False, False], 10)
    weights = fit_conditional_logit(features, item_of_row, is_answer)
    exponent = np.exp(features @ weights).reshape(10, 5)
    shares = (exponent / exponent.sum(axis=1, keepdims=True)).reshape(-1)
    assert features.T @ (is_answer - shares) == pytest.approx(weights, abs=1e-3)
