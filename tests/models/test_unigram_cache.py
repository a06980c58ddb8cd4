from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.models.unigram_cache import cache_shares, shares_before_last, with_cache

PASSAGES = st.lists(st.lists(st.integers(0, 4), min_size=1, max_size=12), min_size=1, max_size=8)


@given(PASSAGES)
def test_shares_are_counted_in_each_passage_alone(passages):
    passages = [[*passage[:-1], max(1, passage[-1])] for passage in passages]
    lengths = np.array([len(passage) for passage in passages])
    found = shares_before_last(np.concatenate(passages), lengths, separator=0)
    before = [[token for token in passage[:-1] if token] for passage in passages]
    expected = [
        tokens.count(p[-1]) / len(tokens) if tokens else 0.0
        for p, tokens in zip(passages, before, strict=True)
    ]
    assert found.tolist() == expected


@given(PASSAGES)
def test_the_cache_is_a_distribution(passages):
    passages = [[*passage[:-1], max(1, passage[-1])] for passage in passages]
    lengths, codes = np.array([len(passage) for passage in passages]), np.concatenate(passages)
    found = cache_shares(codes, lengths, separator=0, size=5)
    assert found[np.arange(len(passages)), codes[np.cumsum(lengths) - 1]] == pytest.approx(
        shares_before_last(codes, lengths, separator=0)
    )
    assert found.sum(axis=1) == pytest.approx([float(any(passage[:-1])) for passage in passages])
    assert not found[:, 0].any()


@pytest.mark.parametrize("weight", [0.01, 0.5])
def test_probabilities_still_sum_to_one(weight):
    model = np.array([0.5, 0.3, 0.2])
    shares = np.array([0.0, 0.75, 0.25])
    assert (10 ** with_cache(np.log10(model), shares, weight=weight)).sum() == pytest.approx(1)


def test_a_word_that_was_said_gains_and_any_other_loses():
    said, unsaid = with_cache(np.array([-4.0, -4.0], np.float32), np.array([0.5, 0.0]), weight=0.1)
    assert said > -2
    assert unsaid == pytest.approx(-4 + np.log10(0.9))


def test_no_passage():
    assert (
        shares_before_last(np.zeros(0, np.int64), np.zeros(0, np.int64), separator=0).tolist() == []
    )
