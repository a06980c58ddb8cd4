"""Sums over resamples of groups, and the middle of what they come to."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from cloze_gen.judging import resampling
from cloze_gen.judging.resampling import middle, resampled_sums


def test_every_resample_is_as_big_as_the_whole() -> None:
    """As many groups are drawn as there are; a group may be drawn several times or never."""
    sums = resampled_sums(np.eye(7), seed=1, purpose="tests", draws=500)
    assert set(sums.sum(axis=1)) == {7.0}
    assert {0.0, 1.0, 2.0} <= set(sums.ravel())
    assert np.allclose(sums.mean(axis=0), 1, atol=0.2)


def test_sparse_and_cut_up_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the kind of matrix nor how many resamples are held at once changes a draw."""
    values = np.arange(12.0).reshape(6, 2)
    whole = resampled_sums(values, seed=1, purpose="tests", draws=50)
    assert (resampled_sums(sparse.csr_array(values), seed=1, purpose="tests", draws=50) == whole).all()
    monkeypatch.setattr(resampling, "_MOST_CELLS", 20)
    assert (resampled_sums(values, seed=1, purpose="tests", draws=50) == whole).all()


def test_seed_purpose_and_id_draw_anew() -> None:
    """Each of the three alone changes the resamples."""
    calls = [(1, "a", ""), (2, "a", ""), (1, "b", ""), (1, "a", "x")]
    found = [resampled_sums(np.eye(9), seed=seed, purpose=purpose, record_id=one, draws=9).tobytes() for seed, purpose, one in calls]
    assert len(set(found)) == 4


def test_a_few_undefined_resamples_are_passed_over() -> None:
    """Up to a twentieth of them; with more there is no interval."""
    values = np.linspace(0, 1, 101)
    few, many = values.copy(), values.copy()
    few[::30], many[::10] = np.nan, np.nan
    assert middle(few) is not None
    assert middle(many) is None
