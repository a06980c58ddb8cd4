"""Passages of a running text."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.networks.passages import passage_reader, training_passages
from cloze_gen.networks.training import plan_course

NAMES = ["", "it", "rained", "o'clock", ".", "''", "42"]
MARKS, LETTERS = (np.array([name in names for name in NAMES]) for names in ((".", "''"), ("it", "rained")))


@given(st.lists(st.lists(st.integers(1, 6), min_size=1, max_size=7), min_size=1, max_size=12), st.integers(1, 12))
def test_each_passage_is_the_least_that_is_enough(sentences: list[list[int]], least: int) -> None:
    """Sentence by sentence, as it is written: whole sentences before, and the sentence up to its last word, which is of letters."""
    expected = []
    for i, sentence in enumerate(sentences):
        words = [at for at, word in enumerate(sentence) if not MARKS[word]]
        first = max((j for j in range(i) if sum(map(len, sentences[j:i])) >= least), default=None)
        if first is not None and words and words[-1] > 0 and LETTERS[sentence[words[-1]]]:
            flat = [word for one in sentences[first:i] for word in (*one, 0)] + sentence[: words[-1] + 1]
            expected.append(flat)
    text = np.array([word for sentence in sentences for word in (*sentence, 0)], np.uint32)
    found = training_passages(text, marks=MARKS, letters=LETTERS, min_tokens=least)
    assert [text[first : last + 1].tolist() for first, last in found.tolist()] == expected


def test_a_reading_shows_every_passage_once() -> None:
    """A block holds one of every stream, from all parts of the text; the second reading is as the first; unknown words are one."""
    text, passages = np.arange(1, 101), np.array([[i, i + 1 + i % 3] for i in range(0, 90, 3)])
    course = plan_course(30, readings=2, most_words=10**6, most_streams=512, steps=1)
    read = passage_reader(text, passages, course, size=50)
    blocks = [read(number) for number in range(course.blocks)]
    assert (course.blocks, course.words_a_block) == (60, 1)
    ends = [int(block.ids[-1]) for block in blocks]
    assert ends[:30] == [min(int(text[last]), 51) for _, last in passages]
    assert ends[30:] == ends[:30]


def test_a_block_holds_passages_of_every_part() -> None:
    """One after the other, each with its length."""
    text, passages = np.arange(1, 2001), np.array([[i, i + 1 + i % 2] for i in range(0, 1200, 3)])
    course = plan_course(400, readings=1, most_words=10**6, most_streams=512, steps=1)
    block = passage_reader(text, passages, course, size=10**6)(1)
    assert course.streams == 2
    assert block.lengths.tolist() == [3, 3]
    assert block.ids.tolist() == [4, 5, 6, 604, 605, 606]
