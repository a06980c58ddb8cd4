"""What an n-gram model sees of a passage."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.lm.histories import histories_of_last
from tests.lm.conftest import Trained

SENTENCES = st.lists(st.lists(st.integers(1, 9), min_size=1, max_size=5), min_size=1, max_size=3)


@given(st.lists(SENTENCES, min_size=1, max_size=5), st.integers(2, 5))
def test_histories_end_at_the_sentence(passages: list[list[list[int]]], order: int) -> None:
    """The last words before the target, not past `<s>`, which is one of them; -1 fills up at the left."""
    flat = [[token for sentence in passage for token in (0, *sentence)] for passage in passages]
    histories, words = histories_of_last(np.concatenate(flat), np.array([len(one) for one in flat]), order=order, start=0)
    assert words.tolist() == [passage[-1][-1] for passage in passages]
    for row, passage in zip(histories.tolist(), passages, strict=True):
        seen = [0, *passage[-1][:-1]][-(order - 1) :]
        assert row == [-1] * (order - 1 - len(seen)) + seen


def test_scores_are_those_of_kenlm(trained: Trained) -> None:
    """P(last word | the passage) of passages of three sentences, asked of KenLM word by word."""
    index, sentences = trained.index, [sentence for sentence in trained.sentences if len(sentence) > 1][:300]
    passages = [sentences[i : i + 3] for i in range(len(sentences) - 2)]
    flat = [[one for sentence in passage for one in (index.start, *index.ids(sentence))] for passage in passages]
    histories, words = histories_of_last(np.concatenate(flat), np.array([len(one) for one in flat]), order=index.order, start=index.start)
    found = index.log10_probs(histories, words)
    expected = [trained.kenlm.log10_prob(["<s>", *passage[-1][:-1]], passage[-1][-1]) for passage in passages]
    assert found == pytest.approx(expected, abs=1e-4)
