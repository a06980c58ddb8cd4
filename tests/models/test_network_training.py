from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.models.network_layers import Adagrad
from cloze_gen.models.network_training import (
    STEPS,
    Course,
    plan_course,
    read_block,
    train,
)


class Listener:
    """A network that records its blocks and rates."""

    def __init__(self, lead):
        self.lead = lead
        self.seen: list[np.ndarray] = []
        self.rates: list[float] = []
        self.begun: list[int] = []

    def forget(self):
        self.begun.append(len(self.seen))

    def learn(self, block, optimizer):
        self.seen.append(block)
        self.rates.append(optimizer.rate)
        return float(len(self.seen))


def show(listener, text, course, *, size=10**6):
    train(listener, text, Adagrad({}, rate=0.0), course=course, size=size, rate=1.0)


@given(n=st.integers(64, 20_000), lead=st.integers(1, 5))
def test_a_reading_shows_every_word_once(n, lead):
    text = np.arange(1, n + 1)
    course = plan_course(n, epochs=1, most_words=10**9)
    blocks = [read_block(text, number, course, lead=lead) for number in range(course.blocks)]
    told = np.sort(np.concatenate([block[:, lead:].reshape(-1) for block in blocks]))
    assert (np.diff(told) > 0).all()
    assert n - len(told) < course.streams * (STEPS + 1)
    for block in blocks:
        steps = np.diff(block, axis=1)
        assert (steps[block[:, :-1] > 0] == 1).all()


def test_the_state_is_forgotten_before_each_reading():
    listener, course = Listener(2), plan_course(640, epochs=3, most_words=10**9)
    show(listener, np.arange(1, 641), course)
    assert listener.begun == [0, 20, 40]


def test_steps_grow_and_shrink():
    listener, course = Listener(1), Course(streams=1, a_reading=1000, blocks=1000)
    show(listener, np.zeros(32_000, np.int64), course)
    assert [round(listener.rates[i], 3) for i in (0, 99, 999)] == [0.01, 0.906, 0.051]


def test_words_outside_the_vocabulary_are_shown_as_one():
    listener, course = Listener(1), Course(streams=1, a_reading=1, blocks=1)
    show(listener, np.arange(1, 41), course, size=5)
    assert listener.seen[0][0, :9].tolist() == [0, 1, 2, 3, 4, 5, 6, 6, 6]


def test_what_is_read_is_bounded():
    assert plan_course(10**7, epochs=2, most_words=10**6).blocks * 128 * 32 <= 10**6
    small = plan_course(100, epochs=2, most_words=10**6)
    assert (small.streams, small.blocks) == (1, 6)
    assert plan_course(10**7, epochs=1, most_words=1).blocks == 1
