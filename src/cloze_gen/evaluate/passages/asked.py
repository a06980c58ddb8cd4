"""A passage as it is asked about: what stands before the target, in small letters, and the target; one form for every file it comes in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from cloze_gen.text.word_ids import SEPARATOR

PASSAGES, CONTROL = "passages", "control"
SETS = (PASSAGES, CONTROL)  # in the order of the paper's table


@dataclass(frozen=True, slots=True)
class AskedPassage:
    """One passage of a set.

    Attributes:
        set: `PASSAGES`, or `CONTROL` where nothing filtered it.
        sentences: its tokens before the target, in small letters and whole words, sentence by sentence; of the target sentence, the last,
            what stands before the target, be it nothing.
        target: in small letters.
        cased: the tokens as the book has them, the target last; empty where nothing tells capitals.
        prompts: rendering (``published``, ``cased``) -> the text before the target, and the target with the blank that belongs to it.
    """

    id: str
    set: str
    sentences: tuple[tuple[str, ...], ...]
    target: str
    cased: tuple[str, ...] = ()
    prompts: Mapping[str, tuple[str, str]] = field(default_factory=dict)

    @property
    def tokens(self) -> tuple[str, ...]:
        """In small letters, the target last."""
        return (*chain.from_iterable(self.sentences), self.target)


def number_passages(passages: Sequence[AskedPassage], words: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The passages as a model with a closed vocabulary reads them.

    Args:
        words: the vocabulary; the word of number i stands at i - 1, and the number of any other word is one more than there are.
    Returns:
        int64, shape (the sum of the lengths,): the passages one after the other, `SEPARATOR` before each sentence, the target last; int64,
        shape (n,): their lengths.

    >>> asked = AskedPassage("b:1", "passages", (("who", "?"), ("it", "was")), "ann")
    >>> ids, lengths = number_passages([asked], ["it", "was", "ann", "?"])
    >>> ids.tolist(), lengths.tolist()
    ([0, 5, 4, 0, 1, 2, 3], [7])
    """
    number = {word: i for i, word in enumerate(words, 1)}
    unknown = len(words) + 1
    ids: list[int] = []
    lengths: list[int] = []
    for passage in passages:
        before = len(ids)
        for sentence in passage.sentences:
            ids.append(SEPARATOR)
            ids.extend(number.get(token, unknown) for token in sentence)
        ids.append(number.get(passage.target, unknown))
        lengths.append(len(ids) - before)
    return np.array(ids, np.int64), np.array(lengths, np.int64)
