"""The forward score and the score of the whole sentence."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.recipes.msr.forward import (
    FilledSentence,
    best_forward,
    forward_log10_probs,
    sentence_log10_probs,
)


def test_the_next_word_after_predecessor_and_option(index):
    """P(next | predecessor, option), attested or backed off."""
    options = np.array(index.ids(["b", "c"]))
    predecessors, next_words = np.array(index.ids(["a", "a"])), np.array(index.ids(["c", "c"]))
    found = forward_log10_probs(
        index, predecessors=predecessors, options=options, next_words=next_words
    )
    assert found.tolist() == pytest.approx([-0.6, -0.2 - 1.0])


TOKENS = st.lists(st.sampled_from(["a", "b", "c", "d", "zz"]), min_size=1, max_size=9)


@given(tokens=TOKENS, data=st.data())
def test_whole_sentence_scores_are_the_sentences_own(index, tokens, data):
    """Scoring only the windows around the blank gives what scoring every filled sentence gives."""
    position = data.draw(st.integers(0, len(tokens) - 1))
    options = ["a", "b", "c", "f", "zz"]
    ids = np.array([index.start, *index.ids(tokens), index.end])
    found = sentence_log10_probs(
        index, [FilledSentence(ids, position + 1, np.array(index.ids(options)))] * 2
    )[1]
    filled = [[*tokens[:position], option, *tokens[position + 1 :]] for option in options]
    assert found.tolist() == pytest.approx(
        [index.sentence_log10_prob(sentence) for sentence in filled], abs=1e-5
    )


@given(st.lists(st.tuples(st.integers(-9, 0), st.integers(-9, 0)), max_size=20), st.integers(4, 30))
def test_the_best_are_kept(scores, keep):
    """Best forward score first, ties by the history score, then by position."""
    forward, history = (
        np.array(column, np.float64) for column in ([s[0] for s in scores], [s[1] for s in scores])
    )
    best = best_forward(forward, history, keep=keep).tolist()
    assert best == sorted(range(len(scores)), key=lambda i: (-forward[i], -history[i], i))[:keep]
