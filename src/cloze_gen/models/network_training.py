"""Training on a text, cut into numbered blocks that several streams read at once.

A block's number determines its words and step size.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cloze_gen.corpus.arrays import SEPARATOR
from cloze_gen.models.network_layers import Adagrad, SoftmaxNetwork, close_ids

STEPS = 32  # words per stream in a block; bounds backpropagation through time
MOST_STREAMS = 128
_LEAST_BLOCKS = 200  # a small text has fewer streams, so that there are enough updates
# blocks of linear growth, while Adagrad's sums are uninformed
_WARM_UP = 100
_LAST_RATE = 0.05  # of the first one


@dataclass(frozen=True, slots=True)
class Course:
    """`a_reading`: blocks of one reading."""

    streams: int
    a_reading: int
    blocks: int

    @property
    def words_a_block(self) -> int:
        return self.streams * STEPS


def plan_course(n_words: int, *, epochs: int, most_words: int) -> Course:
    """A course through n words: `epochs` times, at most `most_words`, at least one block.

    >>> plan_course(25_000_000, epochs=3, most_words=30_000_000)
    Course(streams=128, a_reading=6103, blocks=7324)
    >>> plan_course(64_000, epochs=3, most_words=30_000_000)
    Course(streams=10, a_reading=200, blocks=600)
    """
    streams = max(1, min(MOST_STREAMS, n_words // (STEPS * _LEAST_BLOCKS)))
    a_reading = n_words // streams // STEPS
    return Course(
        streams, a_reading, max(1, min(epochs * a_reading, most_words // (streams * STEPS)))
    )


def read_block(
    ids: NDArray[np.integer], number: int, course: Course, *, lead: int
) -> NDArray[np.integer]:
    """The words of a block and `lead` words before, (streams, lead + STEPS), padded at the start.

    >>> read_block(np.arange(1, 129), 1, Course(streams=2, a_reading=2, blocks=4), lead=1)[:, :3].tolist()
    [[32, 33, 34], [96, 97, 98]]
    """
    firsts = (
        np.arange(course.streams) * (len(ids) // course.streams) + number % course.a_reading * STEPS
    )
    places = firsts[:, None] + np.arange(-lead, STEPS)
    return np.where(places < 0, SEPARATOR, ids[np.maximum(places, 0)])


def train(
    network: SoftmaxNetwork,
    ids: NDArray[np.integer],
    optimizer: Adagrad,
    *,
    course: Course,
    size: int,
    rate: float,
) -> list[float]:
    """Train on a text; returns the mean of -ln P(word) of each block before its update.

    Steps grow to `rate` in a warm-up, then shrink linearly to a twentieth. `size` is that of the
    closed vocabulary.
    """
    losses = []
    for number in range(course.blocks):
        if number % course.a_reading == 0:
            network.forget()
        warm_up = min(1, (number + 1) / _WARM_UP)
        optimizer.rate = rate * warm_up * (1 - (1 - _LAST_RATE) * number / course.blocks)
        block = read_block(ids, number, course, lead=network.lead)
        losses.append(network.learn(close_ids(block, size), optimizer))
    return losses
