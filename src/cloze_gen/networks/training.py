"""Training: a text, or passages of it, as numbered blocks, read by many streams at once, and the course that a network takes through them.

A block's number says what is read and how large the steps are, so a course may be broken off after any block and taken up again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from cloze_gen.networks.adagrad import Adagrad
from cloze_gen.networks.word_classes import Ids, close_ids
from cloze_gen.text.word_ids import SEPARATOR

Block = TypeVar("Block", contravariant=True)
STEPS = 32  # words of a stream that a block holds: how far back a recurrent network's errors go
MOST_STREAMS = 128
_LEAST_BLOCKS = 200  # a small text is read by fewer streams, so that there are enough blocks to learn from
_WARM_UP = 100  # blocks over which steps grow to their full size: Adagrad knows nothing yet of what it moves
_LAST_RATE = 0.05  # of the first one


class Learner(Protocol[Block]):
    """What can be trained by blocks of some kind."""

    def forget(self) -> None:
        """The streams begin anew."""
        ...

    def learn(self, block: Block, optimizer: Adagrad) -> float:
        """Learn a block; the mean of -ln P(word) before."""
        ...


@dataclass(frozen=True, slots=True)
class Course:
    """What a network reads: a text, or passages, in several readings, each stream a part of its own, from beginning to end.

    Attributes:
        streams: how many read at once.
        a_reading: blocks of one reading of the text; a rest that fills none is left out.
        blocks: blocks in all.
        steps: words, or passages, of a stream that a block holds.
    """

    streams: int
    a_reading: int
    blocks: int
    steps: int = STEPS

    @property
    def words_a_block(self) -> int:
        """Words that are told: of passages the targets alone."""
        return self.streams * self.steps


def plan_course(n_words: int, *, readings: int, most_words: int, most_streams: int = MOST_STREAMS, steps: int = STEPS) -> Course:
    """The course through a text of n words (ends of sentences among them): so many readings, or as far as `most_words` go,
    but one block at least.

    >>> plan_course(25_000_000, readings=3, most_words=30_000_000)
    Course(streams=128, a_reading=6103, blocks=7324, steps=32)
    >>> plan_course(64_000, readings=3, most_words=30_000_000)
    Course(streams=10, a_reading=200, blocks=600, steps=32)
    """
    streams = max(1, min(most_streams, n_words // (steps * _LEAST_BLOCKS)))
    a_reading = n_words // streams // steps
    return Course(streams, a_reading, max(1, min(readings * a_reading, most_words // (streams * steps))), steps)


def read_block(ids: NDArray[np.integer], number: int, course: Course, *, lead: int) -> NDArray[np.integer]:
    """The words of a block and those before them, shape (streams, lead + STEPS); before the text stand ends of sentences.

    >>> read_block(np.arange(1, 129), 1, Course(streams=2, a_reading=2, blocks=4), lead=1)[:, :3].tolist()
    [[32, 33, 34], [96, 97, 98]]
    """
    firsts = np.arange(course.streams) * (len(ids) // course.streams) + number % course.a_reading * STEPS
    places = firsts[:, None] + np.arange(-lead, STEPS)
    return np.where(places < 0, SEPARATOR, ids[np.maximum(places, 0)])


def block_reader(ids: NDArray[np.integer], course: Course, *, lead: int, size: int) -> Callable[[int], Ids]:
    """What reads a block of a text by its number: `read_block` over the closed vocabulary.

    Args:
        ids: the whole text as numbers, shape (n,), `SEPARATOR` between sentences; may be memory-mapped.
        size: of the closed vocabulary.
    """
    return lambda number: close_ids(read_block(ids, number, course, lead=lead), size)


def train(
    network: Learner[Block], read: Callable[[int], Block], optimizer: Adagrad, *, course: Course, numbers: range, rate: float
) -> list[float]:
    """Take a network through some blocks of its course; steps grow at first, then shrink evenly to a twentieth.

    Args:
        read: gives the block of a number.
        numbers: of the blocks.
        rate: of the first steps.
    Returns:
        the mean of -ln P(word) of each block, before it was learnt.
    """
    losses = []
    for number in numbers:
        if number % course.a_reading == 0:
            network.forget()
        optimizer.rate = rate * min(1, (number + 1) / _WARM_UP) * (1 - (1 - _LAST_RATE) * number / course.blocks)
        losses.append(network.learn(read(number), optimizer))
    return losses
