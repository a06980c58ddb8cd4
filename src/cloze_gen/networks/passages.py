"""Passages of a running text of the shape that is asked: enough whole sentences, and a sentence up to its last word (LAMBADA 3.1, 4).

The text is that of many novels, one after the other, and tells neither chapters nor books: a passage may reach from one into the next.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cloze_gen.networks.training import Course
from cloze_gen.networks.word_classes import Ids, close_ids
from cloze_gen.text.least_context import least_context
from cloze_gen.text.word_ids import SEPARATOR

MOST_PASSAGES = 512  # that are read at once


@dataclass(frozen=True, slots=True)
class PassageBlock:
    """Some passages.

    Attributes:
        ids: their words one after the other, ends of sentences among them, shape (the sum of the lengths,).
        lengths: shape (n,), each at least 2; a passage's last word is its target.
    """

    ids: Ids
    lengths: Ids


def training_passages(ids: NDArray[np.integer], *, marks: NDArray[np.bool_], letters: NDArray[np.bool_], min_tokens: int) -> Ids:
    """Every sentence that ends a passage: its last word, marks apart, is made of letters, and stands not alone.

    Args:
        ids: the text as numbers, shape (n,), `SEPARATOR` after each sentence; may be memory-mapped.
        marks: shape (words + 1,), by number: no letter and no digit in it.
        letters: the same: letters alone.
        min_tokens: of the whole sentences before the target's; the least number of them that hold as many is taken.
    Returns:
        shape (passages, 2): the places in the text of the first word and of the target.

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


def passage_reader(ids: NDArray[np.integer], passages: Ids, course: Course, *, size: int) -> Callable[[int], PassageBlock]:
    """What reads a block of passages by its number: one of every stream, over the closed vocabulary.

    Args:
        ids: the text as numbers, shape (n,).
        passages: of `training_passages`, shape (passages, 2).
        size: of the closed vocabulary.
    """

    def read(number: int) -> PassageBlock:
        own = passages[np.arange(course.streams) * course.a_reading + number % course.a_reading]
        lengths = own[:, 1] + 1 - own[:, 0]
        starts = np.cumsum(lengths) - lengths
        places = np.arange(int(lengths.sum())) + np.repeat(own[:, 0] - starts, lengths)
        return PassageBlock(close_ids(ids[places], size), lengths)

    return read
