"""Tables in parts: rows written and read back."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from cloze_gen.lm.forward_index import SENTENCE_END, SENTENCE_START, UNKNOWN, ForwardIndex
from cloze_gen.recipes.msr.stages.parts import read_rows, write_rows


def test_words_are_numbered_by_the_index_at_hand(tmp_path: Path) -> None:
    """A process that serves run after run opens index after index; a table is read with the words of its own."""
    words = ["owl", "pike", "wren"]
    path = tmp_path / "part.parquet"
    write_rows(path, ids=["a"], item=np.zeros(3, np.int32), words=words, word=np.arange(3))
    for turn in range(20):
        index = ForwardIndex([UNKNOWN, SENTENCE_START, SENTENCE_END, *np.roll(words, turn).tolist()], [])
        _, numbers, _ = read_rows(path, index)
        assert [index.words[i] for i in numbers] == words
        del index
