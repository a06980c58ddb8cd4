from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.models.network_layers import Adagrad
from cloze_gen.models.network_training import (
    STEPS,
    Course,
    block_reader,
    passage_reader,
    plan_course,
    read_block,
    train,
    training_passages,
)


class Listener:
    """A network that records its blocks and rates."""

    def __init__(self, lead: int) -> None:
        self.lead = lead
        self.seen: list[np.ndarray] = []
        self.rates: list[float] = []
        self.begun: list[int] = []

    def forget(self) -> None:
        self.begun.append(len(self.seen))

    def learn(self, block: np.ndarray, optimizer: Adagrad) -> float:
        self.seen.append(block)
        self.rates.append(optimizer.rate)
        return float(len(self.seen))


def show(
    listener: Listener,
    text: np.ndarray,
    course: Course,
    numbers: range,
    *,
    size: int = 10**6,
    rate: float = 1.0,
) -> None:
    read = block_reader(text, course, lead=listener.lead, size=size)
    train(listener, read, Adagrad({}, {}, rate=0.0), course=course, numbers=numbers, rate=rate)


@given(n=st.integers(64, 20_000), lead=st.integers(1, 5))
def test_a_reading_shows_every_word_once(n: int, lead: int) -> None:
    text = np.arange(1, n + 1)
    course = plan_course(n, epochs=1, most_words=10**9)
    blocks = [read_block(text, number, course, lead=lead) for number in range(course.blocks)]
    told = np.sort(np.concatenate([block[:, lead:].reshape(-1) for block in blocks]))
    assert (np.diff(told) > 0).all()
    assert n - len(told) < course.streams * (STEPS + 1)
    for block in blocks:
        steps = np.diff(block, axis=1)
        assert (steps[block[:, :-1] > 0] == 1).all()


def test_a_course_may_be_taken_in_parts() -> None:
    text, course = np.arange(1, 641), plan_course(640, epochs=3, most_words=10**9)
    whole, parts = Listener(2), Listener(2)
    for listener, cuts in (
        (whole, [range(course.blocks)]),
        (parts, [range(25), range(25, course.blocks)]),
    ):
        for numbers in cuts:
            show(listener, text, course, numbers, rate=0.5)
    assert np.array_equal(whole.seen, parts.seen)
    assert whole.rates == parts.rates
    assert whole.begun == parts.begun == [0, 20, 40]


def test_steps_grow_and_shrink() -> None:
    listener, course = Listener(1), Course(streams=1, a_reading=1000, blocks=1000)
    show(listener, np.zeros(32_000, np.int64), course, range(1000), rate=1.0)
    assert [round(listener.rates[i], 3) for i in (0, 99, 999)] == [0.01, 0.906, 0.051]


def test_words_outside_the_vocabulary_are_shown_as_one() -> None:
    listener, course = Listener(1), Course(streams=1, a_reading=1, blocks=1)
    show(listener, np.arange(1, 41), course, range(1), size=5)
    assert listener.seen[0][0, :9].tolist() == [0, 1, 2, 3, 4, 5, 6, 6, 6]


def test_what_is_read_is_bounded() -> None:
    assert plan_course(10**7, epochs=2, most_words=10**6).blocks * 128 * 32 <= 10**6
    small = plan_course(100, epochs=2, most_words=10**6)
    assert (small.streams, small.blocks) == (1, 6)
    assert plan_course(10**7, epochs=1, most_words=1).blocks == 1


NAMES = ["", "it", "rained", "o'clock", ".", "''", "42"]
MARKS, LETTERS = (
    np.array([name in names for name in NAMES]) for names in ((".", "''"), ("it", "rained"))
)


@given(
    st.lists(st.lists(st.integers(1, 6), min_size=1, max_size=7), min_size=1, max_size=12),
    st.integers(1, 12),
)
def test_each_passage_is_the_least_that_is_enough(sentences: list[list[int]], least: int) -> None:
    expected = []
    for i, sentence in enumerate(sentences):
        words = [at for at, word in enumerate(sentence) if not MARKS[word]]
        first = max((j for j in range(i) if sum(map(len, sentences[j:i])) >= least), default=None)
        if first is not None and words and words[-1] > 0 and LETTERS[sentence[words[-1]]]:
            flat = [word for one in sentences[first:i] for word in (*one, 0)] + sentence[
                : words[-1] + 1
            ]
            expected.append(flat)
    text = np.array([word for sentence in sentences for word in (*sentence, 0)], np.uint32)
    found = training_passages(text, marks=MARKS, letters=LETTERS, min_tokens=least)
    assert [text[first : last + 1].tolist() for first, last in found.tolist()] == expected


def test_a_reading_shows_every_passage_once() -> None:
    text, passages = np.arange(1, 101), np.array([[i, i + 1 + i % 3] for i in range(0, 90, 3)])
    course = plan_course(30, epochs=2, most_words=10**6, most_streams=512, steps=1)
    read = passage_reader(text, passages, course, size=50)
    blocks = [read(number) for number in range(course.blocks)]
    assert (course.blocks, course.words_a_block) == (60, 1)
    ends = [int(block.ids[-1]) for block in blocks]
    assert ends[:30] == [min(int(text[last]), 51) for _, last in passages]
    assert ends[30:] == ends[:30]


def test_a_block_holds_passages_of_every_part() -> None:
    text, passages = np.arange(1, 2001), np.array([[i, i + 1 + i % 2] for i in range(0, 1200, 3)])
    course = plan_course(400, epochs=1, most_words=10**6, most_streams=512, steps=1)
    block = passage_reader(text, passages, course, size=10**6)(1)
    assert course.streams == 2
    assert block.lengths.tolist() == [3, 3]
    assert block.ids.tolist() == [4, 5, 6, 604, 605, 606]
