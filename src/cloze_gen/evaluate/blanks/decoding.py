"""Scores of a passage's candidates to its answers (Kong et al. 2020, 5.1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from cloze_gen.records.blanked_passage import BlankedPassage
from cloze_gen.stats.assignment import decode_greedily, decode_jointly

INC, EXH = "INC", "EXH"
DECODERS: Mapping[str, Callable[[NDArray[np.float64]], NDArray[np.int64]]] = {INC: decode_greedily, EXH: decode_jointly}


def decode(passage: BlankedPassage, scores: NDArray[np.float64], decoder: str) -> NDArray[np.int64]:
    """The answers to a passage: int64, shape (blanks,): a candidate each, in the order of `BlankedPassage.blanks`.

    *Read:* from left to right is the order in which blanks stand in the passage, however a file numbers them. The published code takes the
    order in which a file lists its answers.

    Args:
        scores: shape (blanks, candidates), in the order of `BlankedPassage.blanks`.
        decoder: a name of `DECODERS`.

    >>> passage = BlankedPassage("b:0", ("A.", "B.", "C."), (2, 0), ("A.", "C."), (1, 0))
    >>> scores = np.array([[0.0, 0.5], [0.1, 0.9]])
    >>> decode(passage, scores, INC).tolist()
    [0, 1]
    """
    order = np.argsort(passage.blanks)
    answers = np.empty(len(order), np.int64)
    answers[order] = DECODERS[decoder](scores[order])
    return answers
