"""Training on a text or its passages, cut into numbered blocks that several streams read at once.

A block's number determines its words and step size, so training can stop and resume. Passages are
whole sentences and a sentence up to its last word (LAMBADA 3.1, 4).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from cloze_gen.corpus.arrays import SEPARATOR, least_context
from cloze_gen.models.network_layers import Adagrad, Ids, close_ids

Block = TypeVar("Block", contravariant=True)
STEPS = 32  # words per stream in a block; bounds backpropagation through time
MOST_STREAMS = 128
_LEAST_BLOCKS = 200  # a small text has fewer streams, so that there are enough updates
# blocks of linear growth, while Adagrad's sums are uninformed
_WARM_UP = 100
_LAST_RATE = 0.05  # of the first one


class Learner(Protocol[Block]):
    def forget(self) -> None: ...

    def learn(self, block: Block, optimizer: Adagrad) -> float:
        """Learn a block; returns the mean of -ln P(word) before the update."""
        ...


@dataclass(frozen=True, slots=True)
class Course:
    """`a_reading`: blocks of one reading; `steps`: words or passages per stream in a block."""

    streams: int
    a_reading: int
    blocks: int
    steps: int = STEPS

    @property
    def words_a_block(self) -> int:
        """Words predicted in a block; of passages the targets only."""
        return self.streams * self.steps


def plan_course(
    n_words: int,
    *,
    epochs: int,
    most_words: int,
    most_streams: int = MOST_STREAMS,
    steps: int = STEPS,
) -> Course:
    """A course through n words: `epochs` times, at most `most_words`, at least one block.

    >>> plan_course(25_000_000, epochs=3, most_words=30_000_000)
    Course(streams=128, a_reading=6103, blocks=7324, steps=32)
    >>> plan_course(64_000, epochs=3, most_words=30_000_000)
    Course(streams=10, a_reading=200, blocks=600, steps=32)
    """
    streams = max(1, min(most_streams, n_words // (steps * _LEAST_BLOCKS)))
    a_reading = n_words // streams // steps
    return Course(
        streams,
        a_reading,
        max(1, min(epochs * a_reading, most_words // (streams * steps))),
        steps,
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


def block_reader(
    ids: NDArray[np.integer], course: Course, *, lead: int, size: int
) -> Callable[[int], Ids]:
    return lambda number: close_ids(read_block(ids, number, course, lead=lead), size)


def train(
    network: Learner[Block],
    read: Callable[[int], Block],
    optimizer: Adagrad,
    *,
    course: Course,
    numbers: range,
    rate: float,
) -> list[float]:
    """Train on some blocks; returns the mean of -ln P(word) of each before its update.

    Steps grow to `rate` in a warm-up, then shrink linearly to a twentieth.
    """
    losses = []
    for number in numbers:
        if number % course.a_reading == 0:
            network.forget()
        optimizer.rate = (
            rate * min(1, (number + 1) / _WARM_UP) * (1 - (1 - _LAST_RATE) * number / course.blocks)
        )
        losses.append(network.learn(read(number), optimizer))
    return losses


MOST_PASSAGES = 512  # that are read at once


@dataclass(frozen=True, slots=True)
class PassageBlock:
    """Passages, concatenated with sentence ends; the last word of each is its target."""

    ids: Ids
    lengths: Ids


def training_passages(
    ids: NDArray[np.integer],
    *,
    marks: NDArray[np.bool_],
    letters: NDArray[np.bool_],
    min_tokens: int,
) -> Ids:
    """Positions of first word and target, shape (passages, 2), of every possible passage.

    A target is alphabetic and not its sentence's only word. `ids`: numbers with `SEPARATOR` after
    each sentence; `marks`, `letters`: by number: no letter or digit in it; letters alone;
    `min_tokens`: of as few whole sentences as reach it.

    >>> names = ["", "it", "rained", "."]
    >>> marks, letters = (np.array([test(name) for name in names]) for test in (lambda n: n == ".", str.isalpha))
    >>> training_passages(np.array([1, 2, 3, 0, 1, 2, 0, 2, 3, 0]), marks=marks, letters=letters, min_tokens=3).tolist()
    [[0, 5]]
    """
    ends = np.flatnonzero(ids == SEPARATOR)
    starts = np.concatenate([[0], ends[:-1] + 1]).astype(np.int64)
    words = np.flatnonzero((ids != SEPARATOR) & ~marks[ids])
    lasts = np.concatenate([[-1], words])[np.searchsorted(words, ends)]
    first, _ = least_context(ends - starts, min_tokens)
    kept = (lasts > starts) & (first >= 0)
    kept[kept] = letters[ids[lasts[kept]]]
    return np.stack([starts[first[kept]], lasts[kept]], axis=1)


def passage_reader(
    ids: NDArray[np.integer], passages: Ids, course: Course, *, size: int
) -> Callable[[int], PassageBlock]:
    def read(number: int) -> PassageBlock:
        own = passages[np.arange(course.streams) * course.a_reading + number % course.a_reading]
        lengths = own[:, 1] + 1 - own[:, 0]
        starts = np.cumsum(lengths) - lengths
        places = np.arange(int(lengths.sum())) + np.repeat(own[:, 0] - starts, lengths)
        return PassageBlock(close_ids(ids[places], size), lengths)

    return read
