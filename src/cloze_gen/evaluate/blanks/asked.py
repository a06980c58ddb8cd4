"""A blanked passage as it is asked about: its sentences and candidates as tokens, and what scores a candidate in a blank."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from cloze_gen.records.blanked_passage import BlankedPassage


@dataclass(frozen=True, slots=True)
class AskedBlanks:
    """One passage of a set.

    Attributes:
        book: what the folds of a cross-validation are cut by; the passage's own id where no book is known.
        part: ``train``, ``development`` or ``test``; empty where a file has none.
        sentences: the whole-word tokens of every sentence, case kept, answers in their places.
        candidates: the whole-word tokens of every candidate, case kept.
    """

    passage: BlankedPassage
    book: str
    part: str
    sentences: tuple[tuple[str, ...], ...]
    candidates: tuple[tuple[str, ...], ...]


class Direction(StrEnum):
    """What of the passage a candidate is compared with (Kong et al. 2020, 4.1). No blank is ever part of it.

    P and N: the nearest sentence before and after the blank that is no blank itself. AP and AN: all sentences before and after it.
    BOTH: all of them at once, for what cannot be judged from one side, such as a speech that opens before the blank and closes behind it.
    """

    P = "P"
    N = "N"
    AP = "AP"
    AN = "AN"
    BOTH = "AP+AN"


class BlankScorer(Protocol):
    """How well each candidate fits each blank, judged from one side of the blank at a time, or from both at once."""

    def scores(self, asked: AskedBlanks) -> Mapping[Direction, NDArray[np.float64]]:
        """Of each direction that it can judge from: float64, shape (blanks, candidates), higher is better, in the order of the passage.

        A blank with nothing on one side has a row of NaN in that direction.
        """
        ...
