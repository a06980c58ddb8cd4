"""Tables in parts: rows written and read back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cloze_gen.lm.forward_index import SENTENCE_END, SENTENCE_START, UNKNOWN, ForwardIndex
from cloze_gen.recipes.msr.stages.parts import ITEMS_A_PART, cut_in_parts, read_rows, write_rows


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


@pytest.mark.parametrize("n_items", [1, ITEMS_A_PART - 1, ITEMS_A_PART, ITEMS_A_PART + 1, 3 * ITEMS_A_PART])
def test_parts_hold_every_item_once(n_items: int, tmp_path: Path) -> None:
    """In order, none empty, none beyond the last; each has a file of its own."""
    parts = cut_in_parts([(n_items, 0)], tmp_path / "table")
    assert [i for part in parts for i in range(part.first, part.last)] == list(range(n_items))
    assert all(part.first < part.last for part in parts)
    assert len({part.name for part in parts}) == len(parts)


def test_a_part_has_words_of_one_model(tmp_path: Path) -> None:
    """Where a model ends the part ends, however short, and the next begins there."""
    parts = cut_in_parts([(3, 1), (ITEMS_A_PART + 2, 2), (1, 1)], tmp_path / "table")
    found = [(part.last - part.first, part.model, part.name) for part in parts]
    assert found == [(3, 1, "part-00000.parquet"), (ITEMS_A_PART, 2, "part-00001.parquet"), (2, 2, "part-00002.parquet"),
                     (1, 1, "part-00003.parquet")]  # fmt: skip
    assert [i for part in parts for i in range(part.first, part.last)] == list(range(ITEMS_A_PART + 6))
