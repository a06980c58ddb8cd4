"""Frames: what stands before and after a word, counted; and associations within a window."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.english.closed_classes import After, Before
from cloze_gen.stats import word_frames as module
from cloze_gen.stats.associations import Associations, associations
from cloze_gen.stats.word_frames import count_frame_cues

WORDS = ["she", "took", "the", "oar", ".", "of"]
IDS = {word: i + 1 for i, word in enumerate(WORDS)}
ROWS = np.array([-1, -1, 0, -1, 1, -1, -1])  # of took and oar


def corpus(*sentences: str) -> np.ndarray:
    return np.array([i for line in sentences for i in [*(IDS[word] for word in line.split()), 0]], np.uint32)


def test_a_form_is_counted_between_its_neighbours() -> None:
    """The kinds of both neighbours make the cell; a sentence's start is nothing known, its end closes."""
    counts = count_frame_cues(corpus("she took the oar .", "oar of took"), words=WORDS, target_row=ROWS)
    assert counts.sum() == 4
    assert counts[0, Before.SUBJECT, After.OBJECT] == 1
    assert counts[0, Before.BARE, After.CLOSED] == 1
    assert counts[1, Before.DETERMINER, After.CLOSED] == 1
    assert counts[1, Before.OTHER, After.CLOSED] == 1


@pytest.mark.parametrize("chunk_tokens", [1, 2, 3, 5])
def test_pieces_of_the_corpus_do_not_count(monkeypatch: pytest.MonkeyPatch, chunk_tokens: int) -> None:
    """Neighbours beyond a piece's edge are seen, and no form twice."""
    text = corpus("she took the oar .", "took", "the oar of the oar")
    whole = count_frame_cues(text, words=WORDS, target_row=ROWS)
    monkeypatch.setattr(module, "_CHUNK_TOKENS", chunk_tokens)
    assert (count_frame_cues(text, words=WORDS, target_row=ROWS) == whole).all()


def test_pairs_met_once_are_no_association() -> None:
    """One meeting tells nothing; what is met more often than chance has a positive value."""
    found = associations(sp.csr_matrix(np.array([[9, 0, 1], [2, 9, 0], [0, 1, 1]], np.float32)))
    assert found.start.tolist() == [0, 1, 2, 2]
    assert found.feature.tolist() == [0, 1]
    assert (found.pmi > 0).all()


@given(st.integers(0, 2**31), st.lists(st.integers(0, 9), max_size=12))
def test_mean_association_is_the_mean_of_the_full_table(seed: int, features: list[int]) -> None:
    """Looking pairs up in the sparse rows gives the mean over the dense ones, repetitions and missing pairs counted."""
    rng = np.random.default_rng(seed)
    dense = np.where(rng.random((4, 10)) < 0.4, rng.random((4, 10)), 0).astype(np.float16)
    table = sp.csr_matrix(dense.astype(np.float32))
    sparse = Associations(table.indptr.astype(np.int64), table.indices.astype(np.uint16), table.data.astype(np.float16))
    expected = dense[:, features].astype(np.float64).mean(axis=1) if features else np.zeros(4)
    assert sparse.mean_with([0, 1, 2, 3, -1], np.array(features, np.int64)) == pytest.approx([*expected, 0.0])
