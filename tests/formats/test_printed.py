"""Questions as running text."""

from __future__ import annotations

import pytest

from cloze_gen.formats.printed import blanked_sentence
from cloze_gen.records.question import Question


@pytest.mark.parametrize(("position", "printed"), [(0, "_____, we hide it."), (2, "Well, _____ hide it."), (4, "Well, we hide _____.")])
def test_the_blank_stands_where_the_answer_stood(position: int, printed: str) -> None:
    """Marks stay at the blank as they stand at a word, and the answer is in no other place."""
    tokens = ("Well", ",", "we", "hide", "it", ".")
    assert blanked_sentence(Question("b:0:0", "b", tokens, position, (tokens[position], "eat"), 0)) == printed
