"""Passages as models are asked about them."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.evaluate.passages.asked import AskedPassage, number_passages

WORDS = ("the", "lamp", "went", "out", ".")
TOKEN = st.sampled_from([*WORDS, "whatsit"])
SENTENCES = st.lists(st.lists(TOKEN, max_size=4).map(tuple), min_size=1, max_size=3).map(tuple)


@given(st.lists(st.builds(lambda sentences, target: AskedPassage("x", "passages", sentences, target), SENTENCES, TOKEN), max_size=4))
def test_numbers_say_the_passages_again(passages: list[AskedPassage]) -> None:
    """Cut by the lengths, a separator before each sentence, each number a word or, one past the last, any other; the target last."""
    ids, lengths = number_passages(passages, WORDS)
    names = ["<s>", *WORDS, "whatsit"]
    for passage, part in zip(passages, np.split(ids, np.cumsum(lengths)[:-1]), strict=False):
        said = [token for sentence in passage.sentences for token in ("<s>", *sentence)]
        assert [names[i] for i in part] == [*said, passage.target]
    assert len(ids) == lengths.sum()
